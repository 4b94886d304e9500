// RUN: rm -rf %t && mkdir %t
// RUN: lzc %s -o %t/whole.so
// RUN: lz-opt %s --pass-pipeline='builtin.module(func.func(lz-stream-rows{min-bytes=3000}))' -o %t/bands.mlir
// RUN: lzc %t/bands.mlir -o %t/bands.so
// RUN: lz-run %t/whole.so --dim n=2 --threads 1 --outputs %t/whole.npz
// RUN: lz-run %t/bands.so --dim n=2 --threads 3 --compare %t/whole.npz --rtol 0 --atol 0
// RUN: lz-run %t/bands.so --dim n=2 --json | FileCheck %s

// The compiled loop gives the same bits, in memory whose size is known.
// CHECK: "memory_class": "exact"
module attributes {lz.stage = "freeze"} {
  func.func @main(%x: tensor<?x4x203x5xf32> {lz.name = "x", lz.dims = [#lz.expr<n>, #lz.expr<4>, #lz.expr<203>, #lz.expr<5>]},
                  %v: tensor<12x2x5x1xf32> {lz.name = "v"}, %s: tensor<12x1x1xf32> {lz.name = "s"}, %w: tensor<3x12x3x3xf32> {lz.name = "w"})
      -> (tensor<?x3x50x5xf32> {lz.name = "y"}) attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>]} {
    %1 = lz.conv %x, %v strides [1, 1] low [3, 0] high [2, 0] dilations [1, 1] groups 2 : (tensor<?x4x203x5xf32>, tensor<12x2x5x1xf32>) -> tensor<?x12x204x5xf32>
    %2 = lz.pool <max> %1 kernel [3, 1] strides [2, 1] low [0, 0] high [1, 0] dilations [1, 1] sizes [102, 5] : (tensor<?x12x204x5xf32>) -> tensor<?x12x102x5xf32>
    %3 = lz.binary <mul> %s, %2 : (tensor<12x1x1xf32>, tensor<?x12x102x5xf32>) -> tensor<?x12x102x5xf32>
    %4 = lz.conv %3, %w strides [2, 1] low [0, 1] high [1, 1] dilations [2, 1] groups 1 : (tensor<?x12x102x5xf32>, tensor<3x12x3x3xf32>) -> tensor<?x3x50x5xf32>
    return %4 : tensor<?x3x50x5xf32>
  }
}
