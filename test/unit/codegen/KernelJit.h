//===- KernelJit.h - emit, compile and run a kernel in a test ---*- C++ -*-===//
#ifndef TEST_UNIT_CODEGEN_KERNELJIT_H
#define TEST_UNIT_CODEGEN_KERNELJIT_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace lz::test {

using KernelBody = void (*)(void *args, int64_t lo, int64_t hi);

/// One compiled kernel of a module's text. Construction fails the test (a
/// Google Test failure) if anything on the way does.
class KernelJit {
public:
  /// `text` holds one kernel function `@k`. It is emitted for `cpu`, but LLVM
  /// makes code for this machine, so any may be given.
  explicit KernelJit(const std::string &text,
                     const std::string &cpu = "x86-64-v3");
  ~KernelJit();

  /// Runs the kernel over its whole parallel space in chunks of `chunk`
  /// iterations, from the last chunk to the first. `buffers` are the operands,
  /// then the results. `symbols` binds s0, s1 ...
  void run(llvm::ArrayRef<void *> buffers, int64_t chunk,
           const llvm::StringMap<int64_t> &symbols = {});

  /// The operands whose memory the result may take.
  llvm::ArrayRef<int64_t> getInPlaceOperands() const { return inPlace; }
  int64_t getIterations() const { return lastIterations; }
  /// The optimized LLVM IR.
  const std::string &getIr() const { return ir; }

private:
  void compile(const std::string &text, const std::string &cpu);

  struct Plan;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<Plan> plan;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  KernelBody body = nullptr;
  std::string ir;
  std::vector<int64_t> inPlace;
  int64_t lastIterations = 0;
};

} // namespace lz::test

#endif // TEST_UNIT_CODEGEN_KERNELJIT_H
