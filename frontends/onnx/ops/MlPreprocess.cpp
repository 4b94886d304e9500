//===- MlPreprocess.cpp - what stands before a classical model ------------===//

#include "frontends/onnx/ops/MlCommon.h"

#include "llvm/ADT/SmallSet.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// The first operand; an error if it has strings.
static Value getNumericInput(NodeImporter &node) {
  Value input = node.operand(0);
  if (isa<StringType>(node.getElement(input)))
    node.error() << "input 0 (X) has strings, and strings are not computed "
                    "with";
  return input;
}

//===----------------------------------------------------------------------===//
// ArrayFeatureExtractor, Binarizer
//===----------------------------------------------------------------------===//

/// Of the last dimension, the elements that the second operand lists. A vector
/// becomes a row.
static LogicalResult importArrayFeatureExtractor(NodeImporter &node) {
  Value input = getNumericInput(node);
  int64_t rank = node.getRank(input);
  if (node.failed())
    return failure();
  if (rank == 0)
    return node.error() << "needs an input of rank 1 or more, not 0";
  SymExpr count = node.getShapes().getNumElements(node.operand(1));
  Value indices = node.reshape(node.operand(1), count);
  Value result = node.create<GatherOp>(input, indices, rank - 1);
  if (rank == 1)
    result = node.reshape(result, {node.size(1), count});
  return node.finish(result);
}

/// The type in which a number of `type` meets an attribute's floats.
static Type getRealType(NodeImporter &node, Type type) {
  return type.isF64() ? type : node.getBuilder().getF32Type();
}

static LogicalResult importBinarizer(NodeImporter &node) {
  Value input = node.operand(0);
  Type type = node.getElement(input), real = getRealType(node, type);
  Value threshold = node.scalar(real, node.getFloat("threshold", 0));
  Value isAbove =
      node.compare(CompareKind::gt, node.cast(input, real), threshold);
  return node.finish(node.cast(isAbove, type));
}

//===----------------------------------------------------------------------===//
// Scaler, Imputer
//===----------------------------------------------------------------------===//

/// `input`, with as many features as the attributes have of numbers: they are
/// one for all, or one for each element of the second dimension (of a vector,
/// of the first).
static Value requireFeatures(NodeImporter &node, Value input, int64_t count) {
  SymShape shape = node.getShape(input);
  if (count == 1 || node.failed())
    return input;
  if (shape.empty() || shape.size() > 2) {
    node.error() << "needs an input of rank 1 or 2 for one number per feature, "
                    "not of rank "
                 << shape.size();
    return {};
  }
  if (shape.back().getConstant().value_or(count) != count) {
    node.error() << "the input has " << shape.back().str()
                 << " features, but the attributes are for " << count;
    return {};
  }
  shape.back() = node.size(count);
  return node.reshape(input, shape);
}

static LogicalResult importScaler(NodeImporter &node) {
  SmallVector<double> scale = getFloatList(node, "scale");
  SmallVector<double> offset = getFloatList(node, "offset");
  int64_t count = scale.size();
  requireCount(node, "offset", offset.size(), count);
  if (scale.empty() && !node.failed())
    return node.error() << "needs attributes 'scale' and 'offset'";
  Value input = requireFeatures(node, node.operand(0), count);
  Type f32 = node.getBuilder().getF32Type();
  Type real = getRealType(node, node.getElement(input));
  Value shifted = node.binary(BinaryKind::sub, node.cast(input, real),
                              getConstant(node, offset, count, real, "offset"));
  Value scaled = node.binary(BinaryKind::mul, shifted,
                             getConstant(node, scale, count, real, "scale"));
  return node.finish(node.cast(scaled, f32));
}

/// What Imputer replaces: `replaced` and, if that is NaN, every NaN.
static Value isMissing(NodeImporter &node, Value input, double replaced) {
  if (std::isnan(replaced))
    return node.unary(UnaryKind::is_nan, input);
  return node.compare(CompareKind::eq, input,
                      node.scalar(node.getElement(input), replaced));
}

