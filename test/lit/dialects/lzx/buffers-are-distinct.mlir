// RUN: lz-opt %s --cse --canonicalize | FileCheck %s

// Equal parts of the arena are two parts, and an input that nothing reads is an
// argument of the caller's all the same.
// CHECK-LABEL: lzx.program @two
//       CHECK:   lzx.input 0 "unused"
//       CHECK:   %[[A:.*]] = lzx.alloc bytes [n] live 0 to 1
//       CHECK:   %[[B:.*]] = lzx.alloc bytes [n] live 0 to 1
//       CHECK:   lzx.copy %{{.*}} to %[[A]]
//       CHECK:   lzx.copy %{{.*}} to %[[B]]
lzx.program @two symbols [#lz.symbol<n, 0, 9, dim>] {
  %x = lzx.input 0 "unused" : tensor<4xf32> [4]
  %y = lzx.input 1 "y" : tensor<?xi8> [n]
  %a = lzx.alloc bytes [n] live 0 to 1
  %b = lzx.alloc bytes [n] live 0 to 1
  lzx.copy %y to %a bytes [n] nodes []
  lzx.copy %y to %b bytes [n] nodes []
}
