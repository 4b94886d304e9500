// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

// One case per rule: what the operands of the family can't be.

func.func @axis(%x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{'lz.reduce' op axis 3 is not within rank 3}}
  %0 = lz.reduce <sum> %x axes [3] keep_dims true : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @axes_order(%x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{'lz.reduce' op axes [1, 0] are not sorted and unique}}
  %0 = lz.reduce <sum> %x axes [1, 0] keep_dims false : (tensor<2x4x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @arg_of_nothing(%x: tensor<0xf32>) {
  // expected-error @+1 {{'lz.arg_reduce' op the reduced dimension must not be empty: 0 is less than 1}}
  %0 = lz.arg_reduce <max> %x axis 0 keep_dims false last false : (tensor<0xf32>) -> tensor<i64>
  return
}

// -----

func.func @cumsum_axis(%x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{'lz.cumsum' op axis -1 is not within rank 3}}
  %0 = lz.cumsum %x axis -1 exclusive false reverse false : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @softmax_axis(%x: tensor<f32>) {
  // expected-error @+1 {{'lz.softmax' op axis 0 is not within rank 0}}
  %0 = lz.softmax <softmax> %x axis 0 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @scale(%x: tensor<2x4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'lz.layer_norm' op operands must broadcast: sizes 8 and 4}}
  %0 = lz.layer_norm <rms> %x, %s axis 2 epsilon 0.0 : (tensor<2x4x8xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @scale_rank(%x: tensor<8xf32>, %s: tensor<1x8xf32>) {
  // expected-error @+1 {{'lz.layer_norm' op has an operand of rank 2, more than the input's 1}}
  %0 = lz.layer_norm <rms> %x, %s axis 0 epsilon 0.0 : (tensor<8xf32>, tensor<1x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @scale_enlarges(%x: tensor<1xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{'lz.layer_norm' op operands must broadcast to the input: 1 is not equal to 8}}
  %0 = lz.layer_norm <rms> %x, %s axis 0 epsilon 0.0 : (tensor<1xf32>, tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @channels(%x: tensor<2x4x8xf32>, %s: tensor<4xf32>, %m: tensor<8xf32>) {
  // expected-error @+1 {{'lz.batch_norm' op operands must have one value per channel: 8 is not equal to 4}}
  %0 = lz.batch_norm %x, %s, %s, %m, %s epsilon 0.0 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @groups(%x: tensor<2x4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'lz.group_norm' op 3 groups do not divide 4 channels}}
  %0 = lz.group_norm %x, %s, %s groups 3 epsilon 0.0 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @lrn_rank(%x: tensor<8xf32>) {
  // expected-error @+1 {{'lz.lrn' op axis 1 is not within rank 1}}
  %0 = lz.lrn %x size 3 alpha 1.0 beta 1.0 offset 1.0 : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @pool_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'lz.pool' op needs an input of rank 3 or more, not 2}}
  %0 = lz.pool <max> %x kernel [2] strides [2] low [0] high [0] dilations [1] sizes [4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @pool_kernel(%x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{'lz.pool' op has 2 kernel sizes, expected 1}}
  %0 = lz.pool <max> %x kernel [2, 2] strides [2] low [0] high [0] dilations [1] sizes [4] : (tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @pool_stride(%x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{'lz.pool' op kernel, strides and dilations must be positive}}
  %0 = lz.pool <max> %x kernel [2] strides [0] low [0] high [0] dilations [1] sizes [4] : (tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @pool_results(%x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{'lz.pool' op has 1 results, but its kind gives 2}}
  %0 = lz.pool <max> %x kernel [2] strides [2] low [0] high [0] dilations [1] sizes [4] {with_indices = true} : (tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @region_kind(%x: tensor<1x8x5x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) {
  // expected-error @+1 {{'lz.roi_align' op takes the average or the maximum}}
  %0 = lz.roi_align <lp> %x, %r, %b sizes [7, 7] samples 2 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_sizes(%x: tensor<1x8x5x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) {
  // expected-error @+1 {{'lz.roi_align' op has 1 sizes, expected 2}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7] samples 2 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_size(%x: tensor<1x8x5x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) {
  // expected-error @+1 {{'lz.roi_align' op sizes [7, 0] must be positive}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 0] samples 2 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_samples(%x: tensor<1x8x5x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) {
  // expected-error @+1 {{'lz.roi_align' op the number of samples -1 is not within 0..65536}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 7] samples -1 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_types(%x: tensor<1x8x5x5xf32>, %r: tensor<3x4xf64>, %b: tensor<3xi64>) {
  // expected-error @+1 {{'lz.roi_align' op has operands of element types 'f32' and 'f64', which must be equal}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 7] samples 2 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<3x4xf64>, tensor<3xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_input(%x: tensor<8x5x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) {
  // expected-error @+1 {{'lz.roi_align' op has 3 input dimensions, expected 4}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 7] samples 2 scale 1.0 half_pixel true : (tensor<8x5x5xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_rank(%x: tensor<1x8x5x5xf32>, %r: tensor<12xf32>, %b: tensor<3xi64>) {
  // expected-error @+1 {{'lz.roi_align' op has 1 region dimensions, expected 2}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 7] samples 2 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<12xf32>, tensor<3xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_batch(%x: tensor<1x8x5x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3x1xi64>) {
  // expected-error @+1 {{'lz.roi_align' op has 2 batch dimensions, expected 1}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 7] samples 2 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<3x4xf32>, tensor<3x1xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_numbers(%x: tensor<1x8x5x5xf32>, %r: tensor<3x5xf32>, %b: tensor<3xi64>) {
  // expected-error @+1 {{'lz.roi_align' op a region must be four numbers: 5 is not equal to 4}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 7] samples 2 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<3x5xf32>, tensor<3xi64>) -> tensor<3x8x7x7xf32>
  return
}

// -----

func.func @region_pictures(%x: tensor<1x8x5x5xf32>, %r: tensor<3x4xf32>, %b: tensor<2xi64>) {
  // expected-error @+1 {{'lz.roi_align' op each region must have a picture: 3 is not equal to 2}}
  %0 = lz.roi_align <average> %x, %r, %b sizes [7, 7] samples 2 scale 1.0 half_pixel true : (tensor<1x8x5x5xf32>, tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x8x7x7xf32>
  return
}
