// RUN: lz-opt %s --lz-fold-weight-layout | FileCheck %s
// RUN: lz-opt %s --lz-fold-weight-layout=max-bytes=4 | FileCheck %s --check-prefix=ROOM

// A reshape is the same resource; the transpose of [[1, 2, 3], [4, 5, 6]] (bytes,
// after four that state the alignment) is new memory.
// CHECK-LABEL: func.func @weights
//   CHECK-DAG:   lz.constant dense_resource<w> : tensor<6xi8>
//   CHECK-DAG:   lz.constant dense_resource<w.transposed> : tensor<3x2xi8>
//   CHECK-NOT:   lz.transpose
//       CHECK:   w.transposed: "0x40000000010402050306"
// ROOM-LABEL: func.func @weights
//        ROOM:   lz.transpose
func.func @weights() -> (tensor<6xi8>, tensor<3x2xi8>) {
  %w = lz.constant dense_resource<w> : tensor<2x3xi8>
  %0 = lz.reshape %w [6] : (tensor<2x3xi8>) -> tensor<6xi8>
  %1 = lz.transpose %w [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %0, %1 : tensor<6xi8>, tensor<3x2xi8>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x01000000010203040506"
    }
  }
#-}
