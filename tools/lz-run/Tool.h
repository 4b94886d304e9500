//===- Tool.h - lz-run as a function --------------------------------*- C++
//-*-===//
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace lz::run {

/// Does what the arguments after the program's name say; returns the exit
/// status: 0 ok, 1 error, 2 wrong command line, 3 comparison failed.
int runTool(const std::vector<std::string> &arguments, std::ostream &out,
            std::ostream &err);

} // namespace lz::run
