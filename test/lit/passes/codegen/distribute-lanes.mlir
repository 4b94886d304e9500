// RUN: lz-opt %s --lz-distribute-lanes --canonicalize --cse | FileCheck %s

// The loop over lanes goes inside of the reduction, four steps at a time; sums
// lie on the stack in between.
// CHECK-LABEL: func.func @sum
// CHECK: %[[SUMS:.*]] = llvm.alloca %{{.*}} x f32 {alignment = 64 : i64}
// CHECK: scf.for
// CHECK:   llvm.store %{{.*}}, {{.*}} : f32
// CHECK: scf.for {{.*}} step %c4
// CHECK:   scf.for
// CHECK:     llvm.load
// CHECK:     arith.addf
// CHECK:     arith.addf
// CHECK:     arith.addf
// CHECK:     %[[SUM:.*]] = arith.addf
// CHECK:     llvm.store %[[SUM]]
// CHECK: scf.for {{.*}} step %c1
// CHECK:   scf.for
// CHECK:     arith.addf
// CHECK: scf.for
// CHECK:   math.sqrt
// CHECK:   llvm.store
func.func @sum(%x: !llvm.ptr, %y: !llvm.ptr, %rows: i64, %width: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  scf.for %lane = %c0 to %width step %c1 : i64 {
    %sum = scf.for %row = %c0 to %rows step %c1 iter_args(%s = %zero) -> f32 : i64 {
      %start = arith.muli %row, %width : i64
      %position = arith.addi %start, %lane : i64
      %address = llvm.getelementptr %x[%position] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %element = llvm.load %address : !llvm.ptr -> f32
      %next = arith.addf %s, %element : f32
      scf.yield %next : f32
    }
    %root = math.sqrt %sum : f32
    %address = llvm.getelementptr %y[%lane] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %root, %address : f32, !llvm.ptr
  } {lzx.lanes = 64 : i64}
  return
}

// A loop whose bounds differ from lane to lane stays where it is.
// CHECK-LABEL: func.func @triangle
// CHECK-NOT: llvm.alloca
// CHECK: scf.for %[[LANE:.*]] =
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LANE]]
// CHECK-NOT: lzx.lanes
func.func @triangle(%y: !llvm.ptr, %width: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %lane = %c0 to %width step %c1 : i64 {
    %sum = scf.for %k = %c0 to %lane step %c1 iter_args(%s = %c0) -> i64 : i64 {
      %next = arith.addi %s, %k : i64
      scf.yield %next : i64
    }
    %address = llvm.getelementptr %y[%lane] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %sum, %address : i64, !llvm.ptr
  } {lzx.lanes = 64 : i64}
  return
}

// Carried values that change places are read before either is written.
// CHECK-LABEL: func.func @swap
// CHECK: scf.for
// CHECK: scf.for {{.*}} step %c4
// CHECK:   scf.for
// CHECK:     %[[A:.*]] = llvm.load
// CHECK:     %[[B:.*]] = llvm.load
// CHECK:     llvm.store %[[A]]
// CHECK:     llvm.store %[[B]]
// CHECK: scf.for {{.*}} step %c1
// CHECK:   scf.for
// CHECK:     %[[A:.*]] = llvm.load
// CHECK:     %[[B:.*]] = llvm.load
// CHECK:     llvm.store %[[B]]
// CHECK:     llvm.store %[[A]]
func.func @swap(%y: !llvm.ptr, %steps: i64, %width: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %lane = %c0 to %width step %c1 : i64 {
    %r:2 = scf.for %k = %c0 to %steps step %c1 iter_args(%a = %c0, %b = %lane) -> (i64, i64) : i64 {
      scf.yield %b, %a : i64, i64
    }
    %address = llvm.getelementptr %y[%lane] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %r#0, %address : i64, !llvm.ptr
  } {lzx.lanes = 64 : i64}
  return
}
