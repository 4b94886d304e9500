//===- ElementTypes.cpp - element types as numbers of the ABI -------------===//

#include "compiler/driver/DescribeArtifact.h"

#include "dialects/lz/IR/LzDialect.h"
#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

static int32_t getIntegerNumber(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return LZ_BOOL;
  case 2:
    return isUnsigned ? LZ_U2 : LZ_I2;
  case 4:
    return isUnsigned ? LZ_U4 : LZ_I4;
  case 8:
    return isUnsigned ? LZ_U8 : LZ_I8;
  case 16:
    return isUnsigned ? LZ_U16 : LZ_I16;
  case 32:
    return isUnsigned ? LZ_U32 : LZ_I32;
  case 64:
    return isUnsigned ? LZ_U64 : LZ_I64;
  default:
    return LZ_UNDEFINED;
  }
}

int32_t lz::getElementTypeNumber(Type type) {
  return llvm::TypeSwitch<Type, int32_t>(type)
      .Case([](IntegerType integer) { return getIntegerNumber(integer); })
      .Case([](Float64Type) { return LZ_F64; })
      .Case([](Float32Type) { return LZ_F32; })
      .Case([](Float16Type) { return LZ_F16; })
      .Case([](BFloat16Type) { return LZ_BF16; })
      .Case([](Float8E4M3FNType) { return LZ_F8E4M3FN; })
      .Case([](Float8E4M3FNUZType) { return LZ_F8E4M3FNUZ; })
      .Case([](Float8E5M2Type) { return LZ_F8E5M2; })
      .Case([](Float8E5M2FNUZType) { return LZ_F8E5M2FNUZ; })
      .Case([](Float8E8M0FNUType) { return LZ_F8E8M0; })
      .Case([](Float4E2M1FNType) { return LZ_F4E2M1; })
      .Case([](ComplexType complex) {
        return complex.getElementType().isF64() ? LZ_C128 : LZ_C64;
      })
      .Case([](StringType) { return LZ_STRING; })
      .Default([](Type) { return LZ_UNDEFINED; });
}
