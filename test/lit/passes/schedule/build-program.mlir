// RUN: lz-opt %s --lz-build-program | FileCheck %s

// Groups of one form share one kernel, whatever their sizes are called; the
// result is computed in the caller's memory, and so is what it is made of in
// place.
// CHECK-LABEL: lzx.program @shared
//       CHECK:   %[[X:.*]] = lzx.input 0 "x" : tensor<?x4xf32> [batch, 4]
//       CHECK:   %[[Y:.*]] = lzx.output 0 "y" : tensor<?x4xf32> [batch, 4]
//   CHECK-NOT:   lzx.alloc
//       CHECK:   lzx.launch @[[K:.*]](%[[X]]) -> (%[[Y]]) symbols [batch]
//  CHECK-SAME:     nodes ["a"]
//       CHECK:   lzx.launch @[[K]](%[[Y]]) -> (%[[Y]]) symbols [batch]
//  CHECK-SAME:     nodes ["b"]
//   CHECK-NOT:   lzx.copy
func.func @shared(%x: tensor<?x4xf32> {lz.name = "x", lz.dims = [#lz.expr<batch>, #lz.expr<4>]})
    -> (tensor<?x4xf32> {lz.name = "y"})
    attributes {lz.symbols = [#lz.symbol<batch, 0, 2147483647, dim>]} {
  %0 = lz.fusion %x : (tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x4xf32>):
    %2 = lz.unary <relu> %a : (tensor<?x4xf32>) -> tensor<?x4xf32>
    lz.yield %2 : tensor<?x4xf32>
  } loc("a")
  %1 = lz.fusion %0 : (tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x4xf32>):
    %2 = lz.unary <relu> %a : (tensor<?x4xf32>) -> tensor<?x4xf32>
    lz.yield %2 : tensor<?x4xf32>
  } loc("b")
  return %1 : tensor<?x4xf32>
}

// Sizes that a check makes equal are one symbol of the kernel, so that its results
// have one shape.
// CHECK-LABEL: lzx.program @equal
//       CHECK:   lzx.check <equal> [n, n + max(9, n) * -1 + 9]
//       CHECK:   lzx.launch {{.*}} symbols [n]
func.func @equal(%x: tensor<?x4xf32> {lz.dims = [#lz.expr<n>, #lz.expr<4>]},
                 %t: tensor<9x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 2147483647, dim>]} {
  %0:2 = lz.fusion %x, %t : (tensor<?x4xf32>, tensor<9x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<9x4xf32>):
    %2 = lz.unary <exp> %a : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %3 = lz.slice %b [0, 0] [n + max(9, n) * -1 + 9, 4] [1, 1] : (tensor<9x4xf32>) -> tensor<?x4xf32>
    %4 = lz.binary <add> %2, %3 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    lz.yield %2, %4 : tensor<?x4xf32>, tensor<?x4xf32>
  }
  return %0#0, %0#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// A size that an operation of the kernel makes of another is that, and no symbol,
// where an operand has it too.
// CHECK-LABEL: lzx.program @derived
//       CHECK:   lzx.launch @[[$D:.*]](%{{.*}}, %{{.*}}, %{{.*}}) -> (%{{.*}}) {{.*}}symbols [n, floordiv(n + 1, 2)]
func.func @derived(%x: tensor<1x8x?x4xf32> {lz.dims = [#lz.expr<1>, #lz.expr<8>, #lz.expr<n>, #lz.expr<4>]},
                   %w: tensor<8x8x3x1xf32>,
                   %y: tensor<?x4xf32> {lz.dims = [#lz.expr<floordiv(n + 1, 2)>, #lz.expr<4>]})
    -> tensor<1x8x?x4xf32> attributes {lz.symbols = [#lz.symbol<n, 0, 2147483647, dim>]} {
  %0 = lz.fusion %x, %w, %y : (tensor<1x8x?x4xf32>, tensor<8x8x3x1xf32>, tensor<?x4xf32>) -> tensor<1x8x?x4xf32> {
  ^bb0(%a: tensor<1x8x?x4xf32>, %b: tensor<8x8x3x1xf32>, %c: tensor<?x4xf32>):
    %2 = lz.conv %a, %b strides [2, 1] low [1, 0] high [1, 0] dilations [1, 1] groups 1 : (tensor<1x8x?x4xf32>, tensor<8x8x3x1xf32>) -> tensor<1x8x?x4xf32>
    %3 = lz.binary <add> %2, %c : (tensor<1x8x?x4xf32>, tensor<?x4xf32>) -> tensor<1x8x?x4xf32>
    lz.yield %3 : tensor<1x8x?x4xf32>
  }
  return %0 : tensor<1x8x?x4xf32>
}

// A concat along the first dimension moves nothing: its operands are computed in
// it. The input can't be, and is copied.
// CHECK-LABEL: lzx.program @concat
//       CHECK:   %[[X:.*]] = lzx.input 0
//       CHECK:   %[[Y:.*]] = lzx.output 0
//       CHECK:   lzx.launch @{{.*}}(%[[X]]) -> (%[[Y]])
//       CHECK:   %[[V:.*]] = lzx.view %[[Y]] at [32]
//       CHECK:   lzx.copy %[[X]] to %[[V]] bytes [32]
//   CHECK-NOT:   lzx.launch
func.func @concat(%x: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %0 = lz.fusion %x : (tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a: tensor<2x4xf32>):
    %2 = lz.unary <exp> %a : (tensor<2x4xf32>) -> tensor<2x4xf32>
    lz.yield %2 : tensor<2x4xf32>
  }
  %1 = lz.fusion %0, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>):
    %2 = lz.concat %a, %b axis 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    lz.yield %2 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// A slice that is one run of bytes is a view; the reshape of it too.
// CHECK-LABEL: lzx.program @slice
//       CHECK:   %[[X:.*]] = lzx.input 0
//       CHECK:   %[[V:.*]] = lzx.view %[[X]] at [64]
//       CHECK:   lzx.launch @{{.*}}(%[[V]])
func.func @slice(%x: tensor<4x8xf32>) -> tensor<16xf32> {
  %0 = lz.fusion %x : (tensor<4x8xf32>) -> tensor<2x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %3 = lz.slice %a [2, 0] [2, 8] [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
    lz.yield %3 : tensor<2x8xf32>
  }
  %1 = lz.reshape %0 [16] : (tensor<2x8xf32>) -> tensor<16xf32>
  %2 = lz.fusion %1 : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%a: tensor<16xf32>):
    %3 = lz.unary <exp> %a : (tensor<16xf32>) -> tensor<16xf32>
    lz.yield %3 : tensor<16xf32>
  }
  return %2 : tensor<16xf32>
}

// What is returned as it came is copied.
// CHECK-LABEL: lzx.program @identity
//       CHECK:   lzx.copy %{{.*}} to %{{.*}} bytes [16]
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// A size condition that compilation can't decide becomes a check.
// CHECK-LABEL: lzx.program @check
//       CHECK:   lzx.check <equal> [a * 2, b] "r" "must keep the number of elements"
func.func @check(%x: tensor<?x2xf32> {lz.dims = [#lz.expr<a>, #lz.expr<2>]},
                 %y: tensor<?xf32> {lz.dims = [#lz.expr<b>]})
    -> tensor<?xf32>
    attributes {lz.symbols = [#lz.symbol<a, 0, 99, dim>, #lz.symbol<b, 0, 99, dim>]} {
  %0 = lz.reshape %x [b] : (tensor<?x2xf32>) -> tensor<?xf32> loc("r")
  %1 = lz.fusion %0, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>):
    %2 = lz.binary <add> %p, %q : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    lz.yield %2 : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// The kernel of @derived.
// CHECK: func.func private @[[$D]](
// CHECK-SAME: lz.dims = [#lz.expr<1>, #lz.expr<8>, #lz.expr<s0>, #lz.expr<4>]
// CHECK-SAME: lz.dims = [#lz.expr<floordiv(s0 + 1, 2)>, #lz.expr<4>]
