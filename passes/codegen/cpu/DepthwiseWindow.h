//===- DepthwiseWindow.h - padded rows for depthwise taps -------*- C++ -*-===//
//
// A convolution of small groups reads few channels under a small window. A band
// of their rows is copied to scratch memory first, padding included, and split
// by what strides step over:
//
//   window[channel][depth][row phase][column phase][row][column]
//
// holds the input at (row * stride + phase - low). Then each tap of the filter
// is a constant distance, neighbouring outputs read neighbouring numbers for
// any stride and dilation, and no tap has to be tested.
//
//===----------------------------------------------------------------------===//
#ifndef PASSES_CODEGEN_CPU_DEPTHWISEWINDOW_H
#define PASSES_CODEGEN_CPU_DEPTHWISEWINDOW_H

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/VectorBuilder.h"

#include <array>

namespace lz {

/// One spatial dimension of a convolution.
struct WindowDim {
  SymExpr input, output, taps, low;
  int64_t stride, dilation;

  /// Positions within a stride that taps read.
  int64_t getPhases() const { return taps.isConstant(1) ? 1 : stride; }
  /// How far the last tap lies behind the first, in strides.
  SymExpr getReach() const;
};

/// The sizes of a band and its window. Missing dimensions have size 1.
struct WindowSizes {
  WindowSizes(const KernelInfo &kernel, ConvOp conv);

  mlir::Type type; // of scalars
  int64_t lanes;
  std::array<WindowDim, 3> dims; // depth, height, width
  size_t rank;                   // dimensions that the tensors have
  SymExpr channels;              // of a group
  SymExpr bandRows, bands;       // rows of outputs
  SymExpr rows, pitch;           // of each phase
  SymExpr elements;              // of the window

  int64_t getPhases() const {
    return dims[1].getPhases() * dims[2].getPhases();
  }
};

/// Fills windows, and finds taps in them.
class DepthwiseWindow {
public:
  DepthwiseWindow(ElementEmitter &e, ConvOp conv, const WindowSizes &sizes,
                  Buffer buffer);

  /// Copies the channels of `group` for the outputs of plane `depth` from row
  /// `firstRow` on.
  void fill(mlir::Value batch, mlir::Value group, mlir::Value depth,
            mlir::Value firstRow);
  /// Where the tap (channel, depth, row, column) of the output at (row, column)
  /// lies.

  mlir::Value getPosition(llvm::ArrayRef<mlir::Value> tap, mlir::Value row,
                          mlir::Value column);
  const Buffer &getBuffer() const { return buffer; }

private:
  struct Rows;
  mlir::Value getPlane(mlir::Value number, mlir::Value rowPhase,
                       mlir::Value columnPhase);
  void fillPlane(Rows rows, mlir::Value top, mlir::Value isInside);

  llvm::SmallVector<mlir::Value> getLine(const Rows &rows, mlir::Value y);
  void fillRows(const Rows &rows);
  void copyVectors(const Rows &rows);
  void copyElements(const Rows &rows);
  void clear(const Rows &rows, mlir::Value from, mlir::Value to);
  bool isPlain();

  ElementEmitter &e;
  KernelBuilder &kb;
  ConvOp conv;
  WindowSizes sizes;
  Buffer buffer;
  VectorBuilder vectors;
};

} // namespace lz

#endif // PASSES_CODEGEN_CPU_DEPTHWISEWINDOW_H
