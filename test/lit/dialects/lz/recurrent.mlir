// RUN: lz-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @recurrent
func.func @recurrent(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>,
                     %gw: tensor<1x12x3xf32>, %gr: tensor<1x12x4xf32>, %gb: tensor<1x24xf32>,
                     %sw: tensor<2x4x3xf32>, %sr: tensor<2x4x4xf32>, %n: tensor<2xi64>) {
  // CHECK: lz.lstm %{{.*}}, %{{.*}}, %{{.*}} <forward>
  %0:3 = lz.lstm %x, %w, %r <forward> {hidden = 4 : i64, activations = ["sigmoid", "tanh", "tanh"], activation_alpha = [], activation_beta = [], input_forget = false}
      : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  // CHECK: lz.gru %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} <reverse>
  %1:2 = lz.gru %x, %gw, %gr bias %gb <reverse> {hidden = 4 : i64, activations = ["sigmoid", "tanh"], activation_alpha = [], activation_beta = [], linear_before_reset = true}
      : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  // CHECK: lz.rnn %{{.*}}, %{{.*}}, %{{.*}} lengths %{{.*}} <bidirectional>
  %2:2 = lz.rnn %x, %sw, %sr lengths %n <bidirectional> {hidden = 4 : i64, activations = ["tanh", "tanh"], activation_alpha = [], activation_beta = []}
      : (tensor<5x2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2xi64>) -> (tensor<5x2x2x4xf32>, tensor<2x2x4xf32>)
  return
}
