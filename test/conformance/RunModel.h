//===- RunModel.h - one model file and its data -----------------*- C++ -*-===//
//
// Private to lz-conformance: what the two modes share.
//
//===----------------------------------------------------------------------===//
#ifndef TEST_CONFORMANCE_RUNMODEL_H
#define TEST_CONFORMANCE_RUNMODEL_H

#include "dialects/lz/Reference/RefValue.h"
#include "onnx/onnx_pb.h"

namespace lz {

/// A model file in the form to be tested.
struct TestModel {
  std::string file;
  /// The graph as the case has it, which names and types the data.
  onnx::GraphProto graph;
  /// The data sets.
  std::vector<std::string> folders;
};

/// Named inputs and expected outputs.
struct DataSet {
  std::vector<std::pair<std::string, RefValue>> inputs;
  std::vector<RefValue> outputs;

  /// The input `name`, or null.
  const RefValue *find(llvm::StringRef name) const;
};

llvm::Expected<DataSet> readDataSet(llvm::StringRef folder,
                                    const onnx::GraphProto &graph,
                                    mlir::MLIRContext &context);

/// Compares a model's outputs with those of `data`; says what is wrong, or
/// nothing. Those that are drawn at random are checked for their types, their
/// support and their mean.
std::string checkOutputs(const TestModel &model, const DataSet &data,
                         llvm::ArrayRef<RefValue> actual);

/// Imports the model and evaluates it on every data set; says what is wrong, or
/// nothing. Errors go to the context's handler.
std::string evaluateModel(const TestModel &model, mlir::MLIRContext &context);

/// Compiles the model and runs it on every data set; says what is wrong, or
/// nothing. `context` makes the types of the data.
std::string runCompiledModel(const TestModel &model, unsigned optLevel,
                             mlir::MLIRContext &context);

} // namespace lz

#endif // TEST_CONFORMANCE_RUNMODEL_H
