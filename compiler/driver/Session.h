//===- Session.h - one compilation ------------------------------*- C++ -*-===//
#ifndef COMPILER_DRIVER_SESSION_H
#define COMPILER_DRIVER_SESSION_H

#include "compiler/driver/Compiler.h"
#include "compiler/driver/WeightsFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir {
class PassManager;
} // namespace mlir

namespace lz {

/// The module of one compilation and its way through the stages.
class Session {
public:
  Session(const CompileOptions &options, CompileStats &stats);

  mlir::MLIRContext &getContext() { return context; }

  /// Loads the input, runs the stages and writes the output.
  mlir::LogicalResult run(llvm::StringRef input, llvm::StringRef output);

private:
  mlir::LogicalResult import(llvm::StringRef input);
  mlir::LogicalResult resume(llvm::StringRef input);
  mlir::LogicalResult runStages();
  mlir::LogicalResult runStage(Stage stage);
  void addPasses(mlir::PassManager &pm, Stage stage);
  mlir::LogicalResult finishStage(Stage stage);
  mlir::LogicalResult dumpStage(Stage stage);
  mlir::LogicalResult dumpWeights();
  void collectStats(Stage stage);
  mlir::LogicalResult checkOutput(llvm::StringRef input,
                                  llvm::StringRef output);
  mlir::LogicalResult writeStage(llvm::StringRef path);
  mlir::LogicalResult writeArtifact(llvm::StringRef output);

  const CompileOptions &options;
  CompileStats &stats;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<Stage> done; // the last stage that ran
  WeightsWriter weights;
};

/// Lowers a module after the stage `kernel` and writes the artifact, or what
/// else `options.emit` asks for, to `output` (empty: nowhere).
mlir::LogicalResult emitArtifact(mlir::ModuleOp module,
                                 const CompileOptions &options,
                                 llvm::StringRef output, CompileStats &stats);

/// Prints `module` as a stage's file holds it: with locations, without weights.
void printStage(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace lz

#endif // COMPILER_DRIVER_SESSION_H
