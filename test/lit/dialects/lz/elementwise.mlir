// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4xf32>, %i: tensor<4xi64>, %c: tensor<4xi1>) {
  // CHECK: lz.unary <swish> %{{.*}} {alpha = 1.702000e+00 : f64}
  %0 = lz.unary <swish> %x {alpha = 1.702 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: lz.unary <is_nan> %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %1 = lz.unary <is_nan> %x : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: lz.binary <pow> %{{.*}} : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
  %2 = lz.binary <pow> %x, %i : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
  // CHECK: lz.compare <le>
  %3 = lz.compare <le> %i, %i : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // CHECK: lz.select
  %4 = lz.select %c, %x, %0 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: lz.cast %{{.*}} to f8E4M3FN {saturate = false}
  %5 = lz.cast %x to f8E4M3FN {saturate = false} : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  // CHECK: lz.bitcast %{{.*}} to i32 : (tensor<4xf32>) -> tensor<4xi32>
  %6 = lz.bitcast %x to i32 : (tensor<4xf32>) -> tensor<4xi32>
  %7 = lz.cast %x to i8 : (tensor<4xf32>) -> tensor<4xi8>
  // CHECK: lz.pack %{{.*}} to i4 : (tensor<4xi8>) -> tensor<4xi4>
  %8 = lz.pack %7 to i4 : (tensor<4xi8>) -> tensor<4xi4>
  return
}
