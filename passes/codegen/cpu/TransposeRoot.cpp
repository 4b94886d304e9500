//===- TransposeRoot.cpp - transposes in tiles ----------------------------===//
//
// A kernel that returns one lz.transpose of an operand. Neighbouring dimensions
// that stay neighbours are one. If the last dimension stays the last, rows are
// copied by the general root. Else two dimensions matter:
//
//   source   the result's dimension along which the operand is contiguous
//   target   the result's last dimension
//
// An iteration is a tile of both, small enough that its lines stay in the first
// cache. Inside, squares as wide as a vector are loaded row by row, transposed
// in registers and stored row by row; what is left over is copied one by one.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/RootEmitter.h"

using namespace mlir;
using namespace lz;

/// Elements of a tile along the source and the target dimension.
static constexpr int64_t kSourceTile = 16, kTargetTile = 64;
/// Rows of a square: as many registers hold it, and as many its next form.
static constexpr int64_t kMostRows = 8;

namespace {

/// A transpose without dimensions of size 1, neighbours joined.
struct Permutation {
  SymShape result;             // sizes of the result's dimensions
  SmallVector<int64_t> source; // the operand's dimension of each
  BlockArgument operand;

  unsigned getTarget() const { return result.size() - 1; }
  /// The result's dimension along which the operand is contiguous.
  unsigned getSource() const {
    return llvm::find(source, static_cast<int64_t>(source.size()) - 1) -
           source.begin();
  }
};

} // namespace

/// Joins dimension `dim` of the result with the next one.
static void join(Permutation &permutation, size_t dim) {
  int64_t gone = permutation.source[dim + 1];
  permutation.result[dim] =
      permutation.result[dim] * permutation.result[dim + 1];
  permutation.result.erase(permutation.result.begin() + dim + 1);
  permutation.source.erase(permutation.source.begin() + dim + 1);
  for (int64_t &source : permutation.source)
    source -= source > gone;
}

/// Leaves out dimension `dim` of the result.
static void drop(Permutation &permutation, size_t dim) {
  int64_t gone = permutation.source[dim];
  permutation.result.erase(permutation.result.begin() + dim);
  permutation.source.erase(permutation.source.begin() + dim);
  for (int64_t &source : permutation.source)
    source -= source > gone;
}

static void simplify(Permutation &permutation) {
  for (size_t dim = permutation.result.size(); dim-- > 0;)
    if (permutation.result[dim].isConstant(1))
      drop(permutation, dim);
  for (size_t dim = permutation.result.size(); dim-- > 1;)
    if (permutation.source[dim - 1] + 1 == permutation.source[dim])
      join(permutation, dim - 1);
}

static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  return value;
}

/// The kernel's transpose, if there is nothing else and it needs tiles.
static std::optional<Permutation> getPermutation(const KernelInfo &kernel) {
  if (kernel.getResults().size() != 1)
    return std::nullopt;
  auto transpose =
      skipReshapes(kernel.getResults().front()).getDefiningOp<TransposeOp>();
  if (!transpose ||
      getStoredBits(getElementTypeOrSelf(transpose.getInput())) < 8)
    return std::nullopt;
  auto operand = dyn_cast<BlockArgument>(skipReshapes(transpose.getInput()));
  if (!operand)
    return std::nullopt;
  ArrayRef<SymExpr> shape = kernel.getShape(transpose.getResult());
  Permutation permutation{SymShape(shape),
                          SmallVector<int64_t>(transpose.getPermutation()),
                          operand};
  simplify(permutation);
  bool isTiled = permutation.result.size() > 1 &&
                 permutation.getSource() != permutation.getTarget();
  return isTiled ? std::optional(permutation) : std::nullopt;
}

static bool matches(const KernelInfo &kernel) {
  return getPermutation(kernel).has_value();
}

/// The sizes of the parallel space: the dimensions that are not tiled, then the
/// tiles along the source and the target.
static SymShape getSpace(const KernelInfo &kernel,
                         const Permutation &permutation) {
  unsigned source = permutation.getSource(), target = permutation.getTarget();
  SymShape space;
  for (auto [dim, size] : llvm::enumerate(permutation.result))
    if (dim != source && dim != target)
      space.push_back(size);
  space.push_back(
      permutation.result[source].ceilDiv(kernel.constant(kSourceTile)));
  space.push_back(
      permutation.result[target].ceilDiv(kernel.constant(kTargetTile)));
  return space;
}

static KernelPlan plan(const KernelInfo &kernel) {
  Permutation permutation = *getPermutation(kernel);
  SymExpr width = permutation.result[permutation.getSource()].min(
      kernel.constant(kSourceTile));
  SymExpr height = permutation.result[permutation.getTarget()].min(
      kernel.constant(kTargetTile));
  return makePlan(
      kernel, getProduct(kernel.getContext(), getSpace(kernel, permutation)),
      width * height * 4);
}

namespace {

struct TileEmitter {
  TileEmitter(ElementEmitter &e, const Permutation &permutation);

  void emit(Value iteration);

private:
  struct Range {
    Value low, high;
  };

  Range getRange(unsigned dim, Value tile, int64_t size);
  void copy(Range source, Range target);
  void emitSquare(Value source, Value target);
  SmallVector<Value> swapHalves(ArrayRef<Value> rows, int64_t half);
  Value shuffle(Value a, Value b, ArrayRef<int32_t> lanes);
  /// Positions in the operand and in the result.
  Value getOperandPosition(Value source, Value target);
  Value getResultPosition(Value source, Value target);
  Value getSize(unsigned dim) { return kb.getSize(permutation.result[dim]); }

