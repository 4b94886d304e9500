//===- Control.cpp - If, Loop, Scan ---------------------------------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;
using onnx::AttributeProto;

/// The subgraph in attribute `name`.
static const onnx::GraphProto *getGraph(NodeImporter &node, StringRef name) {
  const AttributeProto *found = node.find(name, AttributeProto::GRAPH);
  if (found)
    return &found->g();
  if (!node.failed())
    node.error() << "needs attribute '" << name << "'";
  return nullptr;
}

/// A tensor of one element as one of rank 0.
static Value getScalar(NodeImporter &node, Value value) {
  return value ? node.reshape(value, {}) : Value();
}

/// A new symbol that the run binds.
static SymExpr declareSymbol(NodeImporter &node, StringRef hint) {
  return node.getImporter().getSymbols().declare(hint, 0, SymbolList::kMaxSize,
                                                 "run");
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Builds a branch as the only block of `region`.
static FailureOr<SmallVector<Value>>
buildBranch(NodeImporter &node, BranchBuilder build, Region &region) {
  OpBuilder::InsertionGuard guard(node.getBuilder());
  node.getBuilder().setInsertionPointToEnd(&region.emplaceBlock());
  auto results = build();
  if (succeeded(results))
    YieldOp::create(node.getBuilder(), node.getLoc(), *results);
  return results;
}

/// A symbol for each dimension in which the branches differ.
static SymShape getBranchSymbols(NodeImporter &node, ArrayRef<Value> onTrue,
                                 ArrayRef<Value> onFalse) {
  SymShape symbols;
  for (auto [index, a, b] : llvm::enumerate(onTrue, onFalse)) {
    SymShape left = node.getShape(a), right = node.getShape(b);
    if (left.size() != right.size() ||
        node.getElement(a) != node.getElement(b)) {
      node.error() << "result " << index << " is " << a.getType()
                   << " in one branch and " << b.getType()
                   << " in the other; rank and element type must be equal";
      return symbols;
    }
    for (auto [x, y] : llvm::zip_equal(left, right))
      if (x != y)
        symbols.push_back(declareSymbol(node, "branch"));
  }
  return symbols;
}

FailureOr<SmallVector<Value>> lz::buildIf(NodeImporter &node, Value condition,
                                          BranchBuilder thenBranch,
                                          BranchBuilder elseBranch) {
  Region thenRegion, elseRegion;
  auto onTrue = buildBranch(node, thenBranch, thenRegion);
  if (failed(onTrue))
    return failure();
  auto onFalse = buildBranch(node, elseBranch, elseRegion);
  if (failed(onFalse))
    return failure();
  if (onTrue->size() != onFalse->size())
    return node.error() << "the branches give " << onTrue->size() << " and "
                        << onFalse->size() << " values";
  SymShape symbols = getBranchSymbols(node, *onTrue, *onFalse);
  if (node.failed())
    return failure();
  auto op = IfOp::create(node.getBuilder(), node.getLoc(),
                         ValueRange(*onTrue).getTypes(), condition,
                         node.exprs(symbols));
  op.getThenRegion().takeBody(thenRegion);
  op.getElseRegion().takeBody(elseRegion);
  node.infer(op);
  return SmallVector<Value>(op.getResults());
}

/// The only node of `graph` that computes something, or null.
static const onnx::NodeProto *getOnlyNode(const onnx::GraphProto &graph) {
  const onnx::NodeProto *only = nullptr;
  for (const onnx::NodeProto &node : graph.node()) {
    if (node.op_type() == "Constant")
      continue;
    if (only)
      return nullptr;
    only = &node;
  }
  return only;
}

/// True for "remove a dimension if its size is 1", as exporters write it. What
/// reads the result expects one of the ranks, so the size must be 1: a
/// condition that the reshape in place of the squeeze has.
static bool isSqueezeOrNothing(const onnx::GraphProto &onTrue,
                               const onnx::GraphProto &onFalse) {
  const onnx::NodeProto *squeeze = getOnlyNode(onTrue);
  const onnx::NodeProto *identity = getOnlyNode(onFalse);
  return squeeze && identity && squeeze->op_type() == "Squeeze" &&
         squeeze->input_size() == 2 && identity->op_type() == "Identity" &&
         identity->input_size() == 1 && squeeze->input(0) == identity->input(0);
}

static LogicalResult importIf(NodeImporter &node) {
  const onnx::GraphProto *thenGraph = getGraph(node, "then_branch");
  const onnx::GraphProto *elseGraph = getGraph(node, "else_branch");
  if (node.failed())
    return failure();
  auto known = node.getShapes().getContents(node.operand(0));
  if (known && known->size() == 1 && (*known)[0].getConstant()) {
    auto results = node.getImporter().importSubgraph(
        *(*known)[0].getConstant() ? *thenGraph : *elseGraph, node.getScope(),
        {}, node.getLoc());
    return failed(results) ? failure() : node.finish(*results);
  }
  if (isSqueezeOrNothing(*thenGraph, *elseGraph)) {
    auto results = node.getImporter().importSubgraph(
        *thenGraph, node.getScope(), {}, node.getLoc());
    return failed(results) ? failure() : node.finish(*results);
  }
  auto importBranch = [&](const onnx::GraphProto &graph) {
    return node.getImporter().importSubgraph(graph, node.getScope(), {},
                                             node.getLoc());
  };
  auto results = buildIf(
      node, getScalar(node, node.operand(0)),
      [&] { return importBranch(*thenGraph); },
      [&] { return importBranch(*elseGraph); });
  return failed(results) ? failure() : node.finish(*results);
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

namespace {
/// A loop while its body is imported.
struct LoopParts {
  Value trips, condition;
  SmallVector<Value> initial;
  /// The carried values' shapes in the body, and the symbols among them.
  SmallVector<SymShape> shapes;
  SymShape symbols;
  size_t scanned = 0;
};

/// Imports the body's nodes, given its arguments; condition, carried, scanned.
using BodyImporter =
    llvm::function_ref<FailureOr<SmallVector<Value>>(ValueRange arguments)>;
} // namespace

/// Adds the arguments of a body: iteration, condition, carried values.
static void addArguments(NodeImporter &node, const LoopParts &parts,
                         Block &block) {
  Builder &builder = node.getBuilder();
  Location loc = node.getLoc();
  ShapeAnalysis &shapes = node.getShapes();
  auto number = RankedTensorType::get({}, builder.getI64Type());
  auto truth = RankedTensorType::get({}, builder.getI1Type());
  shapes.setShape(block.addArgument(number, loc), {});
  shapes.setShape(block.addArgument(truth, loc), {});
  for (auto [value, shape] : llvm::zip_equal(parts.initial, parts.shapes)) {
    if (!isa<RankedTensorType>(value.getType())) {
      block.addArgument(value.getType(), loc);
      continue;
    }
    Type type = ResultInfo(node.getElement(value), shape).getType();
    shapes.setShape(block.addArgument(type, loc), shape);
  }
}

/// Frees the dimensions that an iteration changes. True if there was one.
static bool freeDims(NodeImporter &node, ArrayRef<Value> results,
                     LoopParts &parts) {
  bool changed = false;
  for (auto [index, shape] : llvm::enumerate(parts.shapes)) {
    Value before = parts.initial[index], after = results[index + 1];
    bool isTensor = isa<RankedTensorType>(before.getType());
    if (isTensor ? node.getElement(before) != node.getElement(after)
                 : before.getType() != after.getType()) {
      node.error() << "carried value " << index << " changes from "
                   << before.getType() << " to " << after.getType();
      return false;
    }
    SymShape next = node.getShape(after);
    if (next.size() != shape.size()) {
      node.error() << "carried value " << index << " changes its rank from "
                   << shape.size() << " to " << next.size();
      return false;
    }
    for (auto [size, other] : llvm::zip_equal(shape, next)) {
      if (size == other || llvm::is_contained(parts.symbols, size))
        continue;
      if (!size.getConstant()) {
        node.error() << "carried value " << index << " changes a dimension "
                     << "from " << size.str() << " to " << other.str()
                     << "; only one of known size may change";
        return false;
      }
      size = declareSymbol(node, "carried");
      parts.symbols.push_back(size);
      changed = true;
    }
  }
  return changed;
}

/// The symbols in the order of the dimensions that they stand for.
static SymShape sortSymbols(const LoopParts &parts) {
  SymShape sorted;
  for (const SymShape &shape : parts.shapes)
    for (SymExpr size : shape)
      if (llvm::is_contained(parts.symbols, size))
        sorted.push_back(size);
  return sorted;
}

/// Imports the body once, as the only block of `region`.
static LogicalResult importOnce(NodeImporter &node, LoopParts &parts,
                                BodyImporter importer, Region &region,
                                bool &changed) {
  OpBuilder &builder = node.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  Block &block = region.emplaceBlock();
  addArguments(node, parts, block);
  builder.setInsertionPointToEnd(&block);
  auto results = importer(block.getArguments());
  if (failed(results))
    return failure();
  if (results->size() < parts.initial.size() + 1)
    return node.error() << "the body gives " << results->size()
                        << " values, expected a condition and "
                        << parts.initial.size() << " carried values";
  parts.scanned = results->size() - parts.initial.size() - 1;
  changed = freeDims(node, *results, parts);
  (*results)[0] = getScalar(node, (*results)[0]);
  if (node.failed())
    return failure();
  YieldOp::create(builder, node.getLoc(), *results);
  return success();
}

/// Imports the body, again if dimensions turn out to change.
static LogicalResult importBody(NodeImporter &node, LoopParts &parts,
                                BodyImporter importer, Region &region) {
  bool changed = true;
  while (changed) {
    auto attempt = std::make_unique<Region>();
    if (failed(importOnce(node, parts, importer, *attempt, changed)))
      return failure();
    if (changed)
      node.getImporter().discard(std::move(attempt));
    else
      region.takeBody(*attempt);
  }
  return success();
}

/// The loop around `importer`'s body: carried, then scanned results.
static FailureOr<SmallVector<Value>>
buildLoop(NodeImporter &node, LoopParts &parts, BodyImporter importer) {
  for (Value value : parts.initial)
    parts.shapes.push_back(node.getShape(value));
  Region region;
  if (node.failed() || failed(importBody(node, parts, importer, region)))
    return failure();
  SymShape symbols = sortSymbols(parts);
  if (parts.scanned)
    symbols.push_back(declareSymbol(node, "trips"));
  SmallVector<Type> types(parts.initial.size() + parts.scanned,
                          node.getPlaceholder());
  auto op = LoopOp::create(node.getBuilder(), node.getLoc(), types, parts.trips,
                           parts.condition, parts.initial, node.exprs(symbols));
  op.getBody().takeBody(region);
  node.infer(op);
  if (node.failed())
    return failure();
  return SmallVector<Value>(op.getResults());
}

/// Where values are stacked and the trip count is an input of the model, its
/// value is a size that is known before the run, as the memory then is.
static void resolveTrips(NodeImporter &node, const onnx::GraphProto &graph) {
  Value trips = node.operand(0);
  bool isStacking = graph.output_size() > node.getNumOperands() - 1;
  auto argument = dyn_cast_or_null<BlockArgument>(trips);
  if (isStacking && argument &&
      isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
      node.getShapes().getNumElements(trips).isConstant(1))
    (void)node.getSizes(trips);
}

static LogicalResult importLoop(NodeImporter &node) {
  const onnx::GraphProto *graph = getGraph(node, "body");
  if (node.failed())
    return failure();
  LoopParts parts;
  resolveTrips(node, *graph);
  parts.trips = getScalar(node, node.operand(0));
  parts.condition = getScalar(node, node.operand(1));
  for (Value value : node.getOperands().drop_front(2)) {
    if (!value)
      return node.error() << "a carried value is absent";
    parts.initial.push_back(value);
  }
  auto results = buildLoop(node, parts, [&](ValueRange arguments) {
    return node.getImporter().importSubgraph(*graph, node.getScope(), arguments,
                                             node.getLoc());
  });
  return failed(results) ? failure() : node.finish(*results);
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

namespace {
/// How a Scan runs over its inputs and outputs.
struct ScanParts {
  int64_t states = 0, inputs = 0;
  SmallVector<int64_t> inputAxes, outputAxes, inputBack, outputBack;
  SymExpr length;
};
} // namespace

/// An attribute with one integer for each of `count` tensors; zeros if absent.
static SmallVector<int64_t> getScanInts(NodeImporter &node, StringRef name,
                                        int64_t count) {
  auto values = node.getInts(name);
  if (!values)
    return SmallVector<int64_t>(count, 0);
  if (static_cast<int64_t>(values->size()) != count && !node.failed())
    node.error() << "attribute '" << name << "' has " << values->size()
                 << " elements, expected " << count;
  values->resize(count);
  return *values;
}

static ScanParts getScanParts(NodeImporter &node) {
  ScanParts parts;
  parts.inputs = node.getInt("num_scan_inputs", 0);
  parts.states = node.getNumOperands() - parts.inputs;
  if (parts.inputs < 1 || parts.states < 0 ||
      parts.states > node.getNumResults()) {
    node.error() << "attribute 'num_scan_inputs' is " << parts.inputs
                 << ", which does not fit " << node.getNumOperands()
                 << " inputs and " << node.getNumResults() << " outputs";
    return parts;
  }
  int64_t outputs = node.getNumResults() - parts.states;
  parts.inputAxes = getScanInts(node, "scan_input_axes", parts.inputs);
  parts.inputBack = getScanInts(node, "scan_input_directions", parts.inputs);
  parts.outputAxes = getScanInts(node, "scan_output_axes", outputs);
  parts.outputBack = getScanInts(node, "scan_output_directions", outputs);
  for (int64_t i = 0; i != parts.inputs; ++i) {
    Value input = node.operand(parts.states + i);
    int64_t &axis = parts.inputAxes[i];
    axis = node.getAxis(axis, node.getRank(input));
    if (!node.failed())
      parts.length = node.getShape(input)[axis];
  }
  return parts;
}

/// The body's arguments: states, and each input's part for the iteration.
static SmallVector<Value> getScanArguments(NodeImporter &node,
                                           const ScanParts &parts,
                                           ValueRange arguments) {
  SmallVector<Value> values(arguments.drop_front(2));
  Value iteration = arguments[0], last;
  for (int64_t i = 0; i != parts.inputs; ++i) {
    Value position = iteration;
    if (parts.inputBack[i]) {
      if (!last)
        last = node.sizeTensor(parts.length - 1, {});
      position = node.binary(BinaryKind::sub, last, iteration);
    }
    values.push_back(node.create<GatherOp>(node.operand(parts.states + i),
                                           position, parts.inputAxes[i]));
  }
  return values;
}

/// A stacked result in the order and layout that the node asks for.
static Value finishScanned(NodeImporter &node, const ScanParts &parts,
                           Value value, int64_t index) {
  SymShape shape = node.getShape(value);
  if (node.failed() || shape.empty())
    return value;
  shape[0] = parts.length; // as many as there were inputs
  value = node.reshape(value, shape);
  int64_t rank = shape.size();
  if (parts.outputBack[index]) {
    SymShape offsets(rank, node.size(0)), strides(rank, node.size(1));
    offsets[0] = parts.length - 1;
    strides[0] = node.size(-1);
    value = node.slice(value, offsets, shape, strides);
  }
  int64_t axis = node.getAxis(parts.outputAxes[index], rank);
  if (axis == 0 || node.failed())
    return value;
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(1, rank));
  permutation.insert(permutation.begin() + axis, 0);
  return node.transpose(value, permutation);
}

static LogicalResult importScan(NodeImporter &node) {
  const onnx::GraphProto *graph = getGraph(node, "body");
  if (node.getVersion() < 9)
    return node.error() << "version 8 of this operator, with a batch, is not "
                           "supported; export with opset 9 or newer";
  ScanParts parts = getScanParts(node);
  if (node.failed())
    return failure();
  LoopParts loop;
  loop.trips = node.sizeTensor(parts.length, {});
  loop.initial.append(node.getOperands().begin(),
                      node.getOperands().begin() + parts.states);
  auto results = buildLoop(
      node, loop, [&](ValueRange arguments) -> FailureOr<SmallVector<Value>> {
        SmallVector<Value> values = getScanArguments(node, parts, arguments);
        if (node.failed())
          return failure();
        auto results = node.getImporter().importSubgraph(
            *graph, node.getScope(), values, node.getLoc());
        if (succeeded(results))
          results->insert(results->begin(), arguments[1]);
        return results;
      });
  if (failed(results))
    return failure();
  for (size_t i = parts.states; i < results->size(); ++i)
    if (i - parts.states < parts.outputAxes.size())
      (*results)[i] =
          finishScanned(node, parts, (*results)[i], i - parts.states);
  return node.finish(*results);
}

void lz::registerControl(HandlerTable &handlers) {
  handlers["If"] = importIf;
  handlers["Loop"] = importLoop;
  handlers["Scan"] = importScan;
}
