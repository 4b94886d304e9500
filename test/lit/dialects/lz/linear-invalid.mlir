// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

// One case per rule: what the operands of the family can't be.

func.func @axis_of_parts(%x: tensor<2x6x1xf32>) {
  // expected-error @+1 {{'lz.dft' op axis 2 is not within rank 2}}
  %0 = lz.dft %x length [8] axis 2 inverse false onesided false : (tensor<2x6x1xf32>) -> tensor<2x8x2xf32>
  return
}

// -----

func.func @no_axis(%x: tensor<f32>) {
  // expected-error @+1 {{'lz.dft' op axis 0 is not within rank -1}}
  %0 = lz.dft %x length [8] axis 0 inverse false onesided false : (tensor<f32>) -> tensor<2x8x2xf32>
  return
}

// -----

func.func @lengths(%x: tensor<2x6x1xf32>) {
  // expected-error @+1 {{'lz.dft' op has 2 lengths, expected 1}}
  %0 = lz.dft %x length [8, 8] axis 1 inverse false onesided false : (tensor<2x6x1xf32>) -> tensor<2x8x2xf32>
  return
}

// -----

func.func @length(%x: tensor<2x6x1xf32>) {
  // expected-error @+1 {{'lz.dft' op the length must be positive: 0 is less than 1}}
  %0 = lz.dft %x length [0] axis 1 inverse false onesided false : (tensor<2x6x1xf32>) -> tensor<2x8x2xf32>
  return
}

// -----

func.func @many_parts(%x: tensor<2x6x3xf32>) {
  // expected-error @+1 {{'lz.dft' op a number must have at most two parts: 2 is less than 3}}
  %0 = lz.dft %x length [8] axis 1 inverse false onesided false : (tensor<2x6x3xf32>) -> tensor<2x8x2xf32>
  return
}

// -----

func.func @no_parts(%x: tensor<2x6x0xf32>) {
  // expected-error @+1 {{'lz.dft' op a number must have a part: 0 is less than 1}}
  %0 = lz.dft %x length [8] axis 1 inverse false onesided false : (tensor<2x6x0xf32>) -> tensor<2x8x2xf32>
  return
}

// -----

func.func @onesided_parts(%x: tensor<2x6x2xf32>) {
  // expected-error @+1 {{'lz.dft' op a one-sided transform needs real numbers: 2 is not equal to 1}}
  %0 = lz.dft %x length [8] axis 1 inverse false onesided true : (tensor<2x6x2xf32>) -> tensor<2x8x2xf32>
  return
}

// -----

func.func @inverse_parts(%x: tensor<2x6x1xf32>) {
  // expected-error @+1 {{'lz.dft' op a one-sided inverse needs complex numbers: 1 is not equal to 2}}
  %0 = lz.dft %x length [8] axis 1 inverse true onesided true : (tensor<2x6x1xf32>) -> tensor<2x8x2xf32>
  return
}

// -----

func.func @det_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.det' op needs an operand of rank 2 or more, not 1}}
  %0 = lz.det %x : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @square(%x: tensor<5x4x3xf32>) {
  // expected-error @+1 {{'lz.det' op matrices must be square: 4 is not equal to 3}}
  %0 = lz.det %x : (tensor<5x4x3xf32>) -> tensor<5xf32>
  return
}
