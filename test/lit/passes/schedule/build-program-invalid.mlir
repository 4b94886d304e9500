// RUN: lz-opt %s --lz-build-program --split-input-file --verify-diagnostics

func.func @bare(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{can't be scheduled outside a fusion group}}
  %0 = lz.unary <relu> %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @undeclared(%x: tensor<1xi64>) -> tensor<1xi64> {
  // expected-error @+1 {{binds a symbol that is not declared}}
  lz.bind %x [n] : tensor<1xi64>
  return %x : tensor<1xi64>
}

// -----

func.func @sequence(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lz.fusion %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{a value of type '!lz.sequence<tensor<4xf32>>' can't be compiled: only tensors of numbers have a place in memory; cut the model before it, or behind it}}
    %1 = lz.sequence_construct %a of tensor<4xf32> : (tensor<4xf32>) -> !lz.sequence<tensor<4xf32>>
    lz.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
