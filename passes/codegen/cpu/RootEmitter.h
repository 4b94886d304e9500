//===- RootEmitter.h - the loop nests that kernels can have -----*- C++ -*-===//
//
// A kernel's root decides its loops: over which space they run, what one
// parallel iteration is, and what is computed where. Everything below the loops
// is pulled element by element from the ElementEmitter.
//
// To add one: a file with its plan and emit functions, and an entry in
// getRootEmitters(). The first root that matches a kernel makes it.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_ROOTEMITTER_H
#define PASSES_CODEGEN_CPU_ROOTEMITTER_H

#include "passes/codegen/cpu/KernelInfo.h"
#include "passes/codegen/cpu/KernelPlan.h"

namespace lz {

class ElementEmitter;

struct RootEmitter {
  llvm::StringRef name;
  /// True if the kernel has this root.
  bool (*matches)(const KernelInfo &kernel);
  /// The plan of a kernel that matches; null expressions after an error.
  KernelPlan (*plan)(const KernelInfo &kernel);
  /// Emits code that computes the parallel iterations [lo, hi) of the builder
  /// and stores into the result buffers. Errors go to KernelBuilder::fail.
  void (*emit)(ElementEmitter &emitter);
  /// True if each element of the result of elementwise operations and products
  /// is stored once, after all that it is made of was read.
  bool storesOnce = false;
};

/// Every root, the particular before the general.
llvm::ArrayRef<RootEmitter> getRootEmitters();

/// The root of `kernel`. The last entry matches everything.
const RootEmitter &getRootEmitter(const KernelInfo &kernel);

/// The plan that the root of `kernel` makes; null expressions after an error.
KernelPlan planKernel(const KernelInfo &kernel);

RootEmitter getPointwiseRoot();
RootEmitter getAttentionRoot();
RootEmitter getContractionRoot();
RootEmitter getDepthwiseRoot();
RootEmitter getGemvRoot();
RootEmitter getOpaqueRoot();
RootEmitter getConcatRoot();
RootEmitter getPoolRoot();
RootEmitter getTransposeRoot();
RootEmitter getPadRoot();

} // namespace lz

#endif // PASSES_CODEGEN_CPU_ROOTEMITTER_H
