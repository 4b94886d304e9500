//===- ReadText.cpp - read the text in a picture --------------------------===//
//
// Runs a PP-OCR recogniser, compiled by lzc to one shared library, on each line
// of text in a picture. The artifact carries the model's dictionary, and serves
// lines of every width.
//
//===----------------------------------------------------------------------===//

#include "Picture.h"
#include "lezero/lezero.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// The height that the recogniser was trained for.
static constexpr int lineHeight = 48;

namespace {

/// A line as it was read, and how sure the network is (0 to 1).
struct Reading {
  std::string text;
  double confidence;
};

/// Milliseconds since it was made.
class Stopwatch {
public:
  double milliseconds() const {
    auto passed = std::chrono::steady_clock::now() - start;
    return std::chrono::duration<double, std::milli>(passed).count();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace

/// Returns the text of each class: the blank, the model's dictionary, the
/// space.
static std::vector<std::string> readClasses(const lz::Model &model) {
  for (int64_t i = 0; i != model.info().metadata_count; ++i) {
    const char *key, *value;
    if (lz_get_metadata(model.raw(), i, &key, &value) ||
        key != std::string("character"))
      continue;
    std::vector<std::string> classes = {""};
    std::istringstream lines(value);
    for (std::string line; std::getline(lines, line);)
      classes.push_back(line);
    classes.push_back(" ");
    return classes;
  }
  throw std::runtime_error("the model has no metadata entry 'character'");
}

/// Returns the network's input: blue, green, red planes of values from -1 to 1.
static lz::Tensor toTensor(const Picture &line) {
  lz::Tensor tensor(LZ_F32, {1, 3, line.height, line.width});
  float *next = tensor.as<float>();
  for (int channel = 2; channel >= 0; --channel)
    for (int y = 0; y != line.height; ++y)
      for (int x = 0; x != line.width; ++x)
        *next++ = (line.at(x, y)[channel] / 255.0f - 0.5f) / 0.5f;
  return tensor;
}

/// Returns the likeliest class of each step, with repeats and blanks dropped.
static Reading decode(const lz::Tensor &probabilities,
                      const std::vector<std::string> &classes) {
  int64_t steps = probabilities.shape()[1], count = probabilities.shape()[2];
  if (count != static_cast<int64_t>(classes.size()))
    throw std::runtime_error("the dictionary does not fit the network");
  std::string text;
  double sum = 0;
  int64_t previous = 0, letters = 0;
  for (int64_t step = 0; step != steps; ++step) {
    const float *row = probabilities.as<float>() + step * count;
    int64_t best = std::max_element(row, row + count) - row;
    if (best != 0 && best != previous) {
      text += classes[best];
      sum += row[best];
      ++letters;
    }
    previous = best;
  }
  return {text, letters ? sum / letters : 0};
}

/// Opens the artifact and reads each line of the picture, with times.
static void readText(const std::string &artifact, const std::string &path) {
  std::vector<Picture> lines = splitLines(readPng(path));
  if (lines.empty())
    throw std::runtime_error(path + ": no dark text on a light ground");

  Stopwatch loading;
  lz::Model model = lz::Model::load(artifact);
  std::printf("%s: opened in %.2f ms, made for %s\n", artifact.c_str(),
              loading.milliseconds(), model.info().target);

  std::vector<std::string> classes = readClasses(model);
  for (const Picture &line : lines) {
    lz::Tensor image = toTensor(scaleToHeight(line, lineHeight));
    Stopwatch running;
    lz::Tensor probabilities = model.run({image})[0];
    double milliseconds = running.milliseconds();
    Reading reading = decode(probabilities, classes);
    std::printf("%s\n    %.0f %% sure, %lld x %d pixels, %.1f ms\n",
                reading.text.c_str(), 100 * reading.confidence,
                static_cast<long long>(image.shape()[3]), lineHeight,
                milliseconds);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: read_text RECOGNISER.so PICTURE.png\n");
    return 1;
  }
  try {
    readText(argv[1], argv[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "read_text: %s\n", error.what());
    return 1;
  }
  return 0;
}
