// RUN: lz-opt %s --lz-emit-kernels | FileCheck %s
// RUN: lz-opt %s --lz-emit-kernels --lz-lower-kernels | FileCheck %s --check-prefix=LLVM

// A chain whose elements all lie at one position needs no indices.
// CHECK-LABEL: func.func private @flat
// CHECK-SAME: (%[[ARGS:.*]]: !llvm.ptr, %[[LO:.*]]: i64, %[[HI:.*]]: i64)
// CHECK-SAME: lzx.grain = #lz.expr<9344>
// CHECK-SAME: lzx.iterations = #lz.expr<s0 * 8>, lzx.params = [],
// CHECK-SAME: lzx.scratch = #lz.expr<0>
// CHECK: scf.for %[[I:.*]] = %[[LO]] to %[[HI]]
// CHECK: llvm.getelementptr inbounds %{{.*}}[%[[I]]]
// CHECK: arith.addf
// CHECK: arith.select
// CHECK: llvm.store
// CHECK-NOT: arith.divui
// LLVM-LABEL: llvm.func @flat
// LLVM-NOT: {{(func|scf|arith|math|cf)\.}}
func.func private @flat(%x: tensor<?x8xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<8>]},
                        %y: tensor<?x8xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<8>]}) -> tensor<?x8xf32>
    attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 2147483647, dim>]} {
  %0 = lz.binary <add> %x, %y : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = lz.unary <relu> %0 : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// A broadcast operand splits the space in rows: the inner loop has no division.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: lzx.iterations = #lz.expr<s0>, lzx.params = [#lz.expr<s1>]
// CHECK: scf.for
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}}
// CHECK-NOT: arith.divui
// CHECK: llvm.getelementptr inbounds %{{.*}}[%[[J]]]
// CHECK: llvm.store
func.func private @rows(%x: tensor<?x?xf32> {lz.dims = [#lz.expr<s0>, #lz.expr<s1>]},
                        %y: tensor<?xf32> {lz.dims = [#lz.expr<s1>]}) -> tensor<?x?xf32>
    attributes {lzx.kernel, lz.symbols = [#lz.symbol<s0, 0, 2147483647, dim>, #lz.symbol<s1, 0, 2147483647, dim>]} {
  %0 = lz.binary <mul> %x, %y : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Two operands, two copy loops.
// CHECK-LABEL: func.func private @concat
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: llvm.store
func.func private @concat(%x: tensor<4x3xi8>, %y: tensor<4x5xi8>) -> tensor<4x8xi8> attributes {lzx.kernel} {
  %0 = lz.concat %x, %y axis 1 : (tensor<4x3xi8>, tensor<4x5xi8>) -> tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}
