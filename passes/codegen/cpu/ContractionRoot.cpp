//===- ContractionRoot.cpp - the loops of matrix products -----------------===//
//
// See Contraction.h. For each panel of columns and block of rows:
//
//   pack rhs[:, columns]
//   for each tile of rows:
//     sums = start; for k: sums[r] += lhs[r, k] * panel[k]   (in registers)
//     store the sums to a small buffer
//     for each element: what follows in the kernel, and the store
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/ChunkScratch.h"
#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/RootEmitter.h"
#include "passes/codegen/cpu/VectorBuilder.h"

using namespace mlir;
using namespace lz;

/// About the rows that share a packed panel.
static constexpr int64_t kBlockRows = 512;

/// Rows of a tile: each has an address of its own, and those are as few as
/// general registers.
static constexpr int64_t kMostRows = 12;

/// Steps of k in the body of the innermost loop. More of them make LLVM spill.
static constexpr int64_t kUnroll = 4;

std::unique_ptr<Contraction> lz::makeContraction(const KernelInfo &kernel,
                                                 Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return makeMatmul(kernel, matmul);
  if (auto conv = dyn_cast<ConvOp>(op))
    return makeConv(kernel, conv);
  if (auto conv = dyn_cast<ConvTransposeOp>(op))
    return makeConvTranspose(kernel, conv);
  return nullptr;
}

Operation *lz::getOnlyContraction(const KernelInfo &kernel) {
  Operation *found = nullptr;
  for (Operation &op : kernel.getBody()) {
    if (cast<FusionOpInterface>(&op).getFusionKind() != FusionKind::Contraction)
      continue;
    if (found)
      return nullptr;
    found = &op;
  }
  return found;
}

