// RUN: not lz-opt %s --verify-values --lz-simplify --test-miscompile --lz-refine-types -o /dev/null 2>&1 | FileCheck %s
// RUN: lz-opt %s --verify-values --lz-graph --lz-freeze --lz-fuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=RIGHT --allow-empty

// A pass that turns an addition into a subtraction is named, and so is the node;
// the passes around it are not.
// CHECK-NOT: lz-simplify
//     CHECK: error: {{.*}}pass 'test-miscompile' changed the value of 'residual': element {{.*}} was {{.*}} and is
//     CHECK: note: result 0 of 'main' moved
// CHECK-NOT: lz-refine-types

// What the stages really do stays within the bounds.
// RIGHT-NOT: error
// RIGHT-NOT: warning
lz.parameter @w = dense<[[1.0, -2.0], [0.5, 3.0]]> : tensor<2x2xf32>

func.func @main(%x: tensor<?x2xf32> {lz.dims = [#lz.expr<n>, #lz.expr<2>]}) -> tensor<?x2xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>]} {
  %w = lz.param @w : tensor<2x2xf32>
  %0 = lz.matmul %x, %w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32> loc("product")
  %1 = lz.binary <add> %0, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("residual")
  %2 = lz.unary <sigmoid> %1 : (tensor<?x2xf32>) -> tensor<?x2xf32> loc("gate")
  %3 = lz.binary <mul> %2, %1 : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32> loc("swish")
  return %3 : tensor<?x2xf32>
}
