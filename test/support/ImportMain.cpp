//===- ImportMain.cpp - imports a model for tests -------------------------===//
//
// lz-import-test model.onnx [name=size ...]: prints the imported module, or the
// error as `file: node: message`, without weights.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Importer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: lz-import-test model.onnx [name=size ...]\n";
    return 2;
  }
  lz::ImportOptions options;
  for (int i = 2; i != argc; ++i) {
    if (StringRef(argv[i]) == "--all-dynamic") {
      options.allDynamic = true;
    } else if (llvm::Error error = lz::addDimOption(argv[i], options)) {
      llvm::errs() << "error: " << toString(std::move(error)) << "\n";
      return 1;
    }
  }
  MLIRContext context;
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    llvm::errs() << diagnostic.getLocation() << ": " << diagnostic << "\n";
    return success();
  });
  auto module = lz::importOnnx(argv[1], context, options);
  if (failed(module))
    return 1;
  (*module)->print(llvm::outs(), OpPrintingFlags().elideLargeResourceString(0));
  return 0;
}
