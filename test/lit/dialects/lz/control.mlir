// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK: lz.parameter @w = dense_resource<w> : tensor<4xf32>
lz.parameter @w = dense_resource<w> : tensor<4xf32>

// CHECK-LABEL: func.func @control
func.func @control(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>, %p: tensor<3x2xf32>, %s: tensor<1x2xi64>) {
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
  // CHECK: lz.sequence_pack %{{.*}} dims [2] : (tensor<3x2xf32>)
  %4 = lz.sequence_pack %p dims [2] : (tensor<3x2xf32>) -> !lz.sequence<tensor<2xf32>>
  // CHECK: lz.sequence_pack %{{.*}} shapes %{{.*}} dims [floordiv(1, 0), 3] :
  %5 = lz.sequence_pack %x shapes %s dims [floordiv(1, 0), 3] : (tensor<4xf32>, tensor<1x2xi64>) -> !lz.sequence<tensor<?x3xf32>>
  // CHECK: lz.sequence_pack %{{.*}} shapes %{{.*}} : (tensor<4xf32>, tensor<1x2xi64>) -> !lz.sequence<tensor<*xf32>>
  %9 = lz.sequence_pack %x shapes %s : (tensor<4xf32>, tensor<1x2xi64>) -> !lz.sequence<tensor<*xf32>>
  // CHECK: lz.optional_make %{{.*}} of tensor<4xf32>
  %6 = lz.optional_make %x of tensor<4xf32> : (tensor<4xf32>) -> !lz.optional<tensor<4xf32>>
  // CHECK: lz.optional_make %{{.*}} if %{{.*}} of !lz.sequence<tensor<2xf32>>
  %7 = lz.optional_make %4 if %c of !lz.sequence<tensor<2xf32>> : (!lz.sequence<tensor<2xf32>>, tensor<i1>) -> !lz.optional<!lz.sequence<tensor<2xf32>>>
  // CHECK: lz.optional_make of tensor<4xf32>
  %8 = lz.optional_make of tensor<4xf32> : () -> !lz.optional<tensor<4xf32>>
  return
}

// CHECK-LABEL: func.func @changing
func.func @changing(%n: tensor<i64>, %x: tensor<?xf32> {lz.dims = [#lz.expr<m>]})
    attributes {lz.symbols = [#lz.symbol<m, 0, 9, dim>, #lz.symbol<k, 0, 99, run>]} {
  // CHECK: symbols [k] changing [0]
  %0 = lz.loop trips %n carry %x symbols [k] changing [0] : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<?xf32>):
    %1 = lz.concat %a, %a axis 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    lz.yield %go, %1 : tensor<i1>, tensor<?xf32>
  }
  return
}
