// RUN: lz-opt %s --lz-orient-keys --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @heads
//       CHECK:   %[[K:.*]] = lz.transpose %arg1 [0, 2, 1, 3] : (tensor<1x9x2x4xf32>) -> tensor<1x2x9x4xf32>
//       CHECK:   lz.matmul %arg0, %[[K]] {transpose_rhs}
//   CHECK-NOT:   lz.transpose
func.func @heads(%q: tensor<1x2x9x4xf32>, %k: tensor<1x9x2x4xf32>, %v: tensor<1x2x9x4xf32>) -> tensor<1x2x9x4xf32> {
  %0 = lz.transpose %k [0, 2, 3, 1] : (tensor<1x9x2x4xf32>) -> tensor<1x2x4x9xf32>
  %1 = lz.matmul %q, %0 : (tensor<1x2x9x4xf32>, tensor<1x2x4x9xf32>) -> tensor<1x2x9x9xf32>
  %2 = lz.softmax <softmax> %1 axis 3 : (tensor<1x2x9x9xf32>) -> tensor<1x2x9x9xf32>
  %3 = lz.matmul %2, %v : (tensor<1x2x9x9xf32>, tensor<1x2x9x4xf32>) -> tensor<1x2x9x4xf32>
  return %3 : tensor<1x2x9x4xf32>
}

// -----

// CHECK-LABEL: func.func @plain
//   CHECK-NOT:   lz.transpose
//       CHECK:   lz.matmul %arg0, %arg1 {transpose_rhs}
func.func @plain(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x4xf32>) -> tensor<9x4xf32> {
  %0 = lz.transpose %k [1, 0] : (tensor<7x4xf32>) -> tensor<4x7xf32>
  %1 = lz.matmul %q, %0 : (tensor<9x4xf32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  %2 = lz.softmax <softmax> %1 axis 1 : (tensor<9x7xf32>) -> tensor<9x7xf32>
  %3 = lz.matmul %2, %v : (tensor<9x7xf32>, tensor<7x4xf32>) -> tensor<9x4xf32>
  return %3 : tensor<9x4xf32>
}

// -----

// Rows that stay rows, another reader of the transposed keys, and a product that is no attention's.
// CHECK-LABEL: func.func @others
//       CHECK:   %[[A:.*]] = lz.transpose %arg1 [1, 2, 0]
//       CHECK:   lz.matmul %arg0, %[[A]] :
//       CHECK:   %[[B:.*]] = lz.transpose %arg2 [0, 2, 1]
//       CHECK:   lz.matmul %arg0, %arg2 {transpose_rhs}
//       CHECK:   lz.matmul %arg0, %[[B]] :
func.func @others(%q: tensor<2x9x4xf32>, %k: tensor<9x2x4xf32>, %l: tensor<2x9x4xf32>)
    -> (tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9x9xf32>) {
  %0 = lz.transpose %k [1, 2, 0] : (tensor<9x2x4xf32>) -> tensor<2x4x9xf32>
  %1 = lz.matmul %q, %0 : (tensor<2x9x4xf32>, tensor<2x4x9xf32>) -> tensor<2x9x9xf32>
  %2 = lz.matmul %1, %q : (tensor<2x9x9xf32>, tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %3 = lz.transpose %l [0, 2, 1] : (tensor<2x9x4xf32>) -> tensor<2x4x9xf32>
  %4 = lz.matmul %q, %3 : (tensor<2x9x4xf32>, tensor<2x4x9xf32>) -> tensor<2x9x9xf32>
  %5 = lz.softmax <softmax> %4 axis 2 : (tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %6 = lz.matmul %5, %q : (tensor<2x9x9xf32>, tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %7 = lz.matmul %q, %3 : (tensor<2x9x4xf32>, tensor<2x4x9xf32>) -> tensor<2x9x9xf32>
  return %2, %6, %7 : tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9x9xf32>
}
