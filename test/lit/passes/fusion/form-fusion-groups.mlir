// RUN: lz-opt %s --lz-form-fusion-groups --lz-verify-fuse | FileCheck %s
// RUN: lz-opt %s --lz-form-fusion-groups=single=true --lz-verify-fuse | FileCheck %s --check-prefix=SINGLE

// A pointwise chain is one group; what is also read elsewhere is a result too.
// CHECK-LABEL: func.func @chain
//  CHECK-SAME:   (%[[X:.*]]: tensor<4xf32>)
//       CHECK:   %[[F:.*]]:2 = lz.fusion %[[X]] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: tensor<4xf32>):
//  CHECK-NEXT:     %[[E:.*]] = lz.unary <exp> %[[A]]
//  CHECK-NEXT:     %[[S:.*]] = lz.binary <add> %[[E]], %[[A]]
//  CHECK-NEXT:     lz.yield %[[E]], %[[S]]
//       CHECK:   return %[[F]]#1, %[[F]]#0
// SINGLE-LABEL: func.func @chain
// SINGLE:         lz.fusion
// SINGLE-NEXT:    ^bb0
// SINGLE-NEXT:      lz.unary <exp>
// SINGLE-NEXT:      lz.yield
// SINGLE:         lz.fusion
// SINGLE-NEXT:    ^bb0
// SINGLE-NEXT:      lz.binary <add>
// SINGLE-NEXT:      lz.yield
func.func @chain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = lz.unary <exp> %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = lz.binary <add> %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4xf32>
}

