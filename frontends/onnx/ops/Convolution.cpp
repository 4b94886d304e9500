//===- Convolution.cpp - convolutions and the windows of pools ------------===//

#include "frontends/onnx/ops/Common.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

SmallVector<int64_t> lz::getSpatialInts(NodeImporter &node, StringRef name,
                                        size_t count, int64_t fallback,
                                        int64_t least) {
  auto values = node.getInts(name);
  if (!values)
    return SmallVector<int64_t>(count, fallback);
  bool valid = values->size() == count;
  for (int64_t value : *values)
    valid &= value >= least && value <= SymbolList::kMaxSize;
  if (!valid && !node.failed())
    node.error() << "attribute '" << name << "' is [" << *values
                 << "], expected " << count << " numbers from " << least
                 << " to " << SymbolList::kMaxSize;
  values->resize(count, fallback);
  return *values;
}

/// The distance from a window's first to its last element, plus one.
static SymExpr getExtent(SymExpr kernel, int64_t dilation) {
  return (kernel - 1) * dilation + 1;
}

/// auto_pad SAME: as many windows as strides fit into the input.
static void setSamePads(NodeImporter &node, ArrayRef<SymExpr> input,
                        ArrayRef<SymExpr> kernel, bool upper,
                        Windows &windows) {
  for (auto [i, size] : llvm::enumerate(input)) {
    SymExpr stride = node.size(windows.strides[i]);
    SymExpr count = size.ceilDiv(stride);
    SymExpr extent = getExtent(kernel[i], windows.dilations[i]);
    SymExpr total = ((count - 1) * stride + extent - size).max(node.size(0));
    SymExpr half = total.floorDiv(node.size(2));
    windows.low[i] = upper ? half : total - half;
    windows.high[i] = upper ? total - half : half;
    windows.counts.push_back(count);
  }
}

/// The number of windows between explicit pads. With `ceilMode`, the last may
/// hang over the end, but has to start before it.
static void setCounts(NodeImporter &node, ArrayRef<SymExpr> input,
                      ArrayRef<SymExpr> kernel, bool ceilMode,
                      Windows &windows) {
  for (auto [i, size] : llvm::enumerate(input)) {
    SymExpr stride = node.size(windows.strides[i]);
    SymExpr room = size + windows.low[i] + windows.high[i] -
                   getExtent(kernel[i], windows.dilations[i]);
    SymExpr count =
        ceilMode ? room.ceilDiv(stride) + 1 : room.floorDiv(stride) + 1;
    if (ceilMode)
      count = count.min((size + windows.low[i] - 1).floorDiv(stride) + 1);
    windows.counts.push_back(count);
  }
}

/// Explicit pads: all low ones, then all high ones.
static void setPads(NodeImporter &node, Windows &windows) {
  size_t count = windows.low.size();
  SmallVector<int64_t> pads = getSpatialInts(node, "pads", 2 * count, 0, 0);
  for (size_t i = 0; i != count; ++i) {
    windows.low[i] = node.size(pads[i]);
    windows.high[i] = node.size(pads[i + count]);
  }
}

Windows lz::getWindows(NodeImporter &node, ArrayRef<SymExpr> input,
                       ArrayRef<SymExpr> kernel, bool ceilMode) {
  Windows windows;
  size_t count = input.size();
  windows.strides = getSpatialInts(node, "strides", count, 1, 1);
  windows.dilations = getSpatialInts(node, "dilations", count, 1, 1);
  windows.low.assign(count, node.size(0));
  windows.high.assign(count, node.size(0));
  std::string mode = node.getString("auto_pad", "NOTSET");
  if (node.failed())
    return windows;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    setSamePads(node, input, kernel, mode == "SAME_UPPER", windows);
    return windows;
  }
  if (mode == "NOTSET" || mode.empty())
    setPads(node, windows);
  else if (mode != "VALID")
    node.error() << "attribute 'auto_pad' is '" << mode
                 << "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER";
  setCounts(node, input, kernel, ceilMode, windows);
  return windows;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The spatial part of the operands' shapes; an error if they don't fit.
