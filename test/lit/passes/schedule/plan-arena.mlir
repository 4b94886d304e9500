// RUN: lz-opt %s --pass-pipeline='builtin.module(lzx.program(lzx-plan-arena))' | FileCheck %s

// Largest first; a part that has ended makes room.
// CHECK-LABEL: lzx.program @static
//       CHECK:   lzx.alloc bytes [128] live 0 to 1 offset 0
//       CHECK:   lzx.alloc bytes [64] live 1 to 2 offset 128
//       CHECK:   lzx.alloc bytes [100] live 2 to 3 offset 0
lzx.program @static symbols [] {
  %0 = lzx.alloc bytes [128] live 0 to 1
  %1 = lzx.alloc bytes [64] live 1 to 2
  %2 = lzx.alloc bytes [100] live 2 to 3
}

// One unknown size leaves all offsets to `prepare`.
// CHECK-LABEL: lzx.program @dynamic
//   CHECK-NOT:   offset
lzx.program @dynamic symbols [#lz.symbol<n, 0, 9, dim>] {
  %0 = lzx.alloc bytes [128] live 0 to 1
  %1 = lzx.alloc bytes [n * 4] live 1 to 2
}
