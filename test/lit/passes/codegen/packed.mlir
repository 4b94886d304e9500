// RUN: lz-opt %s --lz-emit-kernels=cpu=x86-64-v3 | FileCheck %s

// Panels that have been packed when compiling are read where they lie: the only
// stores are of sums and results.
// CHECK-LABEL: func.func private @packed
//   CHECK-NOT:   llvm.store
//       CHECK:   llvm.intr.fmuladd
//       CHECK:   llvm.store {{.*}} : vector<8xf32>
//   CHECK-NOT:   llvm.intr.fmuladd
func.func private @packed(%x: tensor<12x8xf32>, %p: tensor<3x8x16xf32>) -> tensor<12x40xf32>
    attributes {lzx.kernel} {
  %t = lz.transpose %p [1, 0, 2] : (tensor<3x8x16xf32>) -> tensor<8x3x16xf32>
  %r = lz.reshape %t [8, 48] : (tensor<8x3x16xf32>) -> tensor<8x48xf32>
  %s = lz.slice %r [0, 0] [8, 40] [1, 1] : (tensor<8x48xf32>) -> tensor<8x40xf32>
  %0 = lz.matmul %x, %s : (tensor<12x8xf32>, tensor<8x40xf32>) -> tensor<12x40xf32>
  return %0 : tensor<12x40xf32>
}
