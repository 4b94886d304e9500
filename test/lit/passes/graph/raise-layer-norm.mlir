// RUN: lz-opt %s --lz-raise --cse | FileCheck %s

// ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add.
// CHECK-LABEL: func.func @layer
//  CHECK-SAME:   (%[[X:.*]]: tensor<2x8xf32>, %[[S:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
//  CHECK-NEXT:   lz.layer_norm <layer> %[[X]], %[[S]] bias %[[B]] axis 1 epsilon 9.99{{.*}}E-6
//  CHECK-NEXT:   return
func.func @layer(%x: tensor<2x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8xf32> {
  %two = lz.constant dense<2.0> : tensor<f32>
  %epsilon = lz.constant dense<1.0e-5> : tensor<f32>
  %0 = lz.reduce <mean> %x axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %2 = lz.binary <pow> %1, %two : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %3 = lz.reduce <mean> %2 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = lz.binary <add> %3, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = lz.unary <sqrt> %4 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %6 = lz.binary <div> %1, %5 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %7 = lz.binary <mul> %6, %s : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %8 = lz.binary <add> %7, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %8 : tensor<2x8xf32>
}

// The root as a reciprocal factor, and the square as a product.
// CHECK-LABEL: func.func @reciprocal
//  CHECK-NEXT:   lz.layer_norm <layer> %{{.*}}, %{{.*}} bias
//  CHECK-NEXT:   return
func.func @reciprocal(%x: tensor<2x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8xf32> {
  %two = lz.constant dense<2.0> : tensor<f32>
  %epsilon = lz.constant dense<1.0e-5> : tensor<f32>
  %0 = lz.reduce <mean> %x axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %2 = lz.binary <mul> %1, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = lz.reduce <mean> %2 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = lz.binary <add> %3, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = lz.unary <sqrt> %4 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %r = lz.unary <reciprocal> %5 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %6 = lz.binary <mul> %1, %r : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %7 = lz.binary <mul> %6, %s : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %8 = lz.binary <add> %7, %b : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %8 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @rms
//  CHECK-NEXT:   lz.layer_norm <rms> %{{[a-z0-9]*}}, %{{[a-z0-9]*}} axis 1 epsilon
//  CHECK-NEXT:   return
func.func @rms(%x: tensor<2x8xf32>, %s: tensor<8xf32>) -> tensor<2x8xf32> {
  %two = lz.constant dense<2.0> : tensor<f32>
  %epsilon = lz.constant dense<1.0e-5> : tensor<f32>
  %2 = lz.binary <pow> %x, %two : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %3 = lz.reduce <mean> %2 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = lz.binary <add> %3, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = lz.unary <sqrt> %4 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %6 = lz.binary <div> %x, %5 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %7 = lz.binary <mul> %6, %s : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %7 : tensor<2x8xf32>
}

// Over the first dimension.
// CHECK-LABEL: func.func @leading
//   CHECK-NOT:   lz.layer_norm
//       CHECK:   lz.binary <div>
func.func @leading(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %two = lz.constant dense<2.0> : tensor<f32>
  %epsilon = lz.constant dense<1.0e-5> : tensor<f32>
  %0 = lz.reduce <mean> %x axes [0] keep_dims true : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
  %2 = lz.binary <pow> %1, %two : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %3 = lz.reduce <mean> %2 axes [0] keep_dims true : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %4 = lz.binary <add> %3, %epsilon : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %5 = lz.unary <sqrt> %4 : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %6 = lz.binary <div> %1, %5 : (tensor<2x8xf32>, tensor<1x8xf32>) -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

// The squares are of the input, not of what is divided.
// CHECK-LABEL: func.func @other_squares
//   CHECK-NOT:   lz.layer_norm
//       CHECK:   lz.binary <div>
func.func @other_squares(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %two = lz.constant dense<2.0> : tensor<f32>
  %epsilon = lz.constant dense<1.0e-5> : tensor<f32>
  %0 = lz.reduce <mean> %x axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %2 = lz.binary <pow> %x, %two : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %3 = lz.reduce <mean> %2 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = lz.binary <add> %3, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = lz.unary <sqrt> %4 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %6 = lz.binary <div> %1, %5 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %6 : tensor<2x8xf32>
}

// The variance has another reader: both would compute it.
// CHECK-LABEL: func.func @shared_variance
//   CHECK-NOT:   lz.layer_norm
//       CHECK:   lz.binary <div>
func.func @shared_variance(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x1xf32>) {
  %two = lz.constant dense<2.0> : tensor<f32>
  %epsilon = lz.constant dense<1.0e-5> : tensor<f32>
  %0 = lz.reduce <mean> %x axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %2 = lz.binary <pow> %1, %two : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %3 = lz.reduce <mean> %2 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = lz.binary <add> %3, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = lz.unary <sqrt> %4 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %6 = lz.binary <div> %1, %5 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %6, %3 : tensor<2x8xf32>, tensor<2x1xf32>
}

// A factor for each row is no scale of the norm; it stays behind it.
// CHECK-LABEL: func.func @row_factor
//       CHECK:   lz.layer_norm
//       CHECK:   lz.binary <mul>
func.func @row_factor(%x: tensor<2x8xf32>, %s: tensor<2x1xf32>) -> tensor<2x8xf32> {
  %two = lz.constant dense<2.0> : tensor<f32>
  %epsilon = lz.constant dense<1.0e-5> : tensor<f32>
  %0 = lz.reduce <mean> %x axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %1 = lz.binary <sub> %x, %0 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %2 = lz.binary <pow> %1, %two : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %3 = lz.reduce <mean> %2 axes [1] keep_dims true : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = lz.binary <add> %3, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %5 = lz.unary <sqrt> %4 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %6 = lz.binary <div> %1, %5 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %7 = lz.binary <mul> %6, %s : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %7 : tensor<2x8xf32>
}
