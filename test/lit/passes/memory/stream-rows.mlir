// RUN: lz-opt %s --pass-pipeline='builtin.module(func.func(lz-stream-rows{min-bytes=3000}))' | FileCheck %s
// RUN: lz-opt %s --verify-values --pass-pipeline='builtin.module(func.func(lz-stream-rows{min-bytes=3000}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=VALUES --allow-empty
// RUN: lz-opt %s --lz-stream-rows | FileCheck %s --check-prefix=SMALL

// Values are the same; what is smaller than 16 MB stays as it is.
// VALUES-NOT: {{error|warning|note}}
//  SMALL-NOT: lz.loop

// Bands at the borders keep their padding; those between them are a loop, that
// hands the last rows of each window's input on to the next iteration.
// CHECK-LABEL: func @padded
//  CHECK-SAME: lz.symbols = [#lz.symbol<bands, 0, [[TRIPS:[0-9]+]], run>, #lz.symbol<band, 0, {{[0-9]+}}, run>]
//       CHECK: lz.conv {{.*}} low [1, 1] high [0, 1]
//       CHECK: %[[FIRST:.*]] = lz.unary <relu>
//       CHECK: lz.conv %[[FIRST]], {{.*}} low [1, 1] high [0, 1]
//       CHECK: %[[KEPT:.*]] = lz.slice %[[FIRST]] {{.*}} -> tensor<1x24x2x3xf32>
//       CHECK: %[[COUNT:.*]] = lz.constant dense<[[TRIPS]]> : tensor<i64>
//       CHECK: lz.loop trips %[[COUNT]] carry %[[KEPT]] symbols [bands]
//       CHECK: ^bb0(%[[I:.*]]: tensor<i64>, %{{.*}}: tensor<i1>, %[[ABOVE:.*]]: tensor<1x24x2x3xf32>)
//       CHECK: %[[ONE:.*]] = lz.reshape %[[I]] [1]
//       CHECK: lz.bind %[[ONE]] [band]
//       CHECK: lz.slice %{{.*}} [0, 0, band * [[ROWS:[0-9]+]] + {{[0-9]+}}, 0] [1, 2, {{[0-9]+}}, 3]
//       CHECK: lz.conv {{.*}} low [0, 1] high [0, 1] {{.*}} -> tensor<1x24x[[ROWS]]x3xf32>
//       CHECK: %[[NEW:.*]] = lz.unary <relu>
//       CHECK: %[[ALL:.*]] = lz.concat %[[ABOVE]], %[[NEW]] axis 2
//       CHECK: lz.conv %[[ALL]], {{.*}} low [0, 1] high [0, 1] {{.*}} -> tensor<1x2x[[ROWS]]x3xf32>
//       CHECK: %[[NEXT:.*]] = lz.slice %[[ALL]] [0, 0, [[ROWS]], 0] [1, 24, 2, 3]
//       CHECK: lz.yield %{{.*}}, %[[NEXT]], %{{.*}}
//       CHECK: lz.transpose {{.*}} [1, 2, 0, 3, 4]
//       CHECK: lz.conv {{.*}} low [0, 1] high [1, 1]
//       CHECK: lz.conv {{.*}} low [0, 1] high [1, 1]
//       CHECK: lz.concat {{.*}} axis 2
func.func @padded(%x: tensor<1x2x192x3xf32>, %v: tensor<24x2x3x3xf32>, %w: tensor<2x24x3x3xf32>, %b: tensor<2xf32>) -> tensor<1x2x192x3xf32> {
  %1 = lz.conv %x, %v strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : (tensor<1x2x192x3xf32>, tensor<24x2x3x3xf32>) -> tensor<1x24x192x3xf32>
  %2 = lz.unary <relu> %1 : (tensor<1x24x192x3xf32>) -> tensor<1x24x192x3xf32>
  %3 = lz.conv %2, %w bias %b strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 1 : (tensor<1x24x192x3xf32>, tensor<2x24x3x3xf32>, tensor<2xf32>) -> tensor<1x2x192x3xf32>
  return %3 : tensor<1x2x192x3xf32>
}

