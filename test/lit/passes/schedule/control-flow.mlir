// RUN: lz-opt %s --lz-build-program --lzx-verify-program | FileCheck %s
// RUN: lz-opt %s --lz-build-program | lz-opt --verify-roundtrip

// A branch computes the result where the if has it, or copies it there; sizes
// that differ are set by each branch, and the larger is planned.
// CHECK-LABEL: lzx.program @branches
//  CHECK-SAME:   memory <bound> by "if"
//       CHECK:   %[[C:.*]] = lzx.input 0
//       CHECK:   %[[X:.*]] = lzx.input 1
//       CHECK:   %[[Y:.*]] = lzx.output 0 "{{.*}}" : tensor<?xf32> [m] limits [#lz.expr<n * 2>]
//       CHECK:   lzx.if %[[C]] {
//       CHECK:     lzx.launch @{{.*}}(%[[X]]) -> (%[[Y]])
//       CHECK:     %[[V:.*]] = lzx.view %[[Y]] at [n * 4]
//       CHECK:     lzx.copy %[[X]] to %[[V]] bytes [n * 4]
//       CHECK:     lzx.set [m] to [n * 2] limits [n * 2] "if"
//       CHECK:   } else {
//       CHECK:     lzx.copy %[[X]] to %[[Y]] bytes [n * 4]
//       CHECK:     lzx.set [m] to [n] limits [n * 2] "if"
func.func @branches(%c: tensor<i1>, %x: tensor<?xf32> {lz.dims = [#lz.expr<n>]}) -> tensor<?xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 99, dim>, #lz.symbol<m, 0, 2147483647, run>]} {
  %0 = lz.if %c symbols [m] : (tensor<i1>) -> tensor<?xf32> {
    %1 = lz.fusion %x : (tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%a: tensor<?xf32>):
      %3 = lz.unary <exp> %a : (tensor<?xf32>) -> tensor<?xf32>
      lz.yield %3 : tensor<?xf32>
    }
    %2 = lz.fusion %1, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
      %3 = lz.concat %a, %b axis 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      lz.yield %3 : tensor<?xf32>
    }
    lz.yield %2 : tensor<?xf32>
  } else {
    lz.yield %x : tensor<?xf32>
  } loc("if")
  return %0 : tensor<?xf32>
}

// A condition on sizes that only a branch needs is tested there.
// CHECK-LABEL: lzx.program @conditions
//   CHECK-NOT:   lzx.check
//       CHECK:   lzx.if
//       CHECK:     lzx.check <equal> [n, 8] "r" "must keep the number of elements"
//       CHECK:   } else {
//       CHECK:     lzx.check <equal> [n, 8]
func.func @conditions(%c: tensor<i1>, %x: tensor<?xf32> {lz.dims = [#lz.expr<n>]}) -> tensor<8xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 99, dim>]} {
  %0 = lz.if %c symbols [] : (tensor<i1>) -> tensor<8xf32> {
    %1 = lz.reshape %x [8] : (tensor<?xf32>) -> tensor<8xf32> loc("r")
    lz.yield %1 : tensor<8xf32>
  } else {
    %1 = lz.reshape %x [8] : (tensor<?xf32>) -> tensor<8xf32> loc("s")
    lz.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// The carried value has one buffer, here the caller's; an iteration's part of
// the stacked values is computed where it belongs. The number of iterations is
// known, so the memory is.
// CHECK-LABEL: lzx.program @stacked
//   CHECK-NOT:   memory
//       CHECK:   %[[X:.*]] = lzx.input 0
//       CHECK:   %[[Y:.*]] = lzx.output 0
//       CHECK:   %[[S:.*]] = lzx.output 1 "{{.*}}" : tensor<?x4xf32> [t, 4] limits [#lz.expr<3>, #lz.expr<4>]
//       CHECK:   %[[T:.*]] = lzx.constant dense<3>
//       CHECK:   lzx.copy %[[X]] to %[[Y]] bytes [16]
//       CHECK:   lzx.loop [t] trips %[[T]] "loop" {
//       CHECK:     %[[V:.*]] = lzx.view %[[S]] at [t * 16]
//       CHECK:     lzx.launch @{{.*}}(%[[Y]]) -> (%[[V]])
//       CHECK:     lzx.copy %{{.*}} to %[[Y]] bytes [16]
func.func @stacked(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>)
    attributes {lz.symbols = [#lz.symbol<t, 0, 2147483647, run>]} {
  %n = lz.constant dense<3> : tensor<i64>
  %0:2 = lz.loop trips %n carry %x symbols [t] : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<4xf32>):
    %1 = lz.fusion %s : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %2 = lz.unary <exp> %a : (tensor<4xf32>) -> tensor<4xf32>
      lz.yield %2 : tensor<4xf32>
    }
    lz.yield %c, %1, %1 : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  } loc("loop")
  return %0#0, %0#1 : tensor<4xf32>, tensor<?x4xf32>
}

// Without a bound, memory comes from the host.
// CHECK-LABEL: lzx.program @open
//  CHECK-SAME:   memory <open> by "loop"
//       CHECK:   %[[S:.*]] = lzx.output 0 "{{.*}}" : tensor<?x4xf32> [t, 4] growing
//       CHECK:   lzx.loop [t] while %[[C:.*]] "loop" {
//       CHECK:     lzx.grow %[[S]] to [t * 16 + 16] "loop"
//       CHECK:     %[[V:.*]] = lzx.view %[[S]] at [t * 16]
//       CHECK:     lzx.copy %{{.*}} to %[[V]] bytes [16]
//       CHECK:     lzx.copy %{{.*}} to %[[C]] bytes [1]
func.func @open(%x: tensor<4xf32>, %go: tensor<i1>) -> tensor<?x4xf32>
    attributes {lz.symbols = [#lz.symbol<t, 0, 2147483647, run>]} {
  %0:2 = lz.loop while %go carry %x symbols [t] : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<4xf32>):
    %1 = lz.fusion %c : (tensor<i1>) -> tensor<i1> {
    ^bb0(%a: tensor<i1>):
      %2 = lz.unary <logical_not> %a : (tensor<i1>) -> tensor<i1>
      lz.yield %2 : tensor<i1>
    }
    lz.yield %1, %s, %s : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  } loc("loop")
  return %0#1 : tensor<?x4xf32>
}

// Carried values that change places go by way of buffers of their own.
// CHECK-LABEL: lzx.program @swap
//       CHECK:   lzx.loop [iteration] trips
//       CHECK:     lzx.copy %[[A:.*]] to %[[P:.*]] bytes [16]
//       CHECK:     lzx.copy %[[B:.*]] to %[[Q:.*]] bytes [16]
//       CHECK:     lzx.copy %[[P]] to %[[B]] bytes [16]
//       CHECK:     lzx.copy %[[Q]] to %[[A]] bytes [16]
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = lz.constant dense<3> : tensor<i64>
  %0:2 = lz.loop trips %n carry %x, %y symbols [] : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>):
    lz.yield %c, %b, %a : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// A loop of known length stacks its parts in the caller's output, though the
