//===- EvaluatorTest.cpp - symbols, regions, parameters, folding ----------===//

#include "test/unit/reference/Evaluate.h"

#include "dialects/lz/Reference/Fold.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace lz;

namespace {

struct EvaluatorTest : ReferenceTest {
  Builder builder{&context};

  RefTensor floats(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    return makeTensor(builder.getF32Type(), shape, values);
  }
  RefTensor longs(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    return makeTensor(builder.getI64Type(), shape, values);
  }
};

constexpr char kBatch[] = R"(
  func.func @f(%x: tensor<?x2xf32> {lz.dims = [#lz.expr<n>, #lz.expr<2>]})
      -> tensor<?xf32> attributes {lz.symbols = [#lz.symbol<n, 1, 4, dim>]} {
    %r = lz.reshape %x [n * 2] : (tensor<?x2xf32>) -> tensor<?xf32>
    return %r : tensor<?xf32>
  })";

TEST_F(EvaluatorTest, BindsSymbolsFromShapes) {
  ASSERT_TRUE(succeeded(run(kBatch, {floats({2, 2}, {1, 2, 3, 4})}))) << error;
  EXPECT_EQ(results[0].getTensor().getShape(), ArrayRef<int64_t>({4}));
  ASSERT_TRUE(succeeded(run(kBatch, {floats({1, 2}, {1, 2})}))) << error;
  EXPECT_EQ(results[0].getTensor().getShape(), ArrayRef<int64_t>({2}));
}

TEST_F(EvaluatorTest, RefusesSizesOutsideTheirRange) {
  EXPECT_TRUE(failed(run(kBatch, {floats({5, 2}, {})})));
  EXPECT_NE(error.find("size 'n' is 5, outside its range 1..4"),
            std::string::npos)
      << error;
}

TEST_F(EvaluatorTest, RefusesInputsOfAnotherType) {
  EXPECT_TRUE(failed(run(kBatch, {longs({2, 2}, {})})));
  EXPECT_NE(error.find("input 0 has type 'tensor<2x2xi64>'"), std::string::npos)
      << error;
  error.clear();
  EXPECT_TRUE(failed(run(kBatch, {})));
  EXPECT_NE(error.find("takes 1 inputs, but 0 were given"), std::string::npos)
      << error;
}

TEST_F(EvaluatorTest, BindsSymbolsFromElements) {
  constexpr char text[] = R"(
    func.func @f(%x: tensor<1xf32>,
                 %n: tensor<1xi64> {lz.elements = [#lz.expr<n>]})
        -> tensor<?xf32>
        attributes {lz.symbols = [#lz.symbol<n, 0, 9, element>]} {
      %r = lz.expand %x [n] : (tensor<1xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })";
  ASSERT_TRUE(succeeded(run(text, {floats(1, 7), longs(1, 3)}))) << error;
  expectElements(results[0].getTensor(), {7, 7, 7});
}

TEST_F(EvaluatorTest, BindsSymbolsDuringTheRun) {
  constexpr char text[] = R"(
    func.func @f(%x: tensor<4xf32>) -> (tensor<1x?xi64>, tensor<1xi64>)
        attributes {lz.symbols = [#lz.symbol<count, 0, 4, run>]} {
      %r = lz.non_zero %x count [count] : (tensor<4xf32>) -> tensor<1x?xi64>
      %s = lz.sizes [count * 10] shape [1] : () -> tensor<1xi64>
      return %r, %s : tensor<1x?xi64>, tensor<1xi64>
    })";
  ASSERT_TRUE(succeeded(run(text, {floats(4, {0, 5, 0, -1})}))) << error;
  expectElements(results[0].getTensor(), {1, 3});
  expectElements(results[1].getTensor(), {20});
}

TEST_F(EvaluatorTest, IfRunsOneBranchAndBindsItsSize) {
  constexpr char text[] = R"(
    func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<?xf32>,
        tensor<1xi64>) attributes {lz.symbols = [#lz.symbol<n, 0, 4, run>]} {
      %r = lz.if %c symbols [n] : (tensor<i1>) -> tensor<?xf32> {
        lz.yield %x : tensor<4xf32>
      } else {
        %s = lz.slice %x [1] [2] [1] : (tensor<4xf32>) -> tensor<2xf32>
        lz.yield %s : tensor<2xf32>
      }
      %s = lz.sizes [n] shape [1] : () -> tensor<1xi64>
      return %r, %s : tensor<?xf32>, tensor<1xi64>
    })";
  RefTensor no = makeTensor(builder.getI1Type(), {}, 0);
  ASSERT_TRUE(succeeded(run(text, {no, floats(4, {1, 2, 3, 4})}))) << error;
  expectElements(results[0].getTensor(), {2, 3});
  expectElements(results[1].getTensor(), {2});
}

// 1 doubled three times, and what it was before each doubling.
TEST_F(EvaluatorTest, LoopCarriesAndScans) {
  constexpr char text[] = R"(
    func.func @f(%n: tensor<i64>, %x: tensor<f32>)
        -> (tensor<f32>, tensor<?xf32>)
        attributes {lz.symbols = [#lz.symbol<trips, 0, 9, run>]} {
      %r:2 = lz.loop trips %n carry %x symbols [trips]
          : (tensor<i64>, tensor<f32>) -> (tensor<f32>, tensor<?xf32>) {
      ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<f32>):
        %d = lz.binary <add> %v, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
        lz.yield %go, %d, %v : tensor<i1>, tensor<f32>, tensor<f32>
      }
      return %r#0, %r#1 : tensor<f32>, tensor<?xf32>
    })";
  ASSERT_TRUE(succeeded(run(text, {longs({}, 3), floats({}, 1)}))) << error;
  expectElements(results[0].getTensor(), {8});
  expectElements(results[1].getTensor(), {1, 2, 4});
}

TEST_F(EvaluatorTest, EvaluatesFusions) {
  constexpr char text[] = R"(
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %r = lz.fusion %x : (tensor<2xf32>) -> tensor<2xf32> {
      ^bb0(%a: tensor<2xf32>):
        %b = lz.unary <neg> %a : (tensor<2xf32>) -> tensor<2xf32>
        lz.yield %b : tensor<2xf32>
      }
      return %r : tensor<2xf32>
    })";
  ASSERT_TRUE(succeeded(run(text, {floats(2, {1, -2})}))) << error;
  expectElements(results[0].getTensor(), {-1, 2});
}

TEST_F(EvaluatorTest, ReadsParametersInPlace) {
  constexpr char text[] = R"(
    lz.parameter @w = dense_resource<w> : tensor<2xf32>
    func.func @f() -> tensor<2xf32> {
      %r = lz.param @w : tensor<2xf32>
      return %r : tensor<2xf32>
    }
    {-# dialect_resources: { builtin: {
      w: "0x040000000000803F000000C0"
    } } #-})";
  ASSERT_TRUE(succeeded(run(text))) << error;
  expectElements(results[0].getTensor(), {1, -2});
  auto parameter = *module->getOps<ParameterOp>().begin();
  auto resource = cast<DenseResourceElementsAttr>(parameter.getValue());
  EXPECT_EQ(results[0].getTensor().getBytes().data(),
            resource.getRawHandle().getBlob()->getData().data());
}

TEST_F(EvaluatorTest, RefusesParametersWithoutBytes) {
  constexpr char text[] = R"(
    lz.parameter @w = dense_resource<absent> : tensor<2xf32>
    func.func @f() -> tensor<2xf32> {
      %r = lz.param @w : tensor<2xf32>
      return %r : tensor<2xf32>
    })";
  EXPECT_TRUE(failed(run(text)));
  EXPECT_NE(error.find("has a value whose bytes are not there"),
            std::string::npos)
      << error;
}

TEST_F(EvaluatorTest, ObserverSeesEveryOperationAndMayStop) {
  ASSERT_TRUE(module = parse(R"(
    func.func @f() -> tensor<f32> {
      %a = lz.constant dense<2.0> : tensor<f32>
      %r = lz.binary <mul> %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
      return %r : tensor<f32>
    })"));
  auto function = *module->getOps<func::FuncOp>().begin();
  std::vector<double> seen;
  auto observe = [&](Operation *, ArrayRef<RefValue> values) {
    seen.push_back(values[0].getTensor().getDouble(0));
    return success(seen.size() < 2);
  };
  EXPECT_TRUE(
      failed(evaluator.run(cast<FunctionOpInterface>(function.getOperation()),
                           {}, results, Evaluator::Observer(observe))));
  EXPECT_EQ(seen, std::vector<double>({2, 4}));
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// The one op named `name` in `text`.
template <typename Op> static Op findOp(ModuleOp module) {
  Op found;
  module.walk([&](Op op) { found = op; });
  return found;
}

TEST_F(EvaluatorTest, FoldsConstants) {
  module = parse(R"(
    func.func @f(%x: tensor<2xf32>) -> tensor<1x2xf32> {
      %r = lz.reshape %x [1, 2] : (tensor<2xf32>) -> tensor<1x2xf32>
      return %r : tensor<1x2xf32>
    })");
  auto operand = DenseElementsAttr::get(
      RankedTensorType::get(2, builder.getF32Type()), {1.5f, -2.0f});
  auto folded = foldOperation(findOp<ReshapeOp>(*module), {operand});
  ASSERT_TRUE(succeeded(folded));
  auto expected = DenseElementsAttr::get(
      RankedTensorType::get({1, 2}, builder.getF32Type()), {1.5f, -2.0f});
  EXPECT_EQ((*folded)[0], expected);
}

TEST_F(EvaluatorTest, DoesNotFoldSizesThatAreNotConstant) {
  module = parse(kBatch);
  auto operand = DenseElementsAttr::get(
      RankedTensorType::get({1, 2}, builder.getF32Type()), {1.5f, -2.0f});
  EXPECT_TRUE(failed(foldOperation(findOp<ReshapeOp>(*module), {operand})));
}

} // namespace
