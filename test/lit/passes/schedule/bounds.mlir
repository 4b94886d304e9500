// RUN: lz-opt %s --lz-build-program | FileCheck %s

// What a count is at most, by the operation that binds it, is planned.
// CHECK-LABEL: lzx.program @stated
//  CHECK-SAME:   memory <bound> by "count"
//       CHECK:   lzx.alloc bytes [m * n * 4]
//       CHECK:   lzx.bind %{{.*}} to [k] limits [m * n] width 64 "count"
func.func @stated(%c: tensor<1xi64>, %x: tensor<1xf32>, %z: tensor<?x?xf32> {lz.dims = [#lz.expr<n>, #lz.expr<m>]})
    -> tensor<f32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 99, dim>, #lz.symbol<m, 0, 99, dim>, #lz.symbol<k, 0, 2147483647, run>]} {
  lz.bind %c [k] {lz.bounds = [#lz.expr<n * m>]} : tensor<1xi64> loc("count")
  %0 = lz.fusion %x : (tensor<1xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<1xf32>):
    %2 = lz.expand %a [k] : (tensor<1xf32>) -> tensor<?xf32>
    lz.yield %2 : tensor<?xf32>
  }
  %1 = lz.fusion %0 : (tensor<?xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<?xf32>):
    %2 = lz.reduce <sum> %a axes [0] keep_dims false : (tensor<?xf32>) -> tensor<f32>
    lz.yield %2 : tensor<f32>
  }
  return %1 : tensor<f32>
}

// min(n, k) has a bound even if k has none.
// CHECK-LABEL: lzx.program @minimum
//  CHECK-SAME:   memory <bound> by "count"
//       CHECK:   lzx.output 0 "{{.*}}" : tensor<?xf32> {{.*}} limits [#lz.expr<n>]
func.func @minimum(%c: tensor<1xi64>, %x: tensor<?xf32> {lz.dims = [#lz.expr<n>]}) -> tensor<?xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 99, dim>, #lz.symbol<k, 0, 2147483647, run>]} {
  lz.bind %c [k] : tensor<1xi64> loc("count")
  %0 = lz.fusion %x : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %2 = lz.slice %a [0] [n + k + max(n, k) * -1] [1] : (tensor<?xf32>) -> tensor<?xf32>
    %3 = lz.unary <exp> %2 : (tensor<?xf32>) -> tensor<?xf32>
    lz.yield %3 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// A carried size that grows by the same each time is planned for the last.
// CHECK-LABEL: lzx.program @growing
//  CHECK-SAME:   memory <bound> by "loop"
//       CHECK:   lzx.output 0 "{{.*}}" : tensor<?xf32> [k] limits [#lz.expr<n * 5 + 2>]
//       CHECK:   lzx.set [k] to [2] limits [n * 5 + 2] "loop"
//       CHECK:   lzx.loop
//       CHECK:     lzx.set [k] to [k + n] limits [n * 5 + 2] "loop"
func.func @growing(%x: tensor<?xf32> {lz.dims = [#lz.expr<n>]}, %y: tensor<2xf32>) -> tensor<?xf32>
    attributes {lz.symbols = [#lz.symbol<n, 0, 99, dim>, #lz.symbol<k, 0, 2147483647, run>]} {
  %t = lz.constant dense<5> : tensor<i64>
  %0 = lz.loop trips %t carry %y symbols [k] : (tensor<i64>, tensor<2xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<?xf32>):
    %1 = lz.fusion %s, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
      %2 = lz.concat %a, %b axis 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      lz.yield %2 : tensor<?xf32>
    }
    lz.yield %c, %1 : tensor<i1>, tensor<?xf32>
  } loc("loop")
  return %0 : tensor<?xf32>
}

// What data decides without a bound comes from the host.
// CHECK-LABEL: lzx.program @unbounded
//  CHECK-SAME:   memory <open> by "count"
//       CHECK:   %[[G:.*]] = lzx.growing
//       CHECK:   lzx.bind %{{.*}} to [k] limits [2147483647]
//       CHECK:   lzx.grow %[[G]] to [k * 4]
//       CHECK:   lzx.launch @{{.*}}(%{{.*}}) -> (%[[G]])
func.func @unbounded(%c: tensor<1xi64>, %x: tensor<1xf32>) -> tensor<f32>
    attributes {lz.symbols = [#lz.symbol<k, 0, 2147483647, run>]} {
  lz.bind %c [k] : tensor<1xi64> loc("count")
  %0 = lz.fusion %x : (tensor<1xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<1xf32>):
    %2 = lz.expand %a [k] : (tensor<1xf32>) -> tensor<?xf32>
    lz.yield %2 : tensor<?xf32>
  }
  %1 = lz.fusion %0 : (tensor<?xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<?xf32>):
    %2 = lz.reduce <sum> %a axes [0] keep_dims false : (tensor<?xf32>) -> tensor<f32>
    lz.yield %2 : tensor<f32>
  }
  return %1 : tensor<f32>
}

// A number of iterations that is known before the run is so in divisors, too.
// CHECK-LABEL: lzx.program @trips
//   CHECK-NOT:   memory
//       CHECK:   lzx.alloc bytes [floordiv(-8, max(1, n)) * -4]
func.func @trips(%t: tensor<i64> {lz.elements = [#lz.expr<n>]}, %x: tensor<f32>) -> (tensor<?xf32>, tensor<f32>)
    attributes {lz.symbols = [#lz.symbol<n, 0, 99, element>, #lz.symbol<trips, 0, 2147483647, run>]} {
  %y = lz.loop trips %t symbols [trips] : (tensor<i64>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    lz.yield %c, %x : tensor<i1>, tensor<f32>
  } loc("loop")
  %0 = lz.fusion %x : (tensor<f32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<f32>):
    %2 = lz.expand %a [floordiv(-8, max(1, trips)) * -1] : (tensor<f32>) -> tensor<?xf32>
    lz.yield %2 : tensor<?xf32>
  }
  %1 = lz.fusion %0 : (tensor<?xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<?xf32>):
    %2 = lz.reduce <sum> %a axes [0] keep_dims false : (tensor<?xf32>) -> tensor<f32>
    lz.yield %2 : tensor<f32>
  }
  return %y, %1 : tensor<?xf32>, tensor<f32>
}
