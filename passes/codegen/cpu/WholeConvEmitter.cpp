//===- WholeConvEmitter.cpp - convolutions of one output position ---------===//
//
// As in squeeze-and-excite blocks, or behind a global pool. Columns are the
// output channels, k runs over all of a picture. A batch that is known to be
// small are the rows; of any other, each picture is a product of its own.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/PackedMatrix.h"

using namespace mlir;
using namespace lz;

namespace {

class WholeConv : public Product {
public:
  WholeConv(const KernelInfo &kernel, ConvOp op)
      : input(op.getInput()), filter(op.getFilter()), bias(op.getBias()) {
    ArrayRef<SymExpr> shape = kernel.getShape(input);
    std::optional<int64_t> batch = shape[0].getConstant();
    isBatchRows = batch && *batch <= kMostGemvRows;
    rows = isBatchRows ? shape[0] : kernel.constant(1);
    if (!isBatchRows)
      outer = {shape[0]};
    picture.assign(shape.begin() + 1, shape.end());
    columns = kernel.getShape(filter)[0];
    depth = getProduct(kernel.getContext(), picture);
    result = op.getResult();
  }

  Value emitLhs(ElementEmitter &e, ArrayRef<Value> outer, Value row,
                Value k) const override {
    SmallVector<Value> dims = {isBatchRows ? row : outer[0]};
    llvm::append_range(dims, e.kb.delinearize(k, picture));
    return e.emit(input, dims);
  }
  SmallVector<Value> getResultDims(ElementEmitter &e, ArrayRef<Value> outer,
                                   Value row, Value column) const override {
    SmallVector<Value> dims = {isBatchRows ? row : outer[0], column};
    dims.append(picture.size() - 1, e.kb.getIndex(0));
    return dims;
  }
  std::optional<PlainMatrix> getMatrix(ElementEmitter &e,
                                       ArrayRef<Value> outer) const override {
    auto argument = dyn_cast<BlockArgument>(filter);
    if (!argument)
      return std::nullopt;
    return PlainMatrix{e.kb.getOperand(argument.getArgNumber()),
                       e.kb.getIndex(0), e.kb.getSize(depth)};
  }
  Value emitBias(ElementEmitter &e, Value column) const override {
    return bias ? e.emit(bias, SmallVector<Value>{column}) : Value();
  }

private:
  Value input, filter, bias;
  bool isBatchRows;
  SymShape picture; // channels, then what is spatial
};

} // namespace

std::unique_ptr<Product> lz::makeWholeConv(const KernelInfo &kernel,
                                           ConvOp op) {
  ArrayRef<SymExpr> input = kernel.getShape(op.getInput()).drop_front();
  ArrayRef<SymExpr> filter = kernel.getShape(op.getFilter()).drop_front();
  auto isOne = [](SymExpr size) { return size.isConstant(1); };
  auto isZero = [](SymExpr size) { return size.isConstant(0); };
  bool isDense =
      llvm::all_of(op.getDilations(), [](int64_t d) { return d == 1; });
  if (op.getGroups() != 1 || input != filter || !isDense ||
      !llvm::all_of(kernel.getShape(op.getResult()).drop_front(2), isOne) ||
      !llvm::all_of(getExprs(op.getLow()), isZero) ||
      !llvm::all_of(getExprs(op.getHigh()), isZero))
    return nullptr;
  return std::make_unique<WholeConv>(kernel, op);
}
