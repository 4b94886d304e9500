//===- SymExprTest.cpp - size expressions ---------------------------------===//

#include "dialects/lz/Symbols/SymExpr.h"
#include "dialects/lz/IR/LzDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace lz;

namespace {

struct SymExprTest : testing::Test {
  SymExprTest() { context.loadDialect<LzDialect>(); }

  SymExpr constant(int64_t value) { return SymExpr::constant(&context, value); }
  SymExpr symbol(StringRef name) { return SymExpr::symbol(&context, name); }
  SymExpr parse(const std::string &text) {
    return SymExpr(parseAttribute("#lz.expr<" + text + ">", &context));
  }

  MLIRContext context;
};

//===----------------------------------------------------------------------===//
// Normal form
//===----------------------------------------------------------------------===//

TEST_F(SymExprTest, EqualPolynomialsAreOneAttribute) {
  SymExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ((a + b) * (a - b), a * a - b * b);
  EXPECT_EQ(a + b - a, b);
  EXPECT_EQ(a * 0, constant(0));
  EXPECT_NE(a * 2, a * 3);
}

TEST_F(SymExprTest, QuotientsCancel) {
  SymExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ((a * b * 6).floorDiv(b * 3), a * 2);
  EXPECT_EQ((a * b + a).floorDiv(b + 1), a);
  EXPECT_EQ((a * 32 + 5).floorDiv(constant(32)), a);
  EXPECT_EQ((a * 4 + b).floorDiv(constant(4)), a + b.floorDiv(constant(4)));
  EXPECT_EQ((a * 2 + 1).floorDiv(constant(4)), a.floorDiv(constant(2)));
  EXPECT_EQ(a.floorDiv(constant(-2)), (a * -1).floorDiv(constant(2)));
}

TEST_F(SymExprTest, QuotientsOfQuotientsMerge) {
  SymExpr h = symbol("h"), two = constant(2);
  SymExpr once = (h - 1).floorDiv(two) + 1;
  EXPECT_EQ((once - 1).floorDiv(two) + 1, (h - 1).floorDiv(constant(4)) + 1);
}

TEST_F(SymExprTest, RemainderOfMultipleIsZero) {
  SymExpr a = symbol("a");
  EXPECT_EQ((a * 8).mod(constant(4)), constant(0));
  EXPECT_EQ(constant(-7).mod(constant(4)), constant(1));
  EXPECT_EQ(constant(7).mod(constant(-4)), constant(-1));
}

TEST_F(SymExprTest, CeilingOfConstants) {
  EXPECT_EQ(constant(7).ceilDiv(constant(2)), constant(4));
  EXPECT_EQ(constant(-7).ceilDiv(constant(2)), constant(-3));
}

TEST_F(SymExprTest, MaximumKeepsWhatIsNotBelow) {
  SymExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(a.max(a + 3), a + 3);
  EXPECT_EQ(a.max(constant(0)), a);
  EXPECT_EQ(a.max(b), b.max(a));
  EXPECT_EQ(a.max(b).max(a), a.max(b));
  EXPECT_EQ(a.max(b).max(symbol("c")), symbol("c").max(b.max(a)));
  EXPECT_EQ((a + 2).max(b + 2), a.max(b) + 2);
  EXPECT_EQ(a.min(a + 3), a);
  EXPECT_EQ(a.min(b) + a.max(b), a + b);
}

TEST_F(SymExprTest, BroadcastOfSizes) {
  SymExpr a = symbol("a"), b = symbol("b");
  EXPECT_EQ(a.bcast(constant(1)), a);
  EXPECT_EQ(constant(1).bcast(a), a);
  EXPECT_EQ(a.bcast(constant(5)), constant(5));
  EXPECT_EQ(a.bcast(b).bcast(a), a.bcast(b));
  EXPECT_EQ(a.bcast(b).bcast(symbol("c")), a.bcast(b.bcast(symbol("c"))));
}

//===----------------------------------------------------------------------===//
// Overflow and size
//===----------------------------------------------------------------------===//

TEST_F(SymExprTest, OverflowIsUndefined) {
  SymExpr big = constant(INT64_MAX), small = constant(INT64_MIN);
  EXPECT_TRUE((big + 1).isUndefined());
  EXPECT_TRUE((big * 2).isUndefined());
  EXPECT_TRUE((small - 1).isUndefined());
  EXPECT_TRUE((constant(0) - small).isUndefined());
  EXPECT_TRUE(small.floorDiv(constant(-1)).isUndefined());
  EXPECT_TRUE((symbol("a") * INT64_MAX * 2).isUndefined());
  EXPECT_TRUE((symbol("a") * INT64_MAX + symbol("a")).isUndefined());
  EXPECT_FALSE((big - 1).isUndefined());
}

TEST_F(SymExprTest, UndefinedStaysUndefined) {
  SymExpr none = constant(1).floorDiv(constant(0)), a = symbol("a");
  for (SymExpr expr : {none + 1, none - none, none * 0, a.max(none),
                       none.min(a), a.bcast(none), none.bcast(constant(1)),
                       none.floorDiv(a), a.mod(none), a.mod(constant(0))})
    EXPECT_TRUE(expr.isUndefined()) << expr.str();
  EXPECT_FALSE(none.isAtLeast(INT64_MIN));
  EXPECT_EQ(parse(none.str()), none);
}

TEST_F(SymExprTest, GrowthIsBounded) {
  SymExpr product = constant(1), nested = symbol("n");
  for (int i = 0; i != 40; ++i) {
    product = product * (symbol("a" + std::to_string(i)) + 1);
    nested = (nested * nested + nested).floorDiv(symbol("d")) + nested;
  }
  EXPECT_TRUE(product.isUndefined());
  EXPECT_TRUE(nested.isUndefined());
}

TEST_F(SymExprTest, DeepTextIsRefused) {
  std::string text = std::string(100000, '(') + "a" + std::string(100000, ')');
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  EXPECT_FALSE(parse(text));
  EXPECT_NE(message.find("nested more than 64 deep"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

TEST_F(SymExprTest, ProvesBounds) {
  SymExpr a = symbol("a"), b = symbol("b"), two = constant(2);
  EXPECT_TRUE(a.isAtLeast(0));
  EXPECT_FALSE(a.isAtLeast(1));
  EXPECT_TRUE((a + 1).isAtLeast(1));
  EXPECT_FALSE((a - 1).isAtLeast(0));
  EXPECT_FALSE((a - b).isAtLeast(0));
  EXPECT_TRUE((a.max(b) - a).isAtLeast(0));
  EXPECT_TRUE((a - a.min(b)).isAtLeast(0));
  EXPECT_TRUE(a.min(b).isAtLeast(0));
  EXPECT_TRUE(a.mod(two).isAtLeast(0));
  EXPECT_TRUE((constant(1) - a.mod(two)).isAtLeast(0));
  EXPECT_TRUE(((a - 1).floorDiv(two) + 1).isAtLeast(0));
  EXPECT_FALSE((a - 1).floorDiv(two).isAtLeast(0));
  EXPECT_FALSE(a.isAtLeast(INT64_MIN + 1) && a.isAtLeast(INT64_MAX));
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

TEST_F(SymExprTest, EvaluationRefusesWhatHasNoValue) {
  auto big = [](StringRef) { return std::optional<int64_t>(INT64_MAX); };
  auto zero = [](StringRef) { return std::optional<int64_t>(0); };
  auto none = [](StringRef) { return std::optional<int64_t>(); };
  SymExpr a = symbol("a");
  EXPECT_EQ((a * a).evaluate(big), std::nullopt);
  EXPECT_EQ((a + 1).evaluate(big), std::nullopt);
  EXPECT_EQ(constant(4).floorDiv(a).evaluate(zero), std::nullopt);
  EXPECT_EQ((a + 1).evaluate(none), std::nullopt);
  EXPECT_EQ((a + 1).evaluate(zero), 1);
}

/// A random expression beside its value by plain arithmetic.
struct RandomExprs {
  using Value = std::optional<int64_t>;
  struct Pair {
    SymExpr expr;
    SmallVector<Value> values; // one per assignment of the symbols
  };

  static Value apply(int kind, int64_t x, int64_t y) {
    int64_t quotient = y ? llvm::divideFloorSigned(x, y) : 0;
    switch (kind) {
    case 0:
      return x + y;
    case 1:
      return x - y;
    case 2:
      return x * y;
    case 3:
      return y ? Value(quotient) : std::nullopt;
    case 4:
      return y ? Value(x - quotient * y) : std::nullopt;
    case 5:
      return std::max(x, y);
    case 6:
      return std::min(x, y);
    case 7:
      return y ? Value(-llvm::divideFloorSigned(-x, y)) : std::nullopt;
    default:
      return x == y || y == 1 ? Value(x) : x == 1 ? Value(y) : std::nullopt;
    }
  }

  static SymExpr build(int kind, SymExpr a, SymExpr b) {
    switch (kind) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    case 3:
      return a.floorDiv(b);
    case 4:
      return a.mod(b);
    case 5:
      return a.max(b);
    case 6:
      return a.min(b);
    case 7:
      return a.ceilDiv(b);
    default:
      return a.bcast(b);
    }
  }

  Pair leaf() {
    Pair result;
    if (random() % 2) {
      int64_t value = static_cast<int64_t>(random() % 9) - 3;
      result.expr = SymExpr::constant(context, value);
      result.values.assign(assignments.size(), value);
      return result;
    }
    unsigned index = random() % 3;
    result.expr = SymExpr::symbol(context, StringRef("abc").substr(index, 1));
    for (ArrayRef<int64_t> assignment : assignments)
      result.values.push_back(assignment[index]);
    return result;
  }

  Pair next(int depth) {
    if (depth == 0)
      return leaf();
    Pair a = next(depth - 1), b = next(random() % depth), result;
    int kind = random() % 9;
    result.expr = build(kind, a.expr, b.expr);
    for (auto [x, y] : llvm::zip_equal(a.values, b.values))
      result.values.push_back(x && y ? apply(kind, *x, *y) : std::nullopt);
    return result;
  }

  MLIRContext *context;
  std::vector<SmallVector<int64_t>> assignments;
  std::mt19937 random{7};
};

TEST_F(SymExprTest, NormalFormKeepsValues) {
  RandomExprs source{&context, {}};
  for (int64_t a : {0, 1, 2, 5, 8})
    for (int64_t b : {0, 1, 3, 4})
      for (int64_t c : {1, 2, 7})
        source.assignments.push_back({a, b, c});
  int compared = 0;
  for (int round = 0; round != 3000; ++round) {
    RandomExprs::Pair pair = source.next(1 + round % 4);
    if (pair.expr.isUndefined())
      continue;
    EXPECT_EQ(parse(pair.expr.str()), pair.expr);
    bool nonNegative = pair.expr.isAtLeast(0);
    for (auto [assignment, value] :
         llvm::zip_equal(source.assignments, pair.values)) {
      if (!value)
        continue;
      ArrayRef<int64_t> point = assignment;
      auto symbols = [&](StringRef name) -> std::optional<int64_t> {
        return point[name[0] - 'a'];
      };
      ASSERT_EQ(pair.expr.evaluate(symbols), value) << pair.expr.str();
      ASSERT_TRUE(!nonNegative || *value >= 0) << pair.expr.str();
      ++compared;
    }
  }
  EXPECT_GT(compared, 50000);
}

TEST_F(SymExprTest, SubstitutionKeepsValues) {
  SymExpr a = symbol("a"), b = symbol("b");
  SymExpr expr = (a * 3 + b).floorDiv(constant(4)).max(b) + a.mod(b + 1);
  SymExpr replaced = expr.substitute(
      [&](StringRef name) { return name == "a" ? b * 2 : SymExpr(); });
  auto value = [](int64_t x, int64_t y) {
    return std::max((x * 3 + y) / 4, y) + x % (y + 1);
  };
  for (int64_t y = 0; y != 9; ++y)
    EXPECT_EQ(replaced.evaluate([&](StringRef) { return std::optional(y); }),
              value(2 * y, y));
}

TEST_F(SymExprTest, NamesBecomeIdentifiers) {
  EXPECT_EQ(getSymbolName("batch size"), "batch_size");
  EXPECT_EQ(getSymbolName("2x"), "_2x");
  EXPECT_EQ(getSymbolName(""), "_");
}

} // namespace