// Strides, dilations, other windows, uneven padding, and what is computed element
// by element between them, with operands that are the same for each row.
// CHECK-LABEL: func @strided
//       CHECK: lz.loop
//       CHECK: lz.pool <max>
//       CHECK: lz.binary <mul>
//       CHECK: lz.conv
func.func @strided(%x: tensor<?x2x203x4xf32> {lz.dims = [#lz.expr<n>, #lz.expr<2>, #lz.expr<203>, #lz.expr<4>]}, %v: tensor<12x1x5x1xf32>, %s: tensor<12x1x1xf32>, %w: tensor<1x12x3x3xf32>) -> tensor<?x1x50x4xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 3, dim>]} {
  %1 = lz.conv %x, %v strides [1, 1] low [3, 0] high [2, 0] dilations [1, 1] groups 2 : (tensor<?x2x203x4xf32>, tensor<12x1x5x1xf32>) -> tensor<?x12x204x4xf32>
  %2 = lz.pool <max> %1 kernel [3, 1] strides [2, 1] low [0, 0] high [1, 0] dilations [1, 1] sizes [102, 4] : (tensor<?x12x204x4xf32>) -> tensor<?x12x102x4xf32>
  %3 = lz.binary <mul> %s, %2 : (tensor<12x1x1xf32>, tensor<?x12x102x4xf32>) -> tensor<?x12x102x4xf32>
  %4 = lz.conv %3, %w strides [2, 1] low [0, 1] high [1, 1] dilations [2, 1] groups 1 : (tensor<?x12x102x4xf32>, tensor<1x12x3x3xf32>) -> tensor<?x1x50x4xf32>
  return %4 : tensor<?x1x50x4xf32>
}

// Averages over the part of a window that is not padding, or with it; a last
// window that reaches beyond the padding; one spatial dimension.
// CHECK-LABEL: func @averages
//       CHECK: lz.loop
//       CHECK: lz.pool <average>
//       CHECK: lz.pool <average>
func.func @averages(%x: tensor<1x4x399xf32>, %v: tensor<16x4x3xf32>) -> tensor<1x16x50xf32> {
  %1 = lz.conv %x, %v strides [1] low [1] high [1] dilations [1] groups 1 : (tensor<1x4x399xf32>, tensor<16x4x3xf32>) -> tensor<1x16x399xf32>
  %2 = lz.pool <average> %1 kernel [3] strides [2] low [1] high [1] dilations [1] sizes [200] : (tensor<1x16x399xf32>) -> tensor<1x16x200xf32>
  %3 = lz.pool <average> %2 kernel [6] strides [4] low [1] high [1] dilations [1] sizes [50] {count_padding = true} : (tensor<1x16x200xf32>) -> tensor<1x16x50xf32>
  return %3 : tensor<1x16x50xf32>
}

// Windows without padding.
// CHECK-LABEL: func @valid
//       CHECK: lz.loop
//       CHECK: lz.concat {{.*}} -> tensor<1x1x256x4xf32>
func.func @valid(%x: tensor<1x1x260x4xf32>, %v: tensor<24x1x3x1xf32>, %w: tensor<1x24x3x1xf32>) -> tensor<1x1x256x4xf32> {
  %1 = lz.conv %x, %v strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x1x260x4xf32>, tensor<24x1x3x1xf32>) -> tensor<1x24x258x4xf32>
  %2 = lz.conv %1, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x258x4xf32>, tensor<1x24x3x1xf32>) -> tensor<1x1x256x4xf32>
  return %2 : tensor<1x1x256x4xf32>
}

