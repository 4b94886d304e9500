// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK: lz.parameter @w = dense_resource<w> : tensor<4xf32>
lz.parameter @w = dense_resource<w> : tensor<4xf32>

// CHECK-LABEL: func.func @control
func.func @control(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) {
  // CHECK: lz.param @w
  %w = lz.param @w : tensor<4xf32>
  // CHECK: lz.if %{{.*}} symbols [] : (tensor<i1>) -> tensor<4xf32> {
  %0 = lz.if %c symbols [] : (tensor<i1>) -> tensor<4xf32> {
    lz.yield %w : tensor<4xf32>
  // CHECK: } else {
  } else {
    lz.yield %x : tensor<4xf32>
  }
  // CHECK: lz.loop trips %{{.*}} while %{{.*}} carry %{{.*}} symbols [trips]
  %1:2 = lz.loop trips %n while %c carry %x symbols [trips] : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<4xf32>):
    %2 = lz.unary <relu> %a : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %go, %2, %a : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: lz.sequence_construct %{{.*}} of tensor<4xf32>
  %3 = lz.sequence_construct %x, %w of tensor<4xf32> : (tensor<4xf32>, tensor<4xf32>) -> !lz.sequence<tensor<4xf32>>
  // CHECK: lz.sequence_at
  %4 = lz.sequence_at %3, %n : (!lz.sequence<tensor<4xf32>>, tensor<i64>) -> tensor<4xf32>
  // CHECK: lz.sequence_length
  %5 = lz.sequence_length %3 : (!lz.sequence<tensor<4xf32>>) -> tensor<i64>
  // CHECK: lz.optional_make %{{.*}} of tensor<4xf32>
  %6 = lz.optional_make %x of tensor<4xf32> : (tensor<4xf32>) -> !lz.optional<tensor<4xf32>>
  // CHECK: lz.optional_has
  %7 = lz.optional_has %6 : (!lz.optional<tensor<4xf32>>) -> tensor<i1>
  // CHECK: lz.optional_get
  %8 = lz.optional_get %6 : (!lz.optional<tensor<4xf32>>) -> tensor<4xf32>
  return
}
