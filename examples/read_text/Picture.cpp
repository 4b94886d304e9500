//===- Picture.cpp - pictures and the lines of text in them ---------------===//
//
// PNG through libpng's simplified interface; lines by looking for rows of
// pixels without ink; scaling by bilinear interpolation.
//
//===----------------------------------------------------------------------===//

#include "Picture.h"

#include <algorithm>
#include <cmath>
#include <png.h>
#include <stdexcept>
#include <utility>

/// A pixel darker than this is ink.
static constexpr int inkBelow = 128;

/// Pixels kept around a line, in parts of its height.
static constexpr int marginPart = 5;

Picture readPng(const std::string &path) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str()))
    throw std::runtime_error(path + ": " + image.message);
  image.format = PNG_FORMAT_RGB;
  Picture picture;
  picture.width = static_cast<int>(image.width);
  picture.height = static_cast<int>(image.height);
  picture.pixels.resize(PNG_IMAGE_SIZE(image));
  png_color white = {255, 255, 255};
  if (!png_image_finish_read(&image, &white, picture.pixels.data(), 0, nullptr))
    throw std::runtime_error(path + ": " + image.message);
  return picture;
}

/// Returns true if the pixel is dark.
static bool isInk(const Picture &page, int x, int y) {
  const uint8_t *pixel = page.at(x, y);
  return (pixel[0] + pixel[1] + pixel[2]) / 3 < inkBelow;
}

/// Returns the columns [left, right) that hold the ink of rows [top, bottom);
/// left is the page's width if there is none.
static std::pair<int, int> inkColumns(const Picture &page, int top,
                                      int bottom) {
  int left = page.width, right = 0;
  for (int y = top; y != bottom; ++y)
    for (int x = 0; x != page.width; ++x)
      if (isInk(page, x, y)) {
        left = std::min(left, x);
        right = std::max(right, x + 1);
      }
  return {left, right};
}

/// Returns the bands [top, bottom) of rows with ink. Gaps of up to two rows, as
/// between an i and its dot, belong to the line.
static std::vector<std::pair<int, int>> findBands(const Picture &page) {
  std::vector<std::pair<int, int>> bands;
  for (int y = 0; y != page.height; ++y) {
    if (inkColumns(page, y, y + 1).first == page.width)
      continue;
    if (bands.empty() || y > bands.back().second + 2)
      bands.push_back({y, y});
    bands.back().second = y + 1;
  }
  return bands;
}

/// Returns the part of the page from (left, top) to before (right, bottom), cut
/// off at the page's edges.
static Picture crop(const Picture &page, int left, int top, int right,
                    int bottom) {
  left = std::max(left, 0);
  top = std::max(top, 0);
  right = std::min(right, page.width);
  bottom = std::min(bottom, page.height);
  Picture part = {right - left, bottom - top, {}};
  for (int y = top; y != bottom; ++y)
    part.pixels.insert(part.pixels.end(), page.at(left, y),
                       page.at(left, y) + part.width * 3);
  return part;
}

std::vector<Picture> splitLines(const Picture &page) {
  std::vector<Picture> lines;
  for (auto [top, bottom] : findBands(page)) {
    auto [left, right] = inkColumns(page, top, bottom);
    int margin = (bottom - top) / marginPart + 1;
    lines.push_back(crop(page, left - margin, top - margin, right + margin,
                         bottom + margin));
  }
  return lines;
}

/// Returns a channel between the four pixels around (x, y).
static double sample(const Picture &picture, double x, double y, int channel) {
  x = std::clamp(x, 0.0, picture.width - 1.0);
  y = std::clamp(y, 0.0, picture.height - 1.0);
  int left = static_cast<int>(x), top = static_cast<int>(y);
  int right = std::min(left + 1, picture.width - 1);
  int bottom = std::min(top + 1, picture.height - 1);
  double dx = x - left, dy = y - top;
  double above = picture.at(left, top)[channel] * (1 - dx) +
                 picture.at(right, top)[channel] * dx;
  double below = picture.at(left, bottom)[channel] * (1 - dx) +
                 picture.at(right, bottom)[channel] * dx;
  return above * (1 - dy) + below * dy;
}

Picture scaleToHeight(const Picture &picture, int height) {
  double step = static_cast<double>(picture.height) / height;
  int width = std::max(1, static_cast<int>(std::lround(picture.width / step)));
  Picture scaled = {width, height, {}};
  scaled.pixels.reserve(static_cast<size_t>(width) * height * 3);
  for (int y = 0; y != height; ++y)
    for (int x = 0; x != width; ++x)
      for (int channel = 0; channel != 3; ++channel)
        scaled.pixels.push_back(static_cast<uint8_t>(
            std::lround(sample(picture, (x + 0.5) * step - 0.5,
                               (y + 0.5) * step - 0.5, channel))));
  return scaled;
}
