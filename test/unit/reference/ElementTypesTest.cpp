//===- ElementTypesTest.cpp - storage and rounding of element types -------===//
//
// Expected values of the small floats are those of ml_dtypes 0.5 (the types
// that ONNX's Python reference uses):
//   numpy.array(values).astype(ml_dtypes.float8_e4m3fn).astype(float)
//
//===----------------------------------------------------------------------===//

#include "test/unit/reference/Evaluate.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace lz;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const double kValues[] = {
    0.0,   1.0,    -1.0,    0.1,     1.0625,    1.1875,  2.5,
    3.5,   5.0,    7.0,     -9.0,    240.0,     248.0,   448.0,
    464.0, 465.0,  57344.0, 61440.0, 65504.0,   65520.0, 0.0078125,
    1e-3,  0x1p-9, 0x1p-10, 0x1p-11, 0x1.8p-10, 0x1p-17, 3.4e38};

struct ElementTypesTest : ReferenceTest {
  Builder builder{&context};

  /// Stores kValues in elements of `type` and reads them back.
  void expectRounded(Type type, ArrayRef<double> expected) {
    int64_t count = std::size(kValues);
    expectElements(makeTensor(type, count, kValues), expected);
  }
};

TEST_F(ElementTypesTest, RoundsToF16) {
  expectRounded(builder.getF16Type(), {0.0,
                                       1.0,
                                       -1.0,
                                       0.0999755859375,
                                       1.0625,
                                       1.1875,
                                       2.5,
                                       3.5,
                                       5.0,
                                       7.0,
                                       -9.0,
                                       240.0,
                                       248.0,
                                       448.0,
                                       464.0,
                                       465.0,
                                       57344.0,
                                       61440.0,
                                       65504.0,
                                       kInf,
                                       0.0078125,
                                       0.0010004043579101562,
                                       0x1p-9,
                                       0x1p-10,
                                       0x1p-11,
                                       0x1.8p-10,
                                       7.62939453125e-06,
                                       kInf});
}

TEST_F(ElementTypesTest, RoundsToBf16) {
  expectRounded(builder.getBF16Type(), {0.0,
                                        1.0,
                                        -1.0,
                                        0.10009765625,
                                        1.0625,
                                        1.1875,
                                        2.5,
                                        3.5,
                                        5.0,
                                        7.0,
                                        -9.0,
                                        240.0,
                                        248.0,
                                        448.0,
                                        464.0,
                                        464.0,
                                        57344.0,
                                        61440.0,
                                        65536.0,
                                        65536.0,
                                        0.0078125,
                                        0.00099945068359375,
                                        0x1p-9,
                                        0x1p-10,
                                        0x1p-11,
                                        0x1.8p-10,
                                        7.62939453125e-06,
                                        kInf});
}

TEST_F(ElementTypesTest, RoundsToF8E4M3FN) {
  expectRounded(Float8E4M3FNType::get(&context),
                {0.0,    1.0,    -1.0, 0.1015625, 1.0,    1.25,  2.5,
                 3.5,    5.0,    7.0,  -9.0,      240.0,  256.0, 448.0,
                 448.0,  kNaN,   kNaN, kNaN,      kNaN,   kNaN,  0.0078125,
                 0x1p-9, 0x1p-9, 0.0,  0.0,       0x1p-9, 0.0,   kNaN});
}

TEST_F(ElementTypesTest, RoundsToF8E4M3FNUZ) {
  expectRounded(Float8E4M3FNUZType::get(&context),
                {0.0,     1.0,    -1.0,    0.1015625, 1.0,    1.25, 2.5,
                 3.5,     5.0,    7.0,     -9.0,      240.0,  kNaN, kNaN,
                 kNaN,    kNaN,   kNaN,    kNaN,      kNaN,   kNaN, 0.0078125,
                 0x1p-10, 0x1p-9, 0x1p-10, 0.0,       0x1p-9, 0.0,  kNaN});
}

TEST_F(ElementTypesTest, RoundsToF8E5M2) {
  expectRounded(Float8E5M2Type::get(&context),
                {0.0,     1.0,    -1.0,    0.09375, 1.0,       1.25,  2.5,
                 3.5,     5.0,    7.0,     -8.0,    256.0,     256.0, 448.0,
                 448.0,   448.0,  57344.0, kInf,    kInf,      kInf,  0.0078125,
                 0x1p-10, 0x1p-9, 0x1p-10, 0x1p-11, 0x1.8p-10, 0.0,   kInf});
}

TEST_F(ElementTypesTest, RoundsToF8E5M2FNUZ) {
  expectRounded(Float8E5M2FNUZType::get(&context),
                {0.0,     1.0,       -1.0,      0.09375, 1.0,     1.25,
                 2.5,     3.5,       5.0,       7.0,     -8.0,    256.0,
                 256.0,   448.0,     448.0,     448.0,   57344.0, kNaN,
                 kNaN,    kNaN,      0.0078125, 0x1p-10, 0x1p-9,  0x1p-10,
                 0x1p-11, 0x1.8p-10, 0x1p-17,   kNaN});
}

TEST_F(ElementTypesTest, RoundsToF4) {
  expectRounded(Float4E2M1FNType::get(&context),
                {0.0,  1.0, -1.0, 0.0, 1.0, 1.0, 2.0, 4.0, 4.0, 6.0,
                 -6.0, 6.0, 6.0,  6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0,
                 0.0,  0.0, 0.0,  0.0, 0.0, 0.0, 0.0, 6.0});
}

