//===- TestData.h - ONNX test data as reference values ----------*- C++ -*-===//
#ifndef TEST_CONFORMANCE_TESTDATA_H
#define TEST_CONFORMANCE_TESTDATA_H

#include "dialects/lz/Reference/RefValue.h"
#include "onnx/onnx_pb.h"
#include "llvm/Support/Error.h"

namespace lz {

/// Reads `file`, a serialized message of the kind that `type` is of.
llvm::Expected<RefValue> readValue(llvm::StringRef file,
                                   const onnx::TypeProto &type,
                                   mlir::MLIRContext &context);

/// Reads a serialized message of any kind.
llvm::Error readMessage(llvm::StringRef file,
                        google::protobuf::MessageLite &message);

/// The type of an ONNX element type number, which the runtime shares; null if
/// it is not known. And back.
mlir::Type getElementType(int number, mlir::MLIRContext &context);
int getElementNumber(mlir::Type type);

/// How far floats may lie from the expected ones, as numpy.allclose has it.
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-7;
};

/// Says where `actual` differs from `expected` in kind, type, shape or value;
/// empty if they agree. Integers and strings must be equal.
std::string compareValues(const RefValue &actual, const RefValue &expected,
                          const Tolerance &tolerance);

} // namespace lz

#endif // TEST_CONFORMANCE_TESTDATA_H
