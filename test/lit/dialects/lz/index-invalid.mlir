// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

// One case per rule: what the operands of the family can't be.

func.func @gather_axis(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'lz.gather' op axis 1 is not within rank 1}}
  %0 = lz.gather %x, %i axis 1 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @elements_rank(%x: tensor<4xf32>, %i: tensor<2x2xi64>) {
  // expected-error @+1 {{'lz.gather_elements' op has 2 index dimensions, expected 1}}
  %0 = lz.gather_elements %x, %i axis 0 : (tensor<4xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @elements_sizes(%x: tensor<4x4xf32>, %i: tensor<2x5xi64>) {
  // expected-error @+1 {{'lz.gather_elements' op indices must not exceed the input off the axis: 4 is less than 5}}
  %0 = lz.gather_elements %x, %i axis 0 : (tensor<4x4xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  return
}

// -----

func.func @batch_dims(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'lz.gather_nd' op batch_dims 1 is not below the ranks 1 and 1}}
  %0 = lz.gather_nd %x, %i batch_dims 1 : (tensor<4xf32>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @tuples(%x: tensor<4xf32>, %i: tensor<3x2xi64>) {
  // expected-error @+1 {{'lz.gather_nd' op needs indices whose last dimension is known and at most 1}}
  %0 = lz.gather_nd %x, %i batch_dims 0 : (tensor<4xf32>, tensor<3x2xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @batch_sizes(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{'lz.gather_nd' op batch dimensions must be equal: 4 is not equal to 3}}
  %0 = lz.gather_nd %x, %i batch_dims 1 : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @updates(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<3xf32>) {
  // expected-error @+1 {{'lz.scatter_elements' op indices and updates must have one shape: 2 is not equal to 3}}
  %0 = lz.scatter_elements <none> %x, %i, %u axis 0 : (tensor<4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @update_types(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf64>) {
  // expected-error @+1 {{'lz.scatter_elements' op has operands of element types 'f32' and 'f64'}}
  %0 = lz.scatter_elements <none> %x, %i, %u axis 0 : (tensor<4xf32>, tensor<2xi64>, tensor<2xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @slices(%x: tensor<4x8xf32>, %i: tensor<2x1xi64>, %u: tensor<2x7xf32>) {
  // expected-error @+1 {{'lz.scatter_nd' op updates must fit indices and input: 7 is not equal to 8}}
  %0 = lz.scatter_nd <none> %x, %i, %u : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @off_on(%i: tensor<2xi64>, %v: tensor<3xf32>) {
  // expected-error @+1 {{'lz.one_hot' op values must be [off, on]: 3 is not equal to 2}}
  %0 = lz.one_hot %i, %v depth [4] axis 1 : (tensor<2xi64>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @k(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.top_k' op k must not exceed the dimension: 4 is less than 5}}
  %0:2 = lz.top_k %x k [5] axis 0 largest true : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @counts(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.non_zero' op has 2 counts, expected 1}}
  %0 = lz.non_zero %x count [a, b] : (tensor<4xf32>) -> tensor<1x?xi64>
  return
}

// -----

func.func @unique_axis(%x: tensor<f32>) {
  // expected-error @+1 {{'lz.unique' op axis 0 is not within rank 0}}
  %0:5 = lz.unique %x axis 0 sorted true : (tensor<f32>) -> (tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  return
}

// -----

func.func @box(%b: tensor<1x6x5xf32>, %s: tensor<1x1x6xf32>, %m: tensor<i64>, %o: tensor<f32>) {
  // expected-error @+1 {{'lz.non_max_suppression' op a box must be four numbers: 5 is not equal to 4}}
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [6] center false : (tensor<1x6x5xf32>, tensor<1x1x6xf32>, tensor<i64>, tensor<f32>) -> (tensor<6x3xi64>, tensor<1xi64>)
  return
}

// -----

func.func @box_rank(%b: tensor<6x4xf32>, %s: tensor<1x1x6xf32>, %m: tensor<i64>, %o: tensor<f32>) {
  // expected-error @+1 {{'lz.non_max_suppression' op has 2 box dimensions, expected 3}}
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [6] center false : (tensor<6x4xf32>, tensor<1x1x6xf32>, tensor<i64>, tensor<f32>) -> (tensor<6x3xi64>, tensor<1xi64>)
  return
}

// -----

func.func @score_rank(%b: tensor<1x6x4xf32>, %s: tensor<1x6xf32>, %m: tensor<i64>, %o: tensor<f32>) {
  // expected-error @+1 {{'lz.non_max_suppression' op has 2 score dimensions, expected 3}}
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [6] center false : (tensor<1x6x4xf32>, tensor<1x6xf32>, tensor<i64>, tensor<f32>) -> (tensor<6x3xi64>, tensor<1xi64>)
  return
}

// -----

func.func @score_batch(%b: tensor<1x6x4xf32>, %s: tensor<2x1x6xf32>, %m: tensor<i64>, %o: tensor<f32>) {
  // expected-error @+1 {{'lz.non_max_suppression' op boxes and scores must have one batch size: 1 is not equal to 2}}
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [6] center false : (tensor<1x6x4xf32>, tensor<2x1x6xf32>, tensor<i64>, tensor<f32>) -> (tensor<12x3xi64>, tensor<1xi64>)
  return
}

// -----

func.func @score_count(%b: tensor<1x6x4xf32>, %s: tensor<1x1x7xf32>, %m: tensor<i64>, %o: tensor<f32>) {
  // expected-error @+1 {{'lz.non_max_suppression' op each box must have a score for each class: 6 is not equal to 7}}
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [6] center false : (tensor<1x6x4xf32>, tensor<1x1x7xf32>, tensor<i64>, tensor<f32>) -> (tensor<6x3xi64>, tensor<1xi64>)
  return
}

// -----

func.func @numbers(%b: tensor<1x6x4xf32>, %s: tensor<1x1x6xf32>, %m: tensor<2xi64>, %o: tensor<f32>) {
  // expected-error @+1 {{'lz.non_max_suppression' op numbers must be tensors of one element: 2 is not equal to 1}}
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [6] center false : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<2xi64>, tensor<f32>) -> (tensor<6x3xi64>, tensor<1xi64>)
  return
}

// -----

func.func @limit(%b: tensor<1x6x4xf32>, %s: tensor<1x1x6xf32>, %m: tensor<i64>, %o: tensor<f32>) {
  // expected-error @+1 {{'lz.non_max_suppression' op the limit must not be negative: -1 is less than 0}}
  %0:2 = lz.non_max_suppression %b, %s most %m overlap %o limit [-1] center false : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<i64>, tensor<f32>) -> (tensor<6x3xi64>, tensor<1xi64>)
  return
}

// -----

func.func @lengths(%x: tensor<4x8xf32>, %l: tensor<4xi64>) {
  // expected-error @+1 {{'lz.reverse_sequence' op there must be a length per sequence: 4 is not equal to 8}}
  %0 = lz.reverse_sequence %x, %l batch 1 time 0 : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  return
}
