//===- MlSvm.cpp - support vector machines --------------------------------===//
//
// A kernel function of the input and each support vector, then sums over the
// vectors with learned coefficients. A classifier of C classes has one such sum
// for each pair of classes; each pair votes for one of the two.
//
// Without support vectors the coefficients are those of a linear model.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/MlSvm.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Kernel functions
//===----------------------------------------------------------------------===//

namespace {
enum class KernelKind { Linear, Poly, Rbf, Sigmoid };

/// Attributes `kernel_type` and `kernel_params`.
struct KernelFunction {
  KernelKind kind = KernelKind::Linear;
  double gamma = 0, coef0 = 0, degree = 0;
};
} // namespace

static KernelFunction getKernel(NodeImporter &node) {
  std::string text = node.getString("kernel_type", "LINEAR");
  auto kind = llvm::StringSwitch<std::optional<KernelKind>>(text)
                  .Case("LINEAR", KernelKind::Linear)
                  .Case("POLY", KernelKind::Poly)
                  .Case("RBF", KernelKind::Rbf)
                  .Case("SIGMOID", KernelKind::Sigmoid)
                  .Default(std::nullopt);
  if (!kind && !node.failed())
    node.error() << "attribute 'kernel_type' is '" << text
                 << "', expected 'LINEAR', 'POLY', 'RBF' or 'SIGMOID'";
  SmallVector<double> params = getFloatList(node, "kernel_params");
  if (!params.empty())
    requireCount(node, "kernel_params", params.size(), 3);
  params.resize(3, 0);
  return {kind.value_or(KernelKind::Linear), params[0], params[1], params[2]};
}

/// `exp(-gamma |x - v|^2)` for rows x and vectors v.
static Value buildRbf(NodeImporter &node, Value rows, Value vectors,
                      double gamma) {
  SymShape shape = node.getShape(rows);
  if (node.failed())
    return {};
  shape.insert(shape.begin() + 1, node.size(1));
  Value difference =
      node.binary(BinaryKind::sub, node.reshape(rows, shape), vectors);
  Value distance =
      node.reduce(ReduceKind::sum_square, difference, 2, /*keepDims=*/false);
  Type f32 = node.getBuilder().getF32Type();
  return node.unary(UnaryKind::exp, node.binary(BinaryKind::mul, distance,
                                                node.scalar(f32, -gamma)));
}

/// `base` to the power of `degree`.
static Value raise(NodeImporter &node, Value base, double degree) {
  if (degree != 2 && degree != 3)
    return node.binary(BinaryKind::pow, base,
                       node.scalar(node.getElement(base), degree));
  Value square = node.binary(BinaryKind::mul, base, base);
  return degree == 2 ? square : node.binary(BinaryKind::mul, square, base);
}

/// `function` of rows [N, F] and support vectors [V, F], as [N, V].
static Value buildKernel(NodeImporter &node, const KernelFunction &function,
                         Value rows, Value vectors) {
  if (function.kind == KernelKind::Rbf)
    return buildRbf(node, rows, vectors, function.gamma);
  Value product = node.matmul(rows, vectors, /*transposeLhs=*/false,
                              /*transposeRhs=*/true);
  if (function.kind == KernelKind::Linear)
    return product;
  Type f32 = node.getBuilder().getF32Type();
  Value scaled =
      node.binary(BinaryKind::mul, product, node.scalar(f32, function.gamma));
  Value shifted =
      node.binary(BinaryKind::add, scaled, node.scalar(f32, function.coef0));
  return function.kind == KernelKind::Sigmoid
             ? node.unary(UnaryKind::tanh, shifted)
             : raise(node, shifted, function.degree);
}

/// The kernel of the input and each of `count` support vectors, which attribute
/// `support_vectors` holds: [N, count].
static Value buildKernels(NodeImporter &node, int64_t count) {
  KernelFunction function = getKernel(node);
  SmallVector<double> vectors = getFloatList(node, "support_vectors");
  int64_t total = vectors.size();
  if (total == 0 || total % count != 0) {
    if (!node.failed())
      node.error() << "attribute 'support_vectors' has " << total
                   << " elements, expected as many for each of " << count
                   << " vectors";
    return {};
  }
  Type f32 = node.getBuilder().getF32Type();
  int64_t features = total / count;
  Value rows = getRows(node, f32, features);
  return buildKernel(
      node, function, rows,
      getConstant(node, vectors, {count, features}, f32, "support_vectors"));
}

/// The first number of attribute `rho`.
static double getFirstRho(NodeImporter &node) {
  SmallVector<double> rho = getFloatList(node, "rho");
  if (rho.empty() && !node.failed())
    node.error() << "needs attribute 'rho'";
  return rho.empty() ? 0 : rho.front();
}

/// Scores of a linear model: one number of `rho` serves all.
static Value buildLinear(NodeImporter &node, int64_t columns) {
  Value rho = node.scalar(node.getBuilder().getF32Type(), getFirstRho(node));
  return node.binary(BinaryKind::add, buildProducts(node, columns), rho);
}

