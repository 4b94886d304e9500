// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

// One case per rule: what the operands of the family can't be.

func.func @rank(%x: tensor<2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+1 {{'lz.rnn' op has 2 input dimensions, expected 3}}
  %0:2 = lz.rnn %x, %w, %r <forward> {hidden = 4 : i64, activations = [], activation_alpha = [], activation_beta = []} : (tensor<2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @weights(%x: tensor<5x2x3xf32>, %w: tensor<1x5x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+1 {{'lz.rnn' op weights must fit the other operands: 5 is not equal to 4}}
  %0:2 = lz.rnn %x, %w, %r <forward> {hidden = 4 : i64, activations = [], activation_alpha = [], activation_beta = []} : (tensor<5x2x3xf32>, tensor<1x5x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @directions(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @+1 {{'lz.rnn' op weights must fit the other operands: 1 is not equal to 2}}
  %0:2 = lz.rnn %x, %w, %r <bidirectional> {hidden = 4 : i64, activations = [], activation_alpha = [], activation_beta = []} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %l: tensor<5xi64>) {
  // expected-error @+1 {{'lz.rnn' op lengths must fit the other operands: 5 is not equal to 2}}
  %0:2 = lz.rnn %x, %w, %r lengths %l <forward> {hidden = 4 : i64, activations = [], activation_alpha = [], activation_beta = []} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<5xi64>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}
