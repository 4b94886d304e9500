//===- Compiler.h - a model in, an artifact out -----------------*- C++ -*-===//
//
// The compiler as a library: no globals, no exit, errors as diagnostics through
// the caller's handler. `lzc` is argument parsing around it.
//
//===----------------------------------------------------------------------===//
#ifndef COMPILER_DRIVER_COMPILER_H
#define COMPILER_DRIVER_COMPILER_H

#include "compiler/driver/Stage.h"
#include "compiler/target/TargetSpec.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lz {

/// What is written to the output file.
enum class EmitKind {
  SharedLibrary, // the artifact
  Object,        // the artifact before linking, weights included
  Mlir,          // the module after the last stage that ran
  Llvm           // LLVM IR as text, optimized
};

/// Where the weights of an artifact lie.
enum class WeightsPlace {
  Automatic, // inside, unless they exceed 1 GiB
  Inside,    // in a section of the library
  External   // in a `.lzw` file beside it, which is mapped when it is opened
};

struct CompileOptions {
  TargetSpec target;
  /// `symbol=value` or `symbol=min..max`, as given to --dim.
  std::vector<std::string> dims;
  /// 0 compiles every operation alone and raises nothing.
  unsigned optLevel = 3;
  EmitKind emit = EmitKind::SharedLibrary;
  WeightsPlace weights = WeightsPlace::Automatic;
  /// Run no stage after this one.
  std::optional<Stage> stopAfter;
  /// If not empty: write NN-stage.mlir after each stage and the weights here.
  std::string dumpDir;
  /// Run the reference evaluator around each pass of the graph stages.
  bool verify = false;
  /// Called before each stage.
  std::function<void(Stage)> progress;
};

struct CompileStats {
  std::vector<std::pair<Stage, double>> seconds;
  int64_t nodes = 0;    // operations after import
  int64_t launches = 0; // steps of all programs
  int64_t kernels = 0;  // distinct ones
  int64_t weightsBytes = 0;
  int64_t artifactBytes = 0;
  std::string memoryClass;
  std::optional<int64_t> arenaBytes;

  /// One JSON object.
  std::string toJson() const;
};

/// An error if one of `dims` is not as CompileOptions has them.
llvm::Error checkDims(llvm::ArrayRef<std::string> dims);

/// Receives each error and warning as one text.
using DiagnosticSink = llvm::function_ref<void(llvm::StringRef)>;

/// Compiles `input` (a model, or a stage's `.mlir` that --dump-dir wrote, from
/// which it goes on) to `output`, which may be empty to only check. Returns
/// false after an error, which went to `diagnostics`; then `output` is not
/// written.
bool compile(llvm::StringRef input, llvm::StringRef output,
             const CompileOptions &options, DiagnosticSink diagnostics,
             CompileStats *stats = nullptr);

} // namespace lz

#endif // COMPILER_DRIVER_COMPILER_H
