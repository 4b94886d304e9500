//===- JUnit.cpp - comparisons as a report for CI -------------------------===//
//
// The form is that of Ant's JUnit task, which Jenkins, GitLab and others read:
// testsuites/testsuite/testcase, and in a case failure, error or skipped. It
// holds no date and no host, so that equal results give files that differ in
// their times only.
//
//===----------------------------------------------------------------------===//

#include "JUnit.h"

#include <cstdint>
#include <cstdio>

using namespace lz::run;

/// How many bytes the character at `at` takes in UTF-8, or 0 if it is malformed
/// or one that XML 1.0 can't hold.
static size_t characterBytes(const std::string &text, size_t at) {
  auto byte = [&](size_t i) {
    return at + i < text.size() ? uint8_t(text[at + i]) : uint8_t(0);
  };
  uint8_t lead = byte(0);
  if (lead < 0x80)
    return lead >= 32 || lead == '\t' || lead == '\n' || lead == '\r';
  size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  uint32_t code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i != bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isWhole = lead >= 0xc2 && lead < 0xf8 && code >= least[bytes];
  bool isAllowed = (code < 0xd800 || code > 0xdfff) && code < 0x110000 &&
                   (code & ~1u) != 0xfffe;
  return isWhole && isAllowed ? bytes : 0;
}

/// The value of an attribute, in quotes. What XML can't hold becomes U+FFFD.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (size_t at = 0; at != text.size();) {
    size_t bytes = characterBytes(text, at);
    char c = text[at];
    if (!bytes)
      result += "\xef\xbf\xbd";
    else if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'' ||
             uint8_t(c) < 32)
      result += "&#" + std::to_string(int(c)) + ";";
    else
      result += text.substr(at, bytes);
    at += bytes ? bytes : 1;
  }
  return result + "\"";
}

static std::string seconds(double value) {
  char text[32];
  snprintf(text, sizeof text, "\"%.3f\"", value);
  return text;
}

static std::string caseText(const std::string &model, const TestCase &test) {
  const char *kinds[] = {"", "failure", "skipped", "error"};
  std::string text = "    <testcase name=" + quoted(test.name) +
                     " classname=" + quoted(model) +
                     " time=" + seconds(test.seconds);
  if (test.outcome == TestCase::Passed)
    return text + "/>\n";
  text += std::string(">\n      <") + kinds[test.outcome] +
          " message=" + quoted(test.message);
  if (test.outcome == TestCase::Failed)
    text += " type=\"comparison\"";
  if (test.outcome == TestCase::Broken)
    text += " type=\"run\"";
  return text + "/>\n    </testcase>\n";
}

/// The counts of a suite. Its root repeats them, but for those skipped, for
/// which the usual schemas know no attribute there.
static std::string countsText(const std::vector<TestCase> &cases,
                              bool withSkipped) {
  size_t counts[4] = {};
  double total = 0;
  for (const TestCase &test : cases) {
    ++counts[test.outcome];
    total += test.seconds;
  }
  return " tests=\"" + std::to_string(cases.size()) + "\" failures=\"" +
         std::to_string(counts[TestCase::Failed]) + "\" errors=\"" +
         std::to_string(counts[TestCase::Broken]) + "\"" +
         (withSkipped
              ? " skipped=\"" + std::to_string(counts[TestCase::Skipped]) + "\""
              : "") +
         " time=" + seconds(total);
}

std::string lz::run::junitReport(const std::string &model,
                                 const std::vector<TestCase> &cases) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites name=\"lz-run\"" +
                     countsText(cases, false) +
                     ">\n  <testsuite name=" + quoted(model) +
                     countsText(cases, true) + ">\n";
  for (const TestCase &test : cases)
    text += caseText(model, test);
  return text + "  </testsuite>\n</testsuites>\n";
}