// type of what it stacks doesn't tell the length. What the part is computed from
// in place is computed there, too.
// CHECK-LABEL: lzx.program @stacked_output
//   CHECK-NOT:   memory
//       CHECK:   %[[X:.*]] = lzx.input 0
//       CHECK:   %[[Y:.*]] = lzx.output 0
//       CHECK:   lzx.loop [k]
//       CHECK:     %[[PART:.*]] = lzx.view %[[Y]] at [k * 32]
//       CHECK:     lzx.launch @{{.*}}(%[[X]]) -> (%[[PART]])
//       CHECK:     %[[AGAIN:.*]] = lzx.view %[[Y]] at [k * 32]
//       CHECK:     lzx.launch @{{.*}}(%[[PART]]) -> (%[[AGAIN]])
//   CHECK-NOT:   lzx.copy
//       CHECK:   lzx.check <equal> [k * 8, 24]
func.func @stacked_output(%x: tensor<8xf32>) -> tensor<3x8xf32>
    attributes {lz.symbols = [#lz.symbol<k, 0, 3, run>]} {
  %trips = lz.constant dense<3> : tensor<i64>
  %0 = lz.loop trips %trips symbols [k] : (tensor<i64>) -> tensor<?x8xf32> {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>):
    %true = lz.constant dense<true> : tensor<i1>
    %1 = lz.fusion %x : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %4 = lz.unary <exp> %a : (tensor<8xf32>) -> tensor<8xf32>
      lz.yield %4 : tensor<8xf32>
    }
    %2 = lz.fusion %1 : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %4 = lz.unary <neg> %a : (tensor<8xf32>) -> tensor<8xf32>
      lz.yield %4 : tensor<8xf32>
    }
    lz.yield %true, %2 : tensor<i1>, tensor<8xf32>
  }
  %3 = lz.reshape %0 [3, 8] : (tensor<?x8xf32>) -> tensor<3x8xf32>
  return %3 : tensor<3x8xf32>
}

// What an iteration appends is copied behind what is there, and nothing else is.
// CHECK-LABEL: lzx.program @appending
//       CHECK:   %[[Y:.*]] = lzx.output 0
//       CHECK:   lzx.loop
//   CHECK-NOT:     lzx.copy
//       CHECK:     %[[END:.*]] = lzx.view %[[Y]] at [k * 4]
//       CHECK:     lzx.copy %{{.*}} to %[[END]] bytes [8]
//   CHECK-NOT:     lzx.copy
//       CHECK:     lzx.set [k] to [k + 2]
func.func @appending(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<?xf32>
    attributes {lz.symbols = [#lz.symbol<k, 0, 2147483647, run>]} {
  %t = lz.constant dense<5> : tensor<i64>
  %0 = lz.loop trips %t carry %y symbols [k] : (tensor<i64>, tensor<3xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<?xf32>):
    %1 = lz.fusion %s, %x : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32> {
    ^bb0(%a: tensor<?xf32>, %b: tensor<2xf32>):
      %2 = lz.concat %a, %b axis 0 : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
      lz.yield %2 : tensor<?xf32>
    }
    lz.yield %c, %1 : tensor<i1>, tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
