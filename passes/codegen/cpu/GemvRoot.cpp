//===- GemvRoot.cpp - products of a few rows and a large matrix -----------===//
//
// With few rows, what counts is to read the matrix once, in long runs and from
// where it lies. For each block of columns, one of
//
//   dot    rhs is [column, k]: several columns at once, vectors along k
//   rows   rhs is [k, column]: several k at once, vectors along the columns,
//          added to sums in scratch memory
//
// and then what follows in the kernel, for the block.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/ChunkScratch.h"
#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/PackedMatrix.h"
#include "passes/codegen/cpu/RootEmitter.h"
#include "passes/codegen/cpu/VectorBuilder.h"

using namespace mlir;
using namespace lz;

/// Rows of the matrix that are read at once.
static constexpr int64_t kStreams = 8;
/// Blocks of columns: 4 KiB of f32 where rows are read, enough to be worth a
/// call where columns are.
static constexpr int64_t kRowColumns = 1024, kDotColumns = 64;

namespace {

struct GemvPlan {
  GemvPlan(const KernelInfo &kernel, Operation *op);

  std::unique_ptr<Product> product;
  Type type;
  bool isDot;
  int64_t rows, width, lanes;
  SymShape space;
  SymExpr sumBytes, chunkBytes; // of the sums, and with the rows of lhs
};

} // namespace

static int64_t getBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

/// Columns of a block where rows are read: a few blocks if that leaves them
/// long.
static int64_t getRowWidth(SymExpr columns, int64_t lanes) {
  std::optional<int64_t> known = columns.getConstant();
  if (!known)
    return kRowColumns / 2;
  int64_t quarter = llvm::alignTo(llvm::divideCeil(*known, 4), lanes);
  return std::clamp(quarter, 16 * lanes, kRowColumns);
}

/// `op` as a product; null if it is none that has a matrix.
static std::unique_ptr<Product> makeProduct(const KernelInfo &kernel,
                                            Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return makeMatmul(kernel, matmul);
  if (auto conv = dyn_cast<ConvOp>(op))
    return makeWholeConv(kernel, conv);
  return nullptr;
}

/// The operand that is the matrix.
static Value getRhs(Operation *op) { return op->getOperand(1); }

