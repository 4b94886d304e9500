// RUN: lz-opt %s --lzx-verify-program --split-input-file --verify-diagnostics

// expected-error @+1 {{function 'main' was not turned into a program by lz-build-program}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

lzx.program @ended symbols [] {
  %x = lzx.input 0 "x" : tensor<4xf32> [4]
  // expected-note @+1 {{live from 5 to 6}}
  %b = lzx.alloc bytes [16] live 5 to 6
  // expected-error @+1 {{is step 0 and uses a buffer that is not live then}}
  lzx.copy %x to %b bytes [16] nodes []
}

// -----

lzx.program @overlap symbols [] {
  // expected-note @+1 {{the other part}}
  %a = lzx.alloc bytes [128] live 0 to 1 offset 0
  // expected-error @+1 {{overlaps another part of the arena that lives with it}}
  %b = lzx.alloc bytes [64] live 1 to 2 offset 64
}

// -----

lzx.program @kernel symbols [] {
  %x = lzx.input 0 "x" : tensor<4xf32> [4]
  // expected-error @+1 {{names 'k', which is not a kernel}}
  lzx.launch @k(%x) -> () symbols [] iterations [1] grain [1] nodes []
}

// -----

// An iteration reads again what it found.
lzx.program @iteration symbols [#lz.symbol<i, 0, 9, run>] {
  %x = lzx.input 0 "x" : tensor<4xf32> [4]
  // expected-note @+1 {{live from 0 to 1}}
  %a = lzx.alloc bytes [16] live 0 to 1
  %b = lzx.alloc bytes [16] live 1 to 2
  lzx.copy %x to %a bytes [16] nodes []
  // expected-error @+1 {{ends with step 2, but a buffer that lives into it does not}}
  lzx.loop [i] "loop" {
    lzx.copy %a to %b bytes [16] nodes []
    lzx.copy %x to %b bytes [16] nodes []
  }
}
