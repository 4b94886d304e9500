// RUN: lz-opt %s --pass-pipeline='builtin.module(lz-verify-freeze,func.func(lz-verify-graph))' --split-input-file --verify-diagnostics

func.func @open_size(%x: tensor<2x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'lz.unary' op has dimension 0 of known size 2 left open in type 'tensor<?x8xf32>'; lz-refine-types should have set it}}
  %0 = lz.unary <relu> %x : (tensor<2x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @known() -> tensor<i64> {
  %0 = lz.constant dense<2> : tensor<i64>
  // expected-error @+1 {{'lz.binary' op computes integers that are known; lz-refine-types should have made a constant of them}}
  %1 = lz.binary <mul> %0, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %1 : tensor<i64>
}

// -----

// expected-error @+1 {{'lz.parameter' op is left for inference; lz-freeze-parameters should have removed it}}
lz.parameter @w = dense_resource<w> : tensor<4xf32>
