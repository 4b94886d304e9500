// Every pass that asks for a CPU refuses one that it doesn't know in the same way.
// RUN: not lz-opt %s --lz-pack-weights='cpu=z80' 2>&1 | FileCheck %s
// RUN: not lz-opt %s --lz-build-program='cpu=z80' 2>&1 | FileCheck %s
// RUN: not lz-opt %s --lz-emit-kernels='cpu=z80' 2>&1 | FileCheck %s
// RUN: not lz-opt %s --lz-emit-kernels='features=z80' 2>&1 | FileCheck %s --check-prefix=FEATURE
// CHECK: error: unknown {{.*}}z80
// FEATURE: error: feature 'z80'
module {}
