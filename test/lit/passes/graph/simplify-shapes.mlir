// RUN: lz-opt %s --lz-simplify-shapes | FileCheck %s

// CHECK-LABEL: func.func @identities
//  CHECK-SAME:   (%[[X:.*]]: tensor<?x8xf32>
//  CHECK-NEXT:   return %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<?x8xf32> {lz.dims = [#lz.expr<n>, #lz.expr<8>]})
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>]} {
  %0 = lz.reshape %x [n, 8] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = lz.expand %x [n, 1] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = lz.slice %x [0, 0] [n, 8] [1, 1] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = lz.tile %x [1, 1] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0, %1, %2, %3 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// A reversal has the same shape, and is not nothing.
// CHECK-LABEL: func.func @reversal
//       CHECK:   lz.slice
func.func @reversal(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lz.slice %x [7] [8] [-1] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Only the dimension of size 1 moves: the elements stay in order.
// CHECK-LABEL: func.func @unit_dimension
//       CHECK:   lz.reshape %{{.*}} [1, n, 8]
//       CHECK:   lz.transpose %{{.*}} [1, 0, 2]
func.func @unit_dimension(%x: tensor<?x1x8xf32> {lz.dims = [#lz.expr<n>, #lz.expr<1>, #lz.expr<8>]},
                          %y: tensor<?x2x8xf32> {lz.dims = [#lz.expr<n>, #lz.expr<2>, #lz.expr<8>]})
    -> (tensor<1x?x8xf32>, tensor<2x?x8xf32>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>]} {
  %0 = lz.transpose %x [1, 0, 2] : (tensor<?x1x8xf32>) -> tensor<1x?x8xf32>
  %1 = lz.transpose %y [1, 0, 2] : (tensor<?x2x8xf32>) -> tensor<2x?x8xf32>
  return %0, %1 : tensor<1x?x8xf32>, tensor<2x?x8xf32>
}

// Broadcasting does what the first expansion does; the second one makes the
// result larger than its other operand is.
// CHECK-LABEL: func.func @expansions
//  CHECK-SAME:   %[[B:[a-z0-9]+]]: tensor<8xf32>
//       CHECK:   %[[E:.*]] = lz.expand
//       CHECK:   lz.binary <add> %{{.*}}, %[[B]]
//       CHECK:   lz.binary <add> %[[E]]
func.func @expansions(%x: tensor<?x8xf32> {lz.dims = [#lz.expr<n>, #lz.expr<8>]}, %b: tensor<8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>]} {
  %0 = lz.expand %b [n, 8] : (tensor<8xf32>) -> tensor<?x8xf32>
  %1 = lz.binary <add> %x, %0 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = lz.binary <add> %0, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>
}

// A product of matrices whose batch is reshaped before and back behind.
// CHECK-LABEL: func.func @batch
//   CHECK-NOT:   lz.reshape
//       CHECK:   lz.matmul %arg0, %arg1 {transpose_rhs} : (tensor<?x2x9x4xf32>, tensor<?x2x7x4xf32>) -> tensor<?x2x9x7xf32>
//   CHECK-NOT:   lz.reshape
func.func @batch(%x: tensor<?x2x9x4xf32> {lz.dims = [#lz.expr<b>, #lz.expr<2>, #lz.expr<9>, #lz.expr<4>]},
                 %y: tensor<?x2x7x4xf32> {lz.dims = [#lz.expr<b>, #lz.expr<2>, #lz.expr<7>, #lz.expr<4>]})
    -> tensor<?x2x9x7xf32> attributes {lz.symbols = [#lz.symbol<b, 0, 100, dim>]} {
  %0 = lz.reshape %x [b * 2, 9, 4] : (tensor<?x2x9x4xf32>) -> tensor<?x9x4xf32>
  %1 = lz.reshape %y [b * 2, 7, 4] : (tensor<?x2x7x4xf32>) -> tensor<?x7x4xf32>
  %2 = lz.matmul %0, %1 {transpose_rhs} : (tensor<?x9x4xf32>, tensor<?x7x4xf32>) -> tensor<?x9x7xf32>
  %3 = lz.reshape %2 [b, 2, 9, 7] : (tensor<?x9x7xf32>) -> tensor<?x2x9x7xf32>
  return %3 : tensor<?x2x9x7xf32>
}

// The result's batch is another than the operands': they are reshaped as before.
// CHECK-LABEL: func.func @other_batch
// CHECK-COUNT-3:   lz.reshape
func.func @other_batch(%x: tensor<3x2x9x4xf32>, %y: tensor<3x2x4x7xf32>) -> tensor<2x3x9x7xf32> {
  %0 = lz.reshape %x [6, 9, 4] : (tensor<3x2x9x4xf32>) -> tensor<6x9x4xf32>
  %1 = lz.reshape %y [6, 4, 7] : (tensor<3x2x4x7xf32>) -> tensor<6x4x7xf32>
  %2 = lz.matmul %0, %1 : (tensor<6x9x4xf32>, tensor<6x4x7xf32>) -> tensor<6x9x7xf32>
  %3 = lz.reshape %2 [2, 3, 9, 7] : (tensor<6x9x7xf32>) -> tensor<2x3x9x7xf32>
  return %3 : tensor<2x3x9x7xf32>
}

// Matrices that are reshaped themselves.
// CHECK-LABEL: func.func @matrices
// CHECK-COUNT-3:   lz.reshape
func.func @matrices(%x: tensor<3x9x2x4xf32>, %y: tensor<3x2x4x7xf32>) -> tensor<3x2x9x7xf32> {
  %0 = lz.reshape %x [6, 9, 4] : (tensor<3x9x2x4xf32>) -> tensor<6x9x4xf32>
  %1 = lz.reshape %y [6, 4, 7] : (tensor<3x2x4x7xf32>) -> tensor<6x4x7xf32>
  %2 = lz.matmul %0, %1 : (tensor<6x9x4xf32>, tensor<6x4x7xf32>) -> tensor<6x9x7xf32>
  %3 = lz.reshape %2 [3, 2, 9, 7] : (tensor<6x9x7xf32>) -> tensor<3x2x9x7xf32>
  return %3 : tensor<3x2x9x7xf32>
}
