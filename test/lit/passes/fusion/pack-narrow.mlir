// RUN: lz-opt %s --lz-pack-narrow --split-input-file | FileCheck %s
// RUN: lz-opt %s --lz-fuse --split-input-file | FileCheck %s --check-prefix=FUSE
// RUN: lz-opt %s --lz-fuse=single --split-input-file | FileCheck %s --check-prefix=FUSE

// CHECK-LABEL: func.func @signed
//       CHECK:   %[[NARROW:.*]] = lz.cast %arg0 to i4 : (tensor<5xf32>) -> tensor<5xi4>
//       CHECK:   %[[BYTES:.*]] = lz.cast %[[NARROW]] to i8 {saturate = false} : (tensor<5xi4>) -> tensor<5xi8>
//       CHECK:   %[[PACKED:.*]] = lz.pack %[[BYTES]] to i4
//       CHECK:   return %[[PACKED]]
//  FUSE-LABEL: func.func @signed
//        FUSE:   lz.fusion %arg0 : (tensor<5xf32>) -> tensor<5xi8> {
//        FUSE:   lz.fusion %{{.*}} : (tensor<5xi8>) -> tensor<5xi4> {
//   FUSE-NEXT:   ^bb0
//   FUSE-NEXT:     lz.pack
func.func @signed(%x: tensor<5xf32>) -> tensor<5xi4> {
  %0 = lz.cast %x to i4 : (tensor<5xf32>) -> tensor<5xi4>
  return %0 : tensor<5xi4>
}

// -----

// All readers have the packed elements, and a view is packed with its operand.

// CHECK-LABEL: func.func @readers
//       CHECK:   %[[NARROW:.*]] = lz.quantize
//       CHECK:   lz.cast %[[NARROW]] to ui8
//       CHECK:   %[[PACKED:.*]] = lz.pack {{.*}} to ui2
//       CHECK:   %[[VIEW:.*]] = lz.reshape %[[PACKED]]
//  CHECK-NEXT:   return %[[PACKED]], %[[VIEW]]
func.func @readers(%x: tensor<6xf32>, %scale: tensor<f32>) -> (tensor<6xui2>, tensor<2x3xui2>) {
  %0 = lz.quantize %x, %scale axis 0 to ui2 : (tensor<6xf32>, tensor<f32>) -> tensor<6xui2>
  %1 = lz.reshape %0 [2, 3] : (tensor<6xui2>) -> tensor<2x3xui2>
  return %0, %1 : tensor<6xui2>, tensor<2x3xui2>
}

// -----

// CHECK-LABEL: func.func @float
//       CHECK:   lz.bitcast %{{.*}} to ui4 : (tensor<3xf4E2M1FN>) -> tensor<3xui4>
//       CHECK:   lz.cast %{{.*}} to ui8 {saturate = false} : (tensor<3xui4>) -> tensor<3xui8>
//       CHECK:   lz.pack %{{.*}} to f4E2M1FN : (tensor<3xui8>) -> tensor<3xf4E2M1FN>
func.func @float(%x: tensor<3xf32>) -> tensor<3xf4E2M1FN> {
  %0 = lz.cast %x to f4E2M1FN : (tensor<3xf32>) -> tensor<3xf4E2M1FN>
  return %0 : tensor<3xf4E2M1FN>
}
