//===- Passes.td - what a program keeps in memory ----------*- tablegen -*-===//

#ifndef PASSES_MEMORY_PASSES_TD
#define PASSES_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def StreamBatchPass : Pass<"lz-stream-batch", "::mlir::func::FuncOp"> {
  let summary = "Compute large values a few samples of the batch at a time";
  let description = [{
    Convolutions, pools, concats and what is computed element by element treat each
    sample of a batch alike. Where the values between them are large, they are the
    body of an `lz.loop` over the batch: only a few samples of each value exist. What
    is read outside of the loop is stacked, which is what it was before.

    ```mlir
    %1 = lz.conv %0, %v ... : -> tensor<8x64x512x512xf32>
    %2 = lz.conv %1, %w ... : -> tensor<8x8x512x512xf32>
    // becomes
    %stacked = lz.loop trips %c8 symbols [bands] {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>):
      lz.bind %i [band]
      %x = lz.slice %0 [band, 0, 0, 0] [1, 3, 512, 512] ...
      %y = lz.conv %x, %v ... : -> tensor<1x64x512x512xf32>
      %z = lz.conv %y, %w ... : -> tensor<1x8x512x512xf32>
      lz.yield %true, %z
    }
    %2 = lz.reshape %stacked [8, 8, 512, 512]
    ```

    See `test/lit/passes/memory/stream-batch.mlir`.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"16 << 20",
           "bytes that two values beside each other must take for their operation "
           "to be streamed">
  ];
  let dependentDialects = ["::lz::LzDialect"];
}

def StreamRowsPass : Pass<"lz-stream-rows", "::mlir::func::FuncOp"> {
  let summary = "Run chains of convolutions and pools over bands of rows";
  let description = [{
    A chain of windows (convolutions, pools and what is computed element by element
    between them) whose intermediate values are large is computed a band of rows of
    its result at a time, so that only a band of each intermediate value exists. The
    last rows that a window has read are kept for the next band. Bands between the
    borders are the iterations of one `lz.loop`; the first and the last stand before
    and after it.

    ```mlir
    %1 = lz.conv %0, %v ... low [1, 1] high [1, 1] : -> tensor<1x64x512x512xf32>
    %2 = lz.conv %1, %w ... low [1, 1] high [1, 1] : -> tensor<1x8x512x512xf32>
    // becomes
    %first = ... // rows 0 to 8 of %2, from rows 0 to 9 of %1
    %kept = lz.slice ... // rows 7 to 9 of %1
    %last, %middle = lz.loop trips %c62 carry %kept symbols [bands] {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %above: tensor<1x64x2x512xf32>):
      lz.bind %i [band]
      %x = lz.slice %0 [0, 0, band * 8 + 8, 0] [1, 3, 10, 512] ...
      %y = lz.conv %x, %v ... low [0, 1] high [0, 1] : -> tensor<1x64x8x512xf32>
      %a = lz.concat %above, %y axis 2 : -> tensor<1x64x10x512xf32>
      %z = lz.conv %a, %w ... low [0, 1] high [0, 1] : -> tensor<1x8x8x512xf32>
      %next = lz.slice %a [0, 0, 8, 0] [1, 64, 2, 512] ...
      lz.yield %true, %next, %z
    }
    %2 = lz.concat %first, (%middle as rows), (the rest, from %last) axis 2
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