static LogicalResult imputeReals(NodeImporter &node, StringRef name) {
  SmallVector<double> values = getFloatList(node, name);
  int64_t count = values.size();
  Value input = requireFeatures(node, node.operand(0), count);
  Value missing =
      isMissing(node, input, node.getFloat("replaced_value_float", 0));
  Value imputed =
      getConstant(node, values, count, node.getElement(input), "imputed");
  return node.finish(node.create<SelectOp>(missing, imputed, input));
}

static LogicalResult imputeIntegers(NodeImporter &node, StringRef name) {
  SmallVector<int64_t> values = getIntList(node, name);
  int64_t count = values.size();
  Value input = requireFeatures(node, node.operand(0), count);
  int64_t replaced = node.getInt("replaced_value_int64", 0);
  Type type = node.getElement(input);
  Value missing = node.compare(
      CompareKind::eq, input,
      getConstant(node, ArrayRef<int64_t>(replaced), {}, type, "replaced"));
  Value imputed = getConstant(node, values, count, type, "imputed");
  return node.finish(node.create<SelectOp>(missing, imputed, input));
}

static LogicalResult importImputer(NodeImporter &node) {
  bool isReal = isa<FloatType>(node.getElement(node.operand(0)));
  StringRef name = isReal ? "imputed_value_floats" : "imputed_value_int64s";
  StringRef other = isReal ? "imputed_value_int64s" : "imputed_value_floats";
  if (node.has(other))
    return node.error() << "attribute '" << other << "' does not fit an input "
                        << "of type " << node.operand(0).getType();
  size_t count =
      isReal ? getFloatList(node, name).size() : getIntList(node, name).size();
  if (count == 0 && !node.failed())
    return node.error() << "needs attribute '" << name << "'";
  return isReal ? imputeReals(node, name) : imputeIntegers(node, name);
}

//===----------------------------------------------------------------------===//
// Normalizer
//===----------------------------------------------------------------------===//

/// `rows` by `norm` [rows, 1]; a row whose norm is 0 stays as it is.
static Value divideRows(NodeImporter &node, Value rows, Value norm) {
  Type f32 = node.getBuilder().getF32Type();
  Value isZero = node.compare(CompareKind::eq, norm, node.scalar(f32, 0));
  Value divisor = node.create<SelectOp>(isZero, node.scalar(f32, 1), norm);
  return node.binary(BinaryKind::div, rows, divisor);
}

/// Each number by the root of its row's sum of squares, which is taken of the
/// quotient: `sign(x) sqrt(x^2 / sum)`. Squares are of the input's type.
static Value normalizeL2(NodeImporter &node, Value rows) {
  Type f32 = node.getBuilder().getF32Type();
  Value square = node.cast(node.binary(BinaryKind::mul, rows, rows), f32);
  Value real = node.cast(rows, f32), zero = node.scalar(f32, 0);
  Value sum = node.reduce(ReduceKind::sum, square, 1, /*keepDims=*/true);
  Value root =
      node.unary(UnaryKind::sqrt, node.binary(BinaryKind::div, square, sum));
  Value isBelow = node.compare(CompareKind::lt, real, zero);
  Value result =
      node.create<SelectOp>(isBelow, node.unary(UnaryKind::neg, root), root);
  Value isZero = node.compare(CompareKind::eq, sum, zero);
  return node.create<SelectOp>(isZero, real, result);
}

static LogicalResult importNormalizer(NodeImporter &node) {
  std::string norm = node.getString("norm", "MAX");
  Value input = node.operand(0);
  Value rows = getRows(node, node.getElement(input));
  Value real = node.cast(rows, node.getBuilder().getF32Type()), result;
  if (node.failed())
    return failure();
  if (norm == "MAX")
    result =
        divideRows(node, real, node.reduce(ReduceKind::max, real, 1, true));
  else if (norm == "L1")
    result = divideRows(node, real, node.reduce(ReduceKind::l1, real, 1, true));
  else if (norm == "L2")
    result = normalizeL2(node, rows);
  else
    return node.error() << "attribute 'norm' is '" << norm
                        << "', expected 'MAX', 'L1' or 'L2'";
  return node.finish(node.reshape(result, node.getShape(input)));
}

//===----------------------------------------------------------------------===//
// OneHotEncoder
//===----------------------------------------------------------------------===//

