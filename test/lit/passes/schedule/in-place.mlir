// RUN: lz-opt %s --lz-build-program | FileCheck %s

// A residual is added in its own memory: the result takes it from the operand
// that is not read again. The convolution's input is another part of the arena.
// CHECK-LABEL: lzx.program @residual
//       CHECK:   %[[X:.*]] = lzx.input 0
//       CHECK:   %[[Y:.*]] = lzx.output 0
//       CHECK:   %[[A:.*]] = lzx.alloc bytes [256] live 0 to 2
//   CHECK-NOT:   lzx.alloc {{.*}} to 2
//       CHECK:   lzx.launch @{{.*}}(%[[X]]) -> (%[[A]])
//       CHECK:   lzx.launch @{{.*}}(%[[X]], %{{.*}}, %[[A]]) -> (%[[A]])
//       CHECK:   lzx.launch @{{.*}}(%[[A]]) -> (%[[Y]])
func.func @residual(%x: tensor<1x4x16xf32>) -> tensor<1x4x8xf32> {
  %w = lz.constant dense<0.5> : tensor<4x4x1xf32>
  %0 = lz.fusion %x : (tensor<1x4x16xf32>) -> tensor<1x4x16xf32> {
  ^bb0(%a: tensor<1x4x16xf32>):
    %4 = lz.unary <exp> %a : (tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
    lz.yield %4 : tensor<1x4x16xf32>
  }
  %1 = lz.fusion %x, %w, %0 : (tensor<1x4x16xf32>, tensor<4x4x1xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32> {
  ^bb0(%a: tensor<1x4x16xf32>, %f: tensor<4x4x1xf32>, %r: tensor<1x4x16xf32>):
    %4 = lz.conv %a, %f strides [1] low [0] high [0] dilations [1] groups 1 : (tensor<1x4x16xf32>, tensor<4x4x1xf32>) -> tensor<1x4x16xf32>
    %5 = lz.binary <add> %4, %r : (tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
    lz.yield %5 : tensor<1x4x16xf32>
  }
  %2 = lz.fusion %1 : (tensor<1x4x16xf32>) -> tensor<1x4x8xf32> {
  ^bb0(%a: tensor<1x4x16xf32>):
    %4 = lz.slice %a [0, 0, 0] [1, 4, 8] [1, 1, 2] : (tensor<1x4x16xf32>) -> tensor<1x4x8xf32>
    lz.yield %4 : tensor<1x4x8xf32>
  }
  return %2 : tensor<1x4x8xf32>
}

// What is read again later keeps its memory, and so does what is read elsewhere
// than at its own position, or through two operands. Only the last addition is
// in place, and as its result is an output, its operand is computed there.
// CHECK-LABEL: lzx.program @kept
//       CHECK:   %[[X:.*]] = lzx.input 0
//       CHECK:   %[[Y:.*]] = lzx.output 0
//       CHECK:   %[[B:.*]] = lzx.alloc bytes [16] live 1 to 2
//       CHECK:   %[[C:.*]] = lzx.alloc bytes [16] live 2 to 3
//       CHECK:   %[[D:.*]] = lzx.alloc bytes [16] live 3 to 4
//   CHECK-NOT:   lzx.alloc
//       CHECK:   lzx.launch @{{.*}}(%[[X]]) -> (%[[Y]])
//       CHECK:   lzx.launch @{{.*}}(%[[Y]]) -> (%[[B]])
//       CHECK:   lzx.launch @{{.*}}(%[[B]]) -> (%[[C]])
//       CHECK:   lzx.launch @{{.*}}(%[[C]], %[[C]]) -> (%[[D]])
//       CHECK:   lzx.launch @{{.*}}(%[[Y]], %[[D]]) -> (%[[Y]])
func.func @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lz.fusion %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %9 = lz.unary <exp> %a : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %9 : tensor<4xf32>
  }
  %1 = lz.fusion %0 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %9 = lz.unary <exp> %a : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %9 : tensor<4xf32>
  }
  %2 = lz.fusion %1 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %9 = lz.softmax <softmax> %a axis 0 : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %9 : tensor<4xf32>
  }
  %3 = lz.fusion %2, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %9 = lz.binary <add> %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    lz.yield %9 : tensor<4xf32>
  }
  %4 = lz.fusion %0, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %8 = lz.unary <exp> %a : (tensor<4xf32>) -> tensor<4xf32>
    %9 = lz.binary <add> %8, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    lz.yield %9 : tensor<4xf32>
  }
  return %4 : tensor<4xf32>
}
