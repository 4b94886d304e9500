// RUN: lz-opt %s --lz-form-fusion-groups=max-ops=3 --remarks-filter=lz-form-fusion-groups --split-input-file -o /dev/null 2>&1 | FileCheck %s

// CHECK: lz.unary is not fused with lz.cumsum: the producer is a kernel of its own
func.func @closed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lz.cumsum %x axis 0 exclusive false reverse false : (tensor<8xf32>) -> tensor<8xf32>
  %1 = lz.unary <relu> %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK: lz.unary is not fused with lz.unary: the group is full
func.func @full(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lz.unary <exp> %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = lz.unary <exp> %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = lz.unary <exp> %1 : (tensor<8xf32>) -> tensor<8xf32>
  %3 = lz.unary <exp> %2 : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// CHECK: lz.binary is not fused with lz.unary: the result has another shape than the producer's group
func.func @broadcast(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lz.unary <exp> %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = lz.binary <add> %0, %y : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK: lz.cast is not fused with lz.matmul: the element type differs from the anchor's
func.func @row_type(%x: tensor<4x4xf32>) -> tensor<4x4xf16> {
  %0 = lz.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = lz.cast %0 to f16 : (tensor<4x4xf32>) -> tensor<4x4xf16>
  return %1 : tensor<4x4xf16>
}

// -----

// The two could only be one group if the running sums between them were inside.
// CHECK: lz.binary is not fused with lz.unary: an operand waits for the other group
func.func @cycle(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lz.unary <exp> %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = lz.cumsum %0 axis 0 exclusive false reverse false : (tensor<8xf32>) -> tensor<8xf32>
  %2 = lz.unary <neg> %1 : (tensor<8xf32>) -> tensor<8xf32>
  %3 = lz.binary <add> %0, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// CHECK: lz.binary is not fused with lz.unary: an operand is not read at the index of the result
func.func @index(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = lz.unary <exp> %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = lz.matmul %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = lz.binary <add> %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// CHECK: lz.binary is not fused with lz.cumsum: the producer is a kernel of its own
// CHECK: lz.binary is not fused with lz.unary: an operand waits for the producer's group
func.func @detour(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lz.unary <exp> %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = lz.cumsum %0 axis 0 exclusive false reverse false : (tensor<8xf32>) -> tensor<8xf32>
  %2 = lz.binary <add> %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// CHECK: lz.binary is not fused with lz.matmul: a group has one anchor
func.func @two_anchors(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = lz.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = lz.matmul %y, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = lz.binary <add> %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// CHECK: lz.expand is not fused with lz.unary: the operation would compute its operand again
func.func @again(%x: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %0 = lz.unary <exp> %x : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %1 = lz.expand %0 [4, 8] : (tensor<1x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK: lz.transpose is not fused with lz.unary: the producer has other users
func.func @shared(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %0 = lz.unary <exp> %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = lz.transpose %0 [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<8x4xf32>
}

// -----

// CHECK: lz.softmax is not fused with lz.unary: the producer costs too much to compute again
func.func @costly(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lz.unary <exp> %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = lz.softmax <softmax> %0 axis 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK: lz.matmul is not fused with lz.softmax: the scores have other users
func.func @scores(%x: tensor<9x9xf32>) -> (tensor<9x9xf32>, tensor<9x9xf32>) {
  %0 = lz.matmul %x, %x : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  %1 = lz.softmax <softmax> %0 axis 1 : (tensor<9x9xf32>) -> tensor<9x9xf32>
  %2 = lz.matmul %1, %x : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  return %1, %2 : tensor<9x9xf32>, tensor<9x9xf32>
}

// -----

// CHECK: lz.matmul is not fused with lz.softmax: there are few queries
func.func @queries(%q: tensor<3x9xf32>, %x: tensor<9x9xf32>) -> tensor<3x9xf32> {
  %0 = lz.matmul %q, %x : (tensor<3x9xf32>, tensor<9x9xf32>) -> tensor<3x9xf32>
  %1 = lz.softmax <softmax> %0 axis 1 : (tensor<3x9xf32>) -> tensor<3x9xf32>
  %2 = lz.matmul %1, %x : (tensor<3x9xf32>, tensor<9x9xf32>) -> tensor<3x9xf32>
  return %2 : tensor<3x9xf32>
}
