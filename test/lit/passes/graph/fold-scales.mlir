// RUN: lz-opt %s --lz-fold-scales --split-input-file | FileCheck %s
// RUN: lz-opt %s --lz-fold-scales=max-bytes=4 --split-input-file --remarks-filter=lz-fold-scales -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROOM

// Filters [1, 2] and [3, 4] by 2 and 10: [2, 4] and [30, 40]; bias [1, 1] by the
// same, plus [5, 6]: [7, 16]. Floats as little-endian bytes.
// CHECK-LABEL: func.func @conv
//       CHECK:   %[[W:.*]] = lz.constant dense_resource<[[WNAME:.*scaled.*]]> : tensor<2x2x1xf32>
//       CHECK:   %[[B:.*]] = lz.constant dense_resource<[[BNAME:.*scaled.*]]> : tensor<2xf32>
//       CHECK:   %[[C:.*]] = lz.conv %{{.*}}, %[[W]] bias %[[B]]
//       CHECK:   return %[[C]]
//   CHECK-DAG:   [[WNAME]]: "0x4000000000000040000080400000F04100002042"
//   CHECK-DAG:   [[BNAME]]: "0x400000000000E04000008041"
//        ROOM: would exceed the bytes that folding may take
func.func @conv(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %w = lz.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %b = lz.constant dense<1.0> : tensor<2xf32>
  %s = lz.constant dense<[[2.0], [10.0]]> : tensor<2x1xf32>
  %t = lz.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32>
  %0 = lz.conv %x, %w bias %b strides [1] low [0] high [0] dilations [1] groups 1
      : (tensor<1x2x4xf32>, tensor<2x2x1xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  %1 = lz.binary <mul> %0, %s : (tensor<1x2x4xf32>, tensor<2x1xf32>) -> tensor<1x2x4xf32>
  %2 = lz.binary <add> %1, %t : (tensor<1x2x4xf32>, tensor<2x1xf32>) -> tensor<1x2x4xf32>
  return %2 : tensor<1x2x4xf32>
}

// -----

// Two groups of one input and two output channels each: filter [c][j] is of
// output channel 2 * c + j. [1, 2], [3, 4] by 1, 10, 100, 1000.
// CHECK-LABEL: func.func @transposed
//       CHECK:   lz.constant dense_resource<[[WNAME:.*scaled.*]]> : tensor<2x2x1xf32>
//       CHECK:   lz.conv_transpose
//   CHECK-NOT:   lz.binary
//       CHECK:   [[WNAME]]: "0x400000000000803F0000A0410000964300007A45"
func.func @transposed(%x: tensor<1x2x4xf32>) -> tensor<1x4x4xf32> {
  %w = lz.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %s = lz.constant dense<[[1.0], [10.0], [100.0], [1000.0]]> : tensor<4x1xf32>
  %0 = lz.conv_transpose %x, %w strides [1] low [0] high [0] extra [0] dilations [1] groups 2
      : (tensor<1x2x4xf32>, tensor<2x2x1xf32>) -> tensor<1x4x4xf32>
  %1 = lz.binary <mul> %0, %s : (tensor<1x4x4xf32>, tensor<4x1xf32>) -> tensor<1x4x4xf32>
  return %1 : tensor<1x4x4xf32>
}

// -----

// Another reader wants the convolution as it is.
// CHECK-LABEL: func.func @shared
//       CHECK:   lz.binary <mul>
func.func @shared(%x: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>) {
  %w = lz.constant dense<1.0> : tensor<1x1x1xf32>
  %s = lz.constant dense<2.0> : tensor<f32>
  %0 = lz.conv %x, %w strides [1] low [0] high [0] dilations [1] groups 1
      : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  %1 = lz.binary <mul> %0, %s : (tensor<1x1x4xf32>, tensor<f32>) -> tensor<1x1x4xf32>
  return %0, %1 : tensor<1x1x4xf32>, tensor<1x1x4xf32>
}

// -----

// A factor for each position, not for each channel.
// CHECK-LABEL: func.func @positions
//       CHECK:   lz.binary <mul>
func.func @positions(%x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  %w = lz.constant dense<1.0> : tensor<1x1x1xf32>
  %s = lz.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = lz.conv %x, %w strides [1] low [0] high [0] dilations [1] groups 1
      : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  %1 = lz.binary <mul> %0, %s : (tensor<1x1x4xf32>, tensor<4xf32>) -> tensor<1x1x4xf32>
  return %1 : tensor<1x1x4xf32>
}

// -----

// The filter is computed.
// CHECK-LABEL: func.func @computed
//       CHECK:   lz.binary <mul>
func.func @computed(%x: tensor<1x1x4xf32>, %w: tensor<1x1x1xf32>) -> tensor<1x1x4xf32> {
  %s = lz.constant dense<2.0> : tensor<f32>
  %0 = lz.conv %x, %w strides [1] low [0] high [0] dilations [1] groups 1
      : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  %1 = lz.binary <mul> %0, %s : (tensor<1x1x4xf32>, tensor<f32>) -> tensor<1x1x4xf32>
  return %1 : tensor<1x1x4xf32>
}
