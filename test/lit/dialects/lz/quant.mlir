// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @quant
func.func @quant(%x: tensor<4x8xf32>, %s: tensor<f32>, %z: tensor<i8>, %v: tensor<8xf32>, %q: tensor<4x8xi8>) {
  // CHECK: lz.quantize %{{.*}}, %{{.*}} zero %{{.*}} axis 0 to i8
  %0 = lz.quantize %x, %s zero %z axis 0 to i8 : (tensor<4x8xf32>, tensor<f32>, tensor<i8>) -> tensor<4x8xi8>
  // CHECK: lz.dequantize %{{.*}}, %{{.*}} axis 1 to f32
  %1 = lz.dequantize %q, %v axis 1 to f32 : (tensor<4x8xi8>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}
