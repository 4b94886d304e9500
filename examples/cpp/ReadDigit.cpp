//===- ReadDigit.cpp - load an artifact and run it ------------------------===//
//
// The smallest whole program: opens the network of handwritten digits, which
// the build compiled, and says which digit a text file of 8 x 8 grey values (0
// white to 16 black) shows.
//
//===----------------------------------------------------------------------===//

#include "lezero/lezero.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

static constexpr int side = 8;

/// Reads the grey values of a file.
static std::vector<float> readImage(const std::string &path) {
  std::ifstream file(path);
  std::vector<float> pixels;
  for (float value; file >> value;)
    pixels.push_back(value);
  if (pixels.size() != side * side)
    throw std::runtime_error(path + ": expected 64 numbers, found " +
                             std::to_string(pixels.size()));
  return pixels;
}

/// Prints the image with darker characters for darker pixels.
static void printImage(const std::vector<float> &pixels) {
  const std::string shades = " .:*#";
  for (int y = 0; y != side; ++y) {
    for (int x = 0; x != side; ++x) {
      auto shade = static_cast<size_t>(pixels[y * side + x] / 16 * 4);
      std::fputc(shades[std::min(shade, shades.size() - 1)], stdout);
    }
    std::fputc('\n', stdout);
  }
}

/// Reads the image, runs the model on it and prints the likeliest digit.
static void readDigit(const std::string &path) {
  std::vector<float> pixels = readImage(path);
  printImage(pixels);

  lz::Model model = lz::Model::load(LEZERO_MODEL_DIGITS);
  lz::Tensor image = lz::Tensor::of<float>({1, 1, side, side}, pixels);
  lz::Tensor probabilities = model.run({image})[0];

  const float *first = probabilities.as<float>();
  const float *best = std::max_element(first, first + 10);
  std::printf("this is a %d (%.1f %%)\n", static_cast<int>(best - first),
              100 * *best);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: read_digit FILE\n");
    return 1;
  }
  try {
    readDigit(argv[1]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "read_digit: %s\n", error.what());
    return 1;
  }
  return 0;
}
