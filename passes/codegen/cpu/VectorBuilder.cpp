//===- VectorBuilder.cpp - vectors in kernels -----------------------------===//

#include "passes/codegen/cpu/VectorBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lz;

/// Vectors lie at any element.
unsigned VectorBuilder::getAlignment() const {
  return (type.getElementTypeBitWidth() + 7) / 8;
}

Value VectorBuilder::shuffle(Value a, Value b, ArrayRef<int32_t> lanes) {
  return LLVM::ShuffleVectorOp::create(kb.getBuilder(), kb.getLoc(), a, b,
                                       lanes);
}

static Value splatTo(KernelBuilder &kb, VectorType type, Value scalar) {
  OpBuilder &builder = kb.getBuilder();
  Value poison = LLVM::PoisonOp::create(builder, kb.getLoc(), type);
  Value zero = kb.getInt(builder.getI32Type(), 0);
  Value first =
      LLVM::InsertElementOp::create(builder, kb.getLoc(), poison, scalar, zero);
  SmallVector<int32_t> lanes(type.getNumElements(), 0);
  return LLVM::ShuffleVectorOp::create(builder, kb.getLoc(), first, poison,
                                       lanes);
}

Value VectorBuilder::splat(Value scalar) { return splatTo(kb, type, scalar); }

Value VectorBuilder::getZero() {
  return splat(kb.getScalar(type.getElementType(), 0));
}

Value VectorBuilder::loadAnywhere(const Buffer &buffer, Value position) {
  return LLVM::LoadOp::create(kb.getBuilder(), kb.getLoc(), type,
                              kb.getAddress(buffer, position), getAlignment());
}

Value VectorBuilder::load(const Buffer &buffer, Value position) {
  Value vector = loadAnywhere(buffer, position);
  kb.annotate(vector.getDefiningOp(), buffer.group);
  return vector;
}

void VectorBuilder::store(const Buffer &buffer, Value position, Value vector) {
  auto access =
      LLVM::StoreOp::create(kb.getBuilder(), kb.getLoc(), vector,
                            kb.getAddress(buffer, position), getAlignment());
  kb.annotate(access, buffer.group);
}

void VectorBuilder::prefetch(const Buffer &buffer, Value position) {
  constexpr uint32_t kRead = 0, kIntoSecondCache = 2, kData = 1;
  LLVM::Prefetch::create(kb.getBuilder(), kb.getLoc(),
                         kb.getAddress(buffer, position), kRead,
                         kIntoSecondCache, kData);
}

Value VectorBuilder::multiplyAdd(Value a, Value b, Value c) {
  if (isa<FloatType>(type.getElementType()))
    return LLVM::FMulAddOp::create(kb.getBuilder(), kb.getLoc(), a, b, c);
  return kb.create<arith::AddIOp>(kb.create<arith::MulIOp>(a, b), c);
}

Value VectorBuilder::add(Value a, Value b) {
  if (isa<FloatType>(type.getElementType()))
    return kb.create<arith::AddFOp>(a, b);
  return kb.create<arith::AddIOp>(a, b);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value VectorBuilder::getMask(Value low, Value high, int64_t count) {
  OpBuilder &builder = kb.getBuilder();
  auto lanes = VectorType::get({count}, builder.getI32Type());
  SmallVector<int32_t> numbers =
      llvm::to_vector(llvm::seq(0, static_cast<int32_t>(count)));
  Value number = arith::ConstantOp::create(builder, kb.getLoc(),
                                           builder.getI32VectorAttr(numbers));
  auto limit = [&](Value bound) {
    Value inside = kb.clamp(bound, kb.getIndex(0), kb.getIndex(count));
    Value narrow = kb.create<arith::TruncIOp>(builder.getI32Type(), inside);
    return splatTo(kb, lanes, narrow);
  };
  Value from = kb.compare(arith::CmpIPredicate::sge, number, limit(low));
  Value to = kb.compare(arith::CmpIPredicate::slt, number, limit(high));
  return kb.create<arith::AndIOp>(from, to);
}

Value VectorBuilder::loadMasked(const Buffer &buffer, Value position,
                                Value mask, Value otherwise) {
  OpBuilder &builder = kb.getBuilder();
  auto wide = VectorType::get(cast<VectorType>(mask.getType()).getShape(),
                              type.getElementType());
  if (!otherwise)
    otherwise = splatTo(kb, wide, kb.getScalar(type.getElementType(), 0));
  // Not `inbounds`: the address itself may be anywhere.
  Value address = LLVM::GEPOp::create(
      builder, kb.getLoc(), buffer.pointer.getType(), type.getElementType(),
      buffer.pointer, ArrayRef<LLVM::GEPArg>{position});
  return LLVM::MaskedLoadOp::create(
      builder, kb.getLoc(), wide, address, mask, otherwise,
      builder.getI32IntegerAttr(getAlignment()), UnitAttr());
}

Value VectorBuilder::pick(Value vector, int64_t first, int64_t stride) {
  if (stride == 1 && vector.getType() == type)
    return vector;
  SmallVector<int32_t> lanes;
  for (int64_t lane = 0; lane != getLanes(); ++lane)
    lanes.push_back(static_cast<int32_t>(first + lane * stride));
  return shuffle(vector, vector, lanes);
}

Value VectorBuilder::mergeHalves(Value a, Value b, int64_t segments) {
  auto lanes = static_cast<int32_t>(getLanes());
  auto length = static_cast<int32_t>(lanes / segments);
  SmallVector<int32_t> low, high;
  for (int32_t start = 0; start != lanes; start += length)
    for (int32_t from : {start, lanes + start})
      for (int32_t lane = 0; lane != length / 2; ++lane) {
        low.push_back(from + lane);
        high.push_back(from + length / 2 + lane);
      }
  return add(shuffle(a, b, low), shuffle(a, b, high));
}
