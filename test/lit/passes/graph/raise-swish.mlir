// RUN: lz-opt %s --lz-raise --cse | FileCheck %s

// CHECK-LABEL: func.func @silu
//  CHECK-NEXT:   lz.unary <swish> %{{[a-z0-9]*}} : (tensor<4xf32>)
//  CHECK-NEXT:   return
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lz.unary <sigmoid> %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = lz.binary <mul> %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @slope
//  CHECK-NEXT:   lz.unary <swish> %{{.*}} {alpha = 2.000000e+00 : f64}
//  CHECK-NEXT:   return
func.func @slope(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = lz.constant dense<2.0> : tensor<f32>
  %0 = lz.binary <mul> %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.unary <sigmoid> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.binary <mul> %x, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gate_of_another
//       CHECK:   lz.unary <sigmoid>
func.func @gate_of_another(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lz.unary <sigmoid> %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = lz.binary <mul> %0, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// x * clip(x + 3, 0, 6) / 6
// CHECK-LABEL: func.func @hard_swish
//  CHECK-NEXT:   lz.unary <hard_swish>
//  CHECK-NEXT:   return
func.func @hard_swish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = lz.constant dense<3.0> : tensor<f32>
  %zero = lz.constant dense<0.0> : tensor<f32>
  %six = lz.constant dense<6.0> : tensor<f32>
  %0 = lz.binary <add> %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.binary <max> %0, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = lz.binary <min> %1, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = lz.binary <div> %3, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// The gate alone; by relu as well.
// CHECK-LABEL: func.func @hard_sigmoid
//  CHECK-NEXT:   lz.unary <hard_sigmoid> %{{.*}} {alpha = 0.16666{{.*}} : f64, beta = 5.000000e-01 : f64}
//  CHECK-NEXT:   return
func.func @hard_sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = lz.constant dense<3.0> : tensor<f32>
  %six = lz.constant dense<6.0> : tensor<f32>
  %0 = lz.binary <add> %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.unary <relu> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.binary <min> %1, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = lz.binary <div> %2, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @by_hard_sigmoid
//  CHECK-NEXT:   lz.unary <hard_swish>
//  CHECK-NEXT:   return
func.func @by_hard_sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lz.unary <hard_sigmoid> %x {alpha = 0.166666672 : f64, beta = 0.5 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = lz.binary <mul> %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Other limits, another function.
// CHECK-LABEL: func.func @other_limits
//       CHECK:   lz.binary <min>
func.func @other_limits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = lz.constant dense<3.0> : tensor<f32>
  %zero = lz.constant dense<0.0> : tensor<f32>
  %five = lz.constant dense<5.0> : tensor<f32>
  %six = lz.constant dense<6.0> : tensor<f32>
  %0 = lz.binary <add> %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.binary <max> %0, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = lz.binary <min> %1, %five : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = lz.binary <mul> %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = lz.binary <div> %3, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
