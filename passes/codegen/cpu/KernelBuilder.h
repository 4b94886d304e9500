//===- KernelBuilder.h - sizes, memory and loops of a kernel ----*- C++ -*-===//
//
// The words in which kernels are emitted. Indices and sizes are `i64` values;
// tensors are pointers to dense row-major elements; scalars are of the compute
// type of their element type (narrow floats in f32, integers signless).
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_KERNELBUILDER_H
#define PASSES_CODEGEN_CPU_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "passes/codegen/cpu/KernelInfo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace lz {

/// Where the elements of a tensor lie.
struct Buffer {
  mlir::Value pointer;
  mlir::Type elementType;
  /// Buffers of different groups never overlap: 0 holds all operands and
  /// constants, each result and the scratch have their own.
  unsigned group = 0;
};

/// The type in which scalars of `elementType` are computed: f32 for narrower
/// floats, i8 for 2- and 4-bit integers, else the (signless) type itself.
mlir::Type getComputeType(mlir::Type elementType);
/// True for unsigned integers and i1.
bool isUnsigned(mlir::Type elementType);

/// The most elements that one loop over lanes computes: enough for long vector
/// loops, few enough that several arrays of them lie in the first cache.
constexpr int64_t kLanes = 256;

class KernelBuilder {
public:
  using LoopBody = llvm::function_ref<void(mlir::Value index)>;
  using CarryingBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange carried)>;

  using ChoiceBody = llvm::function_ref<mlir::Value()>;

  /// Creates `@<name>(%args: !llvm.ptr, %lo: i64, %hi: i64)` after the kernel.
  explicit KernelBuilder(const KernelInfo &kernel);
  /// Ends the function. Fails if anything was refused on the way.
  mlir::FailureOr<mlir::func::FuncOp> finish();

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  void setLoc(mlir::Location location) { loc = location; }
  mlir::MLIRContext *getContext() const { return builder.getContext(); }
  /// Bounds of the parallel iterations to compute.
  mlir::Value getLo() const { return lo; }
  mlir::Value getHi() const { return hi; }

  /// An operation at the current place, folded if its operands are constant.
  template <typename OpTy, typename... Args>
  mlir::Value create(Args &&...args) {
    return builder.createOrFold<OpTy>(loc, std::forward<Args>(args)...);
  }

  // Constants and sizes; each exists once, at the start of the function.
  mlir::Value getIndex(int64_t value);
  mlir::Value getInt(mlir::Type type, int64_t value);
  mlir::Value getFloat(mlir::Type type, double value);
  /// Of a compute type, which may be integer or float.
  mlir::Value getScalar(mlir::Type type, double value);
  mlir::Value getSize(SymExpr size);
  /// The product of `sizes`.
  mlir::Value getSize(llvm::ArrayRef<SymExpr> sizes);
  /// The expressions read so far, in the order of their argument slots.
  llvm::ArrayRef<SymExpr> getParams() const { return paramList; }

  // Index arithmetic. Equal calls give the equal value where it is visible.
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  /// Of non-negative operands. Undone if `a` was made by `join`.
  mlir::Value divide(mlir::Value a, mlir::Value b);
  mlir::Value remainder(mlir::Value a, mlir::Value b);
  /// `high * size + low`, where 0 <= low < size.
  mlir::Value join(mlir::Value high, mlir::Value size, mlir::Value low);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value clamp(mlir::Value value, mlir::Value low, mlir::Value high);

  /// The row-major position of `indices`, and back. Undo each other.
  mlir::Value linearize(llvm::ArrayRef<mlir::Value> indices,
                        llvm::ArrayRef<SymExpr> shape);
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value position,
                                             llvm::ArrayRef<SymExpr> shape);

  // Memory.
  Buffer getOperand(unsigned index);
  Buffer getResult(unsigned index);
  Buffer getScratch(mlir::Type elementType);
  /// `count` elements of a compute type on the stack, for this kernel's use of
  /// them between two loops. A kernel has these or the scratch.
  Buffer getStack(mlir::Type elementType, int64_t count);
  /// A constant table in the artifact.
  Buffer getTable(mlir::Operation *op, mlir::DenseElementsAttr elements);
  /// Element `position`, as a scalar of the compute type, and back.
  mlir::Value load(const Buffer &buffer, mlir::Value position);
  /// load() of the first element, which may lie in a buffer of another group.
  mlir::Value loadAnywhere(const Buffer &buffer);
  void store(const Buffer &buffer, mlir::Value position, mlir::Value scalar);
  /// Neighbouring elements from `position` on, as they lie in memory.
  mlir::Value loadVector(const Buffer &buffer, mlir::Value position,
                         mlir::VectorType type);
  void storeVector(const Buffer &buffer, mlir::Value position,
                   mlir::Value vector);
  /// The address of element `position` (of at least 8 bits).
  mlir::Value getAddress(const Buffer &buffer, mlir::Value position);
  /// States that `access` touches a buffer of `group`.
  void annotate(mlir::Operation *access, unsigned group);

  // Conversions between compute types and element types (FloatFormats.cpp).
  /// The bits of `elementType` (an integer of its width) nearest to `scalar`.
  mlir::Value encode(mlir::Value scalar, mlir::Type elementType,
                     bool saturate = true);
  mlir::Value decode(mlir::Value bits, mlir::Type elementType);

  // Control flow.
  void loop(mlir::Value low, mlir::Value high, LoopBody body);
  llvm::SmallVector<mlir::Value> loop(mlir::Value low, mlir::Value high,
                                      mlir::ValueRange initial,
                                      CarryingBody body);
  /// A loop over `count` <= kLanes independent elements that lie side by side,
  /// which goes inside of the loops in its body (`lz-distribute-lanes`).
  void loopOverLanes(mlir::Value count, LoopBody body);
  /// A loop that LLVM leaves rolled: its body is as long as registers allow, or
  /// it is to be vectorised, for which a short one would be unrolled too early.
  llvm::SmallVector<mlir::Value> rolledLoop(mlir::Value low, mlir::Value high,
                                            mlir::ValueRange initial,
                                            CarryingBody body);
  void rolledLoop(mlir::Value low, mlir::Value high, LoopBody body);
  /// Executes `body` if `condition` holds.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// Executes `body` with `count`, in a branch of its own where that is
  /// `usual`: loops to a usual count that is constant have a known length.
  void withUsual(mlir::Value count, mlir::Value usual, LoopBody body);
  /// The scalar of one of two branches; only that one is executed.
  mlir::Value choose(mlir::Type type, mlir::Value condition, ChoiceBody onTrue,
                     ChoiceBody onFalse);
  /// Calls a function outside the module, declared on first use.
  llvm::SmallVector<mlir::Value> call(llvm::StringRef name,
                                      mlir::TypeRange results,
                                      mlir::ValueRange operands);

  /// Reports an error on `op`, once; emission goes on, but finish() fails.
  void fail(mlir::Operation *op, const llvm::Twine &message);

  /// True if `value` may be used at the current place.
  bool isVisible(mlir::Value value) const;

