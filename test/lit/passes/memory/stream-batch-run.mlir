// RUN: rm -rf %t && mkdir %t
// RUN: lzc %s -o %t/whole.so
// RUN: lz-opt %s --pass-pipeline='builtin.module(func.func(lz-stream-batch{min-bytes=3000}))' -o %t/parts.mlir
// RUN: lzc %t/parts.mlir -o %t/parts.so
// RUN: lz-run %t/whole.so --threads 1 --outputs %t/whole.npz
// RUN: lz-run %t/parts.so --threads 3 --compare %t/whole.npz --rtol 0 --atol 0
// RUN: lz-run %t/whole.so --json | FileCheck %s --check-prefix=WHOLE
// RUN: lz-run %t/parts.so --json | FileCheck %s --check-prefix=PARTS

// The compiled loop gives the same bits, in a third of the memory. One result
// is also read within the loop, one is computed in place of what it is added to.
// WHOLE: "peak_bytes": 304896, "memory_class": "exact"
// PARTS: "peak_bytes": 101696, "memory_class": "exact"
module attributes {lz.stage = "freeze"} {
  func.func @main(%x: tensor<3x4x30x30xf32> {lz.name = "x"}, %v: tensor<12x2x3x3xf32> {lz.name = "v"}, %w: tensor<12x12x3x3xf32> {lz.name = "w"}, %b: tensor<12xf32> {lz.name = "b"})
      -> (tensor<3x12x30x30xf32> {lz.name = "y"}, tensor<3x12x15x15xf32> {lz.name = "z"}) {
    %1 = lz.conv %x, %v strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 2 : (tensor<3x4x30x30xf32>, tensor<12x2x3x3xf32>) -> tensor<3x12x30x30xf32>
    %2 = lz.unary <relu> %1 : (tensor<3x12x30x30xf32>) -> tensor<3x12x30x30xf32>
    %3 = lz.conv %2, %w bias %b strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : (tensor<3x12x30x30xf32>, tensor<12x12x3x3xf32>, tensor<12xf32>) -> tensor<3x12x30x30xf32>
    %4 = lz.pool <average> %3 kernel [3, 3] strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] sizes [30, 30] : (tensor<3x12x30x30xf32>) -> tensor<3x12x30x30xf32>
    %5 = lz.conv %2, %w strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : (tensor<3x12x30x30xf32>, tensor<12x12x3x3xf32>) -> tensor<3x12x30x30xf32>
    %6 = lz.binary <add> %5, %4 : (tensor<3x12x30x30xf32>, tensor<3x12x30x30xf32>) -> tensor<3x12x30x30xf32>
    %7 = lz.pool <max> %6 kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] sizes [15, 15] : (tensor<3x12x30x30xf32>) -> tensor<3x12x15x15xf32>
    return %6, %7 : tensor<3x12x30x30xf32>, tensor<3x12x15x15xf32>
  }
}
