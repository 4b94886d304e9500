// RUN: lz-opt %s --lz-raise --cse | FileCheck %s

// CHECK-LABEL: func.func @softmax
//  CHECK-SAME:   (%[[X:.*]]: tensor<2x8xf32>)
//  CHECK-NEXT:   lz.softmax <softmax> %[[X]] axis 1
//  CHECK-NEXT:   return
func.func @softmax(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = lz.reduce <max> %x axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %2 = lz.unary <exp> %1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = lz.reduce <sum> %2 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = lz.binary <div> %2, %3 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %4 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @log_softmax
//  CHECK-NEXT:   lz.softmax <log_softmax> %{{.*}} axis 0
//  CHECK-NEXT:   return
func.func @log_softmax(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = lz.reduce <max> %x axes [0] keep_dims true : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
  %2 = lz.unary <exp> %1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = lz.reduce <sum> %2 axes [0] keep_dims true : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %4 = lz.unary <log> %3 : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %5 = lz.binary <sub> %1, %4 : (tensor<2x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}

// Without the maximum it overflows where softmax does not.
// CHECK-LABEL: func.func @unshifted
//   CHECK-NOT:   lz.softmax
//       CHECK:   lz.binary <div>
func.func @unshifted(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = lz.unary <exp> %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = lz.reduce <sum> %0 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %2 = lz.binary <div> %0, %1 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}

// The maximum and the sum are along different dimensions.
// CHECK-LABEL: func.func @other_axis
//   CHECK-NOT:   lz.softmax
//       CHECK:   lz.binary <div>
func.func @other_axis(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = lz.reduce <max> %x axes [0] keep_dims true : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
  %2 = lz.unary <exp> %1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = lz.reduce <sum> %2 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = lz.binary <div> %2, %3 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %4 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @two_axes
//   CHECK-NOT:   lz.softmax
//       CHECK:   lz.binary <div>
func.func @two_axes(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = lz.reduce <max> %x axes [0, 1] keep_dims true : (tensor<2x8xf32>) -> tensor<1x1xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<1x1xf32>) -> tensor<2x8xf32>
  %2 = lz.unary <exp> %1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = lz.reduce <sum> %2 axes [0, 1] keep_dims true : (tensor<2x8xf32>) -> tensor<1x1xf32>
  %4 = lz.binary <div> %2, %3 : (tensor<2x8xf32>, tensor<1x1xf32>) -> tensor<2x8xf32>
  return %4 : tensor<2x8xf32>
}
