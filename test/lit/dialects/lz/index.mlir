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
  return
}
