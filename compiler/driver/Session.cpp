//===- Session.cpp - one compilation --------------------------------------===//

#include "compiler/driver/Session.h"

#include "compiler/target/WriteFile.h"
#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "dialects/lzx/IR/LzxDialect.h"
#include "frontends/onnx/Importer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "passes/codegen/cpu/Passes.h"
#include "passes/codegen/host/ProgramLayout.h"
#include "passes/fusion/Pipelines.h"
#include "passes/graph/Pipelines.h"
#include "passes/memory/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/support/VerifyPasses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

using namespace mlir;
using namespace lz;

static constexpr llvm::StringLiteral kStageAttr = "lz.stage";
static constexpr llvm::StringLiteral kWeightsFile = "weights.lzw";

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<LzDialect, lzx::LzxDialect>();
  registerReferenceModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

Session::Session(const CompileOptions &options, CompileStats &stats)
    : options(options), stats(stats),
      context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadDialect<LzDialect, lzx::LzxDialect, func::FuncDialect>();
  // Errors name the node; an operation's text may be the whole module's.
  context.printOpOnDiagnostic(false);
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

LogicalResult Session::import(StringRef input) {
  ImportOptions importOptions;
  for (const std::string &dim : options.dims)
    if (llvm::Error error = addDimOption(dim, importOptions))
      return emitError(UnknownLoc::get(&context))
             << "--dim " << dim << ": " << llvm::toString(std::move(error));
  auto imported = importOnnx(input, context, importOptions);
  if (failed(imported))
    return failure();
  module = std::move(*imported);
  return success();
}

