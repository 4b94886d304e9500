// RUN: lz-opt %s --lz-emit-kernels | FileCheck %s

// The maximum and the sum of a row are computed before the last pass over it,
// which finds the exponentials in the result; rows are the parallel iterations.
// CHECK-LABEL: func.func private @softmax
// CHECK-SAME: lzx.iterations = #lz.expr<s0>
// CHECK: scf.for %[[ROW:.*]] = %arg1 to %arg2
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.maxnumf {{.*}} fastmath<nnan,nsz>
// CHECK: llvm.freeze
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.exp
// CHECK: llvm.store
// CHECK: arith.addf {{.*}} fastmath<reassoc>
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK-NOT: math.exp
// CHECK: arith.mulf
// CHECK: llvm.store
func.func private @softmax(%x: tensor<?x8xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<8>]}) -> tensor<?x8xf32>
    attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 2147483647, dim>]} {
  %0 = lz.softmax <softmax> %x axis 1 : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// A pool combines the rows of its windows into columns on the stack, then those
// along the row. No loop holds a test; away from borders no loop is in another.
// CHECK-LABEL: func.func private @pool
// CHECK-SAME: lzx.iterations = #lz.expr<32>
// CHECK: llvm.alloca %{{.*}} x f32
// CHECK: scf.for %{{.*}} = %arg1 to %arg2
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.cmpf uno
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-2: arith.cmpf uno
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
func.func private @pool(%x: tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32> attributes {lzx.kernel} {
  %0 = lz.pool <max> %x kernel [3, 3] strides [2, 2] low [1, 1] high [0, 0] dilations [1, 1] sizes [4, 4]
      : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}
