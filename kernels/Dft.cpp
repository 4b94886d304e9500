//===- Dft.cpp - discrete Fourier transforms ------------------------------===//
//
// A power of two is transformed by passes over pairs of elements (Stockham's,
// which need no reordering), any other length as a convolution with a chirp
// (Bluestein's), which is three transforms of a power of two that is twice as
// large:
//
//   k n = (k^2 + n^2 - (k - n)^2) / 2, so with w[n] = exp(-pi i n^2 / length)
//   sum x[n] exp(-2 pi i k n / length) = w[k] sum (x[n] w[n]) conj(w[k - n])
//
// Everything is computed in double: the chirp loses digits. Neighbouring lines
// are transformed together, lane by lane, so that every pass is a loop over
// neighbouring numbers.
//
//===----------------------------------------------------------------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <cmath>

using namespace lz;

namespace {

/// Complex numbers, part by part.
struct Numbers {
  double *re, *im;

  Numbers from(int64_t offset) const { return {re + offset, im + offset}; }
  /// With the parts exchanged, the transform is the inverse but for a factor.
  Numbers exchanged() const { return {im, re}; }
  void set(int64_t i, Numbers value, int64_t from) const {
    re[i] = value.re[from];
    im[i] = value.im[from];
  }
  void clear(int64_t first, int64_t last) const {
    for (int64_t i = first; i < last; ++i)
      re[i] = im[i] = 0;
  }
};

/// What a transform of one length needs, in scratch memory.
class Transform {
public:
  Transform(int64_t length, double *scratch);

  /// The most lines that are transformed together.
  int64_t getMostLanes() const { return mostLanes; }
  /// Where the signals go: number k of lane l of `lanes` at k * lanes + l.
  Numbers getData() const { return data; }
  /// Transforms the data; the result lies there, too, in the same way.
  void run(int64_t lanes);

private:
  void runPasses(int64_t lanes);
  void runChirp(int64_t lanes);
  void makeFilter();

  int64_t length, size, mostLanes;
  Numbers roots;  // exp(-2 pi i k / size), of the first half circle
  Numbers chirp;  // w[k]
  Numbers filter; // the transform of conj(w), by size
  Numbers data, other;
};

} // namespace

/// Stores exp(-2 pi i k / n) at `i`, for 0 <= k < n < 2^60. Quarters of a
/// circle are exact.
static void setRoot(Numbers roots, int64_t i, int64_t k, int64_t n) {
  int64_t quarter = 4 * k / n;
  double angle = M_PI_2 * (static_cast<double>(4 * k - quarter * n) /
                           static_cast<double>(n));
  double c = std::cos(angle), s = std::sin(angle);
  double re[] = {c, -s, -c, s}, im[] = {-s, -c, s, c};
  roots.re[i] = re[quarter];
  roots.im[i] = im[quarter];
}

/// a[i] *= b[i / width], and the product by `scale`.
static void multiply(Numbers a, Numbers b, int64_t count, int64_t width,
                     double scale) {
  for (int64_t k = 0; k < count; ++k) {
    double c = b.re[k] * scale, s = b.im[k] * scale;
    for (int64_t i = k * width; i != (k + 1) * width; ++i) {
      double re = a.re[i], im = a.im[i];
      a.re[i] = re * c - im * s;
      a.im[i] = re * s + im * c;
    }
  }
}

/// The sums of `count` pairs, and their differences turned by `root`.
LZ_INLINE void addPairs(const double *__restrict aRe,
                        const double *__restrict aIm,
                        const double *__restrict bRe,
                        const double *__restrict bIm, double *__restrict sumRe,
                        double *__restrict sumIm, double *__restrict turnedRe,
                        double *__restrict turnedIm, double rootRe,
                        double rootIm, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    double re = aRe[i] - bRe[i], im = aIm[i] - bIm[i];
    sumRe[i] = aRe[i] + bRe[i];
    sumIm[i] = aIm[i] + bIm[i];
    turnedRe[i] = re * rootRe - im * rootIm;
    turnedIm[i] = re * rootIm + im * rootRe;
  }
}

Transform::Transform(int64_t length, double *scratch)
    : length(length), size(1) {
  bool isPower = (length & (length - 1)) == 0;
  while (size < (isPower ? length : 2 * length - 1))
    size *= 2;
  mostLanes = size <= LZ_DFT_SHORT ? LZ_DFT_LANES : 1;
  auto take = [&](int64_t count) {
    Numbers taken = {scratch, scratch + count};
    scratch += 2 * count;
    return taken;
  };
  data = take(size * mostLanes);
  other = take(size * mostLanes);
  roots = take(size / 2);
  for (int64_t k = 0; k < size / 2; ++k)
    setRoot(roots, k, k, size);
  chirp = filter = {nullptr, nullptr};
  if (isPower)
    return;
  chirp = take(length);
  filter = take(size);
  for (int64_t k = 0; k < length; ++k)
    setRoot(chirp, k, k * k % (2 * length), 2 * length);
  makeFilter();
}

/// The chirp's conjugate from -length to length, around the end of the circle.
void Transform::makeFilter() {
  data.clear(0, size);
  for (int64_t k = 0; k < length; ++k)
    for (int64_t i : {k, (size - k) % size}) {
      data.re[i] = chirp.re[k];
      data.im[i] = -chirp.im[k];
    }
  runPasses(1);
  for (int64_t i = 0; i < size; ++i)
    filter.set(i, data, i);
}

