// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

// One case per rule: what the operands of the family can't be.

func.func @axis(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{'lz.quantize' op axis 2 is not within rank 2}}
  %0 = lz.quantize %x, %s axis 2 to i8 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @scales(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'lz.quantize' op there must be a scale per element of the axis: 4 is not equal to 8}}
  %0 = lz.quantize %x, %s axis 1 to i8 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xi8>
  return
}

// -----

func.func @zero_point(%x: tensor<4x8xi8>, %s: tensor<8xf32>, %z: tensor<i8>) {
  // expected-error @+1 {{'lz.dequantize' op scale and zero point must have one shape}}
  %0 = lz.dequantize %x, %s zero %z axis 1 to f32 : (tensor<4x8xi8>, tensor<8xf32>, tensor<i8>) -> tensor<4x8xf32>
  return
}

// -----

func.func @blocks(%x: tensor<4x8xi8>, %s: tensor<4x3xf32>) {
  // expected-error @+1 {{'lz.dequantize' op there must be a scale per block: 3 is not equal to 2}}
  %0 = lz.dequantize %x, %s axis 1 to f32 {block = 4 : i64} : (tensor<4x8xi8>, tensor<4x3xf32>) -> tensor<4x8xf32>
  return
}
