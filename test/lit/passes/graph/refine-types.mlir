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

// Pads as PyTorch exports them: pairs in a matrix, reversed by a slice and
// brought into ONNX's order by a transpose; rows joined by a concat.
// CHECK-LABEL: func.func @moved
//   CHECK-DAG:   %[[P:.*]] = lz.constant dense<[5, 3, 1, 6, 4, 2]> : tensor<6xi64>
//   CHECK-DAG:   %[[J:.*]] = lz.constant dense<{{\[\[}}1, 2, 5], [3, 4, 6{{\]\]}}> : tensor<2x3xi64>
//   CHECK-DAG:   %[[S:.*]] = lz.sizes [2, n, 0, 1] shape [2, 2]
//   CHECK-DAG:   %[[E:.*]] = lz.constant dense<> : tensor<0x2xi64>
//       CHECK:   return %[[P]], %[[J]], %[[S]], %[[E]]
func.func @moved(%x: tensor<?xf32> {lz.dims = [#lz.expr<n>]})
    -> (tensor<6xi64>, tensor<2x3xi64>, tensor<2x2xi64>, tensor<0x2xi64>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 2147483647, dim>]} {
  %pads = lz.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>
  %0 = lz.slice %pads [2, 0] [3, 2] [-1, 1] : (tensor<3x2xi64>) -> tensor<3x2xi64>
  %1 = lz.transpose %0 [1, 0] : (tensor<3x2xi64>) -> tensor<2x3xi64>
  %2 = lz.reshape %1 [6] : (tensor<2x3xi64>) -> tensor<6xi64>
  %3 = lz.slice %pads [0, 0] [2, 2] [1, 1] : (tensor<3x2xi64>) -> tensor<2x2xi64>
  %4 = lz.slice %pads [2, 0] [1, 2] [7, 1] : (tensor<3x2xi64>) -> tensor<1x2xi64>
  %5 = lz.reshape %4 [2, 1] : (tensor<1x2xi64>) -> tensor<2x1xi64>
  %6 = lz.concat %3, %5 axis 1 : (tensor<2x2xi64>, tensor<2x1xi64>) -> tensor<2x3xi64>
  %7 = lz.sizes [0, 1, 2, n] shape [2, 2] : () -> tensor<2x2xi64>
  %8 = lz.slice %7 [1, 0] [2, 2] [-1, 1] : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %9 = lz.slice %pads [3, 0] [0, 2] [1, 1] : (tensor<3x2xi64>) -> tensor<0x2xi64>
  return %2, %6, %8, %9 : tensor<6xi64>, tensor<2x3xi64>, tensor<2x2xi64>, tensor<0x2xi64>
}

// CHECK-LABEL: func.func @logic
//       CHECK:   %[[A:.*]] = lz.constant dense<false> : tensor<i1>
//       CHECK:   %[[B:.*]] = lz.constant dense<true> : tensor<i1>
//       CHECK:   %[[C:.*]] = lz.constant dense<false> : tensor<i1>
//       CHECK:   return %[[A]], %[[B]], %[[C]]
func.func @logic() -> (tensor<i1>, tensor<i1>, tensor<i1>) {
  %one = lz.constant dense<1> : tensor<i64>
  %two = lz.constant dense<2> : tensor<i64>
  %less = lz.compare <lt> %one, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = lz.unary <logical_not> %less : (tensor<i1>) -> tensor<i1>
  %1 = lz.binary <logical_xor> %less, %0 : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %2 = lz.binary <logical_and> %1, %0 : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return %0, %1, %2 : tensor<i1>, tensor<i1>, tensor<i1>
}