// Each chain has symbols of its own.
// CHECK-LABEL: func @twice
//       CHECK: lz.loop {{.*}} symbols [bands]
//       CHECK: lz.bind {{.*}} [band]
//       CHECK: lz.loop {{.*}} symbols [bands_1]
//       CHECK: lz.bind {{.*}} [band_1]
func.func @twice(%x: tensor<1x1x260x4xf32>, %v: tensor<24x1x3x1xf32>, %w: tensor<1x24x3x1xf32>) -> (tensor<1x1x256x4xf32>, tensor<1x1x252x4xf32>) {
  %1 = lz.conv %x, %v strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x1x260x4xf32>, tensor<24x1x3x1xf32>) -> tensor<1x24x258x4xf32>
  %2 = lz.conv %1, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x258x4xf32>, tensor<1x24x3x1xf32>) -> tensor<1x1x256x4xf32>
  %3 = lz.conv %2, %v strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x1x256x4xf32>, tensor<24x1x3x1xf32>) -> tensor<1x24x254x4xf32>
  %4 = lz.conv %3, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x254x4xf32>, tensor<1x24x3x1xf32>) -> tensor<1x1x252x4xf32>
  return %2, %4 : tensor<1x1x256x4xf32>, tensor<1x1x252x4xf32>
}

// What is needed whole can't be streamed: a value with another reader, windows
// that are as high as the value, an operand that differs by row, free rows, rows
// that no window reads.
// CHECK-LABEL: func @whole
//   CHECK-NOT: lz.loop
func.func @whole(%x: tensor<1x1x260x4xf32>, %v: tensor<24x1x3x1xf32>, %w: tensor<1x24x3x1xf32>, %h: tensor<1x24x228x1xf32>, %r: tensor<258x1xf32>, %p: tensor<1x24x1x1xf32>, %f: tensor<1x1x?x4xf32> {lz.dims = [#lz.expr<1>, #lz.expr<1>, #lz.expr<h>, #lz.expr<4>]}) -> (tensor<1x24x258x4xf32>, tensor<1x1x256x4xf32>, tensor<1x1x31x4xf32>, tensor<1x1x256x4xf32>, tensor<1x1x?x4xf32>, tensor<1x1x129x4xf32>)
    attributes {lz.symbols = [#lz.symbol<h, 200, 300, dim>]} {
  %1 = lz.conv %x, %v strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x1x260x4xf32>, tensor<24x1x3x1xf32>) -> tensor<1x24x258x4xf32>
  %2 = lz.conv %1, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x258x4xf32>, tensor<1x24x3x1xf32>) -> tensor<1x1x256x4xf32>
  %3 = lz.unary <neg> %x : (tensor<1x1x260x4xf32>) -> tensor<1x1x260x4xf32>
  %4 = lz.conv %3, %v strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x1x260x4xf32>, tensor<24x1x3x1xf32>) -> tensor<1x24x258x4xf32>
  %5 = lz.conv %4, %h strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x258x4xf32>, tensor<1x24x228x1xf32>) -> tensor<1x1x31x4xf32>
  %6 = lz.conv %x, %v strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x1x260x4xf32>, tensor<24x1x3x1xf32>) -> tensor<1x24x258x4xf32>
  %7 = lz.binary <add> %6, %r : (tensor<1x24x258x4xf32>, tensor<258x1xf32>) -> tensor<1x24x258x4xf32>
  %8 = lz.conv %7, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x258x4xf32>, tensor<1x24x3x1xf32>) -> tensor<1x1x256x4xf32>
  %9 = lz.conv %f, %v strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x1x?x4xf32>, tensor<24x1x3x1xf32>) -> tensor<1x24x?x4xf32>
  %10 = lz.conv %9, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x?x4xf32>, tensor<1x24x3x1xf32>) -> tensor<1x1x?x4xf32>
  %11 = lz.unary <abs> %x : (tensor<1x1x260x4xf32>) -> tensor<1x1x260x4xf32>
  %12 = lz.conv %11, %v strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x1x260x4xf32>, tensor<24x1x3x1xf32>) -> tensor<1x24x258x4xf32>
  %13 = lz.conv %12, %p strides [2, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : (tensor<1x24x258x4xf32>, tensor<1x24x1x1xf32>) -> tensor<1x1x129x4xf32>
  return %1, %2, %5, %8, %10, %13 : tensor<1x24x258x4xf32>, tensor<1x1x256x4xf32>, tensor<1x1x31x4xf32>, tensor<1x1x256x4xf32>, tensor<1x1x?x4xf32>, tensor<1x1x129x4xf32>
}
