//===- Help.cpp - what lz-run --help prints -------------------------------===//

#include "Options.h"

const char *lz::run::helpText() {
  return R"(usage: lz-run MODEL.so [options]

Runs a compiled model on the CPU: times it, profiles it, compares its outputs.

Inputs (seeded random values if none are given)
  --inputs FILE...      in.npz, whose members are named as the inputs are; or
                        NAME=x.npy, NAME=x.pb, x.pb (ONNX TensorProto, which
                        carries its name)
  --seed N              of the random values (default 0)
  --dim NAME=SIZE       a free size of the random inputs (default: 1, or the
                        nearest that the model takes)
  --range INPUT=LO:HI   random values in [LO, HI) for floats (default -1:1),
                        LO..HI for whole numbers (default 0:1)
  --entry NAME          the entry to run (default: the first)

Outputs
  --outputs FILE.npz    writes the outputs
  --compare FILE...     compares the outputs with those in ref.npz, or in files
                        as for --inputs; exit status 3 if one is off
  --tolerance T         floats may be off by T * max|reference| + 1e-6 (default
                        1e-4; f16 2e-3, bf16 1.6e-2, smaller ones one step),
                        whole numbers by one in 1 % of the elements
  --rtol R, --atol A    instead, each number may be off by A + R * |reference|
  --junit FILE          also writes the comparison as JUnit XML, one test case
                        for each output

Running
  --threads N           threads to use (default: all that the process may use)
  --repeat R            after the first run, R more that are timed (default 0)
  --time                prints the times
  --profile             prints the time of each kernel, with its nodes
  --json                prints one JSON object as the last line: load_ms,
                        first_ms, latency_ms {min, median, max}, peak_bytes,
                        memory_class, rss_mb, threads, outputs [{name, type,
                        shape, sha256}]

Else
  --info                describes the model and runs nothing
  --verify-weights      checks the SHA-256 of a weights file beside the model
  --help, --version

The exit status is 0 if all went well, 1 for an error in the model, its inputs or
its run, 2 for a wrong command line, 3 if a comparison failed.
)";
}
