//===- Compiler.cpp - a model in, an artifact out -------------------------===//

#include "compiler/driver/Compiler.h"

#include "compiler/driver/Session.h"
#include "frontends/onnx/Importer.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/support/NodeNames.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lz;

/// Adds the file and line of `loc`, or the model's node that it names.
static void printLocation(Location loc, llvm::raw_ostream &os) {
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    os << file.getFilename().getValue();
    if (file.getLine() != 0)
      os << ":" << file.getLine();
    os << ": ";
    return;
  }
  if (auto named = dyn_cast<NameLoc>(loc)) {
    if (auto file = dyn_cast<FileLineColLoc>(named.getChildLoc()))
      os << file.getFilename().getValue() << ": ";
    os << "node '" << named.getName().getValue() << "': ";
    return;
  }
  SmallVector<StringRef> names = getNodeNames(loc);
  if (!names.empty())
    os << "node '" << names.front() << "': ";
}

/// An error and its notes as text, one a line.
static std::string format(Diagnostic &diagnostic, StringRef input) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<UnknownLoc>(diagnostic.getLocation()))
    os << input << ": ";
  printLocation(diagnostic.getLocation(), os);
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    os << "error: ";
    break;
  case DiagnosticSeverity::Warning:
    os << "warning: ";
    break;
  default:
    os << "note: ";
  }
  os << diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes()) {
    os << "\n  ";
    printLocation(note.getLocation(), os);
    os << "note: " << note.str();
  }
  return text;
}

llvm::Error lz::checkDims(ArrayRef<std::string> dims) {
  ImportOptions options;
  for (const std::string &dim : dims)
    if (llvm::Error error = addDimOption(dim, options))
      return error;
  return llvm::Error::success();
}

bool lz::compile(StringRef input, StringRef output,
                 const CompileOptions &options, DiagnosticSink diagnostics,
                 CompileStats *stats) {
  CompileStats unused;
  Session session(options, stats ? *stats : unused);
  ScopedDiagnosticHandler handler(&session.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    diagnostics(format(diagnostic, input));
                                    return success();
                                  });
  return succeeded(session.run(input, output));
}
