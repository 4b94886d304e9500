// RUN: lz-opt %s --lz-refine-types --lz-verify-graph | FileCheck %s

// Sizes that are constants reach the types, to the function's own.
// CHECK-LABEL: func.func @sizes
//  CHECK-SAME:   (%{{.*}}: tensor<2x8xf32> {{.*}}) -> tensor<2x8xf32>
//       CHECK:   lz.unary <relu> %{{.*}} : (tensor<2x8xf32>) -> tensor<2x8xf32>
func.func @sizes(%x: tensor<?x8xf32> {lz.dims = [#lz.expr<2>, #lz.expr<8>]}) -> tensor<?x8xf32> {
  %0 = lz.unary <relu> %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// The arithmetic of Shape, Gather, Mul and Concat is dead once its elements are
// known: constants where they are numbers, lz.sizes where they are expressions.
// CHECK-LABEL: func.func @contents
//   CHECK-DAG:   %[[C:.*]] = lz.constant dense<24> : tensor<1xi64>
//   CHECK-DAG:   %[[S:.*]] = lz.sizes [batch * 2, 24] shape [2]
//   CHECK-NOT:   lz.gather
//   CHECK-NOT:   lz.binary
//   CHECK-NOT:   lz.concat
//       CHECK:   return %[[C]], %[[S]]
func.func @contents(%x: tensor<?x8xf32> {lz.dims = [#lz.expr<batch>, #lz.expr<8>]})
    -> (tensor<1xi64>, tensor<2xi64>)
    attributes {lz.symbols = [#lz.symbol<batch, 0, 2147483647, dim>]} {
  %sizes = lz.sizes [batch, 8] shape [2] : () -> tensor<2xi64>
  %zero = lz.constant dense<0> : tensor<1xi64>
  %one = lz.constant dense<1> : tensor<1xi64>
  %two = lz.constant dense<2> : tensor<1xi64>
  %three = lz.constant dense<3> : tensor<1xi64>
  %0 = lz.gather %sizes, %zero axis 0 : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %1 = lz.gather %sizes, %one axis 0 : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %2 = lz.binary <mul> %0, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %3 = lz.binary <mul> %1, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %4 = lz.concat %2, %3 axis 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %3, %4 : tensor<1xi64>, tensor<2xi64>
}

// A comparison that is decided is a constant; one that is not stays.
// CHECK-LABEL: func.func @compared
//       CHECK:   %[[T:.*]] = lz.constant dense<true> : tensor<1xi1>
//       CHECK:   %[[U:.*]] = lz.compare <ge>
//       CHECK:   return %[[T]], %[[U]]
func.func @compared(%x: tensor<?xf32> {lz.dims = [#lz.expr<n>]}) -> (tensor<1xi1>, tensor<1xi1>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 2147483647, dim>]} {
  %n = lz.sizes [n] shape [1] : () -> tensor<1xi64>
  %zero = lz.constant dense<0> : tensor<1xi64>
  %one = lz.constant dense<1> : tensor<1xi64>
  %0 = lz.compare <ge> %n, %zero : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %1 = lz.compare <ge> %n, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  return %0, %1 : tensor<1xi1>, tensor<1xi1>
}
