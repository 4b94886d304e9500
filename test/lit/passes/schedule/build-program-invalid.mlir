// RUN: lz-opt %s --lz-build-program --split-input-file --verify-diagnostics

func.func @bare(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{can't be scheduled outside a fusion group}}
  %0 = lz.unary <relu> %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unbounded(%x: tensor<1xi64>) -> tensor<1xi64>
    attributes {lz.symbols = [#lz.symbol<n, 0, 2147483647, run>]} {
  // expected-error @+1 {{binds size 'n' to data without a bound, so that the memory of a run can't be planned; bound it with --dim n=0..MAX}}
  lz.bind %x [n] : tensor<1xi64>
  return %x : tensor<1xi64>
}
