// RUN: lz-opt %s --pass-pipeline='builtin.module(lzx.program(lzx-plan-arena))' --split-input-file --verify-diagnostics

lzx.program @one symbols [] {
  // expected-error @+1 {{the arena would exceed 70368744177664 bytes; its largest part takes 4611686018427387904}}
  %0 = lzx.alloc bytes [4611686018427387904] live 0 to 1
  %1 = lzx.alloc bytes [64] live 0 to 1
}

// -----

lzx.program @together symbols [] {
  %0 = lzx.alloc bytes [40000000000000] live 0 to 1
  // expected-error @+1 {{its largest part takes 60000000000000}}
  %1 = lzx.alloc bytes [60000000000000] live 1 to 2
}

// -----

// What does not live together takes the same memory.
lzx.program @apart symbols [] {
  %0 = lzx.alloc bytes [40000000000000] live 0 to 1
  %1 = lzx.alloc bytes [60000000000000] live 2 to 3
}
