//===- PackedMatrixTest.cpp - products with packed constants --------------===//

#include "Oracle.h"

#include "gtest/gtest.h"

using namespace lz::test;

namespace {

/// [rows, 21] times [21, 40], which is stored in panels of `width` columns.
KernelCase getProduct(int64_t rows, int64_t width) {
  std::string panels = std::to_string((40 + width - 1) / width);
  std::string w = std::to_string(width);
  std::string padded = std::to_string((40 + width - 1) / width * width);
  std::string packed = "tensor<" + panels + "x21x" + w + "xf32>";
  std::string moved = "tensor<21x" + panels + "x" + w + "xf32>";
  std::string matrix = "tensor<21x" + padded + "xf32>";
  KernelCase test = {
      "(%x: tensor<?x21xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<21>]}, %p: " +
          packed + ") -> tensor<?x40xf32>",
      "%t = lz.transpose %p [1, 0, 2] : (" + packed + ") -> " + moved +
          " %r = lz.reshape %t [21, " + padded + "] : (" + moved + ") -> " +
          matrix + " %s = lz.slice %r [0, 0] [21, 40] [1, 1] : (" + matrix +
          ") -> tensor<21x40xf32> %0 = lz.matmul %x, %s : (tensor<?x21xf32>, "
          "tensor<21x40xf32>) -> tensor<?x40xf32> return %0 : "
          "tensor<?x40xf32>",
      {{{rows, 21}}, {{(40 + width - 1) / width, 21, width}}},
      {rows}};
  test.tolerance = 1e-5;
  return test;
}

/// Panels of the target's width are read as they lie, others by elements.
TEST(PackedMatrixKernel, MultipliesAnyNumberOfRows) {
  for (int64_t rows : {1, 3, 6, 20})
    expectLikeReference(getProduct(rows, 16));
  expectLikeReference(getProduct(7, 8));
}

TEST(PackedMatrixKernel, ReadsLongVectors) {
  KernelCase test = getProduct(27, 32);
  test.cpu = "x86-64-v4";
  expectLikeReference(test);
}

} // namespace
