// RUN: lz-opt %s --lz-emit-kernels=cpu=x86-64-v3 | FileCheck %s
// RUN: lz-opt %s --lz-emit-kernels=cpu=x86-64-v3 --lz-lower-kernels | FileCheck %s --check-prefix=LLVM

// Panels of two vectors (16 columns): 3 iterations. Six rows of sums stay in
// registers over four steps of k, and then the four rows that are left; a
// transposed operand is packed.
// CHECK-LABEL: func.func private @matmul
// CHECK-SAME: lzx.iterations = #lz.expr<3>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> ({{(vector<8xf32>, ){11}vector<8xf32>}})
// CHECK-COUNT-80: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: math.absf
// The loop over what follows stays one, for LLVM to vectorise.
// CHECK: } {llvm.loop_annotation = #loop_annotation}
// CHECK: return
// LLVM-LABEL: llvm.func @matmul
// LLVM-NOT: {{(func|scf|arith|math|cf)\.}}
func.func private @matmul(%x: tensor<100x8xf32>, %y: tensor<40x8xf32>) -> tensor<100x40xf32>
    attributes {lzx.kernel} {
  %0 = lz.matmul %x, %y {transpose_rhs} : (tensor<100x8xf32>, tensor<40x8xf32>) -> tensor<100x40xf32>
  %1 = lz.unary <abs> %0 : (tensor<100x40xf32>) -> tensor<100x40xf32>
  return %1 : tensor<100x40xf32>
}

// Five rows only: the tile has five, and full panels are read where they lie.
// CHECK-LABEL: func.func private @few_rows
// CHECK: scf.if {{.*}} -> (!llvm.ptr)
// CHECK-COUNT-40: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: return
func.func private @few_rows(%x: tensor<5x8xf32>, %y: tensor<8x40xf32>) -> tensor<5x40xf32>
    attributes {lzx.kernel} {
  %0 = lz.matmul %x, %y : (tensor<5x8xf32>, tensor<8x40xf32>) -> tensor<5x40xf32>
  return %0 : tensor<5x40xf32>
}

// One row of a transposed matrix: eight of its rows at once, the rest of k under a
// mask.
// CHECK-LABEL: func.func private @dots
// CHECK-SAME: lzx.iterations = #lz.expr<2>
// CHECK-COUNT-8: llvm.intr.fmuladd
// CHECK: llvm.intr.masked.load
// CHECK: return
func.func private @dots(%x: tensor<1x20xf32>, %y: tensor<100x20xf32>) -> tensor<1x100xf32>
    attributes {lzx.kernel} {
  %0 = lz.matmul %x, %y {transpose_rhs} : (tensor<1x20xf32>, tensor<100x20xf32>) -> tensor<1x100xf32>
  return %0 : tensor<1x100xf32>
}

// A depthwise convolution: nine taps of four sums each, from a padded window.
// CHECK-LABEL: func.func private @depthwise
// CHECK-SAME: lzx.iterations = #lz.expr<6>
// CHECK: llvm.intr.masked.load
// CHECK-COUNT-36: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: return
func.func private @depthwise(%x: tensor<2x3x5x9xf32>, %f: tensor<3x1x3x3xf32>) -> tensor<2x3x5x9xf32>
    attributes {lzx.kernel} {
  %0 = lz.conv %x, %f strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 3
      : (tensor<2x3x5x9xf32>, tensor<3x1x3x3xf32>) -> tensor<2x3x5x9xf32>
  return %0 : tensor<2x3x5x9xf32>
}

// Output positions are the columns: 2 pictures, 3 panels of 35 positions.
// CHECK-LABEL: func.func private @conv
// CHECK-SAME: lzx.iterations = #lz.expr<6>
// CHECK: llvm.intr.fmuladd
func.func private @conv(%x: tensor<2x20x5x7xf32>, %f: tensor<8x20x3x3xf32>) -> tensor<2x8x5x7xf32>
    attributes {lzx.kernel} {
  %0 = lz.conv %x, %f strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1
      : (tensor<2x20x5x7xf32>, tensor<8x20x3x3xf32>) -> tensor<2x8x5x7xf32>
  return %0 : tensor<2x8x5x7xf32>
}

// Few channels: 2 pictures, 5 bands of one row each; a row of taps times two
// vectors of columns and four filters.
// CHECK-LABEL: func.func private @lone
// CHECK-SAME: lzx.iterations = #lz.expr<10>
// CHECK: llvm.intr.masked.load
// CHECK-COUNT-24: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: return
func.func private @lone(%x: tensor<2x3x5x15xf32>, %f: tensor<8x3x3x3xf32>) -> tensor<2x8x5x15xf32>
    attributes {lzx.kernel} {
  %0 = lz.conv %x, %f strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1
      : (tensor<2x3x5x15xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x5x15xf32>
  return %0 : tensor<2x8x5x15xf32>
}
