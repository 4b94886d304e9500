//===- ShardingTest.cpp - sharding rules by running the parts -------------===//
//
// The inputs of an op are cut along each factor that its rule says may be cut,
// the parts are run on the evaluator, and what they give is put together and
// compared with the whole. The rule itself is compared with one found by hand,
// so that it cuts all that can be cut.
//
//===----------------------------------------------------------------------===//

#include "test/unit/rules/Support.h"

#include "dialects/lz/IR/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lz;

namespace {

struct ShardingTest : RuleTest {
  /// Runs the function of `text`, whose only operation reads its arguments,
  /// whole and in parts; the rule must be `expected` (see `describe`).
  void check(StringRef text, ArrayRef<RefTensor> inputs, StringRef expected);
  /// Runs the parts along one factor and compares with `whole`.
  void checkFactor(Operation *op, ShapeAnalysis &shapes, unsigned factor,
                   int64_t parts, ArrayRef<RefTensor> sources,
                   ArrayRef<RefTensor> whole);
};

/// Factors as letters, in capitals if they can't be cut, with a star if they
/// are reductions: "[a][b*] [b*][c] -> [a][c]".
std::string describe(const ShardingRule &rule) {
  auto name = [&](unsigned factor) {
    FactorKind kind = rule.factors[factor].kind;
    std::string text(1, (kind == FactorKind::Replicated ? 'A' : 'a') + factor);
    return kind == FactorKind::Reduction ? text + "*" : text;
  };
  auto describeTensor = [&](const TensorFactors &dims) {
    std::string text;
    for (const DimFactors &dim : dims) {
      text += "[";
      for (unsigned factor : dim)
        text += name(factor);
      text += "]";
    }
    return text;
  };
  auto sources = llvm::map_to_vector(rule.sources, describeTensor);
  auto results = llvm::map_to_vector(rule.results, describeTensor);
  return llvm::join(sources, " ") + " -> " + llvm::join(results, " ");
}

/// Where an element of a whole tensor lies once it is cut.
struct Place {
  int64_t part = 0;
  SmallVector<int64_t> index;
};

/// Cuts a tensor's index along `factor`, digit by digit of each dimension.
Place locate(ArrayRef<int64_t> index, const TensorFactors &dims,
             const ShardingRule &rule, unsigned factor, int64_t parts) {
  Place place;
  for (auto [position, dim] : llvm::zip_equal(index, dims)) {
    int64_t rest = position, weight = 1, local = 0;
    for (unsigned digitFactor : llvm::reverse(dim)) {
      int64_t size = *rule.factors[digitFactor].size.getConstant();
      int64_t digit = rest % size;
      rest /= size;
      if (digitFactor == factor) {
        size /= parts;
        place.part = digit / size;
        digit %= size;
      }
      local += digit * weight;
      weight *= size;
    }
    place.index.push_back(local);
  }
  return place;
}

bool hasFactor(const TensorFactors &dims, unsigned factor) {
  return llvm::any_of(dims, [&](const DimFactors &dim) {
    return llvm::is_contained(dim, factor);
  });
}

RankedTensorType getPartType(RankedTensorType type, const TensorFactors &dims,
                             unsigned factor, int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, dims))
    if (llvm::is_contained(dim, factor))
      size /= parts;
  return type.clone(shape);
}

int64_t flatten(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    position = position * size + i;
  return position;
}

SmallVector<int64_t> unflatten(int64_t position, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t dim = shape.size(); dim-- != 0; position /= shape[dim])
    index[dim] = position % shape[dim];
  return index;
}

/// One part of `whole`.
RefTensor cut(const RefTensor &whole, const TensorFactors &dims,
              const ShardingRule &rule, unsigned factor, int64_t parts,
              int64_t part) {
  RefTensor result(getPartType(whole.getType(), dims, factor, parts));
  for (int64_t i = 0; i != whole.getNumElements(); ++i) {
    Place place =
        locate(unflatten(i, whole.getShape()), dims, rule, factor, parts);
    if (place.part == part || !hasFactor(dims, factor))
      result.copyElement(flatten(place.index, result.getShape()), whole, i);
  }
  return result;
}

