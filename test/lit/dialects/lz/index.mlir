// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @index
func.func @index(%x: tensor<4x8xf32>, %i: tensor<3xi64>, %j: tensor<4x8xi64>, %t: tensor<5x1xi64>,
                 %u: tensor<5x8xf32>, %v: tensor<2xf32>, %l: tensor<8xi64>)
    attributes {lz.symbols = [#lz.symbol<count, 0, 100, run>]} {
  // CHECK: lz.gather %{{.*}}, %{{.*}} axis 1
  %0 = lz.gather %x, %i axis 1 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  // CHECK: lz.gather_elements %{{.*}}, %{{.*}} axis 0
  %1 = lz.gather_elements %x, %j axis 0 : (tensor<4x8xf32>, tensor<4x8xi64>) -> tensor<4x8xf32>
  // CHECK: lz.gather_nd %{{.*}}, %{{.*}} batch_dims 0
  %2 = lz.gather_nd %x, %t batch_dims 0 : (tensor<4x8xf32>, tensor<5x1xi64>) -> tensor<5x8xf32>
  // CHECK: lz.scatter_elements <add> %{{.*}}, %{{.*}}, %{{.*}} axis 0
  %3 = lz.scatter_elements <add> %x, %j, %x axis 0 : (tensor<4x8xf32>, tensor<4x8xi64>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: lz.scatter_nd <none>
  %4 = lz.scatter_nd <none> %x, %t, %u : (tensor<4x8xf32>, tensor<5x1xi64>, tensor<5x8xf32>) -> tensor<4x8xf32>
  // CHECK: lz.one_hot %{{.*}}, %{{.*}} depth [8] axis 1
  %5 = lz.one_hot %i, %v depth [8] axis 1 : (tensor<3xi64>, tensor<2xf32>) -> tensor<3x8xf32>
  // CHECK: lz.top_k %{{.*}} k [2] axis 1 largest false
  %6:2 = lz.top_k %x k [2] axis 1 largest false : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  // CHECK: lz.non_zero %{{.*}} count [count]
  %7 = lz.non_zero %x count [count] : (tensor<4x8xf32>) -> tensor<2x?xi64>
  // CHECK: lz.reverse_sequence %{{.*}}, %{{.*}} batch 1 time 0
  %8 = lz.reverse_sequence %x, %l batch 1 time 0 : (tensor<4x8xf32>, tensor<8xi64>) -> tensor<4x8xf32>
  // CHECK: lz.unique %{{.*}} axis 1 sorted false
  %9:5 = lz.unique %x axis 1 sorted false : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xi64>, tensor<8xi64>, tensor<8xi64>, tensor<1xi64>)
  return
}

// CHECK-LABEL: func.func @suppression
func.func @suppression(%b: tensor<1x?x4xf32> {lz.dims = [#lz.expr<1>, #lz.expr<n>, #lz.expr<4>]},
                       %s: tensor<1x2x?xf32> {lz.dims = [#lz.expr<1>, #lz.expr<2>, #lz.expr<n>]},
                       %m: tensor<i64>, %o: tensor<1xf32>) {
  // CHECK: lz.non_max_suppression %{{.*}}, %{{.*}} most %{{.*}} overlap %{{.*}} limit [n] center true
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [n] center true
      : (tensor<1x?x4xf32>, tensor<1x2x?xf32>, tensor<i64>, tensor<1xf32>) -> (tensor<?x3xi64>, tensor<1xi64>)
  // CHECK: lz.non_max_suppression %{{.*}} overlap %[[O:.*]] threshold %[[O]] limit [3] center false
  %1:2 = lz.non_max_suppression %b, %s most %m overlap %o threshold %o limit [3] center false
      : (tensor<1x?x4xf32>, tensor<1x2x?xf32>, tensor<i64>, tensor<1xf32>, tensor<1xf32>) -> (tensor<6x3xi64>, tensor<1xi64>)
  return
}
