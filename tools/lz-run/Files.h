//===- Files.h - whole files --------------------------------------*- C++
//-*-===//
#pragma once

#include <stdexcept>
#include <string>

namespace lz::run {

/// Something is wrong with what the user gave: exit 1 with the text.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The content of a regular file.
std::string readFile(const std::string &path);

/// Writes a file whole or not at all: to a temporary one beside it first.
void writeFile(const std::string &path, const std::string &content);

/// True if `text` ends in `end`.
bool endsWith(const std::string &text, const std::string &end);

} // namespace lz::run