void ShardingTest::checkFactor(Operation *op, ShapeAnalysis &shapes,
                               unsigned factor, int64_t parts,
                               ArrayRef<RefTensor> sources,
                               ArrayRef<RefTensor> whole) {
  auto sharding = cast<ShardingOpInterface>(op);
  ShardingRule rule = sharding.getShardingRule(shapes);
  SmallVector<SymShape> sizes;
  SmallVector<Type> elements;
  for (auto [source, dims] : llvm::zip_equal(getSources(op), rule.sources)) {
    sizes.push_back(getPartShape(shapes.getShape(source), dims, factor, parts));
    elements.push_back(getElementType(source));
  }
  auto function = makeFunction("part", sizes, elements, shapes);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  RuleBuilder rules(builder, shapes, op->getLoc());
  SmallVector<Value> arguments(function.getArguments()), built;
  ASSERT_TRUE(
      succeeded(sharding.buildPart(rules, factor, parts, arguments, built)))
      << error;
  finish(function, built);
  ASSERT_TRUE(succeeded(mlir::verify(*module))) << error;

  std::vector<std::vector<RefTensor>> results;
  for (int64_t part = 0; part != parts; ++part) {
    std::vector<RefTensor> inputs;
    for (auto [source, dims] : llvm::zip_equal(sources, rule.sources))
      inputs.push_back(cut(source, dims, rule, factor, parts, part));
    results.push_back(run(function, inputs));
    ASSERT_EQ(results.back().size(), whole.size()) << error;
  }
  bool isSum = rule.factors[factor].kind == FactorKind::Reduction;
  ASSERT_EQ(rule.factors[factor].combine, ReduceKind::sum);
  for (auto [r, expected, dims] : llvm::enumerate(whole, rule.results))
    for (int64_t i = 0; i != expected.getNumElements(); ++i) {
      Place place =
          locate(unflatten(i, expected.getShape()), dims, rule, factor, parts);
      double sum = 0;
      for (auto [part, result] : llvm::enumerate(results)) {
        ASSERT_EQ(result[r].getType(),
                  getPartType(expected.getType(), dims, factor, parts));
        if (isSum || place.part == static_cast<int64_t>(part))
          sum +=
              result[r].getDouble(flatten(place.index, result[r].getShape()));
      }
      ASSERT_NEAR(sum, expected.getDouble(i), 1e-12)
          << "factor " << factor << " in " << parts << " parts, result " << r
          << ", element " << i;
    }
  function.erase();
}

void ShardingTest::check(StringRef text, ArrayRef<RefTensor> inputs,
                         StringRef expected) {
  auto function = parse(text);
  ASSERT_TRUE(function) << error;
  ShapeAnalysis shapes(&context);
  ASSERT_TRUE(
      succeeded(shapes.run(cast<FunctionOpInterface>(function.getOperation()))))
      << error;
  auto whole = run(function, inputs);
  ASSERT_FALSE(whole.empty()) << error;
  Operation *op = getTarget(function);
  std::vector<RefTensor> sources;
  for (Value source : getSources(op))
    sources.push_back(inputs[cast<BlockArgument>(source).getArgNumber()]);
  ShardingRule rule = cast<ShardingOpInterface>(op).getShardingRule(shapes);
  EXPECT_EQ(describe(rule), expected);
  for (auto [index, factor] : llvm::enumerate(rule.factors)) {
    int64_t size = *factor.size.getConstant();
    for (int64_t parts : {int64_t(2), size})
      if (rule.isCuttable(index) && size % parts == 0)
        checkFactor(op, shapes, index, parts, sources, whole);
  }
}

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

TEST_F(ShardingTest, Matmul) {
  check(R"(
    func.func @f(%a: tensor<2x6x4xf64>, %b: tensor<4x8xf64>)
        -> tensor<2x6x8xf64> {
      %r = lz.matmul %a, %b
          : (tensor<2x6x4xf64>, tensor<4x8xf64>) -> tensor<2x6x8xf64>
      return %r : tensor<2x6x8xf64>
    })",
        {random("2x6x4xf64"), random("4x8xf64")},
        "[a][c][b*] [b*][d] -> [a][c][d]");
}

TEST_F(ShardingTest, MatmulTransposedAndBroadcast) {
  check(R"(
    func.func @f(%a: tensor<1x4x6xf64>, %b: tensor<2x8x4xf64>)
        -> tensor<2x6x8xf64> {
      %r = lz.matmul %a, %b {transpose_lhs, transpose_rhs}
          : (tensor<1x4x6xf64>, tensor<2x8x4xf64>) -> tensor<2x6x8xf64>
      return %r : tensor<2x6x8xf64>
    })",
        {random("1x4x6xf64"), random("2x8x4xf64")},
        "[][b*][c] [a][d][b*] -> [a][c][d]");
}