bool lz::isNestShape(const KernelInfo &kernel, Value result) {
  FailureOr<Nest> nest = getNest(kernel);
  return succeeded(nest) && kernel.getShape(result) == ArrayRef(nest->shape);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {

/// The sizes of tiles, and of the scratch memory of a chunk: first the sums of
/// a tile, then the table of offsets, then the panel.
struct TileSizes {
  Type type; // compute type
  int64_t rows, blockRows, vectors, width;
  bool inPlace; // full panels are read where they lie
  int64_t tileBytes;
  SymExpr tableBytes, panelBytes, chunkBytes;
};

} // namespace

static int64_t getBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

/// True if rhs is an operand that can be used where it lies, and copying panels
/// of it doesn't pay, as it does not for a few rows.
static bool isReadInPlace(const Contraction &contraction,
                          const TileSizes &sizes) {
  Value operand = contraction.getPlainOperand();
  std::optional<int64_t> rows = contraction.rows.getConstant();
  return operand && getElementTypeOrSelf(operand) == sizes.type && rows &&
         *rows <= 4 * sizes.rows;
}

static TileSizes getTileSizes(const KernelInfo &kernel,
                              const Contraction &contraction) {
  const targets::CpuTarget &target = kernel.getTarget();
  TileSizes sizes;
  sizes.type = getComputeType(getElementTypeOrSelf(contraction.result));
  int64_t bytes = getBytes(sizes.type);
  // Two registers for each row; two for the panel, two for the compiler.
  sizes.vectors = 2;
  sizes.rows = std::min<int64_t>((target.vectorRegisters - 4) / 2, kMostRows);
  if (std::optional<int64_t> rows = contraction.rows.getConstant())
    sizes.rows = std::clamp<int64_t>(*rows, 1, sizes.rows);
  sizes.blockRows = llvm::alignTo(kBlockRows, sizes.rows);
  // Memory is read in longer pieces where one row leaves registers free.
  if (sizes.rows == 1)
    sizes.vectors = 8;
  sizes.width = sizes.vectors * target.getLanes(bytes);
  int64_t rank = cast<RankedTensorType>(contraction.result.getType()).getRank();
  sizes.tileBytes = llvm::alignTo(sizes.rows * sizes.width * bytes, 64);
  bool isConv = !isa<MatmulOp>(contraction.result.getDefiningOp());
  SymExpr packs = kernel.constant(contraction.hasPanels(sizes.width) ? 0 : 1);
  sizes.inPlace = isReadInPlace(contraction, sizes);
  if (sizes.inPlace) // but the last panel, if it isn't full
    packs = contraction.columns.mod(kernel.constant(sizes.width)).min(packs);
  sizes.tableBytes =
      packs * (isConv ? llvm::alignTo((rank + 1) * sizes.width * 8, 64) : 0);
  sizes.panelBytes =
      packs * roundToLines(contraction.depth * (sizes.width * bytes));
  sizes.chunkBytes = sizes.panelBytes + sizes.tileBytes + sizes.tableBytes;
  return sizes;
}

/// The parallel space: outer dimensions, panels, blocks of rows.
static SymShape getSpace(const KernelInfo &kernel,
                         const Contraction &contraction,
                         const TileSizes &sizes) {
  SymShape space = contraction.outer;
  space.push_back(contraction.columns.ceilDiv(kernel.constant(sizes.width)));
  space.push_back(contraction.rows.ceilDiv(kernel.constant(sizes.blockRows)));
  return space;
}

/// The contraction whose tiles are what the kernel's results are made of.
static std::unique_ptr<Contraction> find(const KernelInfo &kernel) {
  std::unique_ptr<Contraction> found;
  for (Operation &op : kernel.getBody())
    if (std::unique_ptr<Contraction> contraction = makeContraction(kernel, &op))
      found = std::move(contraction);
  return found && isNestShape(kernel, found->result) ? std::move(found)
                                                     : nullptr;
}

static bool matches(const KernelInfo &kernel) {
  return static_cast<bool>(find(kernel));
}

static KernelPlan plan(const KernelInfo &kernel) {
  std::unique_ptr<Contraction> contraction = find(kernel);
  TileSizes sizes = getTileSizes(kernel, *contraction);
  SymShape space = getSpace(kernel, *contraction, sizes);
  SymExpr iterations = getProduct(kernel.getContext(), space);
  SymExpr rows = contraction->rows.min(kernel.constant(sizes.blockRows));
  SymExpr products = rows * contraction->depth * sizes.width;
  KernelPlan plan =
      makePlan(kernel, iterations,
               products.floorDiv(kernel.constant(4)) + rows * sizes.width * 4);
  setChunkScratch(kernel, plan, sizes.chunkBytes);
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

/// A panel ready for use: row k starts at element k * stride of `buffer`, which
/// may be scratch memory or an operand.
struct ReadyPanel {
  Buffer buffer;
  Value stride;
};

class ContractionEmitter {
public:
  ContractionEmitter(ElementEmitter &e, const Contraction &contraction,
                     const Nest &nest)
      : e(e), kb(e.kb), contraction(contraction), nest(nest),
        sizes(getTileSizes(e.kernel, contraction)),
        vectors(kb, sizes.type, sizes.width / sizes.vectors) {}

  void emit(const KernelPlan &plan);

private:
  Value index(int64_t value) { return kb.getIndex(value); }
  SmallVector<int64_t> getHeights() const;

  ReadyPanel preparePanel(const Panel &panel);
  void packPlain(const Panel &panel, const PlainMatrix &matrix);
  void emitIteration(Value iteration);
  void emitTile(const Panel &panel, const ReadyPanel &ready, Value row,
                Value end);
  SmallVector<Value> multiply(const Panel &panel, const ReadyPanel &ready,
                              ArrayRef<Value> tileRows, Value k,
                              ValueRange sums);
  SmallVector<Value> accumulate(const Panel &panel, const ReadyPanel &ready,
                                ArrayRef<Value> tileRows);
  void computeRows(const Panel &panel, const ReadyPanel &ready, Value row,
                   Value count, int64_t height);
  void finishTile(const Panel &panel, Value row, Value count);
  void finishElement(const Panel &panel, Value row, Value column, Value sum);

  ElementEmitter &e;
  KernelBuilder &kb;
  const Contraction &contraction;
  const Nest &nest;
  TileSizes sizes;
  VectorBuilder vectors;
  Buffer tile, table, panelBuffer;
};

} // namespace

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

/// Copies the columns of a full panel.
void ContractionEmitter::packPlain(const Panel &panel,
                                   const PlainMatrix &matrix) {
  Value first = kb.add(matrix.start, panel.first);
  kb.loop(index(0), kb.getSize(contraction.depth), [&](Value k) {
    Value from = kb.add(first, kb.mul(k, matrix.stride));
    Value to = kb.mul(k, index(sizes.width));
    for (int64_t v = 0; v != sizes.vectors; ++v) {
      Value lane = index(v * vectors.getLanes());
      vectors.store(panel.buffer, kb.add(to, lane),
                    vectors.load(matrix.buffer, kb.add(from, lane)));
    }
  });
}

/// Packs the panel, or finds that it can be used where it lies.
ReadyPanel ContractionEmitter::preparePanel(const Panel &panel) {
  ReadyPanel packed = {panel.buffer, index(sizes.width)};
  if (contraction.hasPanels(sizes.width)) {
    Buffer panels = contraction.getPanels(e);
    Value start = kb.mul(panel.first, kb.getSize(contraction.depth));
    return {{kb.getAddress(panels, start), sizes.type, panels.group},
            packed.stride};
  }
  std::optional<PlainMatrix> matrix = contraction.getPlainRhs(e, panel.outer);
  if (!matrix || matrix->buffer.elementType != sizes.type) {
    contraction.pack(e, panel);
    return packed;
  }
  auto read = [&] {
    return kb.getAddress(matrix->buffer, kb.add(matrix->start, panel.first));
  };
  if (sizes.inPlace && sizes.panelBytes.isConstant(0))
    return {{read(), sizes.type, 0}, matrix->stride};
  Value isFull =
      kb.compare(arith::CmpIPredicate::eq, panel.count, index(sizes.width));
  Value pointer = kb.choose(
      panel.buffer.pointer.getType(), isFull,
      [&]() -> Value {
        if (sizes.inPlace)
          return read();
        packPlain(panel, *matrix);
        return panel.buffer.pointer;
      },
      [&] {
        contraction.pack(e, panel);
        return panel.buffer.pointer;
      });
  Value stride = sizes.inPlace
                     ? kb.select(isFull, matrix->stride, packed.stride)
                     : packed.stride;
  return {{pointer, sizes.type, 0}, stride};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Adds the products of one k to the sums, which are the tile's vectors row by
/// row.
SmallVector<Value> ContractionEmitter::multiply(const Panel &panel,
                                                const ReadyPanel &ready,
                                                ArrayRef<Value> tileRows,
                                                Value k, ValueRange sums) {
  SmallVector<Value> right, next;
  Value start = kb.mul(k, ready.stride);
  for (int64_t v = 0; v != sizes.vectors; ++v)
    right.push_back(vectors.loadAnywhere(
        ready.buffer, kb.add(start, index(v * vectors.getLanes()))));
  for (Value row : tileRows) {
    Value left = vectors.splat(contraction.emitLhs(e, panel.outer, row, k));
    for (Value vector : right)
      next.push_back(vectors.multiplyAdd(left, vector, sums[next.size()]));
  }
  return next;
}

SmallVector<Value> ContractionEmitter::accumulate(const Panel &panel,
                                                  const ReadyPanel &ready,
                                                  ArrayRef<Value> tileRows) {
  SmallVector<Value> sums;
  for (Value row : tileRows) {
    Value start = contraction.emitStart(e, panel.outer, row);
    sums.append(sizes.vectors,
                start ? vectors.splat(start) : vectors.getZero());
  }
  Value unroll = index(kUnroll), depth = kb.getSize(contraction.depth);
  Value steps =
      kb.getSize(contraction.depth.floorDiv(e.kernel.constant(kUnroll)));
  sums =
      kb.rolledLoop(index(0), steps, sums, [&](Value step, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t u = 0; u != kUnroll; ++u)
          next = multiply(panel, ready, tileRows,
                          kb.add(kb.mul(step, unroll), index(u)), next);
        return next;
      });
  std::optional<int64_t> known = contraction.depth.getConstant();
  if (known && *known % kUnroll == 0)
    return sums;
  return kb.rolledLoop(kb.mul(steps, unroll), depth, sums,
                       [&](Value k, ValueRange carried) {
                         return multiply(panel, ready, tileRows, k, carried);
                       });
}

/// What follows the contraction, for one element of it.
void ContractionEmitter::finishElement(const Panel &panel, Value row,
                                       Value column, Value sum) {
  SmallVector<Value> dims =
      contraction.getResultDims(e, panel.outer, row, column);
  e.define(contraction.result, dims, sum);
  for (auto [number, stored] : llvm::enumerate(nest.stored))
    kb.store(kb.getResult(number), kb.linearize(dims, nest.shape),
             e.emit(stored, dims));
}

/// Computes `count` rows, at most `height`, into the tile's buffer.
void ContractionEmitter::computeRows(const Panel &panel,
                                     const ReadyPanel &ready, Value row,
                                     Value count, int64_t height) {
  // Rows beyond the end repeat the last one, and are not stored.
  Value last = kb.sub(kb.add(row, count), index(1));
  SmallVector<Value> tileRows;
  for (int64_t r = 0; r != height; ++r)
    tileRows.push_back(r == 0 ? row : kb.minimum(kb.add(row, index(r)), last));
  SmallVector<Value> sums = accumulate(panel, ready, tileRows);
  for (auto [number, sum] : llvm::enumerate(sums))
    vectors.store(tile, index(number * vectors.getLanes()), sum);
}

/// What follows the contraction, for the tile's rows.
void ContractionEmitter::finishTile(const Panel &panel, Value row,
                                    Value count) {
  kb.withUsual(panel.count, index(sizes.width), [&](Value columns) {
    kb.loop(index(0), count, [&](Value r) {
      kb.rolledLoop(index(0), columns, [&](Value j) {
        Value sum = kb.load(tile, kb.add(kb.mul(r, index(sizes.width)), j));
        finishElement(panel, kb.add(row, r), kb.add(panel.first, j), sum);
      });
    });
  });
}

/// Computes rows [row, end), at most a tile, of a panel. What is left at the
/// end takes a lower tile if one fits.
void ContractionEmitter::emitTile(const Panel &panel, const ReadyPanel &ready,
                                  Value row, Value end) {
  Value count = kb.minimum(kb.sub(end, row), index(sizes.rows));
  SmallVector<int64_t> heights = getHeights();
  for (auto [number, height] : llvm::enumerate(heights)) {
    auto compute = [&, height = height] {
      computeRows(panel, ready, row, count, height);
    };
    if (heights.size() == 1) {
      compute();
      break;
    }
    int64_t below = number + 1 == heights.size() ? 0 : heights[number + 1];
    Value fits = kb.compare(arith::CmpIPredicate::sle, count, index(height));
    Value needed = kb.compare(arith::CmpIPredicate::sgt, count, index(below));
    kb.when(kb.create<arith::AndIOp>(fits, needed), compute);
  }
  finishTile(panel, row, count);
}

/// The heights of tiles, from the tallest: the usual one, and what is left.
SmallVector<int64_t> ContractionEmitter::getHeights() const {
  SmallVector<int64_t> heights = {sizes.rows};
  if (std::optional<int64_t> rows = contraction.rows.getConstant()) {
    if (int64_t left = *rows % sizes.rows)
      heights.push_back(left);
    return heights;
  }
  for (int64_t height : {sizes.rows / 2, int64_t{1}})
    if (height < heights.back() && height > 0)
      heights.push_back(height);
  return heights;
}

void ContractionEmitter::emitIteration(Value iteration) {
  SmallVector<Value> indices =
      kb.delinearize(iteration, getSpace(e.kernel, contraction, sizes));
  Value block = indices.pop_back_val();
  Value first = kb.mul(indices.pop_back_val(), index(sizes.width));
  std::optional<int64_t> columns = contraction.columns.getConstant();
  Value count = index(sizes.width);
  if (!columns || *columns % sizes.width != 0)
    count = kb.minimum(kb.sub(kb.getSize(contraction.columns), first), count);
  Panel panel = {indices, first, count, sizes.width, panelBuffer, table};
  ReadyPanel ready = preparePanel(panel);

  Value row = kb.mul(block, index(sizes.blockRows));
  Value end = kb.minimum(kb.add(row, index(sizes.blockRows)),
                         kb.getSize(contraction.rows));
  Value tiles = kb.divide(kb.add(kb.sub(end, row), index(sizes.rows - 1)),
                          index(sizes.rows));
  kb.loop(index(0), tiles, [&](Value number) {
    emitTile(panel, ready, kb.add(row, kb.mul(number, index(sizes.rows))), end);
  });
}

void ContractionEmitter::emit(const KernelPlan &plan) {
  ChunkScratch scratch(kb, plan, sizes.chunkBytes);
  tile = scratch.getPart(sizes.type, e.kernel.constant(0));
  table = scratch.getPart(kb.getBuilder().getI64Type(),
                          e.kernel.constant(sizes.tileBytes));
  panelBuffer = scratch.getPart(sizes.type, sizes.tableBytes + sizes.tileBytes);
  kb.loop(kb.getLo(), kb.getHi(),
          [&](Value iteration) { emitIteration(iteration); });
}

static void emit(ElementEmitter &e) {
  std::unique_ptr<Contraction> contraction = find(e.kernel);
  Nest nest = *getNest(e.kernel);
  ContractionEmitter(e, *contraction, nest).emit(plan(e.kernel));
}

RootEmitter lz::getContractionRoot() {
  return {"contraction", matches, plan, emit, /*storesOnce=*/true};
}
