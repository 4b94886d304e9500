//===- QuantizationTest.cpp - integer forms against float ops -------------===//
//
// The integer form of an op runs on integers; the float op, in f64, on what
// these stand for. The two must agree to half a step of the result's scale,
// but where the integer can't hold the number: there it must be the nearest
// that there is.
//
//===----------------------------------------------------------------------===//

#include "test/unit/rules/Support.h"

#include "dialects/lz/IR/Rules.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace lz;

namespace {

/// How the test quantizes a source or a result; `type` "" leaves it as it is.
struct Spec {
  std::string type; // of the integers' elements
  std::vector<double> scale, zero;
  std::optional<int64_t> axis;

  double getScale(ArrayRef<int64_t> index) const {
    return scale[axis ? index[*axis] : 0];
  }
  double getZero(ArrayRef<int64_t> index) const {
    return zero.empty() ? 0 : zero[axis ? index[*axis] : 0];
  }
};

struct QuantizationTest : RuleTest {
  /// Builds the integer form of the operation of the function of `text`, whose
  /// arguments are its sources; null if it can't be built.
  func::FuncOp quantize(StringRef text, ArrayRef<Spec> sources,
                        const Spec &result);
  /// Builds and runs it on `inputs` and compares.
  void check(StringRef text, ArrayRef<Spec> sources, const Spec &result,
             ArrayRef<RefTensor> inputs);
  QuantizationParams buildParams(RuleBuilder &builder, const Spec &spec);
  Value buildVector(RuleBuilder &builder, Type type, ArrayRef<double> values,
                    bool isVector);
  RefTensor dequantize(const RefTensor &tensor, const Spec &spec);

  func::FuncOp floatForm;
};

SmallVector<int64_t> unflatten(int64_t position, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t dim = shape.size(); dim-- != 0; position /= shape[dim])
    index[dim] = position % shape[dim];
  return index;
}

Value QuantizationTest::buildVector(RuleBuilder &builder, Type type,
                                    ArrayRef<double> values, bool isVector) {
  if (!isVector)
    return builder.scalar(type, values[0]);
  RefTensor typed(
      RankedTensorType::get(static_cast<int64_t>(values.size()), type));
  for (auto [i, value] : llvm::enumerate(values))
    typed.setDouble(i, value);
  return builder.infer(ConstantOp::create(builder.getBuilder(),
                                          builder.getLoc(), typed.getType(),
                                          getElementsAttr(typed)));
}

QuantizationParams QuantizationTest::buildParams(RuleBuilder &builder,
                                                 const Spec &spec) {
  if (spec.type.empty())
    return {};
  QuantizationParams params;
  params.axis = spec.axis;
  params.storage = tensor(spec.type, {}).getElementType();
  params.scale = buildVector(builder, builder.getBuilder().getF64Type(),
                             spec.scale, spec.axis.has_value());
  if (!spec.zero.empty())
    params.zeroPoint =
        buildVector(builder, params.storage, spec.zero, spec.axis.has_value());
  return params;
}

RefTensor QuantizationTest::dequantize(const RefTensor &tensor,
                                       const Spec &spec) {
  if (spec.type.empty())
    return tensor;
  RefTensor real(tensor.getType().clone(Float64Type::get(&context)));
  for (int64_t i = 0; i != tensor.getNumElements(); ++i) {
    auto index = unflatten(i, tensor.getShape());
    real.setDouble(i, (tensor.getDouble(i) - spec.getZero(index)) *
                          spec.getScale(index));
  }
  return real;
}

func::FuncOp QuantizationTest::quantize(StringRef text, ArrayRef<Spec> sources,
                                        const Spec &result) {
  floatForm = parse(text);
  ShapeAnalysis shapes(&context);
  if (!floatForm ||
      failed(shapes.run(cast<FunctionOpInterface>(floatForm.getOperation()))))
    return {};
  Operation *op = getTarget(floatForm);
  SmallVector<SymShape> sizes;
  SmallVector<Type> elements;
  for (auto [source, spec] : llvm::zip_equal(getSources(op), sources)) {
    sizes.emplace_back(shapes.getShape(source));
    elements.push_back(spec.type.empty()
                           ? getElementType(source)
                           : tensor(spec.type, {}).getElementType());
  }
  auto function = makeFunction("integer", sizes, elements, shapes);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  RuleBuilder rules(builder, shapes, op->getLoc());
  SmallVector<QuantizedValue> values;
  for (auto [argument, spec] :
       llvm::zip_equal(function.getArguments(), sources))
    values.push_back({argument, buildParams(rules, spec)});
  QuantizationParams params = buildParams(rules, result);
  // Equal parameters are the same values.
  for (auto [value, spec] : llvm::zip_equal(values, sources))
    if (spec.type == result.type && spec.scale == result.scale &&
        spec.zero == result.zero && spec.axis == result.axis)
      params = value.params;
  SmallVector<Value> integers;
  if (failed(buildQuantized(rules, op, values, params, integers)))
    return {};
  finish(function, integers);
  return succeeded(mlir::verify(*module)) ? function : func::FuncOp();
}