TEST_F(ShardingTest, MatmulOfVectors) {
  check(R"(
    func.func @f(%a: tensor<4xf64>, %b: tensor<2x4x6xf64>)
        -> tensor<2x6xf64> {
      %r = lz.matmul %a, %b
          : (tensor<4xf64>, tensor<2x4x6xf64>) -> tensor<2x6xf64>
      return %r : tensor<2x6xf64>
    })",
        {random("4xf64"), random("2x4x6xf64")}, "[b*] [a][b*][c] -> [a][c]");
  check(R"(
    func.func @f(%a: tensor<6x4xf64>, %b: tensor<4xf64>) -> tensor<6xf64> {
      %r = lz.matmul %a, %b
          : (tensor<6x4xf64>, tensor<4xf64>) -> tensor<6xf64>
      return %r : tensor<6xf64>
    })",
        {random("6x4xf64"), random("4xf64")}, "[b][a*] [a*] -> [b]");
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

TEST_F(ShardingTest, Conv) {
  check(R"(
    func.func @f(%x: tensor<2x4x5x5xf64>, %w: tensor<6x4x3x3xf64>)
        -> tensor<2x6x3x3xf64> {
      %r = lz.conv %x, %w strides [2, 2] low [1, 1] high [1, 1]
          dilations [1, 1] groups 1
          : (tensor<2x4x5x5xf64>, tensor<6x4x3x3xf64>) -> tensor<2x6x3x3xf64>
      return %r : tensor<2x6x3x3xf64>
    })",
        {random("2x4x5x5xf64"), random("6x4x3x3xf64")},
        "[a][c*][D][E] [b][c*][F][G] -> [a][b][H][I]");
}

// Groups are cut too; the sum isn't, as each part would add the bias.
TEST_F(ShardingTest, ConvGroupedWithBias) {
  check(R"(
    func.func @f(%x: tensor<2x8x5xf64>, %w: tensor<8x2x3xf64>,
                 %b: tensor<8xf64>) -> tensor<2x8x3xf64> {
      %r = lz.conv %x, %w bias %b strides [2] low [1] high [1] dilations [1]
          groups 4
          : (tensor<2x8x5xf64>, tensor<8x2x3xf64>, tensor<8xf64>)
          -> tensor<2x8x3xf64>
      return %r : tensor<2x8x3xf64>
    })",
        {random("2x8x5xf64"), random("8x2x3xf64"), random("8xf64")},
        "[b][aD][E] [ac][D][F] [ac] -> [b][ac][G]");
}

//===----------------------------------------------------------------------===//
// Softmax, gather, reshape
//===----------------------------------------------------------------------===//

TEST_F(ShardingTest, Softmax) {
  check(R"(
    func.func @f(%x: tensor<2x3x4xf64>) -> tensor<2x3x4xf64> {
      %r = lz.softmax <softmax> %x axis 1
          : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
      return %r : tensor<2x3x4xf64>
    })",
        {random("2x3x4xf64")}, "[a][B][c] -> [a][B][c]");
}

TEST_F(ShardingTest, Gather) {
  check(R"(
    func.func @f(%x: tensor<2x5x6xf64>, %i: tensor<4x2xi64>)
        -> tensor<2x4x2x6xf64> {
      %r = lz.gather %x, %i axis 1
          : (tensor<2x5x6xf64>, tensor<4x2xi64>) -> tensor<2x4x2x6xf64>
      return %r : tensor<2x4x2x6xf64>
    })",
        {random("2x5x6xf64"), random("4x2xi64", -5, 4)},
        "[a][E][d] [b][c] -> [a][b][c][d]");
}

struct ReshapeCase {
  const char *from, *to, *rule;
};

struct ReshapeShardingTest : ShardingTest,
                             testing::WithParamInterface<ReshapeCase> {};

TEST_P(ReshapeShardingTest, Parts) {
  auto [from, to, rule] = GetParam();
  std::string source = "tensor<" + std::string(from) + "xf64>";
  std::string result = "tensor<" + std::string(to) + "xf64>";
  std::string sizes = to;
  for (size_t at = 0; (at = sizes.find('x', at)) != std::string::npos;)
    sizes.replace(at, 1, ", ");
  check("func.func @f(%x: " + source + ") -> " + result +
            " {\n%r = lz.reshape %x [" + sizes + "] : (" + source + ") -> " +
            result + "\nreturn %r : " + result + "\n}",
        {random(std::string(from) + "xf64")}, rule);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ReshapeShardingTest,
    testing::Values(ReshapeCase{"2x6x4", "2x24", "[a][b][c] -> [a][bc]"},
                    ReshapeCase{"24", "4x6", "[ab] -> [a][b]"},
                    ReshapeCase{"6x4", "2x12", "[ab][c] -> [a][bc]"},
                    ReshapeCase{"4x1x6", "1x4x6", "[a][][b] -> [][a][b]"},
                    ReshapeCase{"4x3", "6x2", "[aB][C] -> [aD][E]"}));