static LogicalResult getSpatial(NodeImporter &node, SymShape &input,
                                SymShape &kernel) {
  input = node.getShape(node.operand(0));
  kernel = node.getShape(node.operand(1));
  if (input.size() < 3 || input.size() != kernel.size())
    return node.error() << "needs input and filter of one rank, 3 or more, not "
                        << input.size() << " and " << kernel.size();
  input.erase(input.begin(), input.begin() + 2);
  kernel.erase(kernel.begin(), kernel.begin() + 2);
  auto stated = node.getInts("kernel_shape");
  if (!stated)
    return success();
  bool fits = stated->size() == kernel.size();
  for (size_t i = 0; fits && i != kernel.size(); ++i)
    fits = kernel[i].getConstant().value_or((*stated)[i]) == (*stated)[i];
  if (!fits)
    return node.error() << "attribute 'kernel_shape' is [" << *stated
                        << "], but the filter has type "
                        << node.operand(1).getType();
  return success();
}

Value lz::buildConv(NodeImporter &node) {
  SymShape input, kernel;
  if (failed(getSpatial(node, input, kernel)))
    return {};
  Windows windows = getWindows(node, input, kernel, /*ceilMode=*/false);
  return node.create<ConvOp>(node.operand(0), node.operand(1), node.operand(2),
                             windows.strides, node.exprs(windows.low),
                             node.exprs(windows.high), windows.dilations,
                             node.getInt("group", 1));
}

static LogicalResult importConv(NodeImporter &node) {
  return node.finish(buildConv(node));
}

/// The pads that give ConvTranspose the result sizes `wanted`; negative ones
/// where the sizes are larger than what the filter reaches.
static void padTo(NodeImporter &node, ArrayRef<SymExpr> wanted,
                  ArrayRef<SymExpr> input, ArrayRef<SymExpr> kernel,
                  ArrayRef<int64_t> extra, bool upper, Windows &windows) {
  for (auto [i, size] : llvm::enumerate(input)) {
    SymExpr full = (size - 1) * windows.strides[i] + extra[i] +
                   getExtent(kernel[i], windows.dilations[i]);
    SymExpr total = full - wanted[i];
    SymExpr half = total.floorDiv(node.size(2));
    windows.low[i] = upper ? half : total - half;
    windows.high[i] = upper ? total - half : half;
  }
}

static LogicalResult importConvTranspose(NodeImporter &node) {
  SymShape input, kernel;
  if (failed(getSpatial(node, input, kernel)))
    return failure();
  size_t count = input.size();
  SmallVector<int64_t> extra =
      getSpatialInts(node, "output_padding", count, 0, 0);
  Windows windows = getWindows(node, input, kernel, /*ceilMode=*/false);
  std::string mode = node.getString("auto_pad", "NOTSET");
  bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  SymShape wanted;
  if (node.has("output_shape")) {
    wanted = node.sizes(getSpatialInts(node, "output_shape", count, 0, 0));
  } else if (same) {
    for (size_t i = 0; i != count; ++i)
      wanted.push_back(input[i] * windows.strides[i]);
  }
  // The standard gives the odd element to the end for SAME_UPPER only.
  if (!node.failed() && !wanted.empty())
    padTo(node, wanted, input, kernel, extra, mode == "SAME_UPPER", windows);
  return node.finish(node.create<ConvTransposeOp>(
      node.operand(0), node.operand(1), node.operand(2), windows.strides,
      node.exprs(windows.low), node.exprs(windows.high), extra,
      windows.dilations, node.getInt("group", 1)));
}

void lz::registerConvolution(HandlerTable &handlers) {
  handlers["Conv"] = importConv;
  handlers["ConvTranspose"] = importConvTranspose;
}
