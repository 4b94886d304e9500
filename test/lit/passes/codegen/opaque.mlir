// RUN: lz-opt %s --lz-emit-kernels | FileCheck %s

// Lines are the parallel iterations; a chunk has room for k indices.
// CHECK-LABEL: func.func private @top_k
// CHECK-SAME: lzx.iterations = #lz.expr<s0 * 4>
// CHECK: call @lz_top_k_f32
func.func private @top_k(%x: tensor<?x9x4xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<9>, #lz.expr<4>]})
    -> (tensor<?x3x4xf32>, tensor<?x3x4xi64>)
    attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 99, dim>]} {
  %v, %i = lz.top_k %x k [3] axis 1 largest true
      : (tensor<?x9x4xf32>) -> (tensor<?x3x4xf32>, tensor<?x3x4xi64>)
  return %v, %i : tensor<?x3x4xf32>, tensor<?x3x4xi64>
}

// A result that nobody wants is a null pointer.
// CHECK-LABEL: func.func private @only_indices
// CHECK: llvm.mlir.zero : !llvm.ptr
// CHECK: call @lz_top_k_u8
func.func private @only_indices(%x: tensor<9xui8>) -> tensor<3xi64> attributes {lzx.kernel} {
  %v, %i = lz.top_k %x k [3] axis 0 largest false : (tensor<9xui8>) -> (tensor<3xui8>, tensor<3xi64>)
  return %i : tensor<3xi64>
}

// Both lists of sizes are written to the scratch memory.
// CHECK-LABEL: func.func private @scatter
// CHECK-SAME: lzx.iterations = #lz.expr<1>
// CHECK-SAME: lzx.scratch = #lz.expr<64>
// CHECK-COUNT-4: llvm.store
// CHECK: call @lz_scatter_elements_f16
func.func private @scatter(%x: tensor<4x5xf16>, %i: tensor<2x3xi64>, %u: tensor<2x3xf16>)
    -> tensor<4x5xf16> attributes {lzx.kernel} {
  %0 = lz.scatter_elements <add> %x, %i, %u axis 0
      : (tensor<4x5xf16>, tensor<2x3xi64>, tensor<2x3xf16>) -> tensor<4x5xf16>
  return %0 : tensor<4x5xf16>
}

// Four lines are an iteration, of which 64 make three chunks at most; one needs
// 17 * 8 doubles and a description of seven.
// CHECK-LABEL: func.func private @dft
// CHECK-SAME: lzx.iterations = #lz.expr<8>
// CHECK-SAME: lzx.scratch = #lz.expr<1152>
// CHECK-COUNT-7: llvm.store
// CHECK: call @lz_dft_f32
func.func private @dft(%x: tensor<8x8x4x1xf32>) -> tensor<8x5x4x2xf32> attributes {lzx.kernel} {
  %0 = lz.dft %x length [8] axis 1 inverse false onesided true : (tensor<8x8x4x1xf32>) -> tensor<8x5x4x2xf32>
  return %0 : tensor<8x5x4x2xf32>
}

// An operand that is absent is a null pointer, too.
// CHECK-LABEL: func.func private @suppression
// CHECK-SAME: lzx.iterations = #lz.expr<1>
// CHECK: llvm.mlir.zero : !llvm.ptr
// CHECK: call @lz_non_max_suppression_f32
func.func private @suppression(%b: tensor<1x6x4xf32>, %s: tensor<1x1x6xf32>, %m: tensor<i64>, %o: tensor<f32>)
    -> (tensor<6x3xi64>, tensor<1xi64>) attributes {lzx.kernel} {
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [6] center false
      : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<i64>, tensor<f32>) -> (tensor<6x3xi64>, tensor<1xi64>)
  return %0#0, %0#1 : tensor<6x3xi64>, tensor<1xi64>
}
