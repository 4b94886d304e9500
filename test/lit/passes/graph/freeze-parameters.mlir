// RUN: lz-opt %s --lz-freeze-parameters --lz-verify-freeze | FileCheck %s

// Constants share the parameters' resources; unused parameters are gone.
// CHECK-NOT: lz.parameter
lz.parameter @w = dense_resource<w> : tensor<4xf32>
lz.parameter @unused = dense_resource<unused> : tensor<4xf32>

// CHECK-LABEL: func.func @main
//       CHECK:   %[[W:.*]] = lz.constant dense_resource<w> : tensor<4xf32>
//       CHECK:   return %[[W]]
func.func @main() -> tensor<4xf32> {
  %0 = lz.param @w : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @second_entry
//       CHECK:   lz.constant dense_resource<w> : tensor<4xf32>
func.func @second_entry() -> tensor<4xf32> {
  %0 = lz.param @w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
