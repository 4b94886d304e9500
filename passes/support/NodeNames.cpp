//===- NodeNames.cpp - locations as the user's node names -----------------===//

#include "passes/support/NodeNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static void collect(Location loc, SmallVectorImpl<StringRef> &names) {
  llvm::TypeSwitch<LocationAttr>(loc)
      .Case([&](NameLoc named) {
        if (!llvm::is_contained(names, named.getName().getValue()))
          names.push_back(named.getName());
      })
      .Case([&](FusedLoc fused) {
        for (Location part : fused.getLocations())
          collect(part, names);
      })
      .Case([&](CallSiteLoc call) { collect(call.getCallee(), names); });
}

SmallVector<StringRef> lz::getNodeNames(Location loc) {
  SmallVector<StringRef> names;
  collect(loc, names);
  return names;
}

std::string lz::getNodeName(Location loc) {
  SmallVector<StringRef> names = getNodeNames(loc);
  if (!names.empty())
    return names.front().str();
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return text;
}
