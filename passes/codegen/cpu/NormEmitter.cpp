//===- NormEmitter.cpp - softmax and normalizations -----------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/FloatMath.h"

using namespace mlir;
using namespace lz;

void lz::emitRowStatistics(ElementEmitter &e, Operation *op,
                           ArrayRef<Value> dims) {}
