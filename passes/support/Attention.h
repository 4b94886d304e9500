//===- Attention.h - softmax(f(q * k)) * v ----------------------*- C++ -*-===//
#ifndef PASSES_SUPPORT_ATTENTION_H
#define PASSES_SUPPORT_ATTENTION_H

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Symbols/ShapeAnalysis.h"

#include <optional>

namespace lz {

/// The products of an attention in f32. The softmax is that of each row of
/// scores, which are elementwise operations away from `scores`.
struct Attention {
  MatmulOp scores;
  SoftmaxOp softmax;
  MatmulOp values;
};

/// The attention whose last product is `values`, in the block of it. Every
/// index of the batch has its own queries, or there is none; its size may be
/// anything. None if `values` ends no attention.
std::optional<Attention> getAttention(MatmulOp values,
                                      const ShapeAnalysis &shapes);

} // namespace lz

#endif // PASSES_SUPPORT_ATTENTION_H
