//===- ContribPicture.cpp - operators of models that were Core ML's -------===//

#include "frontends/onnx/ops/Contrib.h"

using namespace mlir;
using namespace lz;

/// scale * picture [N, C, H, W] + the channel's bias.
static LogicalResult importImageScaler(NodeImporter &node) {
  Value input = node.operand(0);
  auto bias = node.getFloats("bias").value_or(SmallVector<double>());
  SymShape shape = node.getShape(input);
  if (!node.failed() && shape.size() != 4)
    return node.error() << "needs an input of rank 4, not " << shape.size();
  if (!node.failed() && !shape[1].isConstant(bias.size()))
    return node.error() << "attribute 'bias' has " << bias.size()
                        << " elements, expected one for each channel";
  if (node.failed())
    return failure();
  SmallVector<float> numbers(bias.begin(), bias.end());
  auto type =
      RankedTensorType::get({static_cast<int64_t>(numbers.size()), 1, 1},
                            node.getBuilder().getF32Type());
  Value addend = node.constant(DenseElementsAttr::get(type, ArrayRef(numbers)));
  return node.finish(add(node, scaleBy(node, input, node.getFloat("scale", 1)),
                         node.cast(addend, node.getElement(input))));
}

/// Rows and columns of a picture [N, C, H, W]: attribute `border` says how many
/// to leave out left, above, right and below, or `scale` how many to take.
static LogicalResult importCrop(NodeImporter &node) {
  SymShape sizes = node.getShape(node.operand(0));
  auto border = node.getInts("border").value_or(SmallVector<int64_t>());
  auto taken = node.getInts("scale").value_or(SmallVector<int64_t>());
  if (!node.failed() && sizes.size() != 4)
    return node.error() << "needs an input of rank 4, not " << sizes.size();
  auto isSize = [](int64_t size) {
    return size >= 0 && size <= SymbolList::kMaxSize;
  };
  if (!node.failed() &&
      (border.size() != 4 || !llvm::all_of(border, isSize) ||
       (!taken.empty() && taken.size() != 2) || !llvm::all_of(taken, isSize)))
    return node.error()
           << "attribute 'border' must have 4 elements and 'scale' "
              "none or 2, none of them negative";
  if (node.failed())
    return failure();
  SymShape offsets(4, node.size(0)), strides(4, node.size(1));
  for (int dim : {0, 1}) { // of the picture: rows, columns
    int64_t low = border[1 - dim], high = border[3 - dim];
    offsets[2 + dim] = node.size(low);
    sizes[2 + dim] =
        taken.empty() ? sizes[2 + dim] - low - high : node.size(taken[dim]);
  }
  return node.finish(node.slice(node.operand(0), offsets, sizes, strides));
}

/// alpha * x + beta.
static LogicalResult importAffine(NodeImporter &node) {
  Value scaled = scaleBy(node, node.operand(0), node.getFloat("alpha", 1));
  return node.finish(
      add(node, scaled,
          node.scalar(node.getElement(scaled), node.getFloat("beta", 0))));
}

static constexpr ContribOperator kPictures[] = {
    {"Affine", "X:F", 1, "alpha:FLOAT beta:FLOAT", importAffine},
    {"Crop", "input:F", 1, "border:INTS scale:INTS", importCrop},
    {"ImageScaler", "input:F", 1, "bias:FLOATS scale:FLOAT", importImageScaler},
};

ArrayRef<ContribOperator> lz::getContribPictures() { return kPictures; }
