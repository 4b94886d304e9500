// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

func.func private @k0(%x: tensor<?x4xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<4>]}) -> tensor<?x4xf32>
    attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 9223372036854775807, dim>]} {
  %0 = lz.unary <relu> %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: lzx.program @main symbols [#lz.symbol<batch, 0, 100, dim>]
lzx.program @main symbols [#lz.symbol<batch, 0, 100, dim>] {
  // CHECK: %[[X:.*]] = lzx.input 0 "x" : tensor<?x4xf32> [batch, 4]
  %x = lzx.input 0 "x" : tensor<?x4xf32> [batch, 4]
  // CHECK: %[[Y:.*]] = lzx.output 0 "y"
  %y = lzx.output 0 "y" : tensor<?x4xf32> [batch, 4]
  // CHECK: lzx.constant dense<1.0
  %c = lzx.constant dense<1.0> : tensor<4xf32>
  // CHECK: %[[B:.*]] = lzx.alloc bytes [batch * 16] live 0 to 1
  %b = lzx.alloc bytes [batch * 16] live 0 to 1
  // CHECK: lzx.alloc bytes [64] live 0 to 0 offset 128
  %s = lzx.alloc bytes [64] live 0 to 0 offset 128
  // CHECK: lzx.check <not_less> [batch, 1] "Relu_0" "must not be empty"
  lzx.check <not_less> [batch, 1] "Relu_0" "must not be empty"
  // CHECK: lzx.launch @k0(%[[X]]) -> (%[[B]]) scratch %{{.*}} symbols [batch] iterations [batch] grain [64] nodes ["Relu_0"]
  lzx.launch @k0(%x) -> (%b) scratch %s symbols [batch] iterations [batch] grain [64] nodes ["Relu_0"]
  // CHECK: %[[V:.*]] = lzx.view %[[B]] at [0]
  %v = lzx.view %b at [0]
  // CHECK: lzx.copy %[[V]] to %[[Y]] bytes [batch * 16] nodes []
  lzx.copy %v to %y bytes [batch * 16] nodes []
}

// CHECK-LABEL: lzx.program @control
//  CHECK-SAME:   memory <open> by "Loop_3"
lzx.program @control symbols [#lz.symbol<n, 0, 9, dim>, #lz.symbol<t, 0, 99, run>, #lz.symbol<k, 0, 99, run>]
    memory <open> by "Loop_3" {
  %x = lzx.input 0 "x" : tensor<?xi8> [n]
  %c = lzx.input 1 "c" : tensor<i1> []
  // CHECK: lzx.output 0 "y" : tensor<?xi8> [k] limits [#lz.expr<n>]
  %y = lzx.output 0 "y" : tensor<?xi8> [k] limits [#lz.expr<n>]
  // CHECK: lzx.output 1 "z" : tensor<?xi8> [t] growing
  %z = lzx.output 1 "z" : tensor<?xi8> [t] growing
  // CHECK: %[[G:.*]] = lzx.growing
  %g = lzx.growing
  // CHECK: lzx.if %{{.*}} {
  lzx.if %c {
    // CHECK: lzx.set [k] to [n] limits [n] "If_1"
    lzx.set [k] to [n] limits [n] "If_1"
  // CHECK: } else {
  } else {
    lzx.copy %x to %y bytes [1] nodes []
    lzx.set [k] to [1] limits [n] "If_1"
  }
  // CHECK: lzx.loop [t] while %{{.*}} "Loop_3" {
  lzx.loop [t] while %c "Loop_3" {
    // CHECK: lzx.grow %[[G]] to [t + 1] "Loop_3"
    lzx.grow %g to [t + 1] "Loop_3"
  }
}
