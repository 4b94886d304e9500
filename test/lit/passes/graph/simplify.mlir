// RUN: lz-opt %s --lz-simplify | FileCheck %s

// CHECK-LABEL: func.func @casts
//  CHECK-SAME:   (%[[H:.*]]: tensor<4xf16>, %[[F:.*]]: tensor<4xf32>)
//       CHECK:   %[[D:.*]] = lz.cast %[[H]] to f64
// Rounding to f16 between is not nothing.
//       CHECK:   %[[N:.*]] = lz.cast %[[F]] to f16
//       CHECK:   %[[W:.*]] = lz.cast %[[N]] to f32
//       CHECK:   return %[[H]], %[[D]], %[[W]]
func.func @casts(%h: tensor<4xf16>, %f: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf64>, tensor<4xf32>) {
  %0 = lz.cast %h to f32 : (tensor<4xf16>) -> tensor<4xf32>
  %1 = lz.cast %0 to f16 : (tensor<4xf32>) -> tensor<4xf16>
  %2 = lz.cast %0 to f64 : (tensor<4xf32>) -> tensor<4xf64>
  %3 = lz.cast %f to f16 : (tensor<4xf32>) -> tensor<4xf16>
  %4 = lz.cast %3 to f32 : (tensor<4xf16>) -> tensor<4xf32>
  return %1, %2, %4 : tensor<4xf16>, tensor<4xf64>, tensor<4xf32>
}

// i8 fits into i16, not into u16.
// CHECK-LABEL: func.func @integer_casts
//  CHECK-SAME:   (%[[X:.*]]: tensor<4xi8>)
//       CHECK:   %[[U:.*]] = lz.cast %[[X]] to ui16
//       CHECK:   %[[I:.*]] = lz.cast %[[U]] to i8
//       CHECK:   return %[[X]], %[[I]]
func.func @integer_casts(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %0 = lz.cast %x to i16 : (tensor<4xi8>) -> tensor<4xi16>
  %1 = lz.cast %0 to i8 : (tensor<4xi16>) -> tensor<4xi8>
  %2 = lz.cast %x to ui16 : (tensor<4xi8>) -> tensor<4xui16>
  %3 = lz.cast %2 to i8 : (tensor<4xui16>) -> tensor<4xi8>
  return %1, %3 : tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: func.func @unary_pairs
//  CHECK-SAME:   (%[[X:.*]]: tensor<4xf32>)
//       CHECK:   %[[R:.*]] = lz.unary <relu> %[[X]]
//       CHECK:   %[[E:.*]] = lz.unary <exp>
//       CHECK:   %[[EE:.*]] = lz.unary <exp> %[[E]]
//       CHECK:   return %[[X]], %[[R]], %[[EE]]
func.func @unary_pairs(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = lz.unary <neg> %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = lz.unary <neg> %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = lz.unary <relu> %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = lz.unary <relu> %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = lz.unary <exp> %x : (tensor<4xf32>) -> tensor<4xf32>
  %5 = lz.unary <exp> %4 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// x + 0 makes 0 of -0, so only -0 is neutral among floats; a sum that broadcasts
// is not its operand.
// CHECK-LABEL: func.func @neutral
//  CHECK-SAME:   (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<1xi64>)
//       CHECK:   %[[S:.*]] = lz.binary <add> %[[X]]
//       CHECK:   %[[B:.*]] = lz.binary <add> %[[I]]
//       CHECK:   return %[[X]], %[[S]], %[[I]], %[[B]]
func.func @neutral(%x: tensor<4xf32>, %i: tensor<1xi64>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<1xi64>, tensor<2xi64>) {
  %minus = lz.constant dense<-0.0> : tensor<f32>
  %plus = lz.constant dense<0.0> : tensor<f32>
  %none = lz.constant dense<0> : tensor<i64>
  %nones = lz.constant dense<0> : tensor<2xi64>
  %0 = lz.binary <add> %x, %minus : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = lz.binary <add> %x, %plus : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = lz.binary <add> %none, %i : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %3 = lz.binary <add> %i, %nones : (tensor<1xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<1xi64>, tensor<2xi64>
}

// [1, 2, 0] and then [0, 2, 1] is [1, 0, 2]; a pair that undoes itself is gone.
// CHECK-LABEL: func.func @transposes
//  CHECK-SAME:   (%[[X:.*]]: tensor<2x3x5xf32>)
//       CHECK:   %[[T:.*]] = lz.transpose %[[X]] [1, 0, 2]
//       CHECK:   return %[[T]], %[[X]]
func.func @transposes(%x: tensor<2x3x5xf32>) -> (tensor<3x2x5xf32>, tensor<2x3x5xf32>) {
  %0 = lz.transpose %x [1, 2, 0] : (tensor<2x3x5xf32>) -> tensor<3x5x2xf32>
  %1 = lz.transpose %0 [0, 2, 1] : (tensor<3x5x2xf32>) -> tensor<3x2x5xf32>
  %2 = lz.transpose %0 [2, 0, 1] : (tensor<3x5x2xf32>) -> tensor<2x3x5xf32>
  return %1, %2 : tensor<3x2x5xf32>, tensor<2x3x5xf32>
}

// Elements 2, 4, 6 ... of which every third from the second on: 4, 10.
// CHECK-LABEL: func.func @slices
//       CHECK:   lz.slice %{{.*}} [4] [2] [6]
//   CHECK-NOT:   lz.slice
func.func @slices(%x: tensor<16xf32>) -> tensor<2xf32> {
  %0 = lz.slice %x [2] [6] [2] : (tensor<16xf32>) -> tensor<6xf32>
  %1 = lz.slice %0 [1] [2] [3] : (tensor<6xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @decided
//   CHECK-NOT:   lz.if
//       CHECK:   %[[E:.*]] = lz.unary <exp>
//       CHECK:   return %[[E]]
func.func @decided(%x: tensor<4xf32>) -> tensor<4xf32> {
  %true = lz.constant dense<true> : tensor<i1>
  %0 = lz.if %true symbols [] : (tensor<i1>) -> tensor<4xf32> {
    %1 = lz.unary <exp> %x : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %1 : tensor<4xf32>
  } else {
    lz.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @undecided
//       CHECK:   lz.if
func.func @undecided(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lz.if %c symbols [] : (tensor<i1>) -> tensor<4xf32> {
    %1 = lz.unary <exp> %x : (tensor<4xf32>) -> tensor<4xf32>
    lz.yield %1 : tensor<4xf32>
  } else {
    lz.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
