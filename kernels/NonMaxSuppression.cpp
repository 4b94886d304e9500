//===- NonMaxSuppression.cpp - boxes that overlap little ------------------===//
//
// The candidates of a class are a heap with the best on top, so that a few
// boxes of many are found without sorting the rest.
//
//===----------------------------------------------------------------------===//

#include "kernels/Elements.h"
#include "kernels/Kernels.h"

// At a threshold a rounding decides: every CPU is to decide alike.
#ifdef __clang__
#pragma clang fp contract(off)
#endif

#include "kernels/Boxes.h"

using namespace lz;

namespace {

/// Orders boxes by rising score: of equal ones the first is above the others,
/// NaN is below all numbers.
struct Lower {
  const float *scores;

  static bool isBelow(float a, float b) { return isNan(a) ? !isNan(b) : a < b; }
  bool operator()(int64_t i, int64_t j) const {
    float a = scores[i], b = scores[j];
    return isBelow(a, b) || (!isBelow(b, a) && i > j);
  }
};

} // namespace

/// Lists the boxes whose scores exceed the threshold, if there is one.
static int64_t listCandidates(const float *scores, const float *threshold,
                              int64_t n, int64_t *candidates) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    if (!threshold || scores[i] > *threshold)
      candidates[count++] = i;
  return count;
}

/// Lists the best candidates that overlap with none before, at most `most`.
static int64_t choose(const float *boxes, bool isCenter, float threshold,
                      Lower lower, int64_t *candidates, int64_t count,
                      int64_t *chosen, int64_t most) {
  std::make_heap(candidates, candidates + count, lower);
  int64_t found = 0;
  for (; count != 0 && found < most; --count) {
    std::pop_heap(candidates, candidates + count, lower);
    int64_t best = candidates[count - 1];
    Box box = getBox(boxes + 4 * best, isCenter);
    bool isFree = std::none_of(chosen, chosen + found, [&](int64_t other) {
      return overlaps(box, getBox(boxes + 4 * other, isCenter), threshold);
    });
    if (isFree)
      chosen[found++] = best;
  }
  return found;
}

void lz_non_max_suppression_f32(const float *boxes, const float *scores,
                                const int64_t *most, const float *overlap,
                                const float *threshold, int64_t *indices,
                                int64_t *count, int64_t *scratch, int64_t batch,
                                int64_t classes, int64_t n, int64_t limit,
                                int64_t center) {
  int64_t *chosen = scratch + n, total = 0;
  for (int64_t list = 0; list < batch * classes; ++list) {
    Lower lower = {scores + list * n};
    int64_t candidates = listCandidates(lower.scores, threshold, n, scratch);
    int64_t found =
        choose(boxes + list / classes * n * 4, center != 0, *overlap, lower,
               scratch, candidates, chosen, std::min(*most, limit));
    for (int64_t i = 0; indices && i != found; ++i) {
      int64_t *row = indices + 3 * (total + i);
      row[0] = list / classes;
      row[1] = list % classes;
      row[2] = chosen[i];
    }
    total += found;
  }
  if (indices)
    std::fill(indices + 3 * total, indices + 3 * batch * classes * limit, 0);
  if (count)
    *count = total;
}