/// Stops a run in which a row of `hot` has no category.
static void refuseUnknown(NodeImporter &node, Value hot) {
  int64_t last = node.getRank(hot) - 1;
  Value found = node.reduce(ReduceKind::max, hot, last, /*keepDims=*/false);
  node.forbid(node.compare(CompareKind::eq, found,
                           node.scalar(node.getElement(found), 0)),
              "unknown_categories");
}

/// 0 for a category that comes again later: the last of equal ones counts.
static SmallVector<double> getLastMarks(ArrayRef<int64_t> categories) {
  SmallVector<double> marks(categories.size(), 1);
  llvm::SmallSet<int64_t, 16> seen;
  for (size_t i = categories.size(); i-- > 0;)
    marks[i] = seen.insert(categories[i]).second;
  return marks;
}

static LogicalResult importOneHotEncoder(NodeImporter &node) {
  refuseStrings(node, "cats_strings");
  Value input = getNumericInput(node);
  SmallVector<int64_t> categories = getIntList(node, "cats_int64s");
  if (categories.empty() && !node.failed())
    return node.error() << "needs attribute 'cats_int64s'";
  int64_t count = categories.size();
  Type f32 = node.getBuilder().getF32Type();
  Type i64 = node.getBuilder().getI64Type();
  SymShape shape = node.getShape(input);
  shape.push_back(node.size(1));
  Value table = getConstant(node, categories, count, i64, "categories");
  Value hot = node.compare(CompareKind::eq,
                           node.reshape(node.cast(input, i64), shape), table);
  hot = node.cast(hot, f32);
  SmallVector<double> marks = getLastMarks(categories);
  if (llvm::is_contained(marks, 0))
    hot = node.binary(BinaryKind::mul, hot,
                      getConstant(node, marks, count, f32, "marks"));
  if (!node.getBool("zeros", true))
    refuseUnknown(node, hot);
  return node.finish(hot);
}

//===----------------------------------------------------------------------===//
// FeatureVectorizer
//===----------------------------------------------------------------------===//

/// `input` as [rows, width] of floats: cut, or with zeros after it.
static Value fitRows(NodeImporter &node, Value input, int64_t width) {
  SymShape shape = node.getShape(input);
  if (node.failed())
    return {};
  if (shape.empty()) {
    node.error() << "needs inputs of rank 1 or more, not 0";
    return {};
  }
  SymExpr rows = shape.size() == 1 ? node.size(1) : shape[0];
  SymExpr found = getProduct(node.getContext(),
                             ArrayRef(shape).drop_front(shape.size() > 1));
  SymExpr wanted = node.size(width);
  // A free number of features must be what the attribute says.
  std::optional<int64_t> known = found.getConstant();
  Value flat = node.reshape(input, {rows, known ? found : wanted});
  flat = node.cast(flat, node.getBuilder().getF32Type());
  if (known.value_or(width) > width)
    return node.sliceAxis(flat, 1, node.size(0), wanted);
  if (known.value_or(width) == width)
    return flat;
  SymShape low = node.sizes({0, 0}), high = node.sizes({0, width - *known});
  return node.create<PadOp>(PadKind::constant, flat, Value(), node.exprs(low),
                            node.exprs(high));
}

static LogicalResult importFeatureVectorizer(NodeImporter &node) {
  SmallVector<int64_t> widths = getIntList(node, "inputdimensions");
  requireCount(node, "inputdimensions", widths.size(), node.getNumOperands());
  if (node.failed())
    return failure();
  SmallVector<Value> parts;
  for (auto [input, width] : llvm::zip_equal(node.getOperands(), widths)) {
    if (width < 1 || width > SymbolList::kMaxSize)
      return node.error() << "attribute 'inputdimensions' has the element "
                          << width << ", expected 1 to "
                          << SymbolList::kMaxSize;
    parts.push_back(fitRows(node, input, width));
  }
  return node.finish(node.concat(parts, 1));
}

void lz::registerMlPreprocess(HandlerTable &handlers) {
  handlers["ArrayFeatureExtractor"] = importArrayFeatureExtractor;
  handlers["Binarizer"] = importBinarizer;
  handlers["FeatureVectorizer"] = importFeatureVectorizer;
  handlers["Imputer"] = importImputer;
  handlers["Normalizer"] = importNormalizer;
  handlers["OneHotEncoder"] = importOneHotEncoder;
  handlers["Scaler"] = importScaler;
}
