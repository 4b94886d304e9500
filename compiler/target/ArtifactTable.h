//===- ArtifactTable.h - the table an artifact exports ----------*- C++ -*-===//
//
// A plain description of everything in lezero/lz_artifact.h, and what turns it
// into constants of an LLVM module. See the C header for what each field means.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class Module;
}

namespace lz {

/// `lz_symbol`.
struct SymbolDescription {
  std::string name;
  int64_t min = 0, max = 0;
  int32_t source = 0;
  int32_t input = 0;
  int64_t index = 0;
};

/// `lz_compound_desc`.
struct CompoundDescription {
  int32_t kind = 0, elementType = 0, rank = 0, parts = 0;
  std::vector<int64_t> dims;
};

/// `lz_value_desc`.
struct ValueDescription {
  std::string name;
  int32_t elementType = 0;
  std::vector<int64_t> dims;
  std::vector<std::string> dimNames; ///< empty, or one per dimension ("": none)
  std::string doc;                   ///< empty: none
  int32_t aliasInput = -1;
  int64_t addressSlot = 0;
  std::optional<CompoundDescription> compound = std::nullopt; ///< not a tensor
};

/// `lz_check_desc`.
struct CheckDescription {
  std::string node, message;
};

/// `lz_launch_desc`.
struct LaunchDescription {
  std::string kernel, nodes;
};

/// `lz_entry`.
struct EntryDescription {
  std::string name;
  int32_t memoryClass = 0;
  std::string memoryClassNode; ///< empty for exact
  std::vector<ValueDescription> inputs, outputs;
  std::vector<SymbolDescription> symbols;
  std::vector<CheckDescription> checks;
  std::vector<LaunchDescription> launches;
  int64_t stateSlots = 0;
  std::string prepareFunction, runFunction; ///< definitions in the module
};

/// `lz_parameter_desc`.
struct ParameterDescription {
  std::string name;
  int32_t elementType = 0;
  std::vector<int64_t> dims;
  std::string layout = "row-major";
  int64_t offset = 0, bytes = 0;
};

/// `lz_artifact`.
struct ArtifactDescription {
  std::string producer, modelName, target, cpuFeatures;
  std::vector<EntryDescription> entries;
  std::vector<ParameterDescription> parameters;
  std::string weightsSymbol; ///< of the weights object; empty: not inside
  int64_t weightsBytes = 0;
  std::string weightsFile, weightsHash; ///< empty: inside
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string report;
};

/// Adds the table to `module`, and the function LZ_ARTIFACT_SYMBOL that returns
/// it. The module must have its data layout. An entry's missing function is an
/// error.
llvm::Error addArtifactTable(llvm::Module &module,
                             const ArtifactDescription &artifact);

} // namespace lz