/// Reads a stage's file and the weights beside it.
LogicalResult Session::resume(StringRef input) {
  module = parseSourceFile<ModuleOp>(input, &context);
  if (!module)
    return failure();
  auto name = (*module)->getAttrOfType<StringAttr>(kStageAttr);
  done = name ? parseStage(name) : std::nullopt;
  if (!done)
    return module->emitError() << "is not a stage's file: attribute '"
                               << kStageAttr << "' does not name a stage";
  if (!options.dims.empty())
    return module->emitError() << "--dim has no effect after import; give it "
                                  "when compiling the model";
  SmallString<256> path(llvm::sys::path::parent_path(input));
  llvm::sys::path::append(path, kWeightsFile);
  if (llvm::Error error = attachWeights(*module, path))
    return module->emitError() << llvm::toString(std::move(error));
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void Session::addPasses(PassManager &pm, Stage stage) {
  bool optimize = options.optLevel > 0;
  switch (stage) {
  case Stage::Graph: {
    GraphPipelineOptions graph;
    graph.raise = optimize;
    return buildGraphPipeline(pm, graph);
  }
  case Stage::Freeze: {
    FreezePipelineOptions freeze;
    freeze.fold = optimize;
    return buildFreezePipeline(pm, freeze);
  }
  case Stage::Remat:
    if (optimize)
      buildRematPipeline(pm);
    return;
  case Stage::Fuse: {
    FusePipelineOptions fuse;
    fuse.single = !optimize;
    fuse.cpu = options.target.cpu;
    fuse.features = options.target.llvmFeatures();
    return buildFusePipeline(pm, fuse);
  }
  case Stage::Schedule:
    return buildSchedulePipeline(pm, options.target.cpu,
                                 options.target.llvmFeatures());
  case Stage::Kernel: {
    EmitKernelsPassOptions emit;
    emit.cpu = options.target.cpu;
    emit.features = options.target.llvmFeatures();
    pm.addPass(createEmitKernelsPass(emit));
    return;
  }
  case Stage::Import:
  case Stage::Object:
    return; // not passes
  }
}

LogicalResult Session::runStage(Stage stage) {
  if (options.progress)
    options.progress(stage);
  auto start = std::chrono::steady_clock::now();
  PassManager pm(&context);
  PassVerifier verifier;
  if (options.verify)
    pm.addInstrumentation(verifier.createInstrumentation());
  addPasses(pm, stage);
  if (failed(pm.run(*module)) || verifier.hasFailed())
    return failure();
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  stats.seconds.emplace_back(stage, spent.count());
  return finishStage(stage);
}

LogicalResult Session::finishStage(Stage stage) {
  done = stage;
  (*module)->setAttr(kStageAttr,
                     StringAttr::get(&context, getStageName(stage)));
  collectStats(stage);
  return options.dumpDir.empty() ? success() : dumpStage(stage);
}

LogicalResult Session::runStages() {
  for (const StageInfo &info : getStages()) {
    bool ran = done && info.stage <= *done;
    if (ran || info.stage == Stage::Object)
      continue;
    if (options.stopAfter && info.stage > *options.stopAfter)
      break;
    if (failed(runStage(info.stage)))
      return failure();
  }
  return options.dumpDir.empty() ? success() : dumpWeights();
}

void Session::collectStats(Stage stage) {
  if (stage == Stage::Import)
    for (auto function : module->getOps<func::FuncOp>())
      stats.nodes += llvm::range_size(function.getBody().front());
  if (stage != Stage::Kernel)
    return;
  for (auto function : module->getOps<func::FuncOp>())
    stats.kernels += function->hasAttr(lzx::LzxDialect::kParamsAttr);
  for (auto program : module->getOps<lzx::ProgramOp>()) {
    ProgramLayout layout(program);
    stats.launches += layout.steps.size();
    stats.memoryClass =
        lzx::stringifyMemoryClass(
            program.getMemoryClass().value_or(lzx::MemoryClass::exact))
            .str();
    stats.arenaBytes = layout.arenaBytes;
  }
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

void lz::printStage(ModuleOp module, llvm::raw_ostream &os) {
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  // A limit of 0 prints no resource at all; otherwise each is hex-encoded.
  flags.elideLargeResourceString(0);
  module.print(os, flags);
  os << "\n";
}

LogicalResult Session::dumpStage(Stage stage) {
  SmallString<256> path(options.dumpDir);
  if (std::error_code ec = llvm::sys::fs::create_directories(path))
    return module->emitError()
           << "cannot make the folder " << path << ": " << ec.message();
  llvm::sys::path::append(path, getStageFileName(stage));
  if (failed(writeStage(path)))
    return failure();
  weights.add(*module);
  return success();
}

LogicalResult Session::dumpWeights() {
  SmallString<256> path(options.dumpDir);
  llvm::sys::path::append(path, kWeightsFile);
  if (llvm::Error error = weights.write(path))
    return module->emitError() << llvm::toString(std::move(error));
  return success();
}

LogicalResult Session::writeStage(StringRef path) {
  auto print = [&](llvm::raw_ostream &os) { printStage(*module, os); };
  if (llvm::Error error = writeFile(path, print))
    return module->emitError() << llvm::toString(std::move(error));
  return success();
}

LogicalResult Session::writeArtifact(StringRef output) {
  if (options.progress)
    options.progress(Stage::Object);
  auto start = std::chrono::steady_clock::now();
  if (failed(emitArtifact(*module, options, output, stats)))
    return failure();
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  stats.seconds.emplace_back(Stage::Object, spent.count());
  return success();
}

/// Fails where no file can be written to, before a long compilation.
LogicalResult Session::checkOutput(StringRef input, StringRef output) {
  if (output.empty() || output == "-")
    return success();
  auto fail = [&](const Twine &why) {
    return emitError(UnknownLoc::get(&context))
           << "cannot write " << output << ": " << why.str();
  };
  StringRef folder = llvm::sys::path::parent_path(output);
  if (folder.empty())
    folder = ".";
  if (llvm::sys::fs::equivalent(input, output))
    return fail("it is the model; give another file");
  if (llvm::sys::fs::is_directory(output))
    return fail("it is a folder");
  if (!llvm::sys::fs::is_directory(folder))
    return fail("there is no folder " + folder);
  if (std::error_code ec =
          llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write))
    return fail("the folder: " + ec.message());
  return success();
}

LogicalResult Session::run(StringRef input, StringRef output) {
  if (failed(checkOutput(input, output)))
    return failure();
  bool isStage = input.ends_with(".mlir");
  if (!isStage && options.progress)
    options.progress(Stage::Import);
  auto start = std::chrono::steady_clock::now();
  if (failed(isStage ? resume(input) : import(input)))
    return failure();
  if (!isStage) {
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    stats.seconds.emplace_back(Stage::Import, spent.count());
    if (failed(finishStage(Stage::Import)))
      return failure();
  }
  if (failed(runStages()))
    return failure();
  if (options.emit == EmitKind::Mlir)
    return output.empty() ? success() : writeStage(output);
  return writeArtifact(output);
}
