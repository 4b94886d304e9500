// RUN: lz-opt %s --lz-raise --cse | FileCheck %s

// x / sqrt(2), erf, + 1, x *, * 0.5: how PyTorch exports it.
// CHECK-LABEL: func.func @erf
//  CHECK-SAME:   (%[[X:.*]]: tensor<4xf32>)
//  CHECK-NEXT:   %[[G:.*]] = lz.unary <gelu> %[[X]]
//  CHECK-NEXT:   return %[[G]]
func.func @erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = lz.constant dense<1.41421354> : tensor<f32>
  %one = lz.constant dense<1.0> : tensor<f32>
  %half = lz.constant dense<0.5> : tensor<f32>
  %0 = lz.binary <div> %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.unary <erf> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.binary <add> %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = lz.binary <mul> %3, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// (x * 0.5) * (1 + erf(x * 0.7071)): TensorFlow's order.
// CHECK-LABEL: func.func @erf_other_order
//  CHECK-NEXT:   lz.unary <gelu>
//  CHECK-NEXT:   return
func.func @erf_other_order(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = lz.constant dense<0.707106769> : tensor<f32>
  %one = lz.constant dense<1.0> : tensor<f32>
  %half = lz.constant dense<0.5> : tensor<f32>
  %0 = lz.binary <mul> %root, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = lz.unary <erf> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.binary <add> %one, %1 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = lz.binary <mul> %3, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @tanh
//  CHECK-NEXT:   lz.unary <gelu_tanh>
//  CHECK-NEXT:   return
func.func @tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = lz.constant dense<3.0> : tensor<f32>
  %cubic = lz.constant dense<0.044715> : tensor<f32>
  %scale = lz.constant dense<0.797884583> : tensor<f32>
  %one = lz.constant dense<1.0> : tensor<f32>
  %half = lz.constant dense<0.5> : tensor<f32>
  %0 = lz.binary <pow> %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.binary <mul> %0, %cubic : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = lz.binary <add> %x, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %2, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = lz.unary <tanh> %3 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = lz.binary <add> %4, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = lz.binary <mul> %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = lz.binary <mul> %6, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %7 : tensor<4xf32>
}

// sqrt(2 / pi) * x * (1 + 0.044715 * x * x)
// CHECK-LABEL: func.func @tanh_factored
//  CHECK-NEXT:   lz.unary <gelu_tanh>
//  CHECK-NEXT:   return
func.func @tanh_factored(%x: tensor<4xf32>) -> tensor<4xf32> {
  %cubic = lz.constant dense<0.044715> : tensor<f32>
  %scale = lz.constant dense<0.797884583> : tensor<f32>
  %one = lz.constant dense<1.0> : tensor<f32>
  %half = lz.constant dense<0.5> : tensor<f32>
  %0 = lz.binary <mul> %x, %cubic : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.binary <mul> %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.binary <add> %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %x, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = lz.binary <mul> %3, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = lz.unary <tanh> %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = lz.binary <add> %5, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = lz.binary <mul> %x, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = lz.binary <mul> %7, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}

// Another number inside erf is another function.
// CHECK-LABEL: func.func @other_constant
//   CHECK-NOT:   lz.unary <gelu>
//       CHECK:   lz.unary <erf>
func.func @other_constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = lz.constant dense<0.7> : tensor<f32>
  %one = lz.constant dense<1.0> : tensor<f32>
  %half = lz.constant dense<0.5> : tensor<f32>
  %0 = lz.binary <mul> %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.unary <erf> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.binary <add> %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = lz.binary <mul> %3, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// The factor is another tensor than erf's.
// CHECK-LABEL: func.func @other_tensor
//       CHECK:   lz.unary <erf>
func.func @other_tensor(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %root = lz.constant dense<0.707106769> : tensor<f32>
  %one = lz.constant dense<1.0> : tensor<f32>
  %half = lz.constant dense<0.5> : tensor<f32>
  %0 = lz.binary <mul> %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.unary <erf> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.binary <add> %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %y, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = lz.binary <mul> %3, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// A constant of higher rank broadcasts x.
// CHECK-LABEL: func.func @broadcast
//       CHECK:   lz.unary <erf>
func.func @broadcast(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %root = lz.constant dense<0.707106769> : tensor<f32>
  %one = lz.constant dense<1.0> : tensor<f32>
  %half = lz.constant dense<0.5> : tensor<1x1xf32>
  %0 = lz.binary <mul> %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.unary <erf> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.binary <add> %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = lz.binary <mul> %3, %half : (tensor<4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
  return %4 : tensor<1x4xf32>
}
