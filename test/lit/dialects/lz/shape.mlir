// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @shape
func.func @shape(%x: tensor<?x8xf32> {lz.dims = [#lz.expr<n>, #lz.expr<8>]}, %s: tensor<i64>, %v: tensor<f32>,
                 %m: tensor<1xi64>, %p: tensor<1x1x4x4xf32>,
                 %f: tensor<2xf32>, %r: tensor<4xf32>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>, #lz.symbol<k, 0, 100, run>]} {
  // CHECK: lz.transpose %{{.*}} [1, 0]
  %0 = lz.transpose %x [1, 0] : (tensor<?x8xf32>) -> tensor<8x?xf32>
  // CHECK: lz.reshape %{{.*}} [n * 4, 2]
  %1 = lz.reshape %x [n * 4, 2] : (tensor<?x8xf32>) -> tensor<?x2xf32>
  // CHECK: lz.expand %{{.*}} [3, 1, 1]
  %2 = lz.expand %x [3, 1, 1] : (tensor<?x8xf32>) -> tensor<3x?x8xf32>
  // CHECK: lz.sizes [n, 8] shape [2]
  %3 = lz.sizes [n, 8] shape [2] : () -> tensor<2xi64>
  // CHECK: lz.bind %{{.*}} [k] : tensor<1xi64>
  lz.bind %m [k] : tensor<1xi64>
  // CHECK: lz.slice %{{.*}} [0, 7] [n, 4] [1, -2]
  %4 = lz.slice %x [0, 7] [n, 4] [1, -2] : (tensor<?x8xf32>) -> tensor<?x4xf32>
  // CHECK: lz.concat %{{.*}}, %{{.*}} axis 0
  %5 = lz.concat %x, %x axis 0 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: lz.pad <constant> %{{.*}} value %{{.*}} [0, 1] [k, -1]
  %6 = lz.pad <constant> %x value %v [0, 1] [k, -1] : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  // CHECK: lz.tile %{{.*}} [2, k]
  %7 = lz.tile %x [2, k] : (tensor<?x8xf32>) -> tensor<?x?xf32>
  // CHECK: lz.range %{{.*}}, %{{.*}} size [k]
  %8 = lz.range %s, %s size [k] : (tensor<i64>, tensor<i64>) -> tensor<?xi64>
  // CHECK: lz.trilu %{{.*}} k [-1] {upper = false}
  %9 = lz.trilu %x k [-1] {upper = false} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: lz.resize <linear> %{{.*}} [1, 1, 8, 8] scales [0.000000e+00, 0.000000e+00, 2.000000e+00, 2.000000e+00] coordinate <half_pixel> nearest <floor>
  %10 = lz.resize <linear> %p [1, 1, 8, 8] scales [0.0, 0.0, 2.0, 2.0] coordinate <half_pixel> nearest <floor> : (tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32>
  // CHECK: lz.resize <nearest> %{{.*}} by %{{.*}} within %{{.*}} [k, 8] scales [0.000000e+00, 1.000000e+00]
  %11 = lz.resize <nearest> %x by %f within %r [k, 8] scales [0.0, 1.0] coordinate <tf_crop_and_resize> nearest <floor> : (tensor<?x8xf32>, tensor<2xf32>, tensor<4xf32>) -> tensor<?x8xf32>
  return
}
