//===- MlLabels.cpp - categories as numbers, and what has strings ---------===//
//
// LabelEncoder looks numbers up. Few keys are compared with one by one, in one
// kernel; many are sorted and searched: with 2^k of them, k times
//
//   position += keys[position + half] <= x ? half : 0
//
// for half = 2^(k-1), ..., 2, 1 leads to the last key that is not above x.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Types.h"
#include "frontends/onnx/ops/MlCommon.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace lz;

/// So many keys are compared with one by one.
static constexpr size_t kFewKeys = 16;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The list that one of the attributes `<prefix>_int64s`, `_floats` and
/// `_tensor` states.
static NumberList getList(NodeImporter &node, StringRef prefix) {
  SmallVector<NumberList> found;
  std::string name = prefix.str();
  Builder &builder = node.getBuilder();
  refuseStrings(node, name + "_strings");
  if (auto values = node.getInts(name + "_int64s"))
    found.push_back(
        {builder.getI64Type(), {values->begin(), values->end()}, {}});
  if (auto values = node.getFloats(name + "_floats"))
    found.push_back(
        {builder.getF32Type(), {}, {values->begin(), values->end()}});
  if (auto values = getTensor(node, name + "_tensor"))
    found.push_back(std::move(*values));
  if (found.size() == 1 || node.failed())
    return found.empty() ? NumberList{builder.getI64Type(), {}, {}}
                         : std::move(found.front());
  node.error() << "has " << found.size() << " of the attributes '" << name
               << "_int64s', '" << name << "_floats' and '" << name
               << "_tensor', expected one of them";
  return {builder.getI64Type(), {}, {}};
}

/// True if `value` is an integer of `type`.
static bool fits(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 64 || llvm::isIntN(width, value);
}

/// What numbers without a key become: attribute `default_tensor`, or the
/// default for their kind.
static NumberList getDefault(NodeImporter &node, Type type) {
  if (auto tensor = getTensor(node, "default_tensor")) {
    if (tensor->type == type && tensor->size() == 1)
      return *tensor;
    node.error() << "attribute 'default_tensor' has " << tensor->size()
                 << " elements of type " << tensor->type
                 << ", expected one of type " << type;
  }
  if (isa<FloatType>(type))
    return {type, {}, {node.getFloat("default_float", -0.0)}};
  int64_t value = node.getInt("default_int64", -1);
  if (!fits(value, type) && !node.failed())
    node.error() << "attribute 'default_int64' is " << value
                 << ", which is no number of type " << type;
  return {type, {value}, {}};
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
/// Keys, all different and in rising order, and their values.
struct LabelTable {
  NumberList keys, values;
  /// The value of the key NaN, if there is one: a list of one element.
  std::optional<NumberList> ofNan;
};
} // namespace

/// Sorts `order`, positions in `keys`, and drops all but the first of equal
/// ones.
template <typename T>
static void sortByKey(const std::vector<T> &keys,
                      SmallVectorImpl<size_t> &order) {
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::tie(keys[a], a) < std::tie(keys[b], b);
  });
  auto end = std::unique(order.begin(), order.end(), [&](size_t a, size_t b) {
    return keys[a] == keys[b];
  });
  order.erase(end, order.end());
}

static LabelTable sortTable(const NumberList &keys, const NumberList &values) {
  LabelTable table;
  SmallVector<size_t> order;
  for (size_t i = 0; i != keys.size(); ++i) {
    if (!keys.isReal() || !std::isnan(keys.reals[i]))
      order.push_back(i);
    else if (!table.ofNan)
      table.ofNan = values.pick(i);
  }
  if (keys.isReal())
    sortByKey(keys.reals, order);
  else
    sortByKey(keys.integers, order);
  table.keys = keys.pick(order);
  table.values = values.pick(order);
  return table;
}

/// `list` with its last element repeated until there are `count`.
static NumberList padList(const NumberList &list, size_t count) {
  SmallVector<size_t> order(count, list.size() - 1);
  std::iota(order.begin(), order.begin() + list.size(), 0);
  return list.pick(order);
}

//===----------------------------------------------------------------------===//
// LabelEncoder
//===----------------------------------------------------------------------===//

static Value lookUpFew(NodeImporter &node, Value input, const LabelTable &table,
                       Value result) {
  for (size_t i = 0; i != table.keys.size(); ++i) {
    Value isKey =
        node.compare(CompareKind::eq, input, getNumber(node, table.keys, i));
    result =
        node.create<SelectOp>(isKey, getNumber(node, table.values, i), result);
  }
  return result;
}

static Value lookUpMany(NodeImporter &node, Value input,
                        const LabelTable &table, Value fallback) {
  size_t count = llvm::PowerOf2Ceil(table.keys.size());
  Value keys = getConstant(node, padList(table.keys, count), "keys");
  Value values = getConstant(node, padList(table.values, count), "values");
  Type i32 = node.getBuilder().getI32Type();
  Value position = node.scalar(i32, 0);
  for (size_t half = count / 2; half != 0; half /= 2) {
    Value next = node.binary(BinaryKind::add, position, node.scalar(i32, half));
    Value isNext = node.compare(CompareKind::le,
                                node.create<GatherOp>(keys, next, 0), input);
    position = node.create<SelectOp>(isNext, next, position);
  }
  Value isKey = node.compare(CompareKind::eq,
                             node.create<GatherOp>(keys, position, 0), input);
  return node.create<SelectOp>(
      isKey, node.create<GatherOp>(values, position, 0), fallback);
}

static LogicalResult importLabelEncoder(NodeImporter &node) {
  Value input = node.operand(0);
  refuseStrings(node, "classes_strings");
  NumberList keys = getList(node, "keys"), values = getList(node, "values");
  if (!node.failed() && keys.type != node.getElement(input))
    return node.error() << "its keys are numbers of type " << keys.type
                        << ", but its input has type " << input.getType();
  if (!node.failed() && keys.size() != values.size())
    return node.error() << "has " << keys.size() << " keys and "
                        << values.size() << " values, expected equal counts";
  NumberList fallback = getDefault(node, values.type);
  if (node.failed())
    return failure();
  LabelTable table = sortTable(keys, values);
  Value result = getNumber(node, fallback, 0);
  result = table.keys.size() <= kFewKeys
               ? lookUpFew(node, input, table, result)
               : lookUpMany(node, input, table, result);
  // Before version 4, NaN is equal to no key.
  if (table.ofNan && node.getVersion() >= 4)
    result = node.create<SelectOp>(node.unary(UnaryKind::is_nan, input),
                                   getNumber(node, *table.ofNan, 0), result);
  return node.finish(node.expand(result, node.getShape(input)));
}

//===----------------------------------------------------------------------===//
// What is made of strings or maps
//===----------------------------------------------------------------------===//

static LogicalResult importCategoryMapper(NodeImporter &node) {
  return node.error() << "attribute 'cats_strings' has strings, and strings "
                         "are not computed with; map categories before the "
                         "model";
}

static LogicalResult importZipMap(NodeImporter &node) {
  bool hasStrings = node.has("classlabels_strings");
  return node.error() << "attribute '"
                      << (hasStrings ? "classlabels_strings"
                                     : "classlabels_int64s")
                      << "' has the keys of maps, which have no place here"
                      << (hasStrings ? ", and strings are not computed with"
                                     : "")
                      << "; export the scores as they are (skl2onnx: "
                         "zipmap=False)";
}

void lz::registerMlLabels(HandlerTable &handlers) {
  handlers["LabelEncoder"] = importLabelEncoder;
  handlers["CategoryMapper"] = importCategoryMapper;
  handlers["ZipMap"] = importZipMap;
}
