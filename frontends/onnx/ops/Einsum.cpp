//===- Einsum.cpp - Einsum ------------------------------------------------===//
//
// Joins the operands pair by pair. Letters of a pair fall into those of both
// that stay (batch), those of both that no one needs again (contracted), and
// those of one side (free): a batched matrix product of [batch, free,
// contracted] and [batch, contracted, free]. The dots become letters, from the
// right.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/Common.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir;
using namespace lz;

namespace {
/// A tensor and a letter for each of its dimensions.
struct Term {
  Value value;
  std::string letters;
};
} // namespace

static bool contains(StringRef letters, char letter) {
  return letters.contains(letter);
}

//===----------------------------------------------------------------------===//
// The equation
//===----------------------------------------------------------------------===//

/// Letter `index` of the dots, counted from the right.
static char getDotLetter(int64_t index) { return static_cast<char>(1 + index); }

/// `text` with its dots written as `count` letters.
static std::string expandDots(StringRef text, int64_t count) {
  auto [before, after] = text.split("...");
  std::string letters = before.str();
  for (int64_t i = count; i != 0 && before.size() != text.size(); --i)
    letters.push_back(getDotLetter(i - 1));
  return letters + after.str();
}

/// The letters of one operand of rank `rank`; an error if they don't fit.
static std::string getLetters(NodeImporter &node, StringRef text,
                              int64_t rank) {
  bool hasDots = text.contains("...");
  int64_t named = text.size() - (hasDots ? 3 : 0);
  std::string letters = expandDots(text, std::max<int64_t>(rank - named, 0));
  bool valid = static_cast<int64_t>(letters.size()) == rank && rank < 32;
  for (char letter : letters)
    valid &= letter < 32 || llvm::isAlpha(letter);
  if (!valid)
    node.error() << "'" << text << "' in the equation does not fit an operand "
                 << "of rank " << rank;
  return letters;
}

/// The result's letters where the equation has no arrow: those that stand once,
/// in alphabetical order, after the dots.
static std::string getImplicitLetters(ArrayRef<Term> terms, int64_t dots) {
  std::string all, result = expandDots("...", dots);
  for (const Term &term : terms)
    all += term.letters;
  std::sort(all.begin(), all.end());
  for (char letter : all)
    if (letter >= 32 && llvm::count(all, letter) == 1)
      result.push_back(letter);
  return result;
}

/// Splits the equation among `terms`; the result's letters.
static std::string readEquation(NodeImporter &node,
                                SmallVectorImpl<Term> &terms) {
  std::string equation = node.getString("equation", "");
  llvm::erase(equation, ' ');
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (static_cast<int>(parts.size()) != node.getNumOperands()) {
    node.error() << "the equation has " << parts.size() << " terms for "
                 << node.getNumOperands() << " operands";
    return {};
  }
  int64_t dots = 0;
  for (auto [value, part] : llvm::zip_equal(node.getOperands(), parts)) {
    terms.push_back({value, getLetters(node, part, node.getRank(value))});
    for (char letter : terms.back().letters)
      dots = letter < 32 ? std::max<int64_t>(dots, letter) : dots;
  }
  if (!StringRef(equation).contains("->"))
    return getImplicitLetters(terms, dots);
  std::string result = expandDots(right, dots);
  for (char letter : result)
    if (llvm::count(result, letter) != 1 ||
        llvm::none_of(terms, [&](const Term &term) {
          return contains(term.letters, letter);
        })) {
      node.error() << "the equation's result '" << right
                   << "' has a letter twice, or one of no operand";
      break;
    }
  return result;
}

//===----------------------------------------------------------------------===//
// One term
//===----------------------------------------------------------------------===//

/// The integers below `size`, as a tensor that broadcasts along dimension `dim`
/// of `rank` ones.
static Value getPositions(NodeImporter &node, SymExpr size, int64_t dim,
                          int64_t rank) {
  Type i64 = node.getBuilder().getI64Type();
  Value range = node.create<RangeOp>(node.scalar(i64, 0), node.scalar(i64, 1),
                                     node.exprs(size));
  SymShape shape(rank, node.size(1));
  shape[dim] = size;
  return node.reshape(range, shape);
}