private:
  template <typename OpTy> mlir::Value index(mlir::Value a, mlir::Value b);
  mlir::Value loadSlot(mlir::Type type, int64_t slot);
  /// Runs `make` where everything of the kernel can use what it makes.
  mlir::Value inPreamble(ChoiceBody make);
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);
  mlir::Value loadPacked(const Buffer &buffer, mlir::Value position);

  struct Parts {
    mlir::Value high, size, low;
  };

  mlir::OpBuilder builder;
  mlir::Location loc;
  bool convertsHalf;
  mlir::func::FuncOp function;
  mlir::Operation *lastOfPreamble = nullptr;
  mlir::Value args, lo, hi;
  llvm::SmallVector<Buffer> operands, results;
  mlir::Value scratch;
  llvm::SmallVector<mlir::Attribute> scopes;
  llvm::DenseMap<std::pair<mlir::Type, mlir::Attribute>, mlir::Value> constants;
  llvm::DenseMap<mlir::Attribute, mlir::Value> params;
  llvm::SmallVector<SymExpr> paramList;
  llvm::DenseMap<std::pair<const void *, std::pair<mlir::Value, mlir::Value>>,
                 mlir::Value>
      indexCache;
  llvm::DenseMap<mlir::Value, Parts> joined;
  /// What delinearize has split into a pair of neighbouring indices.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>,
                 std::pair<mlir::Value, SymExpr>>
      splits;
  llvm::DenseMap<mlir::Operation *, Buffer> tables;
  bool failed = false;
};

} // namespace lz

#endif // PASSES_CODEGEN_CPU_KERNELBUILDER_H
