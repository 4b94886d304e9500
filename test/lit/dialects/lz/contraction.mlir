// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @contraction
func.func @contraction(%a: tensor<2x4x8xf32>, %b: tensor<2x4x8xf32>, %x: tensor<1x4x8x8xf32>,
                       %w: tensor<6x2x3x3xf32>, %u: tensor<4x3x3x3xf32>, %c: tensor<6xf32>) {
  // CHECK: lz.matmul %{{.*}}, %{{.*}} {transpose_rhs}
  %0 = lz.matmul %a, %b {transpose_rhs} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  // CHECK: lz.conv %{{.*}}, %{{.*}} bias %{{.*}} strides [2, 2] low [1, 0] high [1, 1] dilations [1, 1] groups 2
  %1 = lz.conv %x, %w bias %c strides [2, 2] low [1, 0] high [1, 1] dilations [1, 1] groups 2
      : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x4xf32>
  // CHECK: lz.conv_transpose %{{.*}}, %{{.*}} strides [2, 2] low [0, 0] high [0, 0] extra [1, 0] dilations [1, 1] groups 1
  %2 = lz.conv_transpose %x, %u strides [2, 2] low [0, 0] high [0, 0] extra [1, 0] dilations [1, 1] groups 1
      : (tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x3x18x17xf32>
  return
}
