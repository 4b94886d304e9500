//===- Importer.cpp - ONNX models as lz modules ---------------------------===//

#include "frontends/onnx/Importer.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Rules/RuleInterfaces.h"
#include "frontends/onnx/GraphCheck.h"
#include "frontends/onnx/ModelImporter.h"
#include "frontends/onnx/OnnxLibrary.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace lz;

/// Reads a size with any number of digits; none if `text` is no whole number.
/// What is outside of the limits stays so, but becomes the nearest such number.
static std::optional<int64_t> readSize(StringRef text) {
  bool isNegative = text.consume_front("-");
  llvm::APInt size;
  if (text.getAsInteger(10, size))
    return std::nullopt;
  if (isNegative)
    return -1;
  return static_cast<int64_t>(size.getLimitedValue(SymbolList::kMaxSize + 1));
}

/// The range of a dimension that its option, `text`, states.
static llvm::Expected<DimRange> readRange(StringRef range, StringRef text) {
  auto [low, high] = range.split("..");
  auto least = readSize(low);
  auto most = range.contains("..") ? readSize(high) : least;
  auto problem = [&](const Twine &what) {
    return llvm::createStringError("dimension '" + text + "' " + what);
  };
  if (!least || !most)
    return problem("is not name=size or name=min..max");
  for (int64_t size : {*least, *most})
    if (size < 0 || size > SymbolList::kMaxSize)
      return problem("has a size outside of 0 to " +
                     Twine(SymbolList::kMaxSize));
  if (*most < *least)
    return problem("has an empty range");
  return DimRange{*least, *most};
}

llvm::Error lz::addDimOption(StringRef text, ImportOptions &options) {
  auto [name, range] = text.split('=');
  if (name.empty())
    return llvm::createStringError("dimension '" + text + "' has no name");
  llvm::Expected<DimRange> dim = readRange(range, text);
  if (!dim)
    return dim.takeError();
  if (!options.dims.try_emplace(name.str(), *dim).second)
    return llvm::createStringError("dimension '" + name + "' is given twice");
  return llvm::Error::success();
}

FailureOr<OwningOpRef<ModuleOp>> lz::importOnnx(StringRef path,
                                                MLIRContext &context,
                                                const ImportOptions &options) {
  context.loadDialect<LzDialect, func::FuncDialect>();
  loadRuleModels(context); // nodes that derive others
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
