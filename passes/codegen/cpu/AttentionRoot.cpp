//===- AttentionRoot.cpp - attention by blocks of queries -----------------===//
//
// softmax(f(q * k)) * v, of whose scores there are never more than those of a
// block of queries. For each block, as many queries as two vectors have lanes:
//
//   queries, transposed to [k, lane]
//   for a few keys at a time:
//     scores[key, lane] = sum over k of key[k] * queries[k, lane]
//     what lies between them and the softmax
//   exponentials of scores - their maximum, and the sum of those
//   for a few columns at a time:
//     sums[column, lane] = sum over keys of v[key, column] * scores[key, lane]
//   division by the sums, what follows in the kernel, and the stores
//
// Queries are the lanes, so no sum runs across lanes, and keys and values are
// read where they lie.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/ChunkScratch.h"
#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/FloatMath.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/RootEmitter.h"
#include "passes/codegen/cpu/VectorBuilder.h"
#include "passes/support/Attention.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// Vectors of queries.
static constexpr int64_t kVectors = 2;

/// Rows of a tile of sums: keys, or columns of the values.
static constexpr int64_t kMostRows = 12;

/// Steps in the body of an innermost loop. More of them make LLVM spill.
static constexpr int64_t kUnroll = 4;

static constexpr int64_t kBytes = sizeof(float);

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {

struct AttentionPlan {
  AttentionPlan(const KernelInfo &kernel, Attention attention);

  Value softmaxInput;
  std::unique_ptr<Contraction> scores, values;
  bool areKeysRows, areValuesColumns; // of the operand in memory
  int64_t lanes, width, rows;
  SymShape space;
  // Where the parts of a chunk's scratch start, after the sums of exponentials.
  SymExpr queriesAt, scoresAt, sumsAt, chunkBytes;
};

} // namespace

AttentionPlan::AttentionPlan(const KernelInfo &kernel, Attention attention)
    : softmaxInput(attention.softmax.getInput()),
      scores(makeContraction(kernel, attention.scores)),
      values(makeContraction(kernel, attention.values)),
      areKeysRows(attention.scores.getTransposeRhs()),
      areValuesColumns(attention.values.getTransposeRhs()) {
  const targets::CpuTarget &target = kernel.getTarget();
  lanes = target.getLanes(kBytes);
  width = kVectors * lanes;
  rows = std::min<int64_t>((target.vectorRegisters - 4) / kVectors, kMostRows);
  space = values->outer;
  space.push_back(values->rows.ceilDiv(kernel.constant(width)));
  auto getRowBytes = [&](SymExpr count) { return count * (width * kBytes); };
  auto roundToTiles = [&](SymExpr count) {
    return count.ceilDiv(kernel.constant(rows)) * rows;
  };
  queriesAt = getRowBytes(kernel.constant(1));
  scoresAt = queriesAt + getRowBytes(scores->depth);
  sumsAt = scoresAt + getRowBytes(roundToTiles(scores->columns));
  chunkBytes = sumsAt + getRowBytes(roundToTiles(values->columns));
}

/// The attention that the kernel is made around, if its keys and values lie in
/// memory.
static std::optional<Attention> find(const KernelInfo &kernel) {
  std::optional<Attention> found;
  int64_t loops = 0;
  for (Operation &op : kernel.getBody()) {
    FusionKind kind = cast<FusionOpInterface>(&op).getFusionKind();
    loops += kind == FusionKind::Contraction || kind == FusionKind::Row ||
             kind == FusionKind::Reduction;
    if (auto matmul = dyn_cast<MatmulOp>(op))
      if (auto attention = getAttention(matmul, kernel.getShapes()))
        found = attention;
  }
  bool isRoot = found && loops == 3 &&
                isa<BlockArgument>(found->scores.getRhs()) &&
                isa<BlockArgument>(found->values.getRhs()) &&
                isNestShape(kernel, found->values.getResult());
  return isRoot ? found : std::nullopt;
}

static bool matches(const KernelInfo &kernel) {
  return find(kernel).has_value();
}