GemvPlan::GemvPlan(const KernelInfo &kernel, Operation *op)
    : product(makeProduct(kernel, op)),
      type(getComputeType(getElementTypeOrSelf(op->getResult(0)))),
      isDot(isa<ConvOp>(op) || cast<MatmulOp>(op).getTransposeRhs()),
      rows(*product->rows.getConstant()) {
  lanes = kernel.getTarget().getLanes(getBytes(type));
  width = isDot ? kDotColumns : getRowWidth(product->columns, lanes);
  space = product->outer;
  space.push_back(product->columns.ceilDiv(kernel.constant(width)));
  // Vectors of sums are stored beyond the last column.
  int64_t sums = rows * width + lanes;
  sumBytes = roundToLines(kernel.constant(sums * getBytes(type)));
  chunkBytes =
      sumBytes + roundToLines(product->depth * (rows * getBytes(type)));
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// True if `op` has few rows, and its matrix lies in memory as it is computed.
static bool isGemv(const KernelInfo &kernel, Operation *op) {
  std::unique_ptr<Product> product = makeProduct(kernel, op);
  if (!product)
    return false;
  Type type = getElementTypeOrSelf(getRhs(op));
  if (!isa<BlockArgument>(getRhs(op)) || !isa<FloatType>(type) ||
      type != getComputeType(type) || kernel.getShape(getRhs(op)).size() < 2)
    return false;
  std::optional<int64_t> rows = product->rows.getConstant();
  return rows && *rows >= 1 && *rows <= kMostGemvRows;
}

/// Null if the kernel isn't made around such a product.
static Operation *find(const KernelInfo &kernel) {
  Operation *found = getOnlyContraction(kernel);
  bool isRoot = found && isGemv(kernel, found) &&
                isNestShape(kernel, found->getResult(0));
  return isRoot ? found : nullptr;
}

static bool matches(const KernelInfo &kernel) {
  return find(kernel) != nullptr;
}

static KernelPlan plan(const KernelInfo &kernel) {
  GemvPlan gemv(kernel, find(kernel));
  // What is read costs more than what is computed.
  SymExpr cost = gemv.product->depth * (gemv.width / 2) +
                 kernel.constant(gemv.rows * gemv.width * 4);
  KernelPlan plan =
      makePlan(kernel, getProduct(kernel.getContext(), gemv.space), cost);
  setChunkScratch(kernel, plan, gemv.chunkBytes);
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

class GemvEmitter {
public:
  GemvEmitter(ElementEmitter &e, const GemvPlan &plan, const Nest &nest,
              const ChunkScratch &scratch)
      : e(e), kb(e.kb), plan(plan), product(*plan.product), nest(nest),
        vectors(kb, plan.type, plan.lanes),
        sums(scratch.getPart(plan.type, e.kernel.constant(0))),
        lhs(scratch.getPart(plan.type, plan.sumBytes)) {}

  void emitIteration(Value iteration);

private:
  using Vectors = SmallVector<Value>;

  Value index(int64_t value) { return kb.getIndex(value); }
  Value depth() { return kb.getSize(product.depth); }
  Value divideUp(Value count, int64_t by) {
    return kb.divide(kb.add(count, index(by - 1)), index(by));
  }
  void copyLhs(ArrayRef<Value> outer);

  void emitDots(const PlainMatrix &matrix, Value first, Value count);
  Vectors addDots(const PlainMatrix &matrix, Value lhsRow,
                  ArrayRef<Value> columns, Value k, Value mask,
                  ValueRange carried);
  Value sumUp(Vectors parts);

  void emitRows(const PlainMatrix &matrix, Value first, Value count);
  void addStreams(const PlainMatrix &matrix, Value row, Value first,
                  Value count, Value k, int64_t streams);
  void finish(ArrayRef<Value> outer, Value first, Value count);

  ElementEmitter &e;
  KernelBuilder &kb;
  const GemvPlan &plan;
  const Product &product;
  const Nest &nest;
  VectorBuilder vectors;
  Buffer sums, lhs; // [rows, width] and [rows, k]
};

} // namespace

/// Evaluates the rows of lhs once: they are read for every vector.
void GemvEmitter::copyLhs(ArrayRef<Value> outer) {
  kb.loop(index(0), index(plan.rows), [&](Value row) {
    kb.loop(index(0), depth(), [&](Value k) {
      Value scalar = product.emitLhs(e, outer, row, k);
      kb.store(lhs, kb.add(kb.mul(row, depth()), k), scalar);
    });
  });
}

//===----------------------------------------------------------------------===//
// rhs is [column, k]
//===----------------------------------------------------------------------===//

/// Adds the products at k of one row of lhs and several columns, under a mask
/// if there is one.
GemvEmitter::Vectors GemvEmitter::addDots(const PlainMatrix &matrix,
                                          Value lhsRow, ArrayRef<Value> columns,
                                          Value k, Value mask,
                                          ValueRange carried) {
  auto read = [&](const Buffer &buffer, Value start) {
    Value position = kb.add(start, k);
    return mask ? vectors.loadMasked(buffer, position, mask)
                : vectors.load(buffer, position);
  };
  Value left = read(lhs, lhsRow);
  Vectors next;
  for (auto [column, sum] : llvm::zip(columns, carried))
    next.push_back(vectors.multiplyAdd(left, read(matrix.buffer, column), sum));
  return next;
}

/// One vector of the sums of as many vectors.
Value GemvEmitter::sumUp(Vectors parts) {
  for (int64_t segments = 1; parts.size() > 1; segments *= 2) {
    Vectors merged;
    size_t half = parts.size() / 2;
    for (size_t i = 0; i != half; ++i)
      merged.push_back(
          vectors.mergeHalves(parts[i], parts[i + half], segments));
    parts = merged;
  }
  return parts.front();
}

void GemvEmitter::emitDots(const PlainMatrix &matrix, Value first,
                           Value count) {
  int64_t lanes = plan.lanes;
  Value last = kb.sub(count, index(1)),
        whole = kb.divide(depth(), index(lanes));
  Value mask = vectors.getMask(
      index(0), kb.sub(depth(), kb.mul(whole, index(lanes))), lanes);
  kb.loop(index(0), divideUp(count, lanes), [&](Value block) {
    Vectors columns;
    for (int64_t j = 0; j != lanes; ++j) {
      Value column =
          kb.minimum(kb.add(kb.mul(block, index(lanes)), index(j)), last);
      columns.push_back(
          kb.add(matrix.start, kb.mul(kb.add(first, column), matrix.stride)));
    }
    kb.loop(index(0), index(plan.rows), [&](Value row) {
      Value lhsRow = kb.mul(row, depth());
      Vectors parts(lanes, vectors.getZero());
      parts = kb.rolledLoop(
          index(0), whole, parts, [&](Value step, ValueRange carried) {
            return addDots(matrix, lhsRow, columns, kb.mul(step, index(lanes)),
                           Value(), carried);
          });
      parts = addDots(matrix, lhsRow, columns, kb.mul(whole, index(lanes)),
                      mask, parts);
      Value to =
          kb.add(kb.mul(row, index(plan.width)), kb.mul(block, index(lanes)));
      vectors.store(sums, to, sumUp(parts));
    });
  });
}

//===----------------------------------------------------------------------===//
// rhs is [k, column]
//===----------------------------------------------------------------------===//

/// Adds `streams` rows of the matrix from k on, times one row of lhs, to the
/// sums of `count` columns.
void GemvEmitter::addStreams(const PlainMatrix &matrix, Value row, Value first,
                             Value count, Value k, int64_t streams) {
  Vectors factors, starts;
  for (int64_t i = 0; i != streams; ++i) {
    Value at = kb.add(k, index(i));
    factors.push_back(
        vectors.splat(kb.load(lhs, kb.add(kb.mul(row, depth()), at))));
    starts.push_back(
        kb.add(kb.add(matrix.start, first), kb.mul(at, matrix.stride)));
  }
  Value to = kb.mul(row, index(plan.width));
  auto addVector = [&](Value column, Value mask) {
    Value position = kb.add(to, column);
    Value sum = vectors.load(sums, position);
    for (auto [factor, start] : llvm::zip(factors, starts)) {
      Value from = kb.add(start, column);
      Value read = mask ? vectors.loadMasked(matrix.buffer, from, mask)
                        : vectors.load(matrix.buffer, from);
      sum = vectors.multiplyAdd(factor, read, sum);
    }
    vectors.store(sums, position, sum);
  };
  Value lanes = index(plan.lanes), whole = kb.divide(count, lanes);
  kb.loop(index(0), whole,
          [&](Value block) { addVector(kb.mul(block, lanes), Value()); });
  Value done = kb.mul(whole, lanes);
  kb.when(kb.compare(arith::CmpIPredicate::slt, done, count), [&] {
    addVector(done, vectors.getMask(index(0), kb.sub(count, done), plan.lanes));
  });
}

void GemvEmitter::emitRows(const PlainMatrix &matrix, Value first,
                           Value count) {
  Value streams = index(kStreams), whole = kb.divide(depth(), streams);
  kb.loop(index(0), index(plan.rows * plan.width),
          [&](Value i) { kb.store(sums, i, kb.getScalar(plan.type, 0)); });
  auto addAllRows = [&](Value k, int64_t streams) {
    kb.loop(index(0), index(plan.rows), [&](Value row) {
      addStreams(matrix, row, first, count, k, streams);
    });
  };
  kb.loop(index(0), whole,
          [&](Value step) { addAllRows(kb.mul(step, streams), kStreams); });
  kb.loop(kb.mul(whole, streams), depth(), [&](Value k) { addAllRows(k, 1); });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// What follows the product, for the columns of a block.
void GemvEmitter::finish(ArrayRef<Value> outer, Value first, Value count) {
  kb.loop(index(0), index(plan.rows), [&](Value row) {
    kb.loop(index(0), count, [&](Value j) {
      SmallVector<Value> dims =
          product.getResultDims(e, outer, row, kb.add(first, j));
      Value at = kb.add(kb.mul(row, index(plan.width)), j);
      Value sum = kb.load(sums, at);
      if (Value bias = product.emitBias(e, kb.add(first, j)))
        sum = kb.create<arith::AddFOp>(sum, bias);
      e.define(product.result, dims, sum);
      for (auto [number, stored] : llvm::enumerate(nest.stored))
        kb.store(kb.getResult(number), kb.linearize(dims, nest.shape),
                 e.emit(stored, dims));
    });
  });
}

void GemvEmitter::emitIteration(Value iteration) {
  SmallVector<Value> outer = kb.delinearize(iteration, plan.space);
  Value first = kb.mul(outer.pop_back_val(), index(plan.width));
  Value count =
      kb.minimum(kb.sub(kb.getSize(product.columns), first), index(plan.width));
  copyLhs(outer);
  PlainMatrix matrix = *product.getMatrix(e, outer);
  if (plan.isDot)
    emitDots(matrix, first, count);
  else
    emitRows(matrix, first, count);
  finish(outer, first, count);
}

static void emit(ElementEmitter &e) {
  GemvPlan gemv(e.kernel, find(e.kernel));
  Nest nest = *getNest(e.kernel);
  ChunkScratch scratch(e.kb, plan(e.kernel), gemv.chunkBytes);
  GemvEmitter emitter(e, gemv, nest, scratch);
  e.kb.loop(e.kb.getLo(), e.kb.getHi(),
            [&](Value iteration) { emitter.emitIteration(iteration); });
}

RootEmitter lz::getGemvRoot() {
  return {"gemv", matches, plan, emit, /*storesOnce=*/true};
}
