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

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/Nest.h"
#include "passes/codegen/cpu/RootEmitter.h"

using namespace mlir;
using namespace lz;

/// Rows that share a packed panel, and the most chunks of a launch, each of
/// which has scratch memory of its own.
static constexpr int64_t kBlockRows = 512;
static constexpr int64_t kMostChunks = 32;

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

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {

/// The sizes of tiles, and of the scratch memory of a chunk: first the sums of
/// a tile, then the table of offsets, then the panel.
struct TileSizes {
  Type type; // compute type
  int64_t rows, width, tableSlots;
  int64_t tileBytes, tableBytes;
  SymExpr panelBytes, chunkBytes;
};

} // namespace

static int64_t getBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

static TileSizes getTileSizes(const KernelInfo &kernel,
                              const Contraction &contraction) {
  const targets::CpuTarget &target = kernel.getTarget();
  TileSizes sizes;
  sizes.type = getComputeType(getElementTypeOrSelf(contraction.result));
  int64_t bytes = getBytes(sizes.type);
  // Two registers for each row; two for the panel, two for the compiler.
  int64_t vectors = 2;
  sizes.rows = (target.vectorRegisters - 4) / vectors;
  if (std::optional<int64_t> rows = contraction.rows.getConstant())
    sizes.rows = std::clamp<int64_t>(*rows, 1, sizes.rows);
  // Memory is read in longer pieces where one row leaves registers free.
  if (sizes.rows == 1)
    vectors = 8;
  sizes.width = vectors * target.getLanes(bytes);
  int64_t rank = cast<RankedTensorType>(contraction.result.getType()).getRank();
  sizes.tileBytes = llvm::alignTo(sizes.rows * sizes.width * bytes, 64);
  sizes.tableBytes = llvm::alignTo((rank + 1) * sizes.width * 8, 64);
  sizes.panelBytes = (contraction.depth * (sizes.width * bytes) + 63)
                         .floorDiv(kernel.constant(64)) *
                     64;
  sizes.chunkBytes = sizes.panelBytes + sizes.tileBytes + sizes.tableBytes;
  return sizes;
}

/// The parallel space: outer dimensions, panels, blocks of rows.
static SymShape getSpace(const KernelInfo &kernel,
                         const Contraction &contraction,
                         const TileSizes &sizes) {
  SymShape space = contraction.outer;
  space.push_back(contraction.columns.ceilDiv(kernel.constant(sizes.width)));
  space.push_back(contraction.rows.ceilDiv(kernel.constant(kBlockRows)));
  return space;
}

/// The contraction whose tiles are what the kernel's results are made of.
static std::unique_ptr<Contraction> find(const KernelInfo &kernel) {
  std::unique_ptr<Contraction> found;
  for (Operation &op : kernel.getBody())
    if (std::unique_ptr<Contraction> contraction = makeContraction(kernel, &op))
      found = std::move(contraction);
  if (!found)
    return nullptr;
  FailureOr<Nest> nest = getNest(kernel);
  if (failed(nest) || kernel.getShape(found->result) != ArrayRef(nest->shape))
    return nullptr;
  return found;
}

static bool matches(const KernelInfo &kernel) {
  return static_cast<bool>(find(kernel));
}

static KernelPlan plan(const KernelInfo &kernel) {
  std::unique_ptr<Contraction> contraction = find(kernel);
  TileSizes sizes = getTileSizes(kernel, *contraction);
  SymShape space = getSpace(kernel, *contraction, sizes);
  SymExpr iterations = getProduct(kernel.getContext(), space);
  SymExpr rows = contraction->rows.min(kernel.constant(kBlockRows));
  SymExpr products = rows * contraction->depth * sizes.width;
  KernelPlan plan =
      makePlan(kernel, iterations,
               products.floorDiv(kernel.constant(4)) + rows * sizes.width * 4);
  plan.grain = plan.grain.max(iterations.ceilDiv(kernel.constant(kMostChunks)));
  plan.scratchBytes = iterations.ceilDiv(plan.grain) * sizes.chunkBytes;
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

/// A panel ready for use: row k starts at element k * stride of `buffer`.
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
        vectorType(VectorType::get({sizes.width}, sizes.type)) {}

  void emit(SymExpr grain);

private:
  Value index(int64_t value) { return kb.getIndex(value); }
  Buffer getPart(Value chunk, Type type, SymExpr offset);
  Value splat(Value scalar);
  Value loadVector(const Buffer &buffer, Value position);
  void storeVector(const Buffer &buffer, Value position, Value vector);
  Value multiplyAdd(Value a, Value b, Value c);

  ReadyPanel preparePanel(const Panel &panel);
  void packPlain(const Panel &panel, const PlainMatrix &matrix);
  void emitIteration(Value iteration);
  void emitTile(const Panel &panel, const ReadyPanel &ready, Value row,
                Value end);
  SmallVector<Value> accumulate(const Panel &panel, const ReadyPanel &ready,
                                ArrayRef<Value> tileRows);
  void finishElement(const Panel &panel, Value row, Value column, Value sum);

  ElementEmitter &e;
  KernelBuilder &kb;
  const Contraction &contraction;
  const Nest &nest;
  TileSizes sizes;
  VectorType vectorType;
  Buffer tile, table, panelBuffer;
};

} // namespace