// Unknown sizes have factors in common too.
TEST_F(ShardingTest, ReshapeOfUnknownSizes) {
  auto function = parse(R"(
    func.func @f(%x: tensor<?x4x?xf64> {lz.dims = [#lz.expr<n>, #lz.expr<4>,
                                                   #lz.expr<m>]})
        -> tensor<?x?xf64> attributes {lz.symbols = [
          #lz.symbol<n, 1, 9, dim>, #lz.symbol<m, 1, 9, dim>]} {
      %r = lz.reshape %x [n * 2, m * 2] : (tensor<?x4x?xf64>) -> tensor<?x?xf64>
      return %r : tensor<?x?xf64>
    })");
  ASSERT_TRUE(function) << error;
  ShapeAnalysis shapes(&context);
  ASSERT_TRUE(
      succeeded(shapes.run(cast<FunctionOpInterface>(function.getOperation()))))
      << error;
  auto op = cast<ShardingOpInterface>(getTarget(function));
  EXPECT_EQ(describe(op.getShardingRule(shapes)), "[a][bc][d] -> [ab][cd]");
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

// Rows of %a and of %c and columns of %b are loops of the result in both
// branches; softmax needs whole columns of %c, hence of the result.
TEST_F(ShardingTest, IfIsComposedOfItsBranches) {
  constexpr char text[] = R"(
    func.func @f(%p: tensor<i1>, %a: tensor<2x4x6xf64>, %b: tensor<6x8xf64>,
                 %c: tensor<2x4x8xf64>) -> tensor<2x4x8xf64> {
      %r = lz.if %p symbols [] : (tensor<i1>) -> tensor<2x4x8xf64> {
        %m = lz.matmul %a, %b
            : (tensor<2x4x6xf64>, tensor<6x8xf64>) -> tensor<2x4x8xf64>
        lz.yield %m : tensor<2x4x8xf64>
      } else {
        %s = lz.softmax <softmax> %c axis 2
            : (tensor<2x4x8xf64>) -> tensor<2x4x8xf64>
        lz.yield %s : tensor<2x4x8xf64>
      }
      return %r : tensor<2x4x8xf64>
    })";
  for (double p : {0, 1})
    check(text,
          {tensor("i1", p), random("2x4x6xf64"), random("6x8xf64"),
           random("2x4x8xf64")},
          " [a][b][C] [C][D] [a][b][D] -> [a][b][D]");
}

// A part of a reshape in a branch has other sizes; what a branch only passes on
// is cut as the result is.
TEST_F(ShardingTest, IfAdaptsWhatIsInside) {
  constexpr char text[] = R"(
    func.func @f(%p: tensor<i1>, %a: tensor<2x4x6xf64>, %b: tensor<8x6xf64>)
        -> tensor<8x6xf64> {
      %r = lz.if %p symbols [] : (tensor<i1>) -> tensor<8x6xf64> {
        %m = lz.reshape %a [8, 6] : (tensor<2x4x6xf64>) -> tensor<8x6xf64>
        lz.yield %m : tensor<8x6xf64>
      } else {
        lz.yield %b : tensor<8x6xf64>
      }
      return %r : tensor<8x6xf64>
    })";
  for (double p : {0, 1})
    check(text, {tensor("i1", p), random("2x4x6xf64"), random("8x6xf64")},
          " [a][b][c] [ab][c] -> [ab][c]");
}

// Cutting both dimensions of %a %a^T at once would give blocks of the diagonal
// only.
TEST_F(ShardingTest, IfDoesNotCutADiagonal) {
  constexpr char text[] = R"(
    func.func @f(%p: tensor<i1>, %a: tensor<4x6xf64>, %b: tensor<4x4xf64>)
        -> tensor<4x4xf64> {
      %r = lz.if %p symbols [] : (tensor<i1>) -> tensor<4x4xf64> {
        %m = lz.matmul %a, %a {transpose_rhs}
            : (tensor<4x6xf64>, tensor<4x6xf64>) -> tensor<4x4xf64>
        lz.yield %m : tensor<4x4xf64>
      } else {
        lz.yield %b : tensor<4x4xf64>
      }
      return %r : tensor<4x4xf64>
    })";
  check(text, {tensor("i1", 1), random("4x6xf64"), random("4x4xf64")},
        " [A][B] [A][A] -> [A][A]");
}

} // namespace