// ml_dtypes gives NaN the bits of minus zero.
TEST_F(ElementTypesTest, F4HasNoNaN) {
  RefTensor tensor = makeTensor(Float4E2M1FNType::get(&context), 1, kNaN);
  EXPECT_EQ(tensor.getBytes()[0], 8);
}

// ml_dtypes gives 1, 2, 0.5 and 2^-127 the bytes 127, 128, 126 and 0.
TEST_F(ElementTypesTest, StoresPowersOfTwoInF8E8M0) {
  RefTensor tensor = makeTensor(Float8E8M0FNUType::get(&context), 4,
                                {1.0, 2.0, 0.5, 0x1p-127});
  const unsigned char expected[] = {127, 128, 126, 0};
  for (int i = 0; i != 4; ++i)
    EXPECT_EQ(static_cast<unsigned char>(tensor.getBytes()[i]), expected[i]);
  expectElements(tensor, {1.0, 2.0, 0.5, 0x1p-127});
}

// ONNX: two 4-bit elements a byte, the first in the low half; four 2-bit ones.
TEST_F(ElementTypesTest, PacksSmallIntegersFromTheLowBits) {
  RefTensor four = makeTensor(builder.getIntegerType(4), 3, {1, -2, 7});
  ASSERT_EQ(four.getBytes().size(), 2u);
  EXPECT_EQ(static_cast<unsigned char>(four.getBytes()[0]), 0xe1);
  EXPECT_EQ(four.getBytes()[1], 0x07);
  expectElements(four, {1, -2, 7});
  RefTensor two = makeTensor(builder.getIntegerType(2, /*isSigned=*/false), 5,
                             {1, 2, 3, 0, 2});
  ASSERT_EQ(two.getBytes().size(), 2u);
  EXPECT_EQ(two.getBytes()[0], 0x39);
  expectElements(two, {1, 2, 3, 0, 2});
}

TEST_F(ElementTypesTest, IntegersWrap) {
  RefTensor bytes(RankedTensorType::get(2, builder.getI8Type()));
  bytes.setInt(0, 200);
  bytes.setInt(1, -129);
  expectElements(bytes, {-56, 127});
}

// By hand: 300 = 256 + 44, and the low bits of -9 are 247.
TEST_F(ElementTypesTest, FloatsWrapInNarrowIntegersOnly) {
  const double values[] = {300, -9, 3e9, -3e9, kNaN};
  auto store = [&](Type type) { return makeTensor(type, 5, values); };
  Type u8 = builder.getIntegerType(8, /*isSigned=*/false);
  Type u32 = builder.getIntegerType(32, /*isSigned=*/false);
  expectElements(store(builder.getI8Type()), {44, -9, 0, 0, 0});
  expectElements(store(u8), {44, 247, 0, 0, 0});
  expectElements(store(builder.getI32Type()),
                 {300, -9, 2147483647, -2147483648, 0});
  expectElements(store(u32), {300, 0, 3e9, 0, 0});
}

TEST_F(ElementTypesTest, KeepsLargeIntegers) {
  RefTensor wide(RankedTensorType::get(1, builder.getI64Type()));
  wide.setInt(0, (int64_t(1) << 53) + 1);
  EXPECT_EQ(wide.getInt(0), 9007199254740993);
  RefTensor top(
      RankedTensorType::get(1, builder.getIntegerType(64, /*isSigned=*/false)));
  top.setInt(0, -1);
  EXPECT_EQ(top.getDouble(0), 18446744073709551615.0);
}

// numpy.float32(numpy.int64(0x4000004000000001)) is 0x1.000002p+62; by way of
// float64 it would be 0x1p+62.
TEST_F(ElementTypesTest, RoundsIntegersOnce) {
  RefTensor single(RankedTensorType::get(1, builder.getF32Type()));
  single.setInt(0, 0x4000004000000001);
  EXPECT_EQ(single.getDouble(0), 0x1.000002p+62);
}

TEST_F(ElementTypesTest, StoresComplexNumbers) {
  RefTensor tensor(
      RankedTensorType::get(2, ComplexType::get(builder.getF32Type())));
  tensor.setComplex(1, {1.5, -2.25});
  EXPECT_EQ(tensor.getComplex(0), std::complex<double>(0, 0));
  EXPECT_EQ(tensor.getComplex(1), std::complex<double>(1.5, -2.25));
}

TEST_F(ElementTypesTest, CopiesBeforeWritingWhatIsShared) {
  RefTensor first = makeTensor(builder.getF32Type(), 2, {1, 2});
  RefTensor second = first;
  second.setDouble(0, 5);
  expectElements(first, {1, 2});
  expectElements(second, {5, 2});
}

TEST_F(ElementTypesTest, AttributesRoundTrip) {
  for (Type type :
       {Type(builder.getF32Type()), Type(builder.getF16Type()),
        Type(builder.getI1Type()), Type(builder.getIntegerType(4)),
        Type(builder.getIntegerType(2, false)), Type(builder.getI64Type()),
        Type(Float8E4M3FNType::get(&context)),
        Type(Float4E2M1FNType::get(&context))}) {
    RefTensor tensor = makeTensor(type, {3}, {0, 1, 1});
    FailureOr<RefTensor> back = getRefTensor(getElementsAttr(tensor));
    ASSERT_TRUE(succeeded(back));
    EXPECT_EQ(back->getBytes(), tensor.getBytes());
  }
}

} // namespace
