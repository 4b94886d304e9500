// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

// One case per rule: what the operands of the family can't be.

func.func @matmul_depth(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'lz.matmul' op inner dimensions must be equal: 8 is not equal to 4}}
  %0 = lz.matmul %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @matmul_batch(%x: tensor<2x4x4xf32>, %y: tensor<3x4x4xf32>) {
  // expected-error @+1 {{'lz.matmul' op operands must broadcast: sizes 2 and 3}}
  %0 = lz.matmul %x, %y : (tensor<2x4x4xf32>, tensor<3x4x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_scalar(%x: tensor<f32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'lz.matmul' op needs operands of rank 1 or more}}
  %0 = lz.matmul %x, %y : (tensor<f32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'lz.matmul' op has operands of element types 'f32' and 'f64'}}
  %0 = lz.matmul %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<f32>
  return
}

// -----

func.func @conv_rank(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{'lz.conv' op needs an input of rank 3 or more, not 2}}
  %0 = lz.conv %x, %w strides [1] low [0] high [0] dilations [1] groups 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @conv_channels(%x: tensor<1x2x8xf32>, %w: tensor<4x3x1xf32>) {
  // expected-error @+1 {{'lz.conv' op input channels must be the filter's times groups: 2 is not equal to 3}}
  %0 = lz.conv %x, %w strides [1] low [0] high [0] dilations [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x3x1xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<1x4x8xf32>, %w: tensor<3x2x1xf32>) {
  // expected-error @+1 {{'lz.conv' op has 3 output channels, which 2 groups do not divide}}
  %0 = lz.conv %x, %w strides [1] low [0] high [0] dilations [1] groups 2 : (tensor<1x4x8xf32>, tensor<3x2x1xf32>) -> tensor<1x3x8xf32>
  return
}

// -----

func.func @conv_window(%x: tensor<1x1x2xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error @+1 {{'lz.conv' op the filter must fit into the input: -1 is less than 0}}
  %0 = lz.conv %x, %w strides [1] low [0] high [0] dilations [1] groups 1 : (tensor<1x1x2xf32>, tensor<1x1x3xf32>) -> tensor<1x1x0xf32>
  return
}

// -----

func.func @conv_stride(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error @+1 {{'lz.conv' op strides, dilations and groups must be positive}}
  %0 = lz.conv %x, %w strides [0] low [0] high [0] dilations [1] groups 1 : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @conv_bias(%x: tensor<1x1x4xf32>, %w: tensor<2x1x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'lz.conv' op bias must have one value per output channel: 3 is not equal to 2}}
  %0 = lz.conv %x, %w bias %b strides [1] low [0] high [0] dilations [1] groups 1 : (tensor<1x1x4xf32>, tensor<2x1x3xf32>, tensor<3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @conv_pads(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error @+1 {{'lz.conv' op has 2 low pads, expected 1}}
  %0 = lz.conv %x, %w strides [1] low [0, 0] high [0] dilations [1] groups 1 : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @transposed_channels(%x: tensor<1x2x4xf32>, %w: tensor<3x1x3xf32>) {
  // expected-error @+1 {{'lz.conv_transpose' op input and filter channels must be equal: 2 is not equal to 3}}
  %0 = lz.conv_transpose %x, %w strides [1] low [0] high [0] extra [0] dilations [1] groups 1 : (tensor<1x2x4xf32>, tensor<3x1x3xf32>) -> tensor<1x1x6xf32>
  return
}

// -----

func.func @transposed_crop(%x: tensor<1x1x1xf32>, %w: tensor<1x1x1xf32>) {
  // expected-error @+1 {{'lz.conv_transpose' op must not crop more than there is: -1 is less than 0}}
  %0 = lz.conv_transpose %x, %w strides [1] low [1] high [1] extra [0] dilations [1] groups 1 : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x?xf32>
  return
}
