//===- ChunkScratch.h - scratch memory of each chunk ------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_CHUNKSCRATCH_H
#define PASSES_CODEGEN_CPU_CHUNKSCRATCH_H

#include "passes/codegen/cpu/KernelBuilder.h"
#include "passes/codegen/cpu/KernelPlan.h"

namespace lz {

/// `bytes` rounded up to whole cache lines.
SymExpr roundToLines(SymExpr bytes);

/// Gives each chunk of a launch `chunkBytes` (whole lines), and makes chunks
/// large enough that they are few.
void setChunkScratch(const KernelInfo &kernel, KernelPlan &plan,
                     SymExpr chunkBytes);

/// The scratch memory of the chunk that is computed.
class ChunkScratch {
public:
  /// `plan` is what setChunkScratch has made of it.
  ChunkScratch(KernelBuilder &kb, const KernelPlan &plan, SymExpr chunkBytes);

  /// What lies at `offset` bytes.
  Buffer getPart(mlir::Type elementType, SymExpr offset) const;

private:
  KernelBuilder &kb;
  mlir::Value start;
};

} // namespace lz

#endif // PASSES_CODEGEN_CPU_CHUNKSCRATCH_H