//===----------------------------------------------------------------------===//
// SVMRegressor
//===----------------------------------------------------------------------===//

/// The sum over `count` support vectors, [N, 1].
static Value buildSum(NodeImporter &node, int64_t count) {
  SmallVector<double> coefficients = getFloatList(node, "coefficients");
  requireCount(node, "coefficients", coefficients.size(), count);
  Value kernels = buildKernels(node, count);
  Type f32 = node.getBuilder().getF32Type();
  Value sum = node.matmul(
      kernels, getConstant(node, coefficients, {count, 1}, f32, "coefficients"),
      /*transposeLhs=*/false, /*transposeRhs=*/false);
  return node.binary(BinaryKind::add, sum, node.scalar(f32, getFirstRho(node)));
}

/// ONNX Runtime reads no attribute `post_transform` here.
static LogicalResult importSvmRegressor(NodeImporter &node) {
  int64_t count = node.getInt("n_supports", 0);
  if (count < 0 || count > kMaxMlElements)
    return node.error() << "attribute 'n_supports' is " << count
                        << ", expected 0 to " << kMaxMlElements;
  Value score = count == 0 ? buildLinear(node, 1) : buildSum(node, count);
  if (!node.getBool("one_class", false))
    return node.finish(score);
  Type f32 = node.getBuilder().getF32Type();
  Value isInside = node.compare(CompareKind::gt, score, node.scalar(f32, 0));
  return node.finish(node.create<SelectOp>(isInside, node.scalar(f32, 1),
                                           node.scalar(f32, -1)));
}

//===----------------------------------------------------------------------===//
// SVMClassifier
//===----------------------------------------------------------------------===//

namespace {
/// What the attributes of a classifier with support vectors say.
struct VectorMachine {
  SmallVector<int64_t> labels, vectorsPerClass;
  SmallVector<double> rho, slopes, offsets; // one for each pair of classes
  int64_t vectors = 0;

  int64_t getClasses() const { return labels.size(); }
  int64_t getPairs() const { return getClasses() * (getClasses() - 1) / 2; }
};
} // namespace

/// Requires one number for each pair of classes.
static SmallVector<double> getPairList(NodeImporter &node, StringRef name,
                                       const VectorMachine &machine) {
  SmallVector<double> values = getFloatList(node, name);
  requireCount(node, name, values.size(), machine.getPairs());
  return values;
}

static VectorMachine readMachine(NodeImporter &node, ArrayRef<int64_t> labels,
                                 ArrayRef<int64_t> counts) {
  VectorMachine machine;
  machine.labels.assign(labels.begin(), labels.end());
  machine.vectorsPerClass.assign(counts.begin(), counts.end());
  requireCount(node, "vectors_per_class", counts.size(), labels.size());
  if (!node.failed() && labels.size() < 2)
    node.error() << "attribute 'classlabels_ints' has " << labels.size()
                 << " elements, expected two or more for support vectors";
  for (int64_t count : counts) {
    if (node.failed())
      return machine;
    machine.vectors += std::clamp<int64_t>(count, 0, kMaxMlElements);
    if (count < 0 || machine.vectors > kMaxMlElements)
      node.error() << "attribute 'vectors_per_class' has the element " << count
                   << ", expected 0 or more, and at most " << kMaxMlElements
                   << " in all";
  }
  if (node.failed())
    return machine;
  machine.rho = getPairList(node, "rho", machine);
  if (!node.has("prob_a") && !node.has("prob_b"))
    return machine;
  machine.slopes = getPairList(node, "prob_a", machine);
  machine.offsets = getPairList(node, "prob_b", machine);
  return machine;
}

/// The coefficients as a matrix [vectors, pairs]. The attribute has a row for
/// each class but one: vector v of class i counts with row j - 1 against a
/// later class j, and one of class j with row i against an earlier class i.
static SmallVector<double> getPairWeights(const VectorMachine &machine,
                                          ArrayRef<double> coefficients) {
  int64_t pairs = machine.getPairs(), classes = machine.getClasses();
  SmallVector<double> weights(machine.vectors * pairs, 0);
  SmallVector<int64_t> starts(1, 0);
  for (int64_t count : machine.vectorsPerClass)
    starts.push_back(starts.back() + count);
  auto copy = [&](int64_t pair, int64_t owner, int64_t row) {
    for (int64_t v = starts[owner]; v != starts[owner + 1]; ++v)
      weights[v * pairs + pair] = coefficients[row * machine.vectors + v];
  };
  int64_t pair = 0;
  for (int64_t i = 0; i != classes; ++i)
    for (int64_t j = i + 1; j != classes; ++j, ++pair) {
      copy(pair, i, j - 1);
      copy(pair, j, i);
    }
  return weights;
}

