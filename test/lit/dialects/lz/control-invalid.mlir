// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

func.func @constant_type() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "lz.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @undefined_parameter() {
  // expected-error @+1 {{'lz.param' op reads parameter 'w', which the module does not define}}
  %0 = lz.param @w : tensor<4xf32>
  return
}

// -----

lz.parameter @w = dense_resource<w> : tensor<4xf32>
func.func @parameter_type() {
  // expected-error @+1 {{'lz.param' op has type 'tensor<3xf32>', but parameter 'w' has type 'tensor<4xf32>'}}
  %0 = lz.param @w : tensor<3xf32>
  return
}

// -----

func.func @branch_counts(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.if' op has 0 else values, expected 1}}
  %0 = lz.if %c symbols [] : (tensor<i1>) -> tensor<4xf32> {
    lz.yield %x : tensor<4xf32>
  } else {
    lz.yield
  }
  return
}

// -----

func.func @branch_types(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xi64>) {
  // expected-error @+1 {{'lz.if' op has branches that give 'tensor<4xf32>' and 'tensor<4xi64>'}}
  %0 = lz.if %c symbols [] : (tensor<i1>) -> tensor<4xf32> {
    lz.yield %x : tensor<4xf32>
  } else {
    lz.yield %y : tensor<4xi64>
  }
  return
}

// -----

func.func @branch_sizes(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'lz.if' op needs one symbol per dimension that differs}}
  %0 = lz.if %c symbols [] : (tensor<i1>) -> tensor<?xf32> {
    lz.yield %x : tensor<4xf32>
  } else {
    lz.yield %y : tensor<3xf32>
  }
  return
}

// -----

func.func @loop_arguments(%n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.loop' op has 2 body arguments, expected 3}}
  %0 = lz.loop trips %n carry %x symbols [] : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>):
    lz.yield %go, %x : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @loop_symbols(%n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.loop' op needs a symbol for the number of iterations}}
  %0 = lz.loop trips %n symbols [] : (tensor<i64>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>):
    lz.yield %go, %x : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @loop_yield(%n: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.loop' op yields 1 values, expected at least 2}}
  %0 = lz.loop trips %n carry %x symbols [] : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<4xf32>):
    lz.yield %go : tensor<i1>
  }
  return
}

// -----

func.func @fusion_arguments(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.fusion' op has block arguments of other types than its operands}}
  %0 = lz.fusion %x : (tensor<4xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    lz.yield %a : tensor<3xf32>
  }
  return
}

// -----

func.func @fusion_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.fusion' op yields other types than its results'}}
  %0 = lz.fusion %x : (tensor<4xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<4xf32>):
    lz.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @alike(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.sequence_pack' op has values of one shape, so data must have rank 2, and there are no shapes}}
  %0 = lz.sequence_pack %x dims [2] : (tensor<4xf32>) -> !lz.sequence<tensor<2xf32>>
  return
}

// -----

func.func @varied(%x: tensor<4xf32>, %s: tensor<2x3xi64>) {
  // expected-error @+1 {{'lz.sequence_pack' op has values of different shapes, so data must have rank 1, and shapes a row of i64 for each value}}
  %0 = lz.sequence_pack %x shapes %s dims [floordiv(1, 0), 2] : (tensor<4xf32>, tensor<2x3xi64>) -> !lz.sequence<tensor<?x2xf32>>
  return
}

// -----

// expected-error @+1 {{argument 0 of type 'tensor<?xf32>' needs 'lz.dims' with one size for each dimension}}
func.func @dims(%x: tensor<?xf32>) {
  return
}
