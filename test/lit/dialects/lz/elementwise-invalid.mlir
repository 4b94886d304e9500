// RUN: lz-opt %s --lz-refine-types --split-input-file --verify-diagnostics

// One case per rule: what the operands of the family can't be.

func.func @element_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'lz.binary' op has operands of element types 'f32' and 'f64', which must be equal}}
  %0 = lz.binary <add> %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'lz.binary' op operands must broadcast: sizes 4 and 3}}
  %0 = lz.binary <add> %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @compared_types(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{'lz.compare' op has operands of element types 'f32' and 'i32'}}
  %0 = lz.compare <lt> %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @selected_types(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'lz.select' op has operands of element types 'f32' and 'f64'}}
  %0 = lz.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @selected_shapes(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.select' op operands must broadcast}}
  %0 = lz.select %c, %x, %x : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lz.unary' op has result 0 of type 'tensor<5xf32>', but its operands give 'tensor<4xf32>'}}
  %0 = lz.unary <relu> %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @test_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{has result 0 of type 'tensor<4xf32>', but its operands give 'tensor<4xi1>'}}
  %0 = lz.unary <is_nan> %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cast_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{has result 0 of type 'tensor<4xi8>', but its operands give 'tensor<4xi32>'}}
  %0 = lz.cast %x to i32 : (tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

func.func @bitcast_width(%x: tensor<4xf32>) {
  // expected-error @+1 {{reads 'f32' as 'i64', which needs types of one number of bits}}
  %0 = lz.bitcast %x to i64 : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @pack_words(%x: tensor<4xi32>) {
  // expected-error @+1 {{packs 'i32' into 'i4', which needs bytes and a type of 2 or 4 bits}}
  %0 = lz.pack %x to i4 : (tensor<4xi32>) -> tensor<4xi4>
  return
}

// -----

func.func @pack_bytes(%x: tensor<4xi8>) {
  // expected-error @+1 {{packs 'i8' into 'ui8', which needs bytes and a type of 2 or 4 bits}}
  %0 = lz.pack %x to ui8 : (tensor<4xi8>) -> tensor<4xui8>
  return
}
