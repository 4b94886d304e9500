// RUN: lz-opt %s --lz-emit-kernels --split-input-file --verify-diagnostics

func.func private @strings(%x: tensor<2x!lz.string>) -> tensor<2x!lz.string> attributes {lzx.kernel} {
  // expected-error @-1 {{a CPU kernel cannot hold a value of type 'tensor<2x!lz.string>'}}
  return %x : tensor<2x!lz.string>
}

// -----

func.func private @packed(%x: tensor<2xf32>) -> tensor<2xi4> attributes {lzx.kernel} {
  // expected-error @+1 {{a CPU kernel cannot store elements of type 'i4', which share bytes; convert them to 8 bits first}}
  %0 = lz.cast %x to i4 : (tensor<2xf32>) -> tensor<2xi4>
  return %0 : tensor<2xi4>
}

// -----

// expected-error @+1 {{the results of a kernel have different shapes}}
func.func private @shapes(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>) attributes {lzx.kernel} {
  %0 = lz.unary <exp> %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = lz.reduce <sum> %x axes [0] keep_dims true : (tensor<2xf32>) -> tensor<1xf32>
  return %0, %1 : tensor<2xf32>, tensor<1xf32>
}

// -----

func.func private @integers(%x: tensor<2xi32>) -> tensor<2xi32> attributes {lzx.kernel} {
  // expected-error @+1 {{'lz.unary' op has no meaning on elements of type i32}}
  %0 = lz.unary <exp> %x : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func private @crop(%x: tensor<1x8xf32>) -> tensor<1x4xf32> attributes {lzx.kernel} {
  // expected-error @+1 {{'lz.resize' op needs a roi or a region to crop by}}
  %0 = lz.resize <linear> %x [1, 4] scales [0.0, 0.0] coordinate <tf_crop_and_resize> nearest <floor> : (tensor<1x8xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
