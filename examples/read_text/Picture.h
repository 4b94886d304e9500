//===- Picture.h - pictures and the lines of text in them -------*- C++ -*-===//
//
// What a recogniser of text lines needs from a picture: to be read from a PNG
// file, cut into lines, and brought to the recogniser's height.
//
//===----------------------------------------------------------------------===//
#ifndef LEZERO_EXAMPLES_READ_TEXT_PICTURE_H
#define LEZERO_EXAMPLES_READ_TEXT_PICTURE_H

#include <cstdint>
#include <string>
#include <vector>

/// An RGB picture, three bytes a pixel, row by row.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;

  const uint8_t *at(int x, int y) const { return &pixels[(y * width + x) * 3]; }
};

/// Reads a PNG file; throws std::runtime_error if that fails.
Picture readPng(const std::string &path);

/// Returns the lines of dark text on a light ground, from top to bottom: what
/// holds the ink of each band of rows, with a margin.
std::vector<Picture> splitLines(const Picture &page);

/// Returns the picture scaled to `height`, its proportions kept.
Picture scaleToHeight(const Picture &picture, int height);

#endif // LEZERO_EXAMPLES_READ_TEXT_PICTURE_H