void QuantizationTest::check(StringRef text, ArrayRef<Spec> sources,
                             const Spec &result, ArrayRef<RefTensor> inputs) {
  auto function = quantize(text, sources, result);
  ASSERT_TRUE(function) << error;
  std::vector<RefTensor> reals;
  for (auto [input, spec] : llvm::zip_equal(inputs, sources))
    reals.push_back(dequantize(input, spec));
  auto expected = run(floatForm, reals), actual = run(function, inputs);
  ASSERT_EQ(expected.size(), 1u) << error;
  ASSERT_EQ(actual.size(), 1u) << error;
  RefTensor real = dequantize(actual[0], result);
  unsigned width = actual[0].getElementType().getIntOrFloatBitWidth();
  bool isUnsigned = actual[0].getElementType().isUnsignedInteger();
  double low = isUnsigned ? 0 : -std::exp2(width - 1);
  double high = low + std::exp2(width) - 1;
  int64_t held = 0;
  for (int64_t i = 0; i != real.getNumElements(); ++i) {
    auto index = unflatten(i, real.getShape());
    double scale = result.getScale(index), zero = result.getZero(index);
    double nearest = std::clamp(expected[0].getDouble(i), (low - zero) * scale,
                                (high - zero) * scale);
    held += nearest == expected[0].getDouble(i);
    EXPECT_LE(std::abs(real.getDouble(i) - nearest), scale / 2 * (1 + 1e-9))
        << "element " << i;
  }
  EXPECT_GE(2 * held, real.getNumElements()) << "hardly any number is held";
}

/// The element types of the results of all `Op` in `function`.
template <typename Op> std::string getTypes(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  function.walk([&](Op op) { os << getElementType(op.getResult()) << ";"; });
  return text;
}

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

constexpr char kMatmul[] = R"(
  func.func @f(%a: tensor<3x4x6xf64>, %b: tensor<6x5xf64>)
      -> tensor<3x4x5xf64> {
    %r = lz.matmul %a, %b
        : (tensor<3x4x6xf64>, tensor<6x5xf64>) -> tensor<3x4x5xf64>
    return %r : tensor<3x4x5xf64>
  })";

TEST_F(QuantizationTest, Matmul) {
  check(kMatmul, {{"i8", {0.03}, {}, {}}, {"i8", {0.011}, {}, {}}},
        {"i8", {0.07}, {}, {}}, {random("3x4x6xi8"), random("6x5xi8")});
}

TEST_F(QuantizationTest, MatmulOfUnsignedWithZeroPointsAndColumnScales) {
  check(kMatmul,
        {{"ui8", {0.02}, {131}, {}},
         {"i8", {0.01, 0.02, 0.005, 0.07, 0.03}, {1, -5, 0, 9, 2}, 1}},
        {"ui8", {0.2}, {120}, {}},
        {random("3x4x6xui8", 0, 255), random("6x5xi8")});
}

TEST_F(QuantizationTest, MatmulTransposedWithScalesForRowsAndColumns) {
  check(R"(
    func.func @f(%a: tensor<6x3xf64>, %b: tensor<2x4x6xf64>)
        -> tensor<2x3x4xf64> {
      %r = lz.matmul %a, %b {transpose_lhs, transpose_rhs}
          : (tensor<6x3xf64>, tensor<2x4x6xf64>) -> tensor<2x3x4xf64>
      return %r : tensor<2x3x4xf64>
    })",
        {{"i8", {0.01, 0.02, 0.04}, {}, 1},
         {"i8", {0.03, 0.01, 0.05, 0.02}, {}, 1}},
        {"i16", {0.001, 0.002, 0.003, 0.004}, {7, -8, 0, 100}, 2},
        {random("6x3xi8"), random("2x4x6xi8")});
}

