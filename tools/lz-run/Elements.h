//===- Elements.h - elements as numbers -----------------------------*- C++
//-*-===//
#pragma once

#include "lezero/lezero.hpp"

namespace lz::run {

/// True for f64 down to f4, not for complex numbers.
bool isFloat(int32_t type);

/// True for whole numbers and bool.
bool isInteger(int32_t type);

/// True for complex numbers, which count as two floats here.
bool isComplex(int32_t type);

/// "f32"; "unknown" for what has no name.
std::string typeName(int32_t type);

/// "[2, 3]"
std::string shapeText(const std::vector<int64_t> &shape);

/// "f32 [batch, 3]"
std::string valueText(const ValueInfo &value);

/// "'a', 'b'", or "none"
std::string namesText(const std::vector<ValueInfo> &values);

/// Numbers in the tensor: its elements, or twice as many if they are complex.
int64_t numberCount(const Tensor &tensor);

/// Number `index` of the tensor as a double. 64-bit integers may be rounded.
double readNumber(const Tensor &tensor, int64_t index);

/// bool has but two values; any other byte would confuse a model. Throws if a
/// bool tensor has one.
void checkBools(const Tensor &tensor, const std::string &what);

/// An element of a type of 4 or 2 bits as an unsigned code.
uint8_t readPacked(const Tensor &tensor, int64_t index);
void writePacked(const Tensor &tensor, int64_t index, uint8_t code);

/// The binary16 or bfloat16 that is nearest to a number, ties to even.
uint16_t toHalf(double value);
uint16_t toBrain(double value);

} // namespace lz::run
