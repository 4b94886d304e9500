//===- Control.cpp - If, Loop, Scan ---------------------------------------===//

#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/SequenceParts.h"

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

/// Builds a branch as the only block of `region`, without its end.
static FailureOr<SmallVector<Value>>
buildBranch(NodeImporter &node, BranchBuilder build, Region &region) {
  OpBuilder::InsertionGuard guard(node.getBuilder());
  node.getBuilder().setInsertionPointToEnd(&region.emplaceBlock());
  return build();
}

/// Ends a branch; returns the tensors that it yields.
static SmallVector<Value> endBranch(NodeImporter &node, Region &region,
                                    ArrayRef<Value> results,
                                    ArrayRef<ValueForm> forms) {
  OpBuilder::InsertionGuard guard(node.getBuilder());
  node.getBuilder().setInsertionPointToEnd(&region.front());
  SmallVector<Value> parts;
  for (auto [result, form] : llvm::zip_equal(results, forms))
    takeApart(node, result, form, parts);
  if (!node.failed())
    YieldOp::create(node.getBuilder(), node.getLoc(), parts);
  return parts;
}

/// The forms in which two lists of values are handed on.
static SmallVector<ValueForm> joinAll(NodeImporter &node, ArrayRef<Value> first,
                                      ArrayRef<Value> second) {
  SmallVector<ValueForm> forms;
  for (auto [a, b] : llvm::zip_equal(first, second)) {
    auto form = joinForms(node, getForm(node, a), getForm(node, b));
    if (failed(form))
      return forms;
    forms.push_back(*form);
  }
  return forms;
}

/// The values that `parts` are the tensors of.
static SmallVector<Value> putAllTogether(NodeImporter &node,
                                         ArrayRef<ValueForm> forms,
                                         ValueRange tensors) {
  SmallVector<Value> all = llvm::to_vector(tensors), values;
  ArrayRef<Value> parts = all;
  for (const ValueForm &form : forms)
    values.push_back(putTogether(node, form, parts));
  return values;
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
  SmallVector<ValueForm> forms = joinAll(node, *onTrue, *onFalse);
  if (node.failed())
    return failure();
  SmallVector<Value> left = endBranch(node, thenRegion, *onTrue, forms);
  SmallVector<Value> right = endBranch(node, elseRegion, *onFalse, forms);
  if (node.failed())
    return failure();
  SymShape symbols = getBranchSymbols(node, left, right);
  if (node.failed())
    return failure();
  auto op =
      IfOp::create(node.getBuilder(), node.getLoc(),
                   ValueRange(left).getTypes(), condition, node.exprs(symbols));
  op.getThenRegion().takeBody(thenRegion);
  op.getElseRegion().takeBody(elseRegion);
  node.infer(op);
  if (node.failed())
    return failure();
  return putAllTogether(node, forms, op.getResults());
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
  /// In what form they are carried, and the tensors that come in.
  SmallVector<ValueForm> forms;
  SmallVector<Value> tensors;
  /// The tensors' shapes in the body, and the symbols among them.
  SmallVector<SymShape> shapes;
  SymShape symbols;
  /// The numbers of dimensions that change although the first size is open.
  SmallVector<int64_t> changing;
  size_t scanned = 0;
  /// The kinds of values that an iteration gives.
  SmallVector<Type> kinds;
  /// Where the loop will stand.
  OpBuilder::InsertPoint place;
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
  for (auto [value, shape] : llvm::zip_equal(parts.tensors, parts.shapes)) {
    Type type = ResultInfo(node.getElement(value), shape).getType();
    shapes.setShape(block.addArgument(type, loc), shape);
  }
}

/// Frees the dimensions of a carried tensor that an iteration changes, of which
/// the first is number `number`. True if there was one.
static bool freeDims(NodeImporter &node, ArrayRef<SymExpr> next,
                     SymShape &shape, int64_t number, LoopParts &parts) {
  bool changed = false;
  for (auto [size, other] : llvm::zip_equal(shape, next)) {
    if (size != other && !llvm::is_contained(parts.symbols, size)) {
      if (!size.getConstant())
        parts.changing.push_back(number);
      size = declareSymbol(node, "carried");
      parts.symbols.push_back(size);
      changed = true;
    }
    ++number;
  }
  return changed;
}

