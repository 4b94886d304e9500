// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

lz.parameter @table = dense<1.0> : tensor<100x8xf32>

// Sizes are expressions over the function's symbols, kept in normal form.
// CHECK-LABEL: func.func @sizes
func.func @sizes(%x: tensor<?x4x8xf32> {lz.dims = [#lz.expr<batch>, #lz.expr<4>, #lz.expr<8>]})
    -> tensor<?x32xf32> attributes {lz.symbols = [#lz.symbol<batch, 0, 2147483647, dim>]} {
  // CHECK: lz.reshape %{{.*}} [batch * 3 + 1, floordiv(batch, 2)]
  %0 = lz.reshape %x [1 + batch + 2 * batch, floordiv(batch, 2)] : (tensor<?x4x8xf32>) -> tensor<?x?xf32>
  // CHECK: lz.reshape %{{.*}} [batch, 32]
  %1 = lz.reshape %x [floordiv(batch * 32, 32), 32] : (tensor<?x4x8xf32>) -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4xf32>, %c: tensor<4xi1>) -> tensor<4xf32> {
  // CHECK: lz.unary <leaky_relu> %{{.*}} {alpha = 1.000000e-01 : f64}
  %0 = lz.unary <leaky_relu> %x {alpha = 0.1 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: lz.binary <add>
  %1 = lz.binary <add> %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: lz.select
  %2 = lz.select %c, %0, %1 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @fusion
func.func @fusion(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK: lz.param @table
  %t = lz.param @table : tensor<100x8xf32>
  // CHECK: lz.fusion
  %0 = lz.fusion %x : (tensor<2x8xf32>) -> tensor<2x8xf32> {
  ^bb0(%a: tensor<2x8xf32>):
    %1 = lz.softmax <softmax> %a axis 1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
    lz.yield %1 : tensor<2x8xf32>
  }
  return %0 : tensor<2x8xf32>
}
