// RUN: lz-opt %s --lz-fold-constants --cse | FileCheck %s
// RUN: lz-opt %s --lz-fold-constants=max-elements=1 --remarks-filter=lz-fold-constants -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE

// CHECK-LABEL: func.func @arithmetic
//  CHECK-NEXT:   %[[C:.*]] = lz.constant dense<[3.000000e+00, 8.000000e+00]> : tensor<2xf32>
//  CHECK-NEXT:   return %[[C]]
//       LARGE: operands or results are too large to compute here
func.func @arithmetic() -> tensor<2xf32> {
  %a = lz.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %b = lz.constant dense<2.0> : tensor<f32>
  %0 = lz.unary <sqrt> %a : (tensor<2xf32>) -> tensor<2xf32>
  %1 = lz.binary <add> %0, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = lz.binary <mul> %1, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// Sixty-five numbers of one are a larger model; so is what no memory holds.
// CHECK-LABEL: func.func @larger
//       CHECK:   lz.expand %{{.*}} [65]
//       CHECK:   lz.expand %{{.*}} [4611686018427387904]
func.func @larger() -> (tensor<65xf32>, tensor<4611686018427387904xf32>) {
  %a = lz.constant dense<[1.0]> : tensor<1xf32>
  %0 = lz.expand %a [65] : (tensor<1xf32>) -> tensor<65xf32>
  %1 = lz.expand %a [4611686018427387904] : (tensor<1xf32>) -> tensor<4611686018427387904xf32>
  return %0, %1 : tensor<65xf32>, tensor<4611686018427387904xf32>
}

// What depends on a size or an input is left.
// CHECK-LABEL: func.func @open
//       CHECK:   lz.expand
//       CHECK:   lz.binary <add>
func.func @open(%x: tensor<?xf32> {lz.dims = [#lz.expr<n>]}) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>]} {
  %a = lz.constant dense<[1.0]> : tensor<1xf32>
  %0 = lz.expand %a [n] : (tensor<1xf32>) -> tensor<?xf32>
  %1 = lz.binary <add> %x, %a : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
