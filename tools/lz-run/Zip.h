//===- Zip.h - zip archives -----------------------------------------*- C++
//-*-===//
//
// As much of the format as numpy's .npz files use: stored and deflated members,
// and 64-bit sizes in what is read. Everything in a file is taken for hostile.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lz::run {

/// A member's name and content.
using ZipMember = std::pair<std::string, std::string>;

/// The members of an archive, in its order. `path` is for errors.
std::vector<ZipMember> readZip(const std::string &archive,
                               const std::string &path);

/// An archive of stored members.
std::string writeZip(const std::vector<ZipMember> &members);

} // namespace lz::run
