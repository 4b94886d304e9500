// RUN: lz-opt %s --lz-lower-kernels | FileCheck %s

// What a loop says about unrolling is where translation to LLVM IR looks.
// CHECK-LABEL: llvm.func @loop
//   CHECK-NOT:   {llvm.loop_annotation
//       CHECK:   br {{.*}} {loop_annotation = #loop_annotation}
//   CHECK-NOT:   {llvm.loop_annotation
#nounroll = #llvm.loop_annotation<unroll = <disable = true>>
func.func @loop(%n: i64, %x: f32) -> f32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (f32) : i64 {
    %next = arith.addf %s, %x : f32
    scf.yield %next : f32
  } {llvm.loop_annotation = #nounroll}
  return %sum : f32
}
