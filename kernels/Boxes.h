//===- Boxes.h - boxes in a picture, and what they share --------*- C++ -*-===//
//
// The kernel and its reference model share this: at a threshold a rounding
// decides, and there is no plainer way to write it.
//
//===----------------------------------------------------------------------===//
#ifndef KERNELS_BOXES_H
#define KERNELS_BOXES_H

#include <algorithm>

namespace lz {

/// The sides of a box.
struct Box {
  float left, right, top, bottom;

  float getArea() const { return (right - left) * (bottom - top); }
};

/// A box of ONNX NonMaxSuppression-11, [y, x, y, x] of two opposite corners, or
/// [x, y, width, height] of its center.
inline Box getBox(const float *box, bool isCenter) {
  if (isCenter)
    return {box[0] - box[2] / 2, box[0] + box[2] / 2, box[1] - box[3] / 2,
            box[1] + box[3] / 2};
  return {std::min(box[1], box[3]), std::max(box[1], box[3]),
          std::min(box[0], box[2]), std::max(box[0], box[2])};
}

/// True if what two boxes share exceeds that part of what they cover.
inline bool overlaps(const Box &a, const Box &b, float threshold) {
  Box shared = {std::max(a.left, b.left), std::min(a.right, b.right),
                std::max(a.top, b.top), std::min(a.bottom, b.bottom)};
  if (shared.right <= shared.left || shared.bottom <= shared.top)
    return false;
  float both = shared.getArea(), cover = a.getArea() + b.getArea() - both;
  if (both <= 0 || a.getArea() <= 0 || b.getArea() <= 0 || cover <= 0)
    return false;
  return both / cover > threshold;
}

} // namespace lz

#endif // KERNELS_BOXES_H
