//===- OpenAxes.cpp - what a model states for axes it computes ------------===//

#include "frontends/onnx/ops/OpenAxes.h"

using namespace mlir;
using namespace lz;

/// More than any size, and little enough that sums don't wrap.
static constexpr int64_t kBeyond = int64_t(1) << 40;

bool lz::isFixed(NodeImporter &node, Value value) {
  if (!value)
    return true;
  auto contents = node.getShapes().getContents(value);
  return contents && llvm::all_of(*contents, [](SymExpr element) {
           return element.getConstant().has_value();
         });
}

//===----------------------------------------------------------------------===//
// OpenAxes
//===----------------------------------------------------------------------===//

OpenAxes::OpenAxes(NodeImporter &node, Value axes, int64_t count, int64_t rank)
    : node(node), count(count), rank(rank) {
  Type i64 = node.getBuilder().getI64Type();
  axes = node.cast(axes, i64);
  axes = node.create<SelectOp>(node.compare(CompareKind::lt, axes, number(0)),
                               node.binary(BinaryKind::add, axes, number(rank)),
                               axes);
  axes = node.reshape(axes, {node.size(count), node.size(1)});
  isNamed =
      node.compare(CompareKind::eq, axes, getPositions(node, node.size(rank)));
  timesNamed = node.reduce(ReduceKind::sum, node.cast(isNamed, i64), 0,
                           /*keepDims=*/false);
}

Value OpenAxes::number(int64_t value) {
  return node.scalar(node.getBuilder().getI64Type(),
                     static_cast<double>(value));
}

Value OpenAxes::place(Value given, int64_t fallback) {
  given = node.cast(given, node.getBuilder().getI64Type());
  given = node.reshape(given, {node.size(count), node.size(1)});
  Value sum = node.reduce(ReduceKind::sum,
                          node.create<SelectOp>(isNamed, given, number(0)), 0,
                          /*keepDims=*/false);
  return node.create<SelectOp>(
      node.compare(CompareKind::gt, timesNamed, number(0)), sum,
      number(fallback));
}

Value OpenAxes::require(Value sizes) {
  Value total = node.reduce(ReduceKind::sum, timesNamed, 0, /*keepDims=*/false);
  Value most = node.reduce(ReduceKind::max, timesNamed, 0, /*keepDims=*/false);
  Value isValid =
      node.binary(BinaryKind::logical_and,
                  node.compare(CompareKind::eq, total, number(count)),
                  node.compare(CompareKind::le, most, number(1)));
  return node.create<SelectOp>(isValid, sizes, number(-1));
}

SymShape OpenAxes::bind(Value sizes) {
  SymShape symbols;
  if (node.failed())
    return symbols;
  for (int64_t dim = 0; dim != rank; ++dim)
    symbols.push_back(node.getImporter().getSymbols().declare(
        "run", 0, SymbolList::kMaxSize, "run"));
  BindOp::create(node.getBuilder(), node.getLoc(), sizes, node.exprs(symbols));
  return symbols;
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
/// The parts of a tensor, as vectors with an i64 for each dimension.
struct OpenSlice {
  NodeImporter &node;
  Value sizes, start, end, step;

  Value number(int64_t value) {
    return node.scalar(node.getBuilder().getI64Type(),
                       static_cast<double>(value));
  }
  Value limit(Value value, Value low, Value high) {
    return node.binary(BinaryKind::min,
                       node.binary(BinaryKind::max, value, low), high);
  }
  Value limit(Value value) {
    return limit(value, number(-kBeyond), number(kBeyond));
  }
  Value isBack() { return node.compare(CompareKind::lt, step, number(0)); }
  Value fromFront(Value bound);
  void settle();
  Value getCounts();
};
} // namespace

/// `bound` counted from the front.
Value OpenSlice::fromFront(Value bound) {
  bound = limit(bound);
  return node.create<SelectOp>(node.compare(CompareKind::lt, bound, number(0)),
                               node.binary(BinaryKind::add, bound, sizes),
                               bound);
}

