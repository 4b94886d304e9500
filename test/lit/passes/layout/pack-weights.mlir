// RUN: lz-opt %s --lz-pack-weights=cpu=x86-64 | FileCheck %s
// RUN: lz-opt %s --lz-pack-weights="cpu=x86-64 max-bytes=32" | FileCheck %s --check-prefix=ROOM
// RUN: lz-opt %s --verify-values --lz-pack-weights=cpu=x86-64 -o /dev/null

// SSE has vectors of four f32, so panels have eight columns: five of [1, 3, 5, 7,
// 9] and [2, 4, 6, 8, 10], and three of zeros. The table can find them again.
// CHECK: lz.layouts = {w.packed = {layout = "panels8-transposed", name = "w", shape = array<i64: 5, 2>}}
// CHECK-LABEL: func.func @product
//       CHECK:   %[[W:.*]] = lz.constant dense_resource<w.packed> : tensor<1x2x8xf32>
//       CHECK:   lz.fusion %{{.*}}, %[[W]]
//       CHECK:   ^bb0(%[[X:.*]]: tensor<8x2xf32>, %[[P:.*]]: tensor<1x2x8xf32>):
//       CHECK:     %[[T:.*]] = lz.transpose %[[P]] [1, 0, 2]
//       CHECK:     %[[R:.*]] = lz.reshape %[[T]] [2, 8]
//       CHECK:     %[[S:.*]] = lz.slice %[[R]] [0, 0] [2, 5] [1, 1]
//       CHECK:     lz.matmul %[[X]], %[[S]] :
// ROOM-NOT: packed
func.func @product(%x: tensor<8x2xf32>) -> tensor<8x5xf32> {
  %w = lz.constant dense_resource<w> : tensor<5x2xf32>
  %0 = lz.fusion %x, %w : (tensor<8x2xf32>, tensor<5x2xf32>) -> tensor<8x5xf32> {
  ^bb0(%a: tensor<8x2xf32>, %b: tensor<5x2xf32>):
    %1 = lz.matmul %a, %b {transpose_rhs} : (tensor<8x2xf32>, tensor<5x2xf32>) -> tensor<8x5xf32>
    lz.yield %1 : tensor<8x5xf32>
  }
  return %0 : tensor<8x5xf32>
}

// Four rows wait for memory, and something else reads the other one.
// CHECK-LABEL: func.func @refused
//       CHECK:   dense_resource<few> : tensor<5x2xf32>
//       CHECK:   dense_resource<shared> : tensor<5x2xf32>
func.func @refused(%x: tensor<4x2xf32>, %y: tensor<8x2xf32>) -> (tensor<4x5xf32>, tensor<8x5xf32>, tensor<5x2xf32>) {
  %w = lz.constant dense_resource<few> : tensor<5x2xf32>
  %s = lz.constant dense_resource<shared> : tensor<5x2xf32>
  %0 = lz.fusion %x, %w : (tensor<4x2xf32>, tensor<5x2xf32>) -> tensor<4x5xf32> {
  ^bb0(%a: tensor<4x2xf32>, %b: tensor<5x2xf32>):
    %1 = lz.matmul %a, %b {transpose_rhs} : (tensor<4x2xf32>, tensor<5x2xf32>) -> tensor<4x5xf32>
    lz.yield %1 : tensor<4x5xf32>
  }
  %2 = lz.fusion %y, %s : (tensor<8x2xf32>, tensor<5x2xf32>) -> tensor<8x5xf32> {
  ^bb0(%a: tensor<8x2xf32>, %b: tensor<5x2xf32>):
    %3 = lz.matmul %a, %b {transpose_rhs} : (tensor<8x2xf32>, tensor<5x2xf32>) -> tensor<8x5xf32>
    lz.yield %3 : tensor<8x5xf32>
  }
  return %0, %2, %s : tensor<4x5xf32>, tensor<8x5xf32>, tensor<5x2xf32>
}

// CHECK: w.packed: "0x400000000000803F000040400000A0400000E0400000104100000000000000000000000000000040000080400000C0400000004100002041000000000000000000000000"
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000004000004040000080400000A0400000C0400000E040000000410000104100002041",
      few: "0x040000000000803F0000004000004040000080400000A0400000C0400000E040000000410000104100002041",
      shared: "0x040000000000803F0000004000004040000080400000A0400000C0400000E040000000410000104100002041"
    }
  }
#-}
