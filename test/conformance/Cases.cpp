//===- Cases.cpp - which tests there are, and what is expected ------------===//

#include "test/conformance/Cases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace lz;
using llvm::StringRef;

static constexpr std::pair<Form, const char *> kForms[] = {
    {Form::AsIs, "as-is"},
    {Form::Dynamic, "dynamic"},
    {Form::Initializers, "initializers"},
    {Form::O0, "O0"}};

StringRef lz::getName(Form form) {
  for (auto [known, name] : kForms)
    if (known == form)
      return name;
  return "";
}

std::optional<Form> lz::parseForm(StringRef name) {
  for (auto [form, known] : kForms)
    if (name == known)
      return form;
  return std::nullopt;
}

std::vector<Case> lz::findCases(StringRef data,
                                llvm::ArrayRef<std::string> groups) {
  std::vector<Case> cases;
  for (const std::string &group : groups) {
    llvm::SmallString<128> folder(data);
    llvm::sys::path::append(folder, group);
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder, code), end;
         it != end && !code; it.increment(code)) {
      llvm::SmallString<128> model(it->path());
      llvm::sys::path::append(model, "model.onnx");
      if (llvm::sys::fs::exists(model))
        cases.push_back({llvm::sys::path::filename(it->path()).str(),
                         std::string(it->path())});
    }
  }
  llvm::sort(cases, [](const Case &a, const Case &b) {
    return std::tie(a.name, a.folder) < std::tie(b.name, b.folder);
  });
  return cases;
}

bool lz::isSampled(StringRef name, unsigned part, unsigned whole) {
  return llvm::xxh3_64bits(name) % whole < part;
}

llvm::Expected<ExpectedFailures> ExpectedFailures::read(StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), file);
  ExpectedFailures list;
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/true, '#');
       !line.is_at_end(); ++line)
    if (llvm::Error error = list.addLine(line->trim(), line.line_number()))
      return error;
  return list;
}

llvm::Error ExpectedFailures::addLine(StringRef line, unsigned number) {
  auto [pattern, rest] = line.split('|');
  auto [forms, reason] = rest.split('|');
  pattern = pattern.trim();
  if (pattern.empty() || forms.trim().empty() || reason.trim().empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "expected failures, line " +
                                       llvm::Twine(number) +
                                       ": needs a pattern, forms and a reason");
  Kind kind = pattern.consume_front("op:")      ? Kind::Operator
              : pattern.consume_front("error:") ? Kind::Error
                                                : Kind::Name;
  entries.push_back(
      {kind, pattern.str(), forms.trim().str(), reason.trim().str()});
  return llvm::Error::success();
}

/// True if `forms`, as the list has them, include `form`.
static bool includes(StringRef forms, Form form) {
  llvm::SmallVector<StringRef> names;
  forms.split(names, ',');
  return forms == "*" || llvm::is_contained(names, getName(form));
}

/// True if `name` matches `pattern`, in which `*` matches anything.
static bool matches(StringRef pattern, StringRef name) {
  auto glob = llvm::GlobPattern::create(pattern);
  if (glob)
    return glob->match(name);
  llvm::consumeError(glob.takeError());
  return pattern == name;
}

const std::string *
ExpectedFailures::find(StringRef name, Form form,
                       const std::vector<std::string> &operators) const {
  for (const Entry &entry : entries) {
    bool found = false;
    if (entry.kind == Kind::Operator)
      found = llvm::is_contained(operators, entry.pattern);
    if (entry.kind == Kind::Name)
      found = matches(entry.pattern, name);
    if (found && includes(entry.forms, form))
      return &entry.reason;
  }
  return nullptr;
}

const std::string *ExpectedFailures::findError(StringRef message,
                                               Form form) const {
  for (const Entry &entry : entries)
    if (entry.kind == Kind::Error && message.contains(entry.pattern) &&
        includes(entry.forms, form))
      return &entry.reason;
  return nullptr;
}
