//===- ShapeAnalysis.cpp - every size as an expression --------------------===//

#include "dialects/lz/Symbols/ShapeAnalysis.h"

#include "dialects/lz/IR/LzDialect.h"
#include "dialects/lz/Symbols/SizeLimits.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

Type ResultInfo::getType() const {
  if (!elementType)
    return type;
  auto sizes = llvm::map_to_vector(shape, [](SymExpr size) {
    return size.getConstant().value_or(ShapedType::kDynamic);
  });
  return RankedTensorType::get(sizes, elementType);
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

void ShapeAnalysis::setShape(Value value, SymShape shape) {
  shapes[value] = std::move(shape);
}

void ShapeAnalysis::setContents(Value value, SymShape elements) {
  contents[value] = std::move(elements);
}

ArrayRef<SymExpr> ShapeAnalysis::getShape(Value value) const {
  auto found = shapes.find(value);
  assert(found != shapes.end() && "the value's shape has not been recorded");
  return found->second;
}

SymExpr ShapeAnalysis::getNumElements(Value value) const {
  return getProduct(context, getShape(value));
}

std::optional<ArrayRef<SymExpr>> ShapeAnalysis::getContents(Value value) const {
  auto found = contents.find(value);
  if (found == contents.end())
    return std::nullopt;
  return ArrayRef<SymExpr>(found->second);
}

LogicalResult ShapeAnalysis::addArguments(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    auto dims = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                     LzDialect::kDimsAttr);
    SymShape shape;
    if (dims)
      shape = getExprs(dims);
    else
      for (int64_t size : type.getShape())
        shape.push_back(constant(size));
    if (static_cast<int64_t>(shape.size()) != type.getRank() ||
        (!dims && !type.hasStaticShape()))
      return function->emitError()
             << "argument " << argument.getArgNumber() << " of type " << type
             << " needs '" << LzDialect::kDimsAttr
             << "' with one size for each dimension";
    setShape(argument, std::move(shape));
    auto elements = function.getArgAttrOfType<ArrayAttr>(
        argument.getArgNumber(), "lz.elements");
    if (elements)
      setContents(argument, getExprs(elements));
  }
  return success();
}

bool lz::canHoldExactly(Type elementType, SymExpr value) {
  if (value.isUndefined())
    return false;
  std::optional<int64_t> constant = value.getConstant();
  if (auto type = dyn_cast<IntegerType>(elementType)) {
    // Sizes are taken to fit into 32 bits, as ONNX's i32 arithmetic on them
    // does.
    if (!constant)
      return type.getWidth() >= 32 && !type.isUnsigned();
    return type.isUnsigned() || type.getWidth() == 1
               ? *constant >= 0 && (type.getWidth() > 63 ||
                                    *constant < int64_t(1) << type.getWidth())
               : llvm::isIntN(type.getWidth(), *constant);
  }
  if (auto type = dyn_cast<FloatType>(elementType)) {
    unsigned bits = std::min(53u, type.getFPMantissaWidth());
    return constant && *constant >= -(int64_t(1) << bits) &&
           *constant <= int64_t(1) << bits;
  }
  return false;
}

/// True if a value of type `actual` may stand where `inferred` was found:
/// equal, but for sizes that one of them leaves open.
static bool areCompatible(Type inferred, Type actual) {
  auto a = dyn_cast<RankedTensorType>(inferred);
  auto b = dyn_cast<RankedTensorType>(actual);
  if (!a || !b)
    return inferred == actual;
  return a.getElementType() == b.getElementType() &&
         succeeded(verifyCompatibleShape(a, b));
}

/// The bytes of `count` elements; types of fewer than 8 bits may share bytes.
static llvm::APInt getBytes(Type element, int64_t count) {
  auto complex = dyn_cast<ComplexType>(element);
  Type part = complex ? complex.getElementType() : element;
  uint64_t bits = part.isIntOrFloat() ? part.getIntOrFloatBitWidth() : 64;
  return (llvm::APInt(128, count) * (complex ? 2 * bits : bits) + 7).lshr(3);
}