TEST_F(QuantizationTest, MatmulOfVectors) {
  check(R"(
    func.func @f(%a: tensor<6xf64>, %b: tensor<6x4xf64>) -> tensor<4xf64> {
      %r = lz.matmul %a, %b
          : (tensor<6xf64>, tensor<6x4xf64>) -> tensor<4xf64>
      return %r : tensor<4xf64>
    })",
        {{"i8", {0.02}, {3}, {}}, {"i8", {0.01, 0.02, 0.04, 0.03}, {}, 1}},
        {"i8", {0.1}, {}, {}}, {random("6xi8"), random("6x4xi8")});
}

// 40000 products of up to 255 * 255 don't fit i32, so that the sum is i64.
TEST_F(QuantizationTest, MatmulChoosesAnAccumulatorThatHoldsTheSum) {
  constexpr char text[] = R"(
    func.func @f(%a: tensor<1x40000xf64>, %b: tensor<40000x1xf64>)
        -> tensor<1x1xf64> {
      %r = lz.matmul %a, %b
          : (tensor<1x40000xf64>, tensor<40000x1xf64>) -> tensor<1x1xf64>
      return %r : tensor<1x1xf64>
    })";
  Spec source{"ui8", {1}, {}, {}}, result{"ui16", {50000}, {}, {}};
  check(text, {source, source}, result,
        {random("1x40000xui8", 255, 255), random("40000x1xui8", 255, 255)});
  auto deep = quantize(text, {source, source}, result);
  EXPECT_EQ(getTypes<MatmulOp>(deep), "i64;");
  Spec small{"i8", {0.1}, {}, {}};
  auto shallow = quantize(kMatmul, {small, small}, small);
  EXPECT_EQ(getTypes<MatmulOp>(shallow), "i32;");
}

