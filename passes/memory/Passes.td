//===- Passes.td - what a program keeps in memory ----------*- tablegen -*-===//

#ifndef PASSES_MEMORY_PASSES_TD
#define PASSES_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def StreamRowsPass : Pass<"lz-stream-rows", "::mlir::func::FuncOp"> {
  let summary = "Run chains of convolutions and pools over bands of rows";
  let description = [{
    A chain of windows (convolutions, pools and what is computed element by element
    between them) whose intermediate values are large is computed a band of rows of
    its result at a time, so that only a band of each intermediate value exists.
    Rows that two bands need are computed twice; how many is bounded. Bands whose
    windows stay inside the tensors are the iterations of one `lz.loop`; those at
    the borders stand before and after it.

    ```mlir
    %1 = lz.conv %0, %v ... low [1, 1] high [1, 1] : -> tensor<1x64x512x512xf32>
    %2 = lz.conv %1, %w ... low [1, 1] high [1, 1] : -> tensor<1x8x512x512xf32>
    // becomes
    %first = ... // rows 0 to 32 of %2, from rows 0 to 34 of %0
    %middle = lz.loop trips %c14 symbols [bands] {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>):
      lz.bind %i [band]
      %x = lz.slice %0 [0, 0, band * 32 + 30, 0] [1, 3, 36, 512] ...
      %y = lz.conv %x, %v ... low [0, 1] high [0, 1] : -> tensor<1x64x34x512xf32>
      %z = lz.conv %y, %w ... low [0, 1] high [0, 1] : -> tensor<1x8x32x512xf32>
      lz.yield %true, %z
    }
    %last = ...
    %2 = lz.concat %first, (%middle as rows), %last axis 2
    ```

    See `test/lit/passes/memory/stream-rows.mlir`.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"16 << 20",
           "bytes that two values beside each other in a chain must take for the "
           "chain to be streamed, at batch size 1 where it is free">
  ];
  let dependentDialects = ["::lz::LzDialect"];
}

#endif // PASSES_MEMORY_PASSES_TD
