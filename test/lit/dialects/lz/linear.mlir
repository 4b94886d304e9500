// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<2x6x1xf32>, %z: tensor<2x6x2xf32>, %m: tensor<5x3x3xf32>) {
  // CHECK: lz.dft %{{.*}} length [8] axis 1 inverse false onesided false
  %0 = lz.dft %x length [8] axis 1 inverse false onesided false : (tensor<2x6x1xf32>) -> tensor<2x8x2xf32>
  // CHECK: lz.dft %{{.*}} length [9] axis 1 inverse false onesided true
  %1 = lz.dft %x length [9] axis 1 inverse false onesided true : (tensor<2x6x1xf32>) -> tensor<2x5x2xf32>
  // CHECK: lz.dft %{{.*}} length [2] axis 0 inverse true onesided false
  %2 = lz.dft %z length [2] axis 0 inverse true onesided false : (tensor<2x6x2xf32>) -> tensor<2x6x2xf32>
  // CHECK: lz.dft %{{.*}} length [10] axis 1 inverse true onesided true
  %3 = lz.dft %z length [10] axis 1 inverse true onesided true : (tensor<2x6x2xf32>) -> tensor<2x10x1xf32>
  // CHECK: lz.det %{{.*}} : (tensor<5x3x3xf32>) -> tensor<5xf32>
  %4 = lz.det %m : (tensor<5x3x3xf32>) -> tensor<5xf32>
  return
}
