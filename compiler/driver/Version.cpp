//===- Version.cpp - which LeZero this is ---------------------------------===//

#include "compiler/driver/Version.h"

llvm::StringRef lz::getProducer() { return "LeZero " LZ_VERSION; }