/// The part of the chunk's scratch memory at `offset` bytes.
Buffer ContractionEmitter::getPart(Value chunk, Type type, SymExpr offset) {
  Buffer bytes = kb.getScratch(kb.getBuilder().getI8Type());
  Value position =
      kb.add(kb.mul(chunk, kb.getSize(sizes.chunkBytes)), kb.getSize(offset));
  return {kb.getAddress(bytes, position), type, bytes.group};
}

Value ContractionEmitter::splat(Value scalar) {
  OpBuilder &builder = kb.getBuilder();
  Value poison = LLVM::PoisonOp::create(builder, kb.getLoc(), vectorType);
  Value zero = kb.getInt(builder.getI32Type(), 0);
  Value first =
      LLVM::InsertElementOp::create(builder, kb.getLoc(), poison, scalar, zero);
  SmallVector<int32_t> mask(sizes.width, 0);
  return LLVM::ShuffleVectorOp::create(builder, kb.getLoc(), first, poison,
                                       mask);
}

Value ContractionEmitter::loadVector(const Buffer &buffer, Value position) {
  return LLVM::LoadOp::create(kb.getBuilder(), kb.getLoc(), vectorType,
                              kb.getAddress(buffer, position),
                              getBytes(sizes.type));
}

void ContractionEmitter::storeVector(const Buffer &buffer, Value position,
                                     Value vector) {
  LLVM::StoreOp::create(kb.getBuilder(), kb.getLoc(), vector,
                        kb.getAddress(buffer, position), getBytes(sizes.type));
}