// Weights may be all that is quantized.
TEST_F(QuantizationTest, MatmulOfFloatsByIntegers) {
  check(kMatmul, {{}, {"i8", {0.01}, {}, {}}}, {"i8", {0.02}, {}, {}},
        {random("3x4x6xf64"), random("6x5xi8")});
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

// What pads the input is its zero point.
TEST_F(QuantizationTest, ConvPaddedStridedGroupedWithChannelScales) {
  constexpr char text[] = R"(
    func.func @f(%x: tensor<2x4x5x5xf64>, %w: tensor<4x2x3x3xf64>,
                 %b: tensor<4xf64>) -> tensor<2x4x3x3xf64> {
      %r = lz.conv %x, %w bias %b strides [2, 2] low [1, 1] high [1, 1]
          dilations [1, 1] groups 2
          : (tensor<2x4x5x5xf64>, tensor<4x2x3x3xf64>, tensor<4xf64>)
          -> tensor<2x4x3x3xf64>
      return %r : tensor<2x4x3x3xf64>
    })";
  Spec input{"ui8", {0.02}, {100}, {}};
  Spec filter{"i8", {0.01, 0.02, 0.015, 0.03}, {}, 0};
  Spec bias{"i32", {0.0002, 0.0004, 0.0003, 0.0006}, {}, 0};
  Spec result{"ui8", {0.1}, {128}, {}};
  auto x = random("2x4x5x5xui8", 0, 255), w = random("4x2x3x3xi8");
  check(text, {input, filter, bias}, result,
        {x, w, random("4xi32", -9999, 9999)});
  check(text, {input, filter, {}}, result, {x, w, random("4xf64")});
  auto function = quantize(text, {input, filter, bias}, result);
  EXPECT_EQ(getTypes<ConvOp>(function), "i32;");
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

TEST_F(QuantizationTest, Softmax) {
  for (StringRef kind : {"softmax", "hardmax"})
    check(("func.func @f(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {\n"
           "%r = lz.softmax <" +
           kind +
           "> %x axis 1 : (tensor<3x5xf64>) -> tensor<3x5xf64>\n"
           "return %r : tensor<3x5xf64>\n}")
              .str(),
          {{"i8", {0.02, 0.05, 0.01}, {3, -7, 0}, 0}},
          {"ui8", {1 / 255.0}, {}, {}}, {random("3x5xi8")});
}

TEST_F(QuantizationTest, LogSoftmax) {
  check(R"(
    func.func @f(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {
      %r = lz.softmax <log_softmax> %x axis 0
          : (tensor<3x5xf64>) -> tensor<3x5xf64>
      return %r : tensor<3x5xf64>
    })",
        {{"ui8", {0.02}, {77}, {}}}, {"i8", {0.05}, {127}, {}},
        {random("3x5xui8", 0, 255)});
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

constexpr char kGather[] = R"(
  func.func @f(%x: tensor<6x4xf64>, %i: tensor<2x2xi64>)
      -> tensor<2x2x4xf64> {
    %r = lz.gather %x, %i axis 0
        : (tensor<6x4xf64>, tensor<2x2xi64>) -> tensor<2x2x4xf64>
    return %r : tensor<2x2x4xf64>
  })";

TEST_F(QuantizationTest, GatherMovesIntegersAsTheyAre) {
  Spec spec{"i8", {0.02}, {5}, {}};
  auto x = random("6x4xi8"), i = random("2x2xi64", -6, 5);
  check(kGather, {spec, {}}, spec, {x, i});
  auto function = quantize(kGather, {spec, {}}, spec);
  EXPECT_EQ(getTypes<GatherOp>(function), "i8;");
  EXPECT_EQ(getTypes<QuantizeOp>(function), "");
  EXPECT_EQ(getTypes<DequantizeOp>(function), "");
}

TEST_F(QuantizationTest, GatherBetweenScales) {
  check(kGather, {{"i8", {0.02, 0.01, 0.04, 0.03}, {1, 2, 3, 4}, 1}, {}},
        {"ui8", {0.03}, {128}, {}},
        {random("6x4xi8"), random("2x2xi64", -6, 5)});
}

TEST_F(QuantizationTest, Reshape) {
  constexpr char text[] = R"(
    func.func @f(%x: tensor<6x4xf64>) -> tensor<3x8xf64> {
      %r = lz.reshape %x [3, 8] : (tensor<6x4xf64>) -> tensor<3x8xf64>
      return %r : tensor<3x8xf64>
    })";
  Spec spec{"i8", {0.02}, {5}, {}}, other{"i16", {0.001}, {}, {}};
  check(text, spec, spec, random("6x4xi8"));
  check(text, spec, other, random("6x4xi8"));
  EXPECT_EQ(getTypes<QuantizeOp>(quantize(text, spec, spec)), "");
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

TEST_F(QuantizationTest, IfTakesAndGivesIntegers) {
  constexpr char text[] = R"(
    func.func @f(%p: tensor<i1>, %a: tensor<4x4xf64>, %b: tensor<4x4xf64>)
        -> tensor<4x4xf64> {
      %r = lz.if %p symbols [] : (tensor<i1>) -> tensor<4x4xf64> {
        %m = lz.matmul %a, %b
            : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
        lz.yield %m : tensor<4x4xf64>
      } else {
        lz.yield %b : tensor<4x4xf64>
      }
      return %r : tensor<4x4xf64>
    })";
  Spec a{"i8", {0.02}, {}, {}}, b{"ui8", {0.02}, {128}, {}};
  Spec other{"i8", {0.05}, {3}, {}};
  for (double p : {0, 1})
    for (const Spec &result : {b, other})
      check(text, {{}, a, b}, result,
            {tensor("i1", p), random("4x4xi8"), random("4x4xui8", 0, 255)});
}

//===----------------------------------------------------------------------===//
// Parameters that don't fit
//===----------------------------------------------------------------------===//

TEST_F(QuantizationTest, RefusesParametersThatDoNotFit) {
  Spec good{"i8", {0.1}, {}, {}};
  Spec depth{"i8", {1, 1, 1, 1, 1, 1}, {}, 0};
  EXPECT_FALSE(quantize(kMatmul, {good, depth}, good));
  EXPECT_NE(error.find("source 1 can't have one scale for each element of "
                       "dimension 0"),
            std::string::npos)
      << error;
  error.clear();
  EXPECT_FALSE(quantize(kGather, {good, good}, good));
  EXPECT_NE(error.find("source 1 can't be quantized"), std::string::npos)
      << error;
}

TEST_F(QuantizationTest, RefusesOpsWithoutARule) {
  EXPECT_FALSE(quantize(R"(
    func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
      %r = lz.cumsum %x axis 0 exclusive false reverse false
          : (tensor<4xf64>) -> tensor<4xf64>
      return %r : tensor<4xf64>
    })",
                        Spec{"i8", {0.1}, {}, {}}, {"i8", {0.1}, {}, {}}));
  EXPECT_NE(error.find("'lz.cumsum' op has no quantization rule"),
            std::string::npos)
      << error;
}

} // namespace