/// Fails with an error on `op` if a tensor of that many elements fits into no
/// memory. Sizes that only the run knows are tested there.
static LogicalResult verifyBytes(Operation *op, unsigned index,
                                 const ResultInfo &info, int64_t count) {
  bool isStatic = llvm::all_of(info.shape, [](SymExpr size) {
    return size.getConstant().value_or(0) > 0;
  });
  llvm::APInt bytes = getBytes(info.elementType, count);
  if (!isStatic || bytes.ule(kMaxTensorBytes))
    return success();
  return op->emitOpError() << "gives result " << index << " of type "
                           << info.getType() << " "
                           << llvm::toString(bytes, 10, /*Signed=*/false)
                           << " bytes, more than any memory has ("
                           << kMaxTensorBytes << ")";
}

/// Fails with an error on `op` if a result can't be that of a tensor: one of
/// its sizes has no value or is negative, its elements can't be counted, or no
/// memory holds it.
static LogicalResult verifyShape(Operation *op, unsigned index,
                                 const ResultInfo &info) {
  ArrayRef<SymExpr> shape = info.shape;
  for (SymExpr size : shape) {
    if (size.isUndefined())
      return op->emitOpError()
             << "gives result " << index
             << " a size that exceeds 64 bits or has no value";
    if (size.getConstant().value_or(0) < 0)
      return op->emitOpError()
             << "gives result " << index << " the negative size " << size.str();
  }
  int64_t count = 1;
  for (SymExpr size : shape)
    if (llvm::MulOverflow(
            count, std::max<int64_t>(size.getConstant().value_or(1), 1), count))
      return op->emitOpError()
             << "gives result " << index << " more elements than 64 bits count";
  return verifyBytes(op, index, info, count);
}

/// True if every element has a value in its type; arithmetic on tensors wraps
/// or rounds where expressions don't.
static bool haveContents(Type elementType, ArrayRef<SymExpr> elements) {
  return llvm::all_of(elements, [&](SymExpr element) {
    return canHoldExactly(elementType, element);
  });
}

LogicalResult ShapeAnalysis::record(Operation *op, unsigned index,
                                    const ResultInfo &info, bool setTypes) {
  OpResult result = op->getResult(index);
  if (info.elementType && failed(verifyShape(op, index, info)))
    return failure();
  Type type = info.getType();
  if (setTypes)
    result.setType(type);
  else if (!areCompatible(type, result.getType()))
    return op->emitOpError()
           << "has result " << index << " of type " << result.getType()
           << ", but its operands give " << type;
  if (!info.elementType)
    return success();
  setShape(result, info.shape);
  if (info.contents && haveContents(info.elementType, *info.contents))
    setContents(result, *info.contents);
  return success();
}

LogicalResult ShapeAnalysis::infer(Operation *op, bool setTypes) {
  auto inference = dyn_cast<InferenceOpInterface>(op);
  if (!inference)
    return success();
  SmallVector<ResultInfo> results;
  if (failed(inference.inferResults(*this, results)))
    return failure();
  if (results.size() != op->getNumResults())
    return op->emitOpError()
           << "has " << op->getNumResults() << " results, but its kind gives "
           << results.size();
  for (auto [index, info] : llvm::enumerate(results))
    if (failed(record(op, index, info, setTypes)))
      return failure();
  return success();
}