/// The score of each pair of classes, [N, pairs]: above 0 for the first.
static Value buildPairScores(NodeImporter &node, const VectorMachine &machine) {
  int64_t pairs = machine.getPairs(), vectors = machine.vectors;
  if (pairs > kMaxMlElements / vectors) {
    node.error() << "has " << vectors << " support vectors and " << pairs
                 << " pairs of classes, which is too much; at most "
                 << kMaxMlElements << " coefficients are supported";
    return {};
  }
  SmallVector<double> coefficients = getFloatList(node, "coefficients");
  requireCount(node, "coefficients", coefficients.size(),
               (machine.getClasses() - 1) * vectors);
  Value kernels = buildKernels(node, vectors);
  if (node.failed())
    return {};
  Type f32 = node.getBuilder().getF32Type();
  Value weights = getConstant(node, getPairWeights(machine, coefficients),
                              {vectors, pairs}, f32, "coefficients");
  Value sums = node.matmul(kernels, weights, /*transposeLhs=*/false,
                           /*transposeRhs=*/false);
  return node.binary(BinaryKind::add, sums,
                     getConstant(node, machine.rho, pairs, f32, "rho"));
}

/// How many pairs each class has won, [N, classes].
static Value countVotes(NodeImporter &node, Value scores, int64_t classes) {
  int64_t pairs = classes * (classes - 1) / 2, pair = 0;
  // A pair gives its vote to the second class, or else to the first.
  SmallVector<double> moves(pairs * classes, 0), losses(classes, 0);
  for (int64_t i = 0; i != classes; ++i)
    for (int64_t j = i + 1; j != classes; ++j, ++pair) {
      moves[pair * classes + i] = 1;
      moves[pair * classes + j] = -1;
      ++losses[j];
    }
  Type f32 = node.getBuilder().getF32Type();
  Value isFirst = node.compare(CompareKind::gt, scores, node.scalar(f32, 0));
  Value won =
      node.matmul(node.cast(isFirst, f32),
                  getConstant(node, moves, {pairs, classes}, f32, "votes"),
                  /*transposeLhs=*/false, /*transposeRhs=*/false);
  return node.binary(BinaryKind::add, won,
                     getConstant(node, losses, classes, f32, "votes"));
}

static LogicalResult importVectorMachine(NodeImporter &node,
                                         const VectorMachine &machine,
                                         PostTransform transform) {
  if (node.failed())
    return failure();
  int64_t classes = machine.getClasses();
  if (classes > kMaxMlElements / machine.getPairs())
    return node.error() << "has " << classes
                        << " classes, which is more than is supported";
  Value scores = buildPairScores(node, machine), result;
  Value label =
      getBestLabel(node, countVotes(node, scores, classes), machine.labels);
  if (!machine.slopes.empty())
    result = applyTransform(node,
                            buildProbabilities(node, scores, classes,
                                               machine.slopes, machine.offsets),
                            transform);
  else if (classes == 2)
    result = buildBothScores(node, scores,
                             /*isShare=*/transform != PostTransform::None,
                             transform);
  else
    result = applyTransform(node, scores, transform);
  return node.finish({label, result});
}

/// The label of a linear model. With two classes, the second one has a margin
/// of its own: 0.5 if no coefficient is negative, else 0.
static Value chooseLinearLabel(NodeImporter &node, Value scores,
                               ArrayRef<int64_t> labels) {
  Value best = getBestLabel(node, scores, labels);
  if (labels.size() != 2 || node.has("prob_a"))
    return best;
  Type f32 = node.getBuilder().getF32Type();
  bool isPositive = llvm::all_of(getFloatList(node, "coefficients"),
                                 [](double value) { return value >= 0; });
  Value most = node.reduce(ReduceKind::max, scores, 1, /*keepDims=*/false);
  Value isSecond = node.compare(isPositive ? CompareKind::ge : CompareKind::gt,
                                most, node.scalar(f32, isPositive ? 0.5 : 0));
  NumberList second{node.getBuilder().getI64Type(), {labels[1]}, {}};
  return node.create<SelectOp>(isSecond, getNumber(node, second, 0), best);
}

static LogicalResult importSvmClassifier(NodeImporter &node) {
  refuseStrings(node, "classlabels_strings");
  SmallVector<int64_t> labels = getIntList(node, "classlabels_ints");
  SmallVector<int64_t> counts = getIntList(node, "vectors_per_class");
  PostTransform transform = getPostTransform(node);
  if (node.failed())
    return failure();
  if (labels.empty())
    return node.error() << "needs attribute 'classlabels_ints'";
  if (llvm::any_of(counts, [](int64_t count) { return count != 0; }))
    return importVectorMachine(node, readMachine(node, labels, counts),
                               transform);
  Value scores = buildLinear(node, labels.size());
  if (node.failed())
    return failure();
  return node.finish({chooseLinearLabel(node, scores, labels),
                      applyTransform(node, scores, transform)});
}

void lz::registerMlSvm(HandlerTable &handlers) {
  handlers["SVMRegressor"] = importSvmRegressor;
  handlers["SVMClassifier"] = importSvmClassifier;
}