/// Transforms the whole size.
void Transform::runPasses(int64_t lanes) {
  int64_t run = lanes, step = 1;
  for (int64_t half = size / 2; half != 0; half /= 2) {
    for (int64_t k = 0; k < half; ++k) {
      Numbers a = data.from(k * run), b = data.from((k + half) * run);
      Numbers sum = other.from(2 * k * run), turned = sum.from(run);
      addPairs(a.re, a.im, b.re, b.im, sum.re, sum.im, turned.re, turned.im,
               roots.re[k * step], roots.im[k * step], run);
    }
    std::swap(data, other);
    run *= 2;
    step *= 2;
  }
}

void Transform::runChirp(int64_t lanes) {
  multiply(data, chirp, length, lanes, 1);
  data.clear(length * lanes, size * lanes);
  runPasses(lanes);
  multiply(data, filter, size, lanes, 1 / static_cast<double>(size));
  data = data.exchanged();
  runPasses(lanes);
  data = data.exchanged();
  multiply(data, chirp, length, lanes, 1);
}

void Transform::run(int64_t lanes) {
  if (length == size)
    runPasses(lanes);
  else
    runChirp(lanes);
}

namespace {

/// Lines of a tensor [outer, n, inner, parts].
template <typename T> struct Lines {
  T *elements;
  int64_t n, inner, parts;

  /// The first number of a line, and how far the next is from it.
  T *getFirst(int64_t line) const {
    return elements + (line / inner * n * inner + line % inner) * parts;
  }
  int64_t getStride() const { return inner * parts; }
};

} // namespace

/// Reads a line into a lane, cut or filled up to `length` numbers.
template <typename T>
static void readLine(Lines<const T> lines, int64_t line, Numbers lane,
                     int64_t lanes, int64_t length) {
  int64_t given = std::min(lines.n, length);
  const T *number = lines.getFirst(line);
  for (int64_t k = 0; k < given; ++k, number += lines.getStride()) {
    lane.re[k * lanes] = load(number[0]);
    lane.im[k * lanes] = lines.parts == 2 ? load(number[1]) : 0;
  }
  for (int64_t k = given; k < length; ++k)
    lane.re[k * lanes] = lane.im[k * lanes] = 0;
}

/// Makes the line in a lane the transform of a real signal, from its first
/// half: what is its own mirror image has no imaginary part.
static void mirrorLine(Numbers lane, int64_t lanes, int64_t length) {
  lane.im[0] = 0;
  if (length % 2 == 0)
    lane.im[length / 2 * lanes] = 0;
  for (int64_t k = length / 2 + 1; k < length; ++k) {
    lane.re[k * lanes] = lane.re[(length - k) * lanes];
    lane.im[k * lanes] = -lane.im[(length - k) * lanes];
  }
}

template <typename T>
static void writeLine(Lines<T> lines, int64_t line, Numbers lane, int64_t lanes,
                      double scale) {
  T *number = lines.getFirst(line);
  for (int64_t k = 0; k < lines.n; ++k, number += lines.getStride()) {
    number[0] =
        store<T>(static_cast<ComputeType<T>>(lane.re[k * lanes] * scale));
    if (lines.parts == 2)
      number[1] =
          store<T>(static_cast<ComputeType<T>>(lane.im[k * lanes] * scale));
  }
}

/// Transforms lines from `first` on, one in each lane.
template <typename T>
static void transformLines(Transform &transform, const LzDft &how,
                           Lines<const T> input, Lines<T> result, int64_t first,
                           int64_t lanes) {
  bool inverse = how.inverse != 0;
  auto getLane = [&](int64_t lane) {
    Numbers data = transform.getData();
    return (inverse ? data.exchanged() : data).from(lane);
  };
  for (int64_t lane = 0; lane != lanes; ++lane) {
    readLine(input, first + lane, getLane(lane), lanes, how.length);
    if (inverse && how.onesided)
      mirrorLine(getLane(lane), lanes, how.length);
  }
  transform.run(lanes);
  double scale = inverse ? 1 / static_cast<double>(how.length) : 1;
  for (int64_t lane = 0; lane != lanes; ++lane)
    writeLine(result, first + lane, getLane(lane), lanes, scale);
}

template <typename T>
static void dft(const LzDft &how, const T *input, T *result, double *scratch,
                int64_t lo, int64_t hi) {
  bool isHalf = how.onesided && !how.inverse;
  bool isReal = how.onesided && how.inverse;
  Lines<const T> from = {input, how.n, how.inner, how.parts};
  Lines<T> to = {result, isHalf ? how.length / 2 + 1 : how.length, how.inner,
                 isReal ? 1 : 2};
  Transform transform(how.length, scratch);
  int64_t last = std::min(hi * LZ_DFT_LANES, how.lines);
  int64_t lanes = 0;
  for (int64_t line = lo * LZ_DFT_LANES; line < last; line += lanes) {
    lanes = std::min(transform.getMostLanes(), last - line);
    transformLines(transform, how, from, to, line, lanes);
  }
}

#define LZ_DFT(name, type)                                                     \
  void lz_dft_##name(const LzDft *how, const type *input, type *result,        \
                     double *scratch, int64_t lo, int64_t hi) {                \
    dft(*how, input, result, scratch, lo, hi);                                 \
  }
LZ_FLOAT_TYPES(LZ_DFT)