/// a * b + c, fused where the CPU can.
Value ContractionEmitter::multiplyAdd(Value a, Value b, Value c) {
  if (isa<FloatType>(sizes.type))
    return LLVM::FMulAddOp::create(kb.getBuilder(), kb.getLoc(), a, b, c);
  return kb.create<arith::AddIOp>(kb.create<arith::MulIOp>(a, b), c);
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

/// Copies the columns of a full panel.
void ContractionEmitter::packPlain(const Panel &panel,
                                   const PlainMatrix &matrix) {
  Value first = kb.add(matrix.start, panel.first);
  kb.loop(index(0), kb.getSize(contraction.depth), [&](Value k) {
    Value row =
        loadVector(matrix.buffer, kb.add(first, kb.mul(k, matrix.stride)));
    storeVector(panel.buffer, kb.mul(k, index(sizes.width)), row);
  });
}

/// Packs the panel, or finds that it can be used where it lies: copying doesn't
/// pay for a few rows.
ReadyPanel ContractionEmitter::preparePanel(const Panel &panel) {
  ReadyPanel packed = {panel.buffer, index(sizes.width)};
  std::optional<PlainMatrix> matrix = contraction.getPlainRhs(e, panel.outer);
  if (!matrix || matrix->buffer.elementType != sizes.type) {
    contraction.pack(e, panel);
    return packed;
  }
  std::optional<int64_t> rows = contraction.rows.getConstant();
  bool inPlace = rows && *rows <= 4 * sizes.rows;
  Value isFull =
      kb.compare(arith::CmpIPredicate::eq, panel.count, index(sizes.width));
  Value pointer = kb.choose(
      panel.buffer.pointer.getType(), isFull,
      [&]() -> Value {
        if (inPlace)
          return kb.getAddress(matrix->buffer,
                               kb.add(matrix->start, panel.first));
        packPlain(panel, *matrix);
        return panel.buffer.pointer;
      },
      [&] {
        contraction.pack(e, panel);
        return panel.buffer.pointer;
      });
  Value stride = inPlace ? kb.select(isFull, matrix->stride, packed.stride)
                         : packed.stride;
  return {{pointer, sizes.type, 0}, stride};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

SmallVector<Value> ContractionEmitter::accumulate(const Panel &panel,
                                                  const ReadyPanel &ready,
                                                  ArrayRef<Value> tileRows) {
  SmallVector<Value> sums;
  for (Value row : tileRows) {
    Value start = contraction.emitStart(e, panel.outer, row);
    sums.push_back(splat(start ? start : getZero(kb, sizes.type)));
  }
  return kb.loop(index(0), kb.getSize(contraction.depth), sums,
                 [&](Value k, ValueRange carried) {
                   Value right =
                       loadVector(ready.buffer, kb.mul(k, ready.stride));
                   SmallVector<Value> next;
                   for (auto [row, sum] : llvm::zip(tileRows, carried)) {
                     Value left =
                         splat(contraction.emitLhs(e, panel.outer, row, k));
                     next.push_back(multiplyAdd(left, right, sum));
                   }
                   return next;
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

/// Computes rows [row, end), at most a tile, of a panel.
void ContractionEmitter::emitTile(const Panel &panel, const ReadyPanel &ready,
                                  Value row, Value end) {
  // Rows beyond the end repeat the last one, and are not stored.
  Value last = kb.sub(end, index(1));
  SmallVector<Value> tileRows;
  for (int64_t r = 0; r != sizes.rows; ++r)
    tileRows.push_back(r == 0 ? row : kb.minimum(kb.add(row, index(r)), last));
  SmallVector<Value> sums = accumulate(panel, ready, tileRows);
  for (auto [r, sum] : llvm::enumerate(sums))
    storeVector(tile, index(r * sizes.width), sum);
  Value count = kb.minimum(kb.sub(end, row), index(sizes.rows));
  kb.loop(index(0), count, [&](Value r) {
    kb.loop(index(0), panel.count, [&](Value j) {
      Value sum = kb.load(tile, kb.add(kb.mul(r, index(sizes.width)), j));
      finishElement(panel, kb.add(row, r), kb.add(panel.first, j), sum);
    });
  });
}

void ContractionEmitter::emitIteration(Value iteration) {
  SmallVector<Value> indices =
      kb.delinearize(iteration, getSpace(e.kernel, contraction, sizes));
  Value block = indices.pop_back_val();
  Value first = kb.mul(indices.pop_back_val(), index(sizes.width));
  Value count = kb.minimum(kb.sub(kb.getSize(contraction.columns), first),
                           index(sizes.width));
  Panel panel = {indices, first, count, sizes.width, panelBuffer, table};
  ReadyPanel ready = preparePanel(panel);

  Value row = kb.mul(block, index(kBlockRows));
  Value end =
      kb.minimum(kb.add(row, index(kBlockRows)), kb.getSize(contraction.rows));
  Value tiles = kb.divide(kb.add(kb.sub(end, row), index(sizes.rows - 1)),
                          index(sizes.rows));
  kb.loop(index(0), tiles, [&](Value number) {
    emitTile(panel, ready, kb.add(row, kb.mul(number, index(sizes.rows))), end);
  });
}

void ContractionEmitter::emit(SymExpr grain) {
  Value chunk = kb.divide(kb.getLo(), kb.getSize(grain));
  Type i64 = kb.getBuilder().getI64Type();
  tile = getPart(chunk, sizes.type, e.kernel.constant(0));
  table = getPart(chunk, i64, e.kernel.constant(sizes.tileBytes));
  panelBuffer = getPart(chunk, sizes.type,
                        e.kernel.constant(sizes.tileBytes + sizes.tableBytes));
  kb.loop(kb.getLo(), kb.getHi(),
          [&](Value iteration) { emitIteration(iteration); });
}

static void emit(ElementEmitter &e) {
  std::unique_ptr<Contraction> contraction = find(e.kernel);
  Nest nest = *getNest(e.kernel);
  ContractionEmitter(e, *contraction, nest).emit(plan(e.kernel).grain);
}

RootEmitter lz::getContractionRoot() {
  return {"contraction", matches, plan, emit, /*storesOnce=*/true};
}