LogicalResult ShapeAnalysis::run(FunctionOpInterface function) {
  if (failed(addArguments(function)))
    return failure();
  for (Block &block : function.getFunctionBody())
    for (Operation &op : block)
      if (failed(infer(&op, /*setTypes=*/false)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// The region of control flow that `op` stands in. Groups are isolated, and run
/// where they stand.
static Region *getControlRegion(Operation *op) {
  Region *region = op->getParentRegion();
  for (Operation *parent = region ? region->getParentOp() : nullptr;
       parent && parent->hasTrait<OpTrait::IsIsolatedFromAbove>() &&
       !isa<FunctionOpInterface>(parent) && parent->getParentRegion();
       parent = region->getParentOp())
    region = parent->getParentRegion();
  return region;
}

/// True if `inner` is `outer` or stands in it. Regions that are still being
/// built have no parent.
static bool isWithin(Region *inner, Region *outer) {
  while (inner && inner != outer)
    inner = inner->getParentOp() ? inner->getParentOp()->getParentRegion()
                                 : nullptr;
  return inner == outer;
}

/// A check is known if it was made on the way here, not just in another branch.
void ShapeAnalysis::addCheck(SizeCheck check) {
  Region *region = getControlRegion(check.op);
  bool known = llvm::any_of(checks, [&](const SizeCheck &other) {
    return other.kind == check.kind && other.lhs == check.lhs &&
           other.rhs == check.rhs &&
           isWithin(region, getControlRegion(other.op));
  });
  if (!known)
    checks.push_back(std::move(check));
}

/// Fails with an error on `op` if one of two sizes to compare has no value.
static LogicalResult verifyDefined(Operation *op, SymExpr lhs, SymExpr rhs,
                                   StringRef message) {
  if (!lhs.isUndefined() && !rhs.isUndefined())
    return success();
  return op->emitOpError() << message
                           << ": a size exceeds 64 bits or has no value";
}

LogicalResult ShapeAnalysis::requireEqual(Operation *op, SymExpr lhs,
                                          SymExpr rhs, StringRef message) {
  if (failed(verifyDefined(op, lhs, rhs, message)))
    return failure();
  if (lhs == rhs)
    return success();
  if ((lhs - rhs).getConstant())
    return op->emitOpError()
           << message << ": " << lhs.str() << " is not equal to " << rhs.str();
  addCheck({SizeCheck::Equal, lhs, rhs, op, message.str()});
  return success();
}

LogicalResult ShapeAnalysis::requireNotLess(Operation *op, SymExpr lhs,
                                            SymExpr rhs, StringRef message) {
  if (failed(verifyDefined(op, lhs, rhs, message)))
    return failure();
  SymExpr difference = lhs - rhs;
  if (difference.isAtLeast(0))
    return success();
  if (difference.getConstant())
    return op->emitOpError()
           << message << ": " << lhs.str() << " is less than " << rhs.str();
  addCheck({SizeCheck::NotLess, lhs, rhs, op, message.str()});
  return success();
}

static constexpr char kBroadcastMessage[] = "operands must broadcast";

/// True if `b` is `a` or a smaller bound of it, so that broadcasting the two
/// can only mean that they are equal. A bound that is at most 1, as the size of
/// a last element is, broadcasts to any `a`.
static bool isBoundOf(SymExpr a, SymExpr b) {
  return !a.getConstant() && !b.getConstant() && (a - b).isAtLeast(0) &&
         !(b * -1 + 1).isAtLeast(0);
}

FailureOr<SymShape>
ShapeAnalysis::broadcast(Operation *op, ArrayRef<ArrayRef<SymExpr>> operands) {
  size_t rank = 0;
  for (ArrayRef<SymExpr> shape : operands)
    rank = std::max(rank, shape.size());
  SymShape result(rank, constant(1));
  for (ArrayRef<SymExpr> shape : operands)
    for (auto [offset, size] : llvm::enumerate(llvm::reverse(shape))) {
      SymExpr &other = result[rank - 1 - offset];
      if (other == size || other.isConstant(1) || size.isConstant(1)) {
        other = other.bcast(size);
      } else if (other.getConstant() && size.getConstant()) {
        return op->emitOpError() << kBroadcastMessage << ": sizes "
                                 << other.str() << " and " << size.str();
      } else if (isBoundOf(other, size) || isBoundOf(size, other)) {
        addCheck({SizeCheck::Equal, other, size, op, kBroadcastMessage});
        other = isBoundOf(other, size) ? other : size;
      } else {
        addCheck(
            {SizeCheck::Broadcastable, other, size, op, kBroadcastMessage});
        other = other.bcast(size);
      }
    }
  return result;
}
