// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

// One case per rule: what the operands of the family can't be.

func.func @permutation(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{permutation [0, 0] does not hold each of the 2 dimensions once}}
  %0 = lz.transpose %x [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @permutation_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{permutation [0] does not hold each of the 2 dimensions once}}
  %0 = lz.transpose %x [0] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @element_count(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'lz.reshape' op must keep the number of elements: 32 is not equal to 33}}
  %0 = lz.reshape %x [33] : (tensor<4x8xf32>) -> tensor<33xf32>
  return
}

// -----

func.func @negative_size(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'lz.reshape' op gives result 0 the negative size -4}}
  %0 = lz.reshape %x [-4, -8] : (tensor<4x8xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @huge_size(%x: tensor<1xf32>) {
  // expected-error @+1 {{'lz.tile' op gives result 0 a size that exceeds 64 bits or has no value}}
  %0 = lz.tile %x [floordiv(1, 0)] : (tensor<1xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @huge_count(%x: tensor<1x1xf32>) {
  // expected-error @+1 {{'lz.tile' op gives result 0 more elements than 64 bits count}}
  %0 = lz.tile %x [4611686018427387904, 2] : (tensor<1x1xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @huge_bytes(%x: tensor<1x1xf64>) {
  // expected-error @+1 {{'lz.tile' op gives result 0 of type 'tensor<4194304x4194305xf64>' 140737521909760 bytes, more than any memory has (140737488355328)}}
  %0 = lz.tile %x [4194304, 4194305] : (tensor<1x1xf64>) -> tensor<?x?xf64>
  return
}

// -----

// The largest that there can be, and types of other widths.
func.func @fitting_bytes(%x: tensor<1x1xf64>, %c: tensor<1x1xcomplex<f32>>, %h: tensor<1x1xf16>) {
  %0 = lz.tile %x [4194304, 4194304] : (tensor<1x1xf64>) -> tensor<?x?xf64>
  %1 = lz.tile %c [4194304, 4194304] : (tensor<1x1xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  %2 = lz.tile %h [4194304, 16777216] : (tensor<1x1xf16>) -> tensor<?x?xf16>
  %3 = lz.tile %h [0, 4611686018427387904] : (tensor<1x1xf16>) -> tensor<?x?xf16>
  return
}

// -----

func.func @expansion(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.expand' op operands must broadcast: sizes 4 and 3}}
  %0 = lz.expand %x [3] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @sizes() {
  // expected-error @+1 {{'lz.sizes' op has 2 elements, expected 3}}
  %0 = lz.sizes [1, 2] shape [3] : () -> tensor<3xi64>
  return
}

// -----

func.func @bound_number(%n: tensor<1xi64>) {
  // expected-error @+1 {{'lz.bind' op binds '3', which is not a symbol}}
  lz.bind %n [3] : tensor<1xi64>
  return
}

// -----

func.func @bound_count(%n: tensor<2xi64>) {
  // expected-error @+1 {{'lz.bind' op has 1 symbols, expected 2}}
  lz.bind %n [a] : tensor<2xi64>
  return
}

// -----

func.func @slice_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'lz.slice' op has 1 offsets, expected 2}}
  %0 = lz.slice %x [0] [4, 8] [1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @no_operands() {
  // expected-error @+1 {{'lz.concat' op needs at least one operand}}
  %0 = lz.concat axis 0 : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.concat' op axis 1 is not within rank 1}}
  %0 = lz.concat %x, %x axis 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_sizes(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+1 {{'lz.concat' op sizes off the axis must be equal: 2 is not equal to 3}}
  %0 = lz.concat %x, %y axis 0 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @concat_ranks(%x: tensor<4x2xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'lz.concat' op has 1 dimensions in an operand, expected 2}}
  %0 = lz.concat %x, %y axis 0 : (tensor<4x2xf32>, tensor<4xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @concat_types(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{'lz.concat' op has operands of element types 'f32' and 'f16'}}
  %0 = lz.concat %x, %y axis 0 : (tensor<4xf32>, tensor<4xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @pad_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.pad' op has 2 low counts, expected 1}}
  %0 = lz.pad <edge> %x [1, 1] [1] : (tensor<4xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @crop(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.pad' op must not crop more than there is: -1 is less than 0}}
  %0 = lz.pad <constant> %x [-3] [-2] : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @repeats(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.tile' op has 2 repeats, expected 1}}
  %0 = lz.tile %x [1, 1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @range_types(%x: tensor<f32>, %y: tensor<i64>) {
  // expected-error @+1 {{'lz.range' op has operands of element types 'f32' and 'i64'}}
  %0 = lz.range %x, %y size [3] : (tensor<f32>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

func.func @trilu_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.trilu' op needs an operand of rank 2 or more, not 1}}
  %0 = lz.trilu %x k [0] {upper = true} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @resize_scales(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.resize' op has 2 scales, expected 1}}
  %0 = lz.resize <nearest> %x [8] scales [2.0, 2.0] coordinate <asymmetric> nearest <floor> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_factors(%x: tensor<4xf32>, %f: tensor<f32>) {
  // expected-error @+1 {{'lz.resize' op factors have rank 0, expected 1}}
  %0 = lz.resize <nearest> %x by %f [8] scales [0.0] coordinate <asymmetric> nearest <floor> : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_region(%x: tensor<4xf32>, %r: tensor<3xf32>) {
  // expected-error @+1 {{'lz.resize' op bounds of the region have a wrong number}}
  %0 = lz.resize <nearest> %x within %r [8] scales [0.0] coordinate <tf_crop_and_resize> nearest <floor> : (tensor<4xf32>, tensor<3xf32>) -> tensor<8xf32>
  return
}