// A contraction takes the pointwise operations that follow it. Weights are
// operands, a constant of one number is in the body.
// CHECK-LABEL: func.func @epilogue
//       CHECK:   %[[W:.*]] = lz.constant dense_resource<w>
//   CHECK-NOT:   lz.constant
//       CHECK:   %[[F:.*]] = lz.fusion %{{.*}}, %[[W]], %{{.*}} : (tensor<2x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<2x3xf32> {
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: tensor<2x4xf32>, %[[B:.*]]: tensor<4x3xf32>, %[[C:.*]]: tensor<3xf32>):
//  CHECK-NEXT:     %[[M:.*]] = lz.matmul %[[A]], %[[B]]
//  CHECK-NEXT:     %[[S:.*]] = lz.binary <add> %[[M]], %[[C]]
//  CHECK-NEXT:     %[[K:.*]] = lz.constant dense<5.000000e-01> : tensor<f32>
//  CHECK-NEXT:     %[[P:.*]] = lz.binary <mul> %[[S]], %[[K]]
//  CHECK-NEXT:     lz.yield %[[P]]
//       CHECK:   return %[[F]]
func.func @epilogue(%x: tensor<2x4xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %w = lz.constant dense_resource<w> : tensor<4x3xf32>
  %half = lz.constant dense<0.5> : tensor<f32>
  %0 = lz.matmul %x, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = lz.binary <add> %0, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = lz.binary <mul> %1, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// Two branches with an anchor each can't be one kernel; their sum joins the
// later one, behind which the other lies.
// CHECK-LABEL: func.func @residual
//       CHECK:   %[[L:.*]] = lz.fusion
//       CHECK:     lz.matmul
//  CHECK-NEXT:     lz.yield
//       CHECK:   %[[R:.*]] = lz.fusion %{{.*}}, %{{.*}}, %[[L]]
//       CHECK:     lz.matmul
//  CHECK-NEXT:     lz.binary <add>
//  CHECK-NEXT:     lz.unary <relu>
//       CHECK:   return %[[R]]
func.func @residual(%x: tensor<4x4xf32>, %v: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = lz.matmul %x, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = lz.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = lz.binary <add> %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = lz.unary <relu> %2 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// A group must not wait for itself: the sum needs the second product, which
// needs the exponential.
// CHECK-LABEL: func.func @cycle
//       CHECK:   lz.fusion
//       CHECK:     lz.unary <exp>
//  CHECK-NEXT:     lz.yield
//       CHECK:   lz.fusion
//       CHECK:     lz.matmul
//  CHECK-NEXT:     lz.binary <add>
//  CHECK-NEXT:     lz.yield
func.func @cycle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = lz.unary <exp> %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = lz.matmul %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = lz.binary <add> %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// A cheap producer is computed inside a row's passes, an expensive one is not.
// CHECK-LABEL: func.func @rows
//       CHECK:   lz.fusion
//       CHECK:     lz.binary <mul>
//  CHECK-NEXT:     lz.softmax
//  CHECK-NEXT:     lz.yield
//       CHECK:   lz.fusion
//       CHECK:     lz.unary <exp>
//  CHECK-NEXT:     lz.yield
//       CHECK:   lz.fusion
//       CHECK:     lz.softmax
//  CHECK-NEXT:     lz.yield
func.func @rows(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = lz.binary <mul> %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = lz.softmax <softmax> %0 axis 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = lz.unary <exp> %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = lz.softmax <softmax> %2 axis 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A reduction reads each element once: even an exponential is computed in it.
// The division reads the sums at other indices than its own.
// CHECK-LABEL: func.func @reduction
//       CHECK:   lz.fusion
//       CHECK:     lz.unary <exp>
//  CHECK-NEXT:     lz.reduce <sum>
//  CHECK-NEXT:     lz.yield
//       CHECK:   lz.fusion
//       CHECK:     lz.binary <div>
//  CHECK-NEXT:     lz.yield
func.func @reduction(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lz.unary <exp> %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = lz.reduce <sum> %0 axes [1] keep_dims true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = lz.binary <div> %x, %1 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Views stay between the groups; joins and library kernels stand alone.
// CHECK-LABEL: func.func @alone
//       CHECK:   %[[J:.*]] = lz.fusion
//       CHECK:     lz.concat
//  CHECK-NEXT:     lz.yield
//       CHECK:   %[[V:.*]] = lz.reshape %[[J]] [32]
//       CHECK:   lz.fusion %[[V]]
//       CHECK:     lz.unary <relu>
//  CHECK-NEXT:     lz.yield
//       CHECK:   lz.fusion
//       CHECK:     lz.cumsum
//  CHECK-NEXT:     lz.yield
func.func @alone(%x: tensor<2x8xf32>) -> tensor<32xf32> {
  %0 = lz.concat %x, %x axis 0 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %1 = lz.reshape %0 [32] : (tensor<4x8xf32>) -> tensor<32xf32>
  %2 = lz.unary <relu> %1 : (tensor<32xf32>) -> tensor<32xf32>
  %3 = lz.cumsum %2 axis 0 exclusive false reverse false : (tensor<32xf32>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// Regions of control flow have groups of their own.
// CHECK-LABEL: func.func @branches
//       CHECK:   lz.if
//       CHECK:     lz.fusion
//       CHECK:       lz.unary <exp>
//       CHECK:     lz.yield
//       CHECK:   } else {
//       CHECK:     lz.fusion
//       CHECK:       lz.unary <neg>
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lz.if %c symbols [] : (tensor<i1>) -> tensor<4xf32> {
    %1 = lz.unary <exp> %x : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %1 : tensor<4xf32>
  } else {
    %1 = lz.unary <neg> %x : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// A size that the run binds comes before what mentions it, though no value does.
// CHECK-LABEL: func.func @bound
//       CHECK:   lz.bind
//       CHECK:   lz.fusion
//       CHECK:     lz.expand
func.func @bound(%n: tensor<1xi64>, %x: tensor<1xf32>) -> tensor<?xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, run>]} {
  %0 = lz.unary <exp> %x : (tensor<1xf32>) -> tensor<1xf32>
  %one = lz.constant dense<1> : tensor<1xi64>
  %m = lz.binary <add> %n, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  lz.bind %m [n] : tensor<1xi64>
  %1 = lz.expand %0 [n] : (tensor<1xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Only sizes that are known equal are one iteration space.
// CHECK-LABEL: func.func @symbolic
//       CHECK:   lz.fusion
//       CHECK:     lz.unary <exp>
//  CHECK-NEXT:     lz.unary <neg>
//  CHECK-NEXT:     lz.yield
//       CHECK:   lz.fusion
//       CHECK:     lz.binary <add>
func.func @symbolic(%x: tensor<?x4xf32> {lz.dims = [#lz.expr<a>, #lz.expr<4>]},
                    %y: tensor<?x4xf32> {lz.dims = [#lz.expr<b>, #lz.expr<4>]}) -> tensor<?x4xf32>
    attributes {lz.symbols = [#lz.symbol<a, 0, 100, dim>, #lz.symbol<b, 0, 100, dim>]} {
  %0 = lz.unary <exp> %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = lz.unary <neg> %0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = lz.binary <add> %1, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// An attention is one kernel, with what lies between its products.
// CHECK-LABEL: func.func @attention
// CHECK-COUNT-1:   lz.fusion
//      CHECK:     lz.matmul
// CHECK-NEXT:     lz.constant
// CHECK-NEXT:     lz.binary <mul>
// CHECK-NEXT:     lz.binary <add>
// CHECK-NEXT:     lz.softmax
// CHECK-NEXT:     lz.matmul
// CHECK-NEXT:     lz.binary <add>
// CHECK-NEXT:     lz.yield
//  CHECK-NOT:   lz.fusion
func.func @attention(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %m: tensor<1x1x7xf32>,
                     %r: tensor<2x9x5xf32>) -> tensor<2x9x5xf32> {
  %c = lz.constant dense<0.5> : tensor<f32>
  %0 = lz.matmul %q, %k {transpose_rhs} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %1 = lz.binary <mul> %0, %c : (tensor<2x9x7xf32>, tensor<f32>) -> tensor<2x9x7xf32>
  %2 = lz.binary <add> %1, %m : (tensor<2x9x7xf32>, tensor<1x1x7xf32>) -> tensor<2x9x7xf32>
  %3 = lz.softmax <softmax> %2 axis 2 : (tensor<2x9x7xf32>) -> tensor<2x9x7xf32>
  %4 = lz.matmul %3, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  %5 = lz.binary <add> %4, %r : (tensor<2x9x5xf32>, tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  return %5 : tensor<2x9x5xf32>
}

// Products around a softmax that are no attention: of the middle dimension, in
// f16, with one matrix of values for the whole batch.
// CHECK-LABEL: func.func @no_attention
// CHECK-COUNT-9:   lz.fusion
func.func @no_attention(%q: tensor<2x9x4xf32>, %k: tensor<2x4x9xf32>, %h: tensor<2x9x9xf16>, %v: tensor<9x5xf32>)
    -> (tensor<2x9x9xf32>, tensor<2x9x9xf16>, tensor<2x9x5xf32>) {
  %0 = lz.matmul %q, %k : (tensor<2x9x4xf32>, tensor<2x4x9xf32>) -> tensor<2x9x9xf32>
  %1 = lz.softmax <softmax> %0 axis 1 : (tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %2 = lz.matmul %1, %1 : (tensor<2x9x9xf32>, tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %3 = lz.matmul %h, %h : (tensor<2x9x9xf16>, tensor<2x9x9xf16>) -> tensor<2x9x9xf16>
  %4 = lz.softmax <softmax> %3 axis 2 : (tensor<2x9x9xf16>) -> tensor<2x9x9xf16>
  %5 = lz.matmul %4, %h : (tensor<2x9x9xf16>, tensor<2x9x9xf16>) -> tensor<2x9x9xf16>
  %6 = lz.matmul %q, %k : (tensor<2x9x4xf32>, tensor<2x4x9xf32>) -> tensor<2x9x9xf32>
  %7 = lz.softmax <softmax> %6 axis 2 : (tensor<2x9x9xf32>) -> tensor<2x9x9xf32>
  %8 = lz.matmul %7, %v : (tensor<2x9x9xf32>, tensor<9x5xf32>) -> tensor<2x9x5xf32>
  return %2, %5, %8 : tensor<2x9x9xf32>, tensor<2x9x9xf16>, tensor<2x9x5xf32>
}

// %m has m rows or one, and only the block knows that %0 has as many or more:
// inside a kernel %1 would have another size than %2.
// CHECK-LABEL: func.func @broadcasts_unseen
//       CHECK:   %[[P:.*]] = lz.fusion %{{.*}}, %arg2
//       CHECK:     lz.matmul
//       CHECK:   lz.fusion %[[P]], %arg1
//       CHECK:     lz.binary <mul>
//  CHECK-NEXT:     lz.unary <exp>
func.func @broadcasts_unseen(%x: tensor<?x4xf32> {lz.dims = [#lz.expr<n>, #lz.expr<4>]},
                             %m: tensor<?x4xf32> {lz.dims = [#lz.expr<m>, #lz.expr<4>]},
                             %w: tensor<4x4xf32>) -> tensor<?x4xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>, #lz.symbol<m, 0, 100, dim>]} {
  %0 = lz.binary <add> %x, %m : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = lz.matmul %0, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %2 = lz.binary <mul> %1, %m : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = lz.unary <exp> %2 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}
