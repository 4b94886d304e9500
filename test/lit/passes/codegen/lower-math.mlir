// RUN: lz-opt %s --lz-lower-math | FileCheck %s
// RUN: lz-opt %s --lz-lower-kernels | FileCheck %s --check-prefix=LLVM

// Our own functions for f32, the C library's for f64 and for rare ones;
// instructions stay.
// CHECK-LABEL: func.func @math
// CHECK: call @lz_exp_f32(%{{.*}}) : (f32) -> f32
// CHECK: call @acosf(%{{.*}}) : (f32) -> f32
// CHECK: call @pow(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
// CHECK: math.sqrt
// CHECK: call @lz_exp_f32
// CHECK-COUNT-1: func.func private @lz_exp_f32(f32) -> f32
// LLVM: llvm.call @lz_exp_f32
// LLVM: llvm.intr.sqrt
// LLVM-NOT: {{(func|math)\.}}
func.func @math(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.exp %x : f32
  %1 = math.acos %0 : f32
  %2 = math.powf %y, %y : f64
  %3 = math.sqrt %1 : f32
  %4 = math.exp %3 : f32
  return %4, %2 : f32, f64
}
