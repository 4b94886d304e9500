// RUN: lz-opt %s --lz-fold-weight-layout | FileCheck %s
// RUN: lz-opt %s --lz-fold-weight-layout=max-bytes=4 | FileCheck %s --check-prefix=ROOM

// A reshape is the same resource; the transpose of [[1, 2, 3], [4, 5, 6]] is new
// memory (its bytes, at the end, come after four that state the alignment).
//       CHECK: func.func @weights
//   CHECK-DAG:   lz.constant dense_resource<w> : tensor<6xi8>
//   CHECK-DAG:   lz.constant dense_resource<[[TURNED:w.moved[_0-9]*]]> : tensor<3x2xi8>
//   CHECK-NOT:   lz.transpose
//       CHECK:   return
// ROOM-LABEL: func.func @weights
//        ROOM:   lz.transpose
func.func @weights() -> (tensor<6xi8>, tensor<3x2xi8>) {
  %w = lz.constant dense_resource<w> : tensor<2x3xi8>
  %0 = lz.reshape %w [6] : (tensor<2x3xi8>) -> tensor<6xi8>
  %1 = lz.transpose %w [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %0, %1 : tensor<6xi8>, tensor<3x2xi8>
}

// A concat of constants and slices of them, along any dimension and with steps.
//       CHECK: func.func @gates
//   CHECK-DAG:   lz.constant dense_resource<[[ROWS:w.moved[_0-9]*]]> : tensor<4x3xi8>
//   CHECK-DAG:   lz.constant dense_resource<[[COLUMNS:w.moved[_0-9]*]]> : tensor<2x5xi8>
//   CHECK-NOT:   lz.concat
//       CHECK:   return
func.func @gates() -> (tensor<4x3xi8>, tensor<2x5xi8>) {
  %w = lz.constant dense_resource<w> : tensor<2x3xi8>
  %0 = lz.slice %w [1, 0] [1, 3] [1, 1] : (tensor<2x3xi8>) -> tensor<1x3xi8>
  %1 = lz.slice %w [0, 0] [1, 3] [1, 1] : (tensor<2x3xi8>) -> tensor<1x3xi8>
  %2 = lz.concat %0, %1, %w axis 0 : (tensor<1x3xi8>, tensor<1x3xi8>, tensor<2x3xi8>) -> tensor<4x3xi8>
  %3 = lz.slice %w [0, 0] [2, 2] [1, 2] : (tensor<2x3xi8>) -> tensor<2x2xi8>
  %4 = lz.concat %w, %3 axis 1 : (tensor<2x3xi8>, tensor<2x2xi8>) -> tensor<2x5xi8>
  return %2, %4 : tensor<4x3xi8>, tensor<2x5xi8>
}

//       CHECK: func.func @other
//       CHECK:   lz.concat
//   CHECK-DAG:   [[TURNED]]: "0x40000000010402050306"
//   CHECK-DAG:   [[ROWS]]: "0x40000000040506010203010203040506"
//   CHECK-DAG:   [[COLUMNS]]: "0x4000000001020301030405060406"
func.func @other(%x: tensor<2x3xi8>) -> tensor<4x3xi8> {
  %w = lz.constant dense_resource<w> : tensor<2x3xi8>
  %0 = lz.concat %w, %x axis 0 : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<4x3xi8>
  return %0 : tensor<4x3xi8>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x01000000010203040506"
    }
  }
#-}