  ElementEmitter &e;
  KernelBuilder &kb;
  const Permutation &permutation;
  unsigned sourceDim, targetDim;
  Type memory;                      // an integer as wide as an element
  int64_t rows;                     // of a square
  Buffer from, to;                  // of `memory` elements
  SmallVector<Value> dims, strides; // of the result; the operand's strides
};

} // namespace

TileEmitter::TileEmitter(ElementEmitter &e, const Permutation &permutation)
    : e(e), kb(e.kb), permutation(permutation),
      sourceDim(permutation.getSource()), targetDim(permutation.getTarget()) {
  unsigned bits =
      getStoredBits(getElementTypeOrSelf(permutation.operand.getType()));
  memory = kb.getBuilder().getIntegerType(bits);
  rows = std::min(e.kernel.getTarget().getLanes(bits / 8), kMostRows);
  from = kb.getOperand(permutation.operand.getArgNumber());
  to = kb.getResult(0);
  from.elementType = to.elementType = memory;
  SymShape operand(permutation.result.size(), e.kernel.constant(1));
  for (auto [size, source] : llvm::zip(permutation.result, permutation.source))
    operand[source] = size;
  for (int64_t source : permutation.source)
    strides.push_back(kb.getSize(ArrayRef(operand).drop_front(source + 1)));
}

Value TileEmitter::getOperandPosition(Value source, Value target) {
  Value position = kb.add(source, kb.mul(target, strides[targetDim]));
  for (auto [dim, index] : llvm::enumerate(dims))
    if (dim != sourceDim && dim != targetDim)
      position = kb.add(position, kb.mul(index, strides[dim]));
  return position;
}

Value TileEmitter::getResultPosition(Value source, Value target) {
  SmallVector<Value> at(dims);
  at[sourceDim] = source;
  at[targetDim] = target;
  return kb.linearize(at, permutation.result);
}

TileEmitter::Range TileEmitter::getRange(unsigned dim, Value tile,
                                         int64_t size) {
  Value low = kb.mul(tile, kb.getIndex(size));
  return {low, kb.minimum(kb.add(low, kb.getIndex(size)), getSize(dim))};
}

/// Copies elements one by one.
void TileEmitter::copy(Range source, Range target) {
  kb.loop(source.low, source.high, [&](Value i) {
    kb.loop(target.low, target.high, [&](Value j) {
      kb.store(to, getResultPosition(i, j),
               kb.load(from, getOperandPosition(i, j)));
    });
  });
}

Value TileEmitter::shuffle(Value a, Value b, ArrayRef<int32_t> lanes) {
  return LLVM::ShuffleVectorOp::create(
      kb.getBuilder(), kb.getLoc(), a, b,
      kb.getBuilder().getDenseI32ArrayAttr(lanes));
}

/// Of each two rows `half` apart, swaps the blocks off the diagonal:
///
///   a: A B        A C
///   b: C D   to   B D
SmallVector<Value> TileEmitter::swapHalves(ArrayRef<Value> square,
                                           int64_t half) {
  auto count = static_cast<int64_t>(square.size());
  SmallVector<int32_t> upper, lower;
  for (int64_t lane = 0; lane != count; ++lane) {
    bool isLeft = (lane & half) == 0;
    upper.push_back(isLeft ? lane : count + lane - half);
    lower.push_back(isLeft ? lane + half : count + lane);
  }
  SmallVector<Value> swapped(square);
  for (int64_t row = 0; row != count; ++row) {
    if (row & half)
      continue;
    swapped[row] = shuffle(square[row], square[row + half], upper);
    swapped[row + half] = shuffle(square[row], square[row + half], lower);
  }
  return swapped;
}

void TileEmitter::emitSquare(Value source, Value target) {
  auto type = VectorType::get(rows, memory);
  SmallVector<Value> square;
  for (int64_t row = 0; row != rows; ++row)
    square.push_back(kb.loadVector(
        from, getOperandPosition(source, kb.add(target, kb.getIndex(row))),
        type));
  for (int64_t half = rows / 2; half != 0; half /= 2)
    square = swapHalves(square, half);
  for (int64_t row = 0; row != rows; ++row)
    kb.storeVector(to,
                   getResultPosition(kb.add(source, kb.getIndex(row)), target),
                   square[row]);
}

void TileEmitter::emit(Value iteration) {
  SymShape space = getSpace(e.kernel, permutation);
  SmallVector<Value> at = kb.delinearize(iteration, space);
  Range target = getRange(targetDim, at.pop_back_val(), kTargetTile);
  Range source = getRange(sourceDim, at.pop_back_val(), kSourceTile);
  dims.clear();
  for (unsigned dim = 0, next = 0; dim != permutation.result.size(); ++dim)
    dims.push_back(dim == sourceDim || dim == targetDim ? Value() : at[next++]);
  Value step = kb.getIndex(rows);
  auto countSquares = [&](Range range) {
    return kb.divide(kb.sub(range.high, range.low), step);
  };
  Value down = countSquares(source), across = countSquares(target);
  kb.loop(kb.getIndex(0), down, [&](Value i) {
    kb.loop(kb.getIndex(0), across, [&](Value j) {
      emitSquare(kb.add(source.low, kb.mul(i, step)),
                 kb.add(target.low, kb.mul(j, step)));
    });
  });
  Value middle = kb.add(source.low, kb.mul(down, step));
  Value end = kb.add(target.low, kb.mul(across, step));
  copy({source.low, middle}, {end, target.high});
  copy({middle, source.high}, target);
}

static void emit(ElementEmitter &e) {
  Permutation permutation = *getPermutation(e.kernel);
  TileEmitter tile(e, permutation);
  e.kb.loop(e.kb.getLo(), e.kb.getHi(),
            [&](Value iteration) { tile.emit(iteration); });
}

RootEmitter lz::getTransposeRoot() {
  return {"transpose", matches, plan, emit};
}