/// Clamps the bounds. Going back, the first element may be the last one, and
/// the end lies before the first.
void OpenSlice::settle() {
  step = limit(step);
  Value last = node.binary(BinaryKind::sub, sizes, number(1));
  Value most = node.create<SelectOp>(isBack(), last, sizes);
  start = limit(fromFront(start), number(0), most);
  end = limit(fromFront(end),
              node.create<SelectOp>(isBack(), number(-1), number(0)), most);
}

/// How many elements there are in each dimension; -1 where the step is 0.
Value OpenSlice::getCounts() {
  Value length =
      node.create<SelectOp>(isBack(), node.binary(BinaryKind::sub, start, end),
                            node.binary(BinaryKind::sub, end, start));
  Value stride = node.unary(UnaryKind::abs, step);
  Value divisor = node.binary(BinaryKind::max, stride, number(1));
  Value rounded = node.binary(BinaryKind::add,
                              node.binary(BinaryKind::max, length, number(0)),
                              node.binary(BinaryKind::sub, divisor, number(1)));
  return node.create<SelectOp>(node.compare(CompareKind::gt, stride, number(0)),
                               node.binary(BinaryKind::div, rounded, divisor),
                               number(-1));
}

/// The dimensions that may be cut: those that `axes` names, if it is known.
static SmallVector<int64_t> getCutDims(NodeImporter &node, Value axes,
                                       int64_t count, int64_t rank) {
  if (axes && !isFixed(node, axes))
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (axes)
    return node.getAxes(node.getConstants(axes, "axes"), rank);
  return llvm::to_vector(llvm::seq<int64_t>(0, std::min(count, rank)));
}

/// The number of starts, ends, axes and steps; an error if it is not one.
static int64_t getCount(NodeImporter &node) {
  auto count = node.getShapes().getNumElements(node.operand(1)).getConstant();
  for (int i = 1; i != node.getNumOperands(); ++i) {
    Value operand = node.operand(i);
    if (operand && (node.getRank(operand) != 1 || !count ||
                    !node.getShape(operand)[0].isConstant(*count))) {
      node.error() << "takes starts, ends, axes and steps that are not all "
                      "constant, so their number must be known and be one";
      return 0;
    }
  }
  return *count;
}

LogicalResult lz::importOpenSlice(NodeImporter &node) {
  Value input = node.operand(0), axes = node.operand(3);
  int64_t rank = node.getRank(input), count = getCount(node);
  if (node.failed())
    return failure();
  if (rank == 0)
    return node.error() << "a tensor of rank 0 has no axes";
  SmallVector<int64_t> dims = getCutDims(node, axes, count, rank);
  Value named = axes ? axes : getPositions(node, node.size(count));
  OpenAxes placed(node, named, count, rank);
  Value steps = node.operand(4);
  OpenSlice slice = {
      node, node.sizeTensor(node.getShape(input), rank),
      placed.place(node.operand(1), 0), placed.place(node.operand(2), kBeyond),
      steps ? placed.place(steps, 1)
            : node.expand(node.scalar(node.getBuilder().getI64Type(), 1),
                          node.size(rank))};
  slice.settle();
  Value counts = placed.require(slice.getCounts());
  for (int64_t dim : dims) {
    auto pick = [&](Value vector) {
      return node.sliceAxis(vector, 0, node.size(dim), node.size(1));
    };
    SymExpr size = bindCount(node, pick(counts), node.getShape(input)[dim]);
    Value moved = node.binary(BinaryKind::mul, getPositions(node, size),
                              pick(slice.step));
    Value places = node.binary(BinaryKind::add, moved, pick(slice.start));
    input = node.create<GatherOp>(input, places, dim);
    if (node.failed())
      return failure();
  }
  return node.finish(input);
}
