//===- TestPasses.h - passes that only tests run ----------------*- C++ -*-===//
#ifndef TEST_LIB_TESTPASSES_H
#define TEST_LIB_TESTPASSES_H

#include "mlir/Pass/Pass.h"

namespace lz::test {

/// A pass with a bug, for whoever claims to find them.
std::unique_ptr<mlir::Pass> createMiscompilePass();

/// Registers `test-miscompile`.
void registerTestPasses();

} // namespace lz::test

#endif // TEST_LIB_TESTPASSES_H
