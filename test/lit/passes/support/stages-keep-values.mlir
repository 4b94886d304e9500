// RUN: lz-opt %s --verify-values --lz-graph --lz-freeze --lz-fuse 2>&1 | FileCheck %s

// Raising and folding rewrite all of this, and the reference evaluator finds the
// same numbers before and after each pass.
// CHECK-NOT: error
// CHECK-NOT: warning

// CHECK-LABEL: func.func @convolutions
//   CHECK-NOT:   lz.batch_norm
//       CHECK:   lz.conv %
//  CHECK-NEXT:   lz.unary <relu>
//  CHECK-NEXT:   lz.yield
//       CHECK:   lz.conv_transpose %
//  CHECK-NEXT:   lz.yield
func.func @convolutions(%x: tensor<?x4x5xf32> {lz.dims = [#lz.expr<n>, #lz.expr<4>, #lz.expr<5>]}) -> tensor<?x6x7xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>]} {
  %w = lz.constant dense<[[[1.0, 2.0], [0.5, -1.0]], [[3.0, 1.0], [2.0, -2.0]], [[0.1, 0.2], [0.3, 0.4]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<4x2x2xf32>
  %b = lz.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %scale = lz.constant dense<[1.0, -2.0, 0.5, 0.25]> : tensor<4xf32>
  %mean = lz.constant dense<[0.1, 0.2, -0.3, 0.4]> : tensor<4xf32>
  %variance = lz.constant dense<[1.0, 4.0, 0.5, 0.1]> : tensor<4xf32>
  %0 = lz.conv %x, %w bias %b strides [1] low [0] high [1] dilations [1] groups 2
      : (tensor<?x4x5xf32>, tensor<4x2x2xf32>, tensor<4xf32>) -> tensor<?x4x5xf32>
  %1 = lz.batch_norm %0, %scale, %b, %mean, %variance epsilon 1.0e-3
      : (tensor<?x4x5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4x5xf32>
  %2 = lz.unary <relu> %1 : (tensor<?x4x5xf32>) -> tensor<?x4x5xf32>
  %u = lz.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]],
                          [[-1.0, 2.0, -3.0], [4.0, -5.0, 6.0], [-7.0, 8.0, -9.0]], [[2.0, 2.0, 3.0], [4.0, 5.0, 1.0], [7.0, 8.0, 3.0]]]> : tensor<4x3x3xf32>
  %3 = lz.conv_transpose %2, %u strides [1] low [0] high [0] extra [0] dilations [1] groups 2
      : (tensor<?x4x5xf32>, tensor<4x3x3xf32>) -> tensor<?x6x7xf32>
  %t = lz.constant dense<[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]> : tensor<6x1xf32>
  %4 = lz.binary <mul> %3, %t : (tensor<?x6x7xf32>, tensor<6x1xf32>) -> tensor<?x6x7xf32>
  %5 = lz.binary <add> %4, %t : (tensor<?x6x7xf32>, tensor<6x1xf32>) -> tensor<?x6x7xf32>
  return %5 : tensor<?x6x7xf32>
}

// CHECK-LABEL: func.func @raised
//   CHECK-DAG:   lz.layer_norm <layer>
//   CHECK-DAG:   lz.unary <gelu>
//   CHECK-DAG:   lz.softmax <softmax>
//   CHECK-DAG:   lz.unary <hard_swish>
func.func @raised(%x: tensor<3x8xf32>, %s: tensor<8xf32>) -> tensor<8x3xf32> {
  %two = lz.constant dense<2.0> : tensor<f32>
  %epsilon = lz.constant dense<1.0e-5> : tensor<f32>
  %0 = lz.reduce <mean> %x axes [1] keep_dims true : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<3x8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %2 = lz.binary <pow> %1, %two : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %3 = lz.reduce <mean> %2 axes [1] keep_dims true : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %4 = lz.binary <add> %3, %epsilon : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %5 = lz.unary <sqrt> %4 : (tensor<3x1xf32>) -> tensor<3x1xf32>
  %6 = lz.binary <div> %1, %5 : (tensor<3x8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %7 = lz.binary <mul> %6, %s : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  %8 = lz.binary <add> %7, %s : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  %root = lz.constant dense<1.41421354> : tensor<f32>
  %one = lz.constant dense<1.0> : tensor<f32>
  %half = lz.constant dense<0.5> : tensor<f32>
  %9 = lz.binary <div> %8, %root : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %10 = lz.unary <erf> %9 : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %11 = lz.binary <add> %10, %one : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %12 = lz.binary <mul> %8, %11 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %13 = lz.binary <mul> %12, %half : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %14 = lz.reduce <max> %13 axes [0] keep_dims true : (tensor<3x8xf32>) -> tensor<1x8xf32>
  %15 = lz.binary <sub> %13, %14 : (tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<3x8xf32>
  %16 = lz.unary <exp> %15 : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %17 = lz.reduce <sum> %16 axes [0] keep_dims true : (tensor<3x8xf32>) -> tensor<1x8xf32>
  %18 = lz.binary <div> %16, %17 : (tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<3x8xf32>
  %three = lz.constant dense<3.0> : tensor<f32>
  %zero = lz.constant dense<0.0> : tensor<f32>
  %six = lz.constant dense<6.0> : tensor<f32>
  %19 = lz.binary <add> %18, %three : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %20 = lz.binary <max> %19, %zero : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %21 = lz.binary <min> %20, %six : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %22 = lz.binary <mul> %18, %21 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %23 = lz.binary <div> %22, %six : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32>
  %24 = lz.transpose %23 [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  return %24 : tensor<8x3xf32>
}