static KernelPlan plan(const KernelInfo &kernel) {
  AttentionPlan attention(kernel, *find(kernel));
  // A product costs a fourth, an exponential about eight.
  SymExpr depth = attention.scores->depth + attention.values->columns;
  SymExpr cost = attention.scores->columns *
                 (depth * (attention.width / 4) + attention.width * 8);
  KernelPlan plan =
      makePlan(kernel, getProduct(kernel.getContext(), attention.space), cost);
  setChunkScratch(kernel, plan, attention.chunkBytes);
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

/// Queries [first, first + count) of one index of the batch.
struct QueryBlock {
  SmallVector<Value> outer;
  Value first, count;
};

/// [k, column], or [column, k] if it is transposed.
struct MatrixInMemory {
  PlainMatrix plain;
  bool isTransposed;
};

class AttentionEmitter {
public:
  AttentionEmitter(ElementEmitter &e, const AttentionPlan &plan,
                   const Nest &nest, const ChunkScratch &scratch)
      : e(e), kb(e.kb), plan(plan), nest(nest),
        math{kb, kb.getBuilder().getF32Type()},
        vectors(kb, math.type, plan.lanes),
        factors(scratch.getPart(math.type, e.kernel.constant(0))),
        queries(scratch.getPart(math.type, plan.queriesAt)),
        scores(scratch.getPart(math.type, plan.scoresAt)),
        sums(scratch.getPart(math.type, plan.sumsAt)) {}

  void emitIteration(Value iteration);

private:
  using Vectors = SmallVector<Value>;

  Value index(int64_t value) { return kb.getIndex(value); }
  Value getRow(Value row) { return kb.mul(row, index(plan.width)); }
  Value keyCount() { return kb.getSize(plan.scores->columns); }

  void copyQueries(const QueryBlock &block);
  Vectors loadRow(const Buffer &buffer, Value row);
  void storeRow(const Buffer &buffer, Value row, ValueRange values);

  void multiply(const Product &product, const MatrixInMemory &matrix,
                const Buffer &right, const Buffer &result);
  Vectors addProducts(const MatrixInMemory &matrix, ArrayRef<Value> columns,
                      const Buffer &right, Value k, ValueRange carried);

  void finishScores(const QueryBlock &block);
  void exponentiate();
  void store(const QueryBlock &block);

  ElementEmitter &e;
  KernelBuilder &kb;
  const AttentionPlan &plan;
  const Nest &nest;
  FloatMath math;
  VectorBuilder vectors;
  Buffer factors, queries, scores, sums; // [row, lane]
};

} // namespace