/// Keeps the diagonal of each letter that stands twice in `term`: all else
/// becomes zero, and the second dimension is summed.
static void takeDiagonals(NodeImporter &node, Term &term) {
  for (size_t first = 0; first < term.letters.size(); ++first) {
    size_t second = term.letters.find(term.letters[first], first + 1);
    if (second == std::string::npos || node.failed())
      continue;
    SymShape shape = node.getShape(term.value);
    int64_t rank = shape.size();
    Value equal = node.compare(CompareKind::eq,
                               getPositions(node, shape[first], first, rank),
                               getPositions(node, shape[second], second, rank));
    Value zero = node.scalar(node.getElement(term.value), 0);
    term.value = node.create<SelectOp>(equal, term.value, zero);
    term.value = node.reduce(ReduceKind::sum, term.value,
                             static_cast<int64_t>(second), false);
    term.letters.erase(second, 1);
    --first; // the letter may stand a third time
  }
}

/// Sums the letters of `term` that are not in `needed`.
static void sumOthers(NodeImporter &node, Term &term, StringRef needed) {
  SmallVector<int64_t> axes;
  std::string kept;
  for (auto [dim, letter] : llvm::enumerate(term.letters))
    if (contains(needed, letter))
      kept.push_back(letter);
    else
      axes.push_back(dim);
  if (!axes.empty())
    term.value = node.reduce(ReduceKind::sum, term.value, axes, false);
  term.letters = kept;
}

/// `term` with its dimensions in the order of `letters`.
static Value arrange(NodeImporter &node, const Term &term, StringRef letters) {
  SmallVector<int64_t> permutation;
  for (char letter : letters)
    permutation.push_back(term.letters.find(letter));
  return letters == term.letters ? term.value
                                 : node.transpose(term.value, permutation);
}

//===----------------------------------------------------------------------===//
// A pair
//===----------------------------------------------------------------------===//

/// The letters of `letters` that `keep` holds of.
template <typename Predicate>
static std::string filter(StringRef letters, Predicate keep) {
  std::string kept;
  llvm::copy_if(letters, std::back_inserter(kept), keep);
  return kept;
}

/// The sizes of `letters` in `term`.
static SymShape getSizes(NodeImporter &node, const Term &term,
                         StringRef letters) {
  SymShape shape = node.getShape(term.value), sizes;
  for (char letter : letters)
    sizes.push_back(shape[term.letters.find(letter)]);
  return sizes;
}

/// `term` as matrices: batch dimensions, then the products of two groups.
static Value getMatrices(NodeImporter &node, const Term &term, StringRef batch,
                         StringRef rows, StringRef columns) {
  MLIRContext *context = node.getContext();
  Value arranged = arrange(node, term, (batch + rows + columns).str());
  if (node.failed())
    return {};
  SymShape shape = getSizes(node, term, batch);
  shape.push_back(getProduct(context, getSizes(node, term, rows)));
  shape.push_back(getProduct(context, getSizes(node, term, columns)));
  return node.reshape(arranged, shape);
}

/// The product of two terms, summed over the letters not in `needed`.
static Term join(NodeImporter &node, Term lhs, Term rhs, StringRef needed) {
  sumOthers(node, lhs, (needed + rhs.letters).str());
  sumOthers(node, rhs, (needed + lhs.letters).str());
  auto inRight = [&](char c) { return contains(rhs.letters, c); };
  auto inLeft = [&](char c) { return contains(lhs.letters, c); };
  std::string batch = filter(
      lhs.letters, [&](char c) { return inRight(c) && contains(needed, c); });
  std::string summed = filter(
      lhs.letters, [&](char c) { return inRight(c) && !contains(needed, c); });
  std::string left = filter(lhs.letters, [&](char c) { return !inRight(c); });
  std::string right = filter(rhs.letters, [&](char c) { return !inLeft(c); });
  Value a = getMatrices(node, lhs, batch, left, summed);
  Value b = getMatrices(node, rhs, batch, summed, right);
  Value product = node.matmul(a, b, false, false);
  if (node.failed())
    return {product, batch + left + right};
  SymShape shape = node.getShape(product);
  shape.truncate(batch.size());
  shape.append(getSizes(node, lhs, left));
  shape.append(getSizes(node, rhs, right));
  return {node.reshape(product, shape), batch + left + right};
}

static LogicalResult importEinsum(NodeImporter &node) {
  SmallVector<Term> terms;
  std::string result = readEquation(node, terms);
  for (Term &term : terms)
    takeDiagonals(node, term);
  for (size_t i = 1; i < terms.size() && !node.failed(); ++i) {
    std::string needed = result;
    for (const Term &later : ArrayRef<Term>(terms).drop_front(i + 1))
      needed += later.letters;
    terms[0] = join(node, terms[0], terms[i], needed);
  }
  if (node.failed())
    return failure();
  sumOthers(node, terms[0], result);
  return node.finish(arrange(node, terms[0], result));
}

void lz::registerEinsum(HandlerTable &handlers) {
  handlers["Einsum"] = importEinsum;
}
