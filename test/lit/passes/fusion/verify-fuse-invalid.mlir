// RUN: lz-opt %s --lz-verify-fuse --split-input-file --verify-diagnostics

func.func @bare(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lz.unary' op is outside of lz.fusion; lz-form-fusion-groups should have wrapped it}}
  %0 = lz.unary <exp> %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

lz.parameter @w = dense_resource<w> : tensor<4xf32>
func.func @parameter() -> tensor<4xf32> {
  // expected-error @+1 {{'lz.param' op is left before scheduling; lz-freeze-parameters should have removed it}}
  %0 = lz.param @w : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @nested(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lz.if %c symbols [] : (tensor<i1>) -> tensor<4xf32> {
    // expected-error @+1 {{'lz.unary' op is outside of lz.fusion}}
    %1 = lz.unary <exp> %x : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %1 : tensor<4xf32>
  } else {
    lz.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