/// Frees the dimensions that an iteration changes. True if there was one.
static bool freeDims(NodeImporter &node, ArrayRef<Value> results,
                     LoopParts &parts) {
  bool changed = false;
  int64_t number = 0;
  for (auto [index, shape] : llvm::enumerate(parts.shapes)) {
    Value before = parts.tensors[index], after = results[index];
    if (node.getElement(before) != node.getElement(after)) {
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
    changed |= freeDims(node, next, shape, number, parts);
    number += static_cast<int64_t>(shape.size());
  }
  return changed;
}

/// Takes the carried values' initial tensors, in the forms that they have now.
static void takeInitial(NodeImporter &node, LoopParts &parts) {
  parts.tensors.clear();
  parts.shapes.clear();
  parts.symbols.clear();
  parts.changing.clear();
  for (auto [value, form] : llvm::zip_equal(parts.initial, parts.forms))
    takeApart(node, value, form, parts.tensors);
  for (Value tensor : parts.tensors)
    parts.shapes.push_back(node.getShape(tensor));
}

/// Fits the forms to what an iteration gives. True if one had to change.
static bool fitForms(NodeImporter &node, ArrayRef<Value> results,
                     LoopParts &parts) {
  bool changed = false;
  for (auto [value, form] : llvm::zip_equal(results, parts.forms)) {
    auto joined = joinForms(node, form, getForm(node, value));
    if (failed(joined))
      return false;
    changed |= !(*joined == form);
    form = *joined;
  }
  if (changed)
    takeInitial(node, parts);
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

/// Ends the body, which gives `results`: condition, carried, scanned. True if
/// it must be imported again, since carried values change otherwise than was
/// assumed.
static bool endBody(NodeImporter &node, LoopParts &parts,
                    ArrayRef<Value> results) {
  size_t carried = parts.initial.size();
  ArrayRef<Value> next = results.slice(1, carried);
  OpBuilder &builder = node.getBuilder();
  OpBuilder::InsertPoint end = builder.saveInsertionPoint();
  builder.restoreInsertionPoint(parts.place);
  bool changed = fitForms(node, next, parts);
  builder.restoreInsertionPoint(end);
  if (changed || node.failed())
    return changed;
  SmallVector<Value> tensors;
  parts.kinds.clear();
  for (auto [value, form] : llvm::zip_equal(next, parts.forms)) {
    parts.kinds.push_back(value.getType());
    takeApart(node, value, form, tensors);
  }
  if (node.failed())
    return false;
  changed = freeDims(node, tensors, parts);
  tensors.insert(tensors.begin(), getScalar(node, results[0]));
  tensors.append(results.begin() + carried + 1, results.end());
  if (!node.failed())
    YieldOp::create(builder, node.getLoc(), tensors);
  return changed;
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
  SmallVector<Value> arguments(block.getArguments().take_front(2));
  arguments.append(
      putAllTogether(node, parts.forms, block.getArguments().drop_front(2)));
  auto results = importer(arguments);
  if (failed(results))
    return failure();
  if (results->size() < parts.initial.size() + 1)
    return node.error() << "the body gives " << results->size()
                        << " values, expected a condition and "
                        << parts.initial.size() << " carried values";
  parts.scanned = results->size() - parts.initial.size() - 1;
  for (Value scanned : ArrayRef(*results).take_back(parts.scanned))
    if (!isa<RankedTensorType>(scanned.getType()))
      return node.error() << "an iteration gives a value of type "
                          << getOnnxTypeName(scanned.getType())
                          << " to be stacked, which only tensors can be";
  changed = endBody(node, parts, *results);
  return failure(node.failed());
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
  OpBuilder &builder = node.getBuilder();
  parts.place = builder.saveInsertionPoint();
  for (Value value : parts.initial)
    parts.forms.push_back(getForm(node, value));
  takeInitial(node, parts);
  Region region;
  if (node.failed() || failed(importBody(node, parts, importer, region)))
    return failure();
  SymShape symbols = sortSymbols(parts);
  if (parts.scanned)
    symbols.push_back(declareSymbol(node, "trips"));
  SmallVector<Type> types(parts.tensors.size() + parts.scanned,
                          node.getPlaceholder());
  DenseI64ArrayAttr changing;
  if (!parts.changing.empty())
    changing = builder.getDenseI64ArrayAttr(parts.changing);
  auto op = LoopOp::create(builder, node.getLoc(), types, parts.trips,
                           parts.condition, parts.tensors, node.exprs(symbols),
                           changing);
  op.getBody().takeBody(region);
  node.infer(op);
  if (node.failed())
    return failure();
  auto results = putAllTogether(
      node, parts.forms, op.getResults().take_front(parts.tensors.size()));
  // What iterations give may be the value of an optional that came in.
  for (auto [value, kind] : llvm::zip_equal(results, parts.kinds))
    if (isa<OptionalType>(value.getType()) && !isa<OptionalType>(kind))
      value = getOptionalValue(node, value);
  if (node.failed())
    return failure();
  results.append(op.result_begin() + parts.tensors.size(), op.result_end());
  return results;
}

/// Where values are stacked, or a sequence may grow, and the trip count is an
/// input of the model, its value is a size that is known before the run, as the
/// memory then is.
static void resolveTrips(NodeImporter &node, const onnx::GraphProto &graph) {
  Value trips = node.operand(0);
  bool isStacking =
      graph.output_size() > node.getNumOperands() - 1 ||
      llvm::any_of(node.getOperands().drop_front(2), [](Value value) {
        return value && !isa<RankedTensorType>(value.getType());
      });
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
