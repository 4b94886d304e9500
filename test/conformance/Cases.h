//===- Cases.h - which tests there are, and what is expected ----*- C++ -*-===//
#ifndef TEST_CONFORMANCE_CASES_H
#define TEST_CONFORMANCE_CASES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace lz {

/// In what form a model is put to the test.
enum class Form {
  AsIs,         // as the file has it
  Dynamic,      // with every dimension of every input unknown
  Initializers, // with the inputs of the first data set as initializers
  O0            // as is, compiled without optimization
};

llvm::StringRef getName(Form form);
std::optional<Form> parseForm(llvm::StringRef name);

/// A folder with a model and data.
struct Case {
  std::string name; // of the folder
  std::string folder;
};

/// The cases in the groups (`node`, `simple` ...) of ONNX's backend test data,
/// sorted by name.
std::vector<Case> findCases(llvm::StringRef data,
                            llvm::ArrayRef<std::string> groups);

/// Whether `name` belongs to a sample of `part` in `whole`, by its hash.
bool isSampled(llvm::StringRef name, unsigned part, unsigned whole);

/// Lines `<pattern> | <forms> | <reason>`. A pattern is `op:<type>` (a model
/// that has such a node), `error:<text>` (a failure whose message holds the
/// text), or the name of a case, in which `*` matches anything. Forms are names
/// joined by commas, or `*`.
class ExpectedFailures {
public:
  static llvm::Expected<ExpectedFailures> read(llvm::StringRef file);

  /// Why the case is to fail, whatever its message, or null.
  const std::string *find(llvm::StringRef name, Form form,
                          const std::vector<std::string> &operators) const;
  /// Why a case may fail with this message, or null.
  const std::string *findError(llvm::StringRef message, Form form) const;

private:
  enum class Kind { Name, Operator, Error };
  struct Entry {
    Kind kind;
    std::string pattern, forms, reason;
  };
  llvm::Error addLine(llvm::StringRef line, unsigned number);
  std::vector<Entry> entries;
};

} // namespace lz

#endif // TEST_CONFORMANCE_CASES_H
