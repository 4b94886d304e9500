// RUN: lz-opt %s --lz-fold-batch-norm | FileCheck %s

// factor = scale / sqrt(variance + epsilon) = 6 / sqrt(3 + 1) = 3,
// addend = bias - mean * factor = 10 - 2 * 3 = 4.
// CHECK-LABEL: func.func @known
//   CHECK-DAG:   %[[F:.*]] = lz.constant dense<3.000000e+00> : tensor<1x1x1xf32>
//   CHECK-DAG:   %[[A:.*]] = lz.constant dense<4.000000e+00> : tensor<1x1x1xf32>
//       CHECK:   %[[M:.*]] = lz.binary <mul> %{{.*}}, %[[F]]
//       CHECK:   lz.binary <add> %[[M]], %[[A]]
func.func @known(%x: tensor<2x1x4x4xf32>) -> tensor<2x1x4x4xf32> {
  %scale = lz.constant dense<6.0> : tensor<1xf32>
  %bias = lz.constant dense<10.0> : tensor<1xf32>
  %mean = lz.constant dense<2.0> : tensor<1xf32>
  %variance = lz.constant dense<3.0> : tensor<1xf32>
  %0 = lz.batch_norm %x, %scale, %bias, %mean, %variance epsilon 1.0
      : (tensor<2x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x4x4xf32>
  return %0 : tensor<2x1x4x4xf32>
}

// CHECK-LABEL: func.func @unknown
//       CHECK:   lz.batch_norm
func.func @unknown(%x: tensor<2x1x4x4xf32>, %mean: tensor<1xf32>) -> tensor<2x1x4x4xf32> {
  %scale = lz.constant dense<6.0> : tensor<1xf32>
  %0 = lz.batch_norm %x, %scale, %scale, %mean, %scale epsilon 1.0
      : (tensor<2x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x4x4xf32>
  return %0 : tensor<2x1x4x4xf32>
}

// A variance of -epsilon divides by zero.
// CHECK-LABEL: func.func @infinite
//       CHECK:   lz.batch_norm
func.func @infinite(%x: tensor<2x1x4x4xf32>) -> tensor<2x1x4x4xf32> {
  %scale = lz.constant dense<6.0> : tensor<1xf32>
  %variance = lz.constant dense<-1.0> : tensor<1xf32>
  %0 = lz.batch_norm %x, %scale, %scale, %scale, %variance epsilon 1.0
      : (tensor<2x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x4x4xf32>
  return %0 : tensor<2x1x4x4xf32>
}
