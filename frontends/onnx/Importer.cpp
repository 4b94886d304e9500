//===- Importer.cpp - ONNX models as lz modules ---------------------------===//

#include "frontends/onnx/Importer.h"

#include "dialects/lz/IR/LzDialect.h"
#include "frontends/onnx/GraphCheck.h"
#include "frontends/onnx/ModelImporter.h"
#include "frontends/onnx/OnnxLibrary.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace lz;

llvm::Error lz::addDimOption(StringRef text, ImportOptions &options) {
  auto [name, range] = text.split('=');
  auto [low, high] = range.split("..");
  DimRange dim;
  bool valid = !name.empty() && !low.getAsInteger(10, dim.min);
  dim.max = dim.min;
  if (valid && range.contains(".."))
    valid = !high.getAsInteger(10, dim.max);
  if (!valid)
    return llvm::createStringError("dimension '" + text +
                                   "' is not name=size or name=min..max");
  if (dim.min < 0 || dim.max < dim.min || dim.max > SymbolList::kMaxSize)
    return llvm::createStringError(
        "dimension '" + text +
        "' has an empty range, or sizes outside of 0 "
        "to " +
        Twine(SymbolList::kMaxSize));
  if (!options.dims.try_emplace(name.str(), dim).second)
    return llvm::createStringError("dimension '" + name + "' is given twice");
  return llvm::Error::success();
}

FailureOr<OwningOpRef<ModuleOp>> lz::importOnnx(StringRef path,
                                                MLIRContext &context,
                                                const ImportOptions &options) {
  context.loadDialect<LzDialect, func::FuncDialect>();
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  llvm::Expected<ModelFile> opened = ModelFile::open(path);
  if (!opened)
    return emitError(loc) << toString(opened.takeError());
  auto file = std::make_shared<ModelFile>(std::move(*opened));
  if (failed(checkNames(&context, path, file->model)))
    return failure();
  auto module = ModelImporter(path, context, options, file).run();
  if (failed(module) || failed(verify(**module)))
    return failure();
  return module;
}
