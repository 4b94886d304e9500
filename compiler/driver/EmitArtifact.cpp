//===- EmitArtifact.cpp - the stage `object` ------------------------------===//
//
// Kernels and host functions become one LLVM module with the artifact's tables;
// the weights go past it, from where they are mapped into their object.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/DescribeArtifact.h"
#include "compiler/driver/Session.h"
#include "compiler/driver/WeightsBlock.h"
#include "compiler/target/ArtifactTable.h"
#include "compiler/target/Codegen.h"
#include "compiler/target/ElfData.h"
#include "compiler/target/Kernels.h"
#include "compiler/target/Link.h"
#include "compiler/target/TemporaryFolder.h"
#include "compiler/target/WriteFile.h"
#include "dialects/lz/IR/LzOps.h"
#include "dialects/lzx/IR/LzxDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/codegen/cpu/Passes.h"
#include "passes/codegen/host/Passes.h"
#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lz;

namespace {

/// The steps of the stage; errors go up as llvm::Error and end as diagnostics.
class ArtifactEmitter {
public:
  ArtifactEmitter(ModuleOp module, const CompileOptions &options,
                  CompileStats &stats)
      : module(module), options(options), stats(stats), weights(module) {}

  LogicalResult lower();
  llvm::Error emit(StringRef output);

private:
  bool hasExternalWeights() const;
  llvm::Error writeExternalWeights(StringRef output);
  llvm::Error buildLlvm(llvm::TargetMachine &machine);
  llvm::Error writeObjects(StringRef output, ArrayRef<char> code);
  llvm::Error writeText(StringRef output);

  ModuleOp module;
  const CompileOptions &options;
  CompileStats &stats;
  WeightsLayout weights;
  ArtifactDescription artifact;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule;
};

} // namespace

/// Lowers kernels, adds host functions, and leaves nothing but the LLVM
/// dialect.
LogicalResult ArtifactEmitter::lower() {
  PassManager pm(module.getContext());
  buildLowerKernelsPipeline(pm);
  pm.addPass(createEmitHostPass());
  if (failed(pm.run(module)))
    return failure();
  artifact = describeArtifact(module, weights, options.target);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<lzx::ProgramOp, ParameterOp>(op))
      op.erase();
  return success();
}

/// True if the weights go to a file beside the artifact.
bool ArtifactEmitter::hasExternalWeights() const {
  constexpr int64_t mostInside = int64_t(1) << 30;
  if (options.emit == EmitKind::Llvm || !weights.getNumBytes())
    return false;
  if (options.weights != WeightsPlace::Automatic)
    return options.weights == WeightsPlace::External;
  return weights.getNumBytes() > mostInside;
}

/// model.lzw for model.so, other.name.lzw for other.name.
static std::string getWeightsPath(StringRef artifact) {
  StringRef extension = llvm::sys::path::extension(artifact);
  if (extension == ".so" || extension == ".o")
    artifact = artifact.drop_back(extension.size());
  return (artifact + ".lzw").str();
}

/// Writes the weights to a file of their own, and makes the tables speak of it.
llvm::Error ArtifactEmitter::writeExternalWeights(StringRef path) {
  auto block = WeightsBlock::create(weights);
  if (!block)
    return block.takeError();
  auto hash = writeDataFile(path, block->getData());
  if (!hash)
    return hash.takeError();
  artifact.weightsSymbol.clear();
  artifact.weightsFile = llvm::sys::path::filename(path).str();
  artifact.weightsHash = *hash;
  return llvm::Error::success();
}

llvm::Error ArtifactEmitter::buildLlvm(llvm::TargetMachine &machine) {
  llvmModule = translateModuleToLLVMIR(module, llvmContext, "lezero");
  if (!llvmModule)
    return llvm::createStringError("the module can't be translated to LLVM IR");
  setTarget(*llvmModule, machine);
  if (llvm::Error error = linkKernels(*llvmModule))
    return error;
  if (llvm::Error error = addArtifactTable(*llvmModule, artifact))
    return error;
  internalizeExcept(*llvmModule, LZ_ARTIFACT_SYMBOL);
  return llvm::Error::success();
}

static llvm::Error copyFile(StringRef from, StringRef to) {
  auto bytes = llvm::MemoryBuffer::getFile(from);
  if (!bytes)
    return llvm::createStringError(bytes.getError(), "cannot read " + from);
  return writeFile(to,
                   [&](llvm::raw_ostream &os) { os << (*bytes)->getBuffer(); });
}

llvm::Error ArtifactEmitter::writeObjects(StringRef output,
                                          ArrayRef<char> code) {
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  auto codePath = folder->write("code.o", [&](llvm::raw_ostream &os) {
    os.write(code.data(), code.size());
  });
  if (!codePath)
    return codePath.takeError();
  std::vector<std::string> objects = {*codePath};
  if (weights.getNumBytes() > 0 && !hasExternalWeights()) {
    auto block = WeightsBlock::create(weights);
    if (!block)
      return block.takeError();
    auto path = folder->write("weights.o", [&](llvm::raw_ostream &os) {
      writeElfData(os, kWeightsSymbol, block->getData());
    });
    if (!path)
      return path.takeError();
    objects.push_back(*path);
  }
  // lld ends the process if it can't write to what is no regular file.
  bool isDevice =
      llvm::sys::fs::exists(output) && !llvm::sys::fs::is_regular_file(output);
  std::string linked =
      isDevice ? (folder->getPath() + "/linked").str() : output.str();
  if (llvm::Error error = options.emit == EmitKind::Object
                              ? linkRelocatable(objects, linked)
                              : linkShared(objects, LZ_ARTIFACT_SYMBOL, linked))
    return error;
  return isDevice ? copyFile(linked, output) : llvm::Error::success();
}

llvm::Error ArtifactEmitter::writeText(StringRef output) {
  return writeFile(
      output, [&](llvm::raw_ostream &os) { llvmModule->print(os, nullptr); });
}

llvm::Error ArtifactEmitter::emit(StringRef output) {
  auto machine = createTargetMachine(options.target);
  if (!machine)
    return machine.takeError();
  std::string weightsPath = getWeightsPath(output);
  llvm::FileRemover unlessDone;
  if (!output.empty() && hasExternalWeights()) {
    unlessDone.setFile(weightsPath);
    if (llvm::Error error = writeExternalWeights(weightsPath))
      return error;
  }
  if (llvm::Error error = buildLlvm(**machine))
    return error;
  auto code = emitObject(*llvmModule, **machine);
  if (!code)
    return code.takeError();
  stats.weightsBytes = weights.getNumBytes();
  if (output.empty())
    return llvm::Error::success();
  if (options.emit == EmitKind::Llvm)
    return writeText(output);
  if (llvm::Error error = writeObjects(output, *code))
    return error;
  unlessDone.releaseFile();
  uint64_t size = 0;
  if (!llvm::sys::fs::file_size(output, size))
    stats.artifactBytes = size;
  return llvm::Error::success();
}

LogicalResult lz::emitArtifact(ModuleOp module, const CompileOptions &options,
                               StringRef output, CompileStats &stats) {
  ArtifactEmitter emitter(module, options, stats);
  if (failed(emitter.lower()))
    return failure();
  if (llvm::Error error = emitter.emit(output))
    return module.emitError() << llvm::toString(std::move(error));
  return success();
}
