//===- Report.h - what lz-run prints --------------------------------*- C++
//-*-===//
#pragma once

#include "Session.h"

namespace lz::run {

/// The object of --json, on one line.
std::string jsonReport(const Results &results);

/// One line for each output.
std::string outputReport(const Results &results);

/// The text of --time.
std::string timeReport(const Results &results);

/// The table of --profile.
std::string profileReport(const Results &results);

/// The text of --info.
std::string infoReport(const Options &options);

} // namespace lz::run
