// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @reduction
func.func @reduction(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>, %c: tensor<4xf32>) {
  // CHECK: lz.reduce <log_sum_exp> %{{.*}} axes [0, 2] keep_dims false
  %0 = lz.reduce <log_sum_exp> %x axes [0, 2] keep_dims false : (tensor<2x4x8xf32>) -> tensor<4xf32>
  // CHECK: lz.arg_reduce <max> %{{.*}} axis 1 keep_dims true last true
  %1 = lz.arg_reduce <max> %x axis 1 keep_dims true last true : (tensor<2x4x8xf32>) -> tensor<2x1x8xi64>
  // CHECK: lz.cumsum %{{.*}} axis 2 exclusive true reverse false
  %2 = lz.cumsum %x axis 2 exclusive true reverse false : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: lz.cumsum %{{.*}} axis 2 exclusive false reverse true {product}
  %10 = lz.cumsum %x axis 2 exclusive false reverse true {product} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: lz.softmax <hardmax> %{{.*}} axis 0
  %3 = lz.softmax <hardmax> %x axis 0 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: lz.layer_norm <layer> %{{.*}}, %{{.*}} bias %{{.*}} axis 2 epsilon 1.000000e-05
  %4 = lz.layer_norm <layer> %x, %s bias %s axis 2 epsilon 1.0e-5 : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  // CHECK: lz.layer_norm <rms>
  %5 = lz.layer_norm <rms> %x, %s axis 2 epsilon 1.0e-5 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  // CHECK: lz.batch_norm
  %6 = lz.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-5 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  // CHECK: lz.group_norm %{{.*}} groups 2
  %7 = lz.group_norm %x, %c, %c groups 2 epsilon 1.0e-5 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  // CHECK: lz.lrn %{{.*}} size 3 alpha 1.000000e-04 beta 7.500000e-01 offset 1.000000e+00
  %8 = lz.lrn %x size 3 alpha 1.0e-4 beta 0.75 offset 1.0 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: lz.pool <max> %{{.*}} kernel [2] strides [2] low [0] high [0] dilations [1] sizes [4] {with_indices = true}
  %9:2 = lz.pool <max> %x kernel [2] strides [2] low [0] high [0] dilations [1] sizes [4] {with_indices = true} : (tensor<2x4x8xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xi64>)
  return
}

// CHECK-LABEL: func.func @regions
func.func @regions(%x: tensor<1x8x5x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) {
  // CHECK: lz.roi_align <average> %{{.*}}, %{{.*}}, %{{.*}} sizes [7, 6] samples 2 scale 2.500000e-01 half_pixel true
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 6] samples 2 scale 0.25 half_pixel true
      : (tensor<1x8x5x5xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x8x7x6xf32>
  return
}
