//===- Kernels.h - operators that are C++ loops -----------------*- C++ -*-===//
//
// The functions here are compiled to LLVM bitcode, and those that a model uses
// are linked into its artifact and inlined there. They allocate nothing, throw
// nothing and use no library but libm: what memory they need, their caller
// gives. They are also compiled natively for their tests.
//
//===----------------------------------------------------------------------===//
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include <cstdint>

extern "C" {

//===----------------------------------------------------------------------===//
// Math (Math.cpp)
//===----------------------------------------------------------------------===//

// Branch-free, for inlining into loops that LLVM then vectorises. 2 ulp (sigmoid
// 2.5) at most
// off; right at zeros, infinities and NaN.
float lz_exp_f32(float x);
float lz_expm1_f32(float x);
float lz_log_f32(float x);
float lz_log1p_f32(float x);
float lz_pow_f32(float x, float y);
float lz_sigmoid_f32(float x);
float lz_erf_f32(float x);
float lz_sin_f32(float x);
float lz_cos_f32(float x);
float lz_tan_f32(float x);
float lz_sinh_f32(float x);
float lz_cosh_f32(float x);
float lz_tanh_f32(float x);

} // extern "C"

#endif // KERNELS_KERNELS_H
