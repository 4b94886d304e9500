//===- Math.cpp - f32 functions for generated loops -----------------------===//

#include "kernels/FloatMath.h"
#include "kernels/Kernels.h"

#define LZ_UNARY(name)                                                         \
  float lz_##name##_f32(float x) { return lz::math::name(x); }

LZ_UNARY(exp)
LZ_UNARY(expm1)
LZ_UNARY(log)
LZ_UNARY(log1p)
LZ_UNARY(sigmoid)
LZ_UNARY(erf)
LZ_UNARY(sin)
LZ_UNARY(cos)
LZ_UNARY(tan)
LZ_UNARY(sinh)
LZ_UNARY(cosh)
LZ_UNARY(tanh)

float lz_pow_f32(float x, float y) { return lz::math::pow(x, y); }
