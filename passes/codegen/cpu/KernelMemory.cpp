//===- KernelMemory.cpp - loads, stores and the frame of a kernel ---------===//
//
// Memory is accessed through plain pointers with alias scopes, which tell LLVM
// that no result overlaps an operand, another result or the scratch. A result
// in the memory of an operand (InPlace.h) does, but then each element is loaded
// once, for the store of its own position, which nothing can overtake.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/KernelBuilder.h"

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lz;

Type lz::getComputeType(Type elementType) {
  if (isa<FloatType>(elementType))
    return elementType.isF64() ? elementType
                               : Float32Type::get(elementType.getContext());
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width != 1 && width < 8)
    width = 8;
  return IntegerType::get(elementType.getContext(), width);
}

bool lz::isUnsigned(Type elementType) {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

/// The type of an element in memory, for LLVM.
static Type getMemoryType(Type elementType) {
  if (elementType.isF32() || elementType.isF64())
    return elementType;
  return IntegerType::get(elementType.getContext(), getStoredBits(elementType));
}

KernelBuilder::KernelBuilder(const KernelInfo &kernel)
    : builder(kernel.getContext()), loc(kernel.getFunction().getLoc()),
      convertsHalf(kernel.getTarget().convertsHalf) {
  func::FuncOp source = kernel.getFunction();
  Type pointer = LLVM::LLVMPointerType::get(getContext());
  Type i64 = builder.getI64Type();
  builder.setInsertionPointAfter(source);
  function =
      func::FuncOp::create(builder, loc, source.getName(),
                           builder.getFunctionType({pointer, i64, i64}, {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  args = entry->getArgument(0);
  lo = entry->getArgument(1);
  hi = entry->getArgument(2);
  builder.setInsertionPointToEnd(entry);

  auto domain = LLVM::AliasScopeDomainAttr::get(getContext());
  for (size_t i = 0; i != kernel.getResults().size() + 2; ++i)
    scopes.push_back(LLVM::AliasScopeAttr::get(domain));
  int64_t slot = 0;
  auto addBuffer = [&](Value tensor, unsigned group) -> Buffer {
    Value base = inPreamble([&] { return loadSlot(pointer, slot++); });
    return {base, getElementTypeOrSelf(tensor.getType()), group};
  };
  for (BlockArgument argument : source.getArguments())
    operands.push_back(addBuffer(argument, 0));
  for (auto [index, result] : llvm::enumerate(kernel.getResults()))
    results.push_back(addBuffer(result, index + 1));
}

Value KernelBuilder::loadSlot(Type type, int64_t slot) {
  Value address = LLVM::GEPOp::create(
      builder, loc, args.getType(), builder.getI64Type(), args,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
  return LLVM::LoadOp::create(builder, loc, type, address);
}

Buffer KernelBuilder::getOperand(unsigned index) { return operands[index]; }
Buffer KernelBuilder::getResult(unsigned index) { return results[index]; }

Buffer KernelBuilder::getScratch(Type elementType) {
  if (!scratch)
    scratch = inPreamble([&] {
      return loadSlot(args.getType(), operands.size() + results.size());
    });
  return {scratch, elementType, static_cast<unsigned>(results.size() + 1)};
}

Buffer KernelBuilder::getStack(Type elementType, int64_t count) {
  Value size = getIndex(count);
  Value memory = inPreamble([&] {
    return LLVM::AllocaOp::create(builder, loc, args.getType(),
                                  getMemoryType(elementType), size,
                                  /*alignment=*/64);
  });
  return {memory, elementType, static_cast<unsigned>(results.size() + 1)};
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static APInt getBits(Attribute element) {
  if (auto value = dyn_cast<FloatAttr>(element))
    return value.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(element).getValue();
}

/// The elements as they lie in memory.
static std::string getBytes(DenseElementsAttr elements) {
  unsigned width = getStoredBits(elements.getElementType());
  std::string bytes((elements.getNumElements() * width + 7) / 8, 0);
  size_t position = 0;
  for (Attribute element : elements.getValues<Attribute>()) {
    uint64_t bits = getBits(element).getZExtValue();
    if (width >= 8)
      for (unsigned i = 0; i != width / 8; ++i)
        bytes[position * width / 8 + i] = static_cast<char>(bits >> (8 * i));
    else
      bytes[position * width / 8] |=
          static_cast<char>(bits << (position * width % 8));
    ++position;
  }
  return bytes;
}

Buffer KernelBuilder::getTable(Operation *op, DenseElementsAttr elements) {
  Buffer &table = tables[op];
  if (table.pointer)
    return table;
  std::string bytes = getBytes(elements);
  std::string name =
      (function.getName() + ".table" + Twine(tables.size() - 1)).str();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(function);
    LLVM::GlobalOp::create(builder, op->getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           builder.getStringAttr(bytes), /*alignment=*/64);
  }
  Value pointer = inPreamble([&] {
    return LLVM::AddressOfOp::create(builder, op->getLoc(), args.getType(),
                                     name);
  });
  return table = {pointer, elements.getElementType(), 0};
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

void KernelBuilder::annotate(Operation *access, unsigned group) {
  SmallVector<Attribute> others(scopes);
  others.erase(others.begin() + group);
  auto interface = cast<LLVM::AliasAnalysisOpInterface>(access);
  interface.setAliasScopes(builder.getArrayAttr(scopes[group]));
  interface.setNoAliasScopes(builder.getArrayAttr(others));
}

Value KernelBuilder::getAddress(const Buffer &buffer, Value position) {
  return LLVM::GEPOp::create(builder, loc, args.getType(),
                             getMemoryType(buffer.elementType), buffer.pointer,
                             ArrayRef<LLVM::GEPArg>{position},
                             LLVM::GEPNoWrapFlags::inbounds);
}

/// An element narrower than a byte, in the low bits of an i8.
Value KernelBuilder::loadPacked(const Buffer &buffer, Value position) {
  unsigned width = getStoredBits(buffer.elementType);
  Value perByte = getIndex(8 / width);
  Buffer bytes{buffer.pointer, builder.getI8Type(), buffer.group};
  Value byte = load(bytes, divide(position, perByte));
  Value shift = create<arith::TruncIOp>(
      builder.getI8Type(), mul(remainder(position, perByte), getIndex(width)));
  Value bits = create<arith::ShRUIOp>(byte, shift);
  Value unused = getInt(builder.getI8Type(), 8 - width);
  Value high = create<arith::ShLIOp>(bits, unused);
  if (isa<IntegerType>(buffer.elementType) && !isUnsigned(buffer.elementType))
    return create<arith::ShRSIOp>(high, unused);
  return create<arith::ShRUIOp>(high, unused);
}

Value KernelBuilder::load(const Buffer &buffer, Value position) {
  Type element = buffer.elementType;
  if (getStoredBits(element) < 8) {
    Value bits = loadPacked(buffer, position);
    return isa<FloatType>(element) ? decode(bits, element) : bits;
  }
  auto access = LLVM::LoadOp::create(builder, loc, getMemoryType(element),
                                     getAddress(buffer, position));
  annotate(access, buffer.group);
  return fromMemory(access, element);
}

Value KernelBuilder::loadAnywhere(const Buffer &buffer) {
  Type element = buffer.elementType;
  return fromMemory(LLVM::LoadOp::create(builder, loc, getMemoryType(element),
                                         buffer.pointer),
                    element);
}

Value KernelBuilder::loadVector(const Buffer &buffer, Value position,
                                VectorType type) {
  auto access =
      LLVM::LoadOp::create(builder, loc, type, getAddress(buffer, position),
                           getStoredBits(buffer.elementType) / 8);
  annotate(access, buffer.group);
  return access;
}

void KernelBuilder::storeVector(const Buffer &buffer, Value position,
                                Value vector) {
  auto access =
      LLVM::StoreOp::create(builder, loc, vector, getAddress(buffer, position),
                            getStoredBits(buffer.elementType) / 8);
  annotate(access, buffer.group);
}

/// The scalar that a loaded `value` stands for.
Value KernelBuilder::fromMemory(Value value, Type element) {
  Type memory = value.getType();
  if (element.isInteger(1))
    return create<arith::CmpIOp>(arith::CmpIPredicate::ne, value,
                                 getInt(memory, 0));
  if (isa<FloatType>(element) && isa<IntegerType>(memory))
    return decode(value, element);
  return value;
}

void KernelBuilder::store(const Buffer &buffer, Value position, Value scalar) {
  Type element = buffer.elementType;
  if (element.isInteger(1))
    scalar = create<arith::ExtUIOp>(builder.getI8Type(), scalar);
  else if (isa<IntegerType>(getMemoryType(element)) && isa<FloatType>(element))
    // Casts have saturated what they must; infinities that are left are meant.
    scalar = encode(scalar, element, /*saturate=*/false);
  auto op =
      LLVM::StoreOp::create(builder, loc, scalar, getAddress(buffer, position));
  annotate(op, buffer.group);
}
