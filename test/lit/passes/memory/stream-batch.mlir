// RUN: lz-opt %s --pass-pipeline='builtin.module(func.func(lz-stream-batch{min-bytes=3000}))' | FileCheck %s
// RUN: lz-opt %s --verify-values --pass-pipeline='builtin.module(func.func(lz-stream-batch{min-bytes=3000}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=VALUES --allow-empty
// RUN: lz-opt %s --lz-stream-batch | FileCheck %s --check-prefix=SMALL

// Values are the same; what is smaller than 16 MB stays as it is.
// VALUES-NOT: {{error|warning|note}}
//  SMALL-NOT: lz.loop

// Samples of what is read from outside are sliced; weights are not, nor what is
// the same for each sample.
// CHECK-LABEL: func @samples
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x2x8x8xf32>, %[[V:[a-z0-9]+]]: tensor<6x2x3x3xf32>, %[[W:[a-z0-9]+]]: tensor<2x6x1x1xf32>, %[[S:[a-z0-9]+]]: tensor<6x1x1xf32>, %[[T:[a-z0-9]+]]: tensor<4x1x1x1xf32>
//  CHECK-SAME: lz.symbols = [#lz.symbol<bands, 0, 4, run>, #lz.symbol<band, 0, 3, run>]
//       CHECK: %[[COUNT:.*]] = lz.constant dense<4> : tensor<i64>
//       CHECK: %[[ALL:.*]] = lz.loop trips %[[COUNT]] symbols [bands] : (tensor<i64>) -> tensor<?x1x2x8x8xf32>
//       CHECK: ^bb0(%[[I:.*]]: tensor<i64>
//       CHECK: %[[ONE:.*]] = lz.reshape %[[I]] [1]
//       CHECK: lz.bind %[[ONE]] [band]
//       CHECK: %[[PART:.*]] = lz.slice %[[X]] [band, 0, 0, 0] [1, 2, 8, 8]
//       CHECK: %[[A:.*]] = lz.conv %[[PART]], %[[V]] {{.*}} -> tensor<1x6x8x8xf32>
//       CHECK: %[[B:.*]] = lz.binary <mul> %[[S]], %[[A]]
//       CHECK: %[[TIMES:.*]] = lz.slice %[[T]] [band, 0, 0, 0] [1, 1, 1, 1]
//       CHECK: %[[C:.*]] = lz.binary <mul> %[[B]], %[[TIMES]]
//       CHECK: %[[D:.*]] = lz.conv %[[C]], %[[W]] {{.*}} -> tensor<1x2x8x8xf32>
//       CHECK: %[[E:.*]] = lz.unary <relu> %[[D]]
//       CHECK: lz.yield %{{.*}}, %[[E]]
//       CHECK: %[[Y:.*]] = lz.reshape %[[ALL]] [4, 2, 8, 8]
//       CHECK: return %[[Y]]
func.func @samples(%x: tensor<4x2x8x8xf32>, %v: tensor<6x2x3x3xf32>, %w: tensor<2x6x1x1xf32>, %s: tensor<6x1x1xf32>, %t: tensor<4x1x1x1xf32>) -> tensor<4x2x8x8xf32> {
  %1 = lz.conv %x, %v strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : (tensor<4x2x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<4x6x8x8xf32>
  %2 = lz.binary <mul> %s, %1 : (tensor<6x1x1xf32>, tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32>
  %3 = lz.binary <mul> %2, %t : (tensor<4x6x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<4x6x8x8xf32>
  %4 = lz.conv %3, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<4x6x8x8xf32>, tensor<2x6x1x1xf32>) -> tensor<4x2x8x8xf32>
  %5 = lz.unary <relu> %4 : (tensor<4x2x8x8xf32>) -> tensor<4x2x8x8xf32>
  return %5 : tensor<4x2x8x8xf32>
}

// As many samples at a time as give an iteration enough to do.
// CHECK-LABEL: func @pairs
//       CHECK: lz.constant dense<4> : tensor<i64>
//       CHECK: lz.slice %{{.*}} [band * 2, 0, 0] [2, 1, 16]
//       CHECK: lz.pool <max> {{.*}} -> tensor<2x4x16xf32>
//       CHECK: lz.reshape %{{.*}} [8, 1, 16]
func.func @pairs(%x: tensor<8x1x16xf32>, %v: tensor<4x1x3xf32>, %w: tensor<1x4x3xf32>) -> tensor<8x1x16xf32> {
  %1 = lz.conv %x, %v strides [1] low [1] high [1] dilations [1] groups 1 : (tensor<8x1x16xf32>, tensor<4x1x3xf32>) -> tensor<8x4x16xf32>
  %2 = lz.pool <max> %1 kernel [3] strides [1] low [1] high [1] dilations [1] sizes [16] : (tensor<8x4x16xf32>) -> tensor<8x4x16xf32>
  %3 = lz.conv %2, %w strides [1] low [1] high [1] dilations [1] groups 1 : (tensor<8x4x16xf32>, tensor<1x4x3xf32>) -> tensor<8x1x16xf32>
  return %3 : tensor<8x1x16xf32>
}

// What reads results and isn't part of the loop comes behind it, and what that
// computes is no part of the loop either.
// CHECK-LABEL: func @behind
//       CHECK: %[[ALL:.*]]:2 = lz.loop
//       CHECK: lz.yield
//       CHECK: %[[A:.*]] = lz.reshape %[[ALL]]#0 [4, 6, 8, 8]
//       CHECK: %[[B:.*]] = lz.reshape %[[ALL]]#1 [4, 10, 8, 8]
//       CHECK: %[[T:.*]] = lz.transpose %[[A]]
//       CHECK: %[[BACK:.*]] = lz.transpose %[[T]]
//       CHECK: %[[N:.*]] = lz.unary <neg> %[[BACK]]
//       CHECK: return %[[B]], %[[N]]
func.func @behind(%x: tensor<4x2x8x8xf32>, %v: tensor<6x2x3x3xf32>, %w: tensor<4x6x1x1xf32>) -> (tensor<4x10x8x8xf32>, tensor<4x6x8x8xf32>) {
  %1 = lz.conv %x, %v strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : (tensor<4x2x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<4x6x8x8xf32>
  %2 = lz.unary <relu> %1 : (tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32>
  %3 = lz.transpose %2 [1, 0, 2, 3] : (tensor<4x6x8x8xf32>) -> tensor<6x4x8x8xf32>
  %4 = lz.transpose %3 [1, 0, 2, 3] : (tensor<6x4x8x8xf32>) -> tensor<4x6x8x8xf32>
  %5 = lz.unary <neg> %4 : (tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32>
  %6 = lz.unary <exp> %1 : (tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32>
  %7 = lz.conv %6, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<4x6x8x8xf32>, tensor<4x6x1x1xf32>) -> tensor<4x4x8x8xf32>
  %8 = lz.concat %6, %7 axis 1 : (tensor<4x6x8x8xf32>, tensor<4x4x8x8xf32>) -> tensor<4x10x8x8xf32>
  return %8, %5 : tensor<4x10x8x8xf32>, tensor<4x6x8x8xf32>
}

// One sample; batches that nothing divides into steps of enough; what is large
// is read from outside; samples that meet in a filter or a concat; a free batch.
// CHECK-LABEL: func @whole
//   CHECK-NOT: lz.loop
func.func @whole(%x: tensor<1x2x16x16xf32>, %y: tensor<7x1x19xf32>, %z: tensor<4x6x8x8xf32>, %f: tensor<?x2x16x16xf32> {lz.dims = [#lz.expr<n>, #lz.expr<2>, #lz.expr<16>, #lz.expr<16>]}, %v: tensor<6x2x3x3xf32>, %u: tensor<6x1x3xf32>, %w: tensor<2x6x1x1xf32>) -> (tensor<1x2x16x16xf32>, tensor<7x6x19xf32>, tensor<4x4x1x1xf32>, tensor<8x6x8x8xf32>, tensor<?x2x16x16xf32>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 100, dim>]} {
  %1 = lz.conv %x, %v strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : (tensor<1x2x16x16xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x16x16xf32>
  %2 = lz.conv %1, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x6x16x16xf32>, tensor<2x6x1x1xf32>) -> tensor<1x2x16x16xf32>
  %3 = lz.conv %y, %u strides [1] low [1] high [1] dilations [1] groups 1 : (tensor<7x1x19xf32>, tensor<6x1x3xf32>) -> tensor<7x6x19xf32>
  %4 = lz.pool <max> %3 kernel [3] strides [1] low [1] high [1] dilations [1] sizes [19] : (tensor<7x6x19xf32>) -> tensor<7x6x19xf32>
  %5 = lz.unary <exp> %z : (tensor<4x6x8x8xf32>) -> tensor<4x6x8x8xf32>
  %6 = lz.conv %z, %5 strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<4x6x8x8xf32>, tensor<4x6x8x8xf32>) -> tensor<4x4x1x1xf32>
  %7 = lz.concat %z, %5 axis 0 : (tensor<4x6x8x8xf32>, tensor<4x6x8x8xf32>) -> tensor<8x6x8x8xf32>
  %8 = lz.conv %f, %v strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : (tensor<?x2x16x16xf32>, tensor<6x2x3x3xf32>) -> tensor<?x6x16x16xf32>
  %9 = lz.conv %8, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<?x6x16x16xf32>, tensor<2x6x1x1xf32>) -> tensor<?x2x16x16xf32>
  return %2, %4, %6, %7, %9 : tensor<1x2x16x16xf32>, tensor<7x6x19xf32>, tensor<4x4x1x1xf32>, tensor<8x6x8x8xf32>, tensor<?x2x16x16xf32>
}
