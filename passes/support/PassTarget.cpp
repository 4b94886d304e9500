//===- PassTarget.cpp - the target that a pass's options name -------------===//

#include "passes/support/PassTarget.h"

#include "mlir/IR/Diagnostics.h"
#include "targets/x86_64/X86Target.h"

using namespace mlir;
using namespace lz;

FailureOr<targets::CpuTarget> lz::getPassTarget(Operation *op, StringRef cpu,
                                                StringRef features) {
  llvm::Expected<targets::CpuTarget> target =
      targets::getX86Target(cpu, features);
  if (target)
    return *target;
  return op->emitError(llvm::toString(target.takeError()));
}
