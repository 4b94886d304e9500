//===- InPlace.h - results in the memory of operands ------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_CPU_INPLACE_H
#define PASSES_CODEGEN_CPU_INPLACE_H

#include "passes/codegen/cpu/KernelInfo.h"

namespace lz {

/// The operands whose memory the kernel's only result may take: those of its
/// element type and number of elements that only elementwise operations read,
/// so that each element is read for the element of the result at its own
/// position alone, and before that is stored. Holds for loop nests that store
/// each element once.
llvm::SmallVector<unsigned> getInPlaceOperands(const KernelInfo &kernel);

} // namespace lz

#endif // PASSES_CODEGEN_CPU_INPLACE_H