/// Lanes beyond the last query have zeros: finite, and not stored.
void AttentionEmitter::copyQueries(const QueryBlock &block) {
  Value depth = kb.getSize(plan.scores->depth), width = index(plan.width);
  kb.loop(index(0), block.count, [&](Value lane) {
    kb.loop(index(0), depth, [&](Value k) {
      Value query = kb.add(block.first, lane);
      kb.store(queries, kb.add(getRow(k), lane),
               plan.scores->emitLhs(e, block.outer, query, k));
    });
  });
  kb.loop(block.count, width, [&](Value lane) {
    kb.loop(index(0), depth, [&](Value k) {
      kb.store(queries, kb.add(getRow(k), lane), math.number(0));
    });
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

AttentionEmitter::Vectors AttentionEmitter::loadRow(const Buffer &buffer,
                                                    Value row) {
  Vectors values;
  for (int64_t v = 0; v != kVectors; ++v)
    values.push_back(
        vectors.load(buffer, kb.add(getRow(row), index(v * plan.lanes))));
  return values;
}

void AttentionEmitter::storeRow(const Buffer &buffer, Value row,
                                ValueRange values) {
  for (auto [v, vector] : llvm::enumerate(values))
    vectors.store(buffer, kb.add(getRow(row), index(v * plan.lanes)), vector);
}

/// Adds the products of one k and the matrix's `columns`, each given by the
/// position of its first element, to their sums.
AttentionEmitter::Vectors
AttentionEmitter::addProducts(const MatrixInMemory &matrix,
                              ArrayRef<Value> columns, const Buffer &right,
                              Value k, ValueRange carried) {
  Vectors factors = loadRow(right, k), next;
  Value step = matrix.isTransposed ? k : kb.mul(k, matrix.plain.stride);
  for (Value column : columns) {
    Value left =
        vectors.splat(kb.load(matrix.plain.buffer, kb.add(column, step)));
    for (Value factor : factors)
      next.push_back(vectors.multiplyAdd(left, factor, carried[next.size()]));
  }
  return next;
}

/// result[column, lane] = sum over k of matrix[k, column] * right[k, lane].
/// Columns beyond the end repeat the last one.
void AttentionEmitter::multiply(const Product &product,
                                const MatrixInMemory &matrix,
                                const Buffer &right, const Buffer &result) {
  Value depth = kb.getSize(product.depth), unroll = index(kUnroll);
  Value steps = kb.divide(depth, unroll), count = kb.getSize(product.columns);
  Value tiles =
      kb.getSize(product.columns.ceilDiv(e.kernel.constant(plan.rows)));
  kb.loop(index(0), tiles, [&](Value tile) {
    Value first = kb.mul(tile, index(plan.rows));
    Vectors columns, totals;
    for (int64_t r = 0; r != plan.rows; ++r) {
      Value column =
          kb.minimum(kb.add(first, index(r)), kb.sub(count, index(1)));
      Value distance =
          matrix.isTransposed ? kb.mul(column, matrix.plain.stride) : column;
      columns.push_back(kb.add(matrix.plain.start, distance));
      totals.append(kVectors, vectors.getZero());
    }
    totals = kb.rolledLoop(
        index(0), steps, totals, [&](Value step, ValueRange carried) {
          Vectors next(carried);
          for (int64_t u = 0; u != kUnroll; ++u)
            next = addProducts(matrix, columns, right,
                               kb.add(kb.mul(step, unroll), index(u)), next);
          return next;
        });
    totals = kb.rolledLoop(
        kb.mul(steps, unroll), depth, totals, [&](Value k, ValueRange carried) {
          return addProducts(matrix, columns, right, k, carried);
        });
    for (int64_t r = 0; r != plan.rows; ++r)
      storeRow(result, kb.add(first, index(r)),
               ArrayRef(totals).slice(r * kVectors, kVectors));
  });
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// What lies between the scores and the softmax.
void AttentionEmitter::finishScores(const QueryBlock &block) {
  Value product = plan.scores->result, input = plan.softmaxInput;
  if (input == product)
    return;
  kb.withUsual(block.count, index(plan.width), [&](Value count) {
    kb.loop(index(0), keyCount(), [&](Value key) {
      kb.rolledLoop(index(0), count, [&](Value lane) {
        Value at = kb.add(getRow(key), lane);
        SmallVector<Value> dims = plan.scores->getResultDims(
            e, block.outer, kb.add(block.first, lane), key);
        e.define(product, dims, kb.load(scores, at));
        kb.store(scores, at, e.emit(input, dims));
      });
    });
  });
}

/// Makes exponentials of scores, and factors of their sums. The maximum is that
/// of what is no NaN, as in softmax kernels.
void AttentionEmitter::exponentiate() {
  OpBuilder &builder = kb.getBuilder();
  auto flags = arith::FastMathFlags::nnan | arith::FastMathFlags::nsz;
  Vectors largest(kVectors, vectors.splat(math.number(-INFINITY)));
  largest = kb.rolledLoop(
      index(0), keyCount(), largest, [&](Value key, ValueRange carried) {
        Vectors next;
        for (auto [max, score] : llvm::zip(carried, loadRow(scores, key)))
          next.push_back(arith::MaxNumFOp::create(builder, kb.getLoc(), max,
                                                  score, flags));
        return next;
      });
  for (Value &max : largest)
    max = LLVM::FreezeOp::create(builder, kb.getLoc(), max);
  kb.rolledLoop(index(0), keyCount(), [&](Value key) {
    Vectors distances;
    for (auto [score, max] : llvm::zip(loadRow(scores, key), largest))
      distances.push_back(math.sub(score, max));
    storeRow(scores, key, distances);
  });
  kb.loop(index(0), getRow(keyCount()), [&](Value at) {
    kb.store(scores, at, math.exp(kb.load(scores, at)));
  });
  // Without keys the result is zero.
  Value isEmpty = kb.compare(arith::CmpIPredicate::eq, keyCount(), index(0));
  Value start = kb.select(isEmpty, math.number(1), math.number(0));
  Vectors totals(kVectors, vectors.splat(start));
  totals = kb.rolledLoop(
      index(0), keyCount(), totals, [&](Value key, ValueRange carried) {
        Vectors next;
        for (auto [total, score] : llvm::zip(carried, loadRow(scores, key)))
          next.push_back(vectors.add(total, score));
        return next;
      });
  for (Value &total : totals)
    total = math.div(vectors.splat(math.number(1)), total);
  storeRow(factors, index(0), totals);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void AttentionEmitter::store(const QueryBlock &block) {
  Value columns = kb.getSize(plan.values->columns);
  kb.loop(index(0), block.count, [&](Value lane) {
    Value factor = kb.load(factors, lane);
    kb.rolledLoop(index(0), columns, [&](Value column) {
      Value sum = kb.load(sums, kb.add(getRow(column), lane));
      SmallVector<Value> dims = plan.values->getResultDims(
          e, block.outer, kb.add(block.first, lane), column);
      e.define(plan.values->result, dims, math.mul(sum, factor));
      for (auto [number, stored] : llvm::enumerate(nest.stored))
        kb.store(kb.getResult(number), kb.linearize(dims, nest.shape),
                 e.emit(stored, dims));
    });
  });
}

void AttentionEmitter::emitIteration(Value iteration) {
  QueryBlock block;
  block.outer = kb.delinearize(iteration, plan.space);
  block.first = kb.mul(block.outer.pop_back_val(), index(plan.width));
  block.count = index(plan.width);
  std::optional<int64_t> rows = plan.values->rows.getConstant();
  if (!rows || *rows % plan.width != 0)
    block.count = kb.minimum(kb.sub(kb.getSize(plan.values->rows), block.first),
                             block.count);
  copyQueries(block);
  multiply(*plan.scores,
           {*plan.scores->getMatrix(e, block.outer), plan.areKeysRows}, queries,
           scores);
  finishScores(block);
  exponentiate();
  multiply(*plan.values,
           {*plan.values->getMatrix(e, block.outer), plan.areValuesColumns},
           scores, sums);
  store(block);
}

static void emit(ElementEmitter &e) {
  AttentionPlan attention(e.kernel, *find(e.kernel));
  Nest nest = *getNest(e.kernel);
  ChunkScratch scratch(e.kb, plan(e.kernel), attention.chunkBytes);
  AttentionEmitter emitter(e, attention, nest, scratch);
  e.kb.loop(e.kb.getLo(), e.kb.getHi(),
            [&](Value iteration) { emitter.emitIteration(iteration); });
}

RootEmitter lz::getAttentionRoot() {
  return {"attention", matches, plan, emit};
}
