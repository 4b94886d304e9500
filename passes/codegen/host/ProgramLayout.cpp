//===- ProgramLayout.cpp - the order of a program's facts -----------------===//

#include "passes/codegen/host/ProgramLayout.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/schedule/KernelOutline.h"
#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

SymShape ProgramLayout::getArguments(lzx::LaunchOp launch) {
  Operation *kernel =
      SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  assert(kernel && "launches were verified");
  SymShape arguments;
  auto params = kernel->getAttrOfType<ArrayAttr>(lzx::LzxDialect::kParamsAttr);
  if (!params)
    return arguments;
  SymShape symbols = getExprs(launch.getSymbols());
  for (SymExpr param : getExprs(params))
    arguments.push_back(substituteKernelSymbols(param, symbols));
  return arguments;
}

void ProgramLayout::addSize(SymExpr expr) {
  if (expr.getConstant() || slots.contains(expr.getAttr()))
    return;
  slots[expr.getAttr()] = LZ_STATE_FIRST_FREE + symbols.size() + sizes.size();
  sizes.push_back(expr);
}

void ProgramLayout::addSizes(ArrayAttr exprs) {
  for (SymExpr expr : getExprs(exprs))
    addSize(expr);
}

/// The end of the arena, if all parts have offsets.
static std::optional<int64_t> getArenaBytes(ArrayRef<lzx::AllocOp> parts) {
  int64_t end = 0;
  for (lzx::AllocOp part : parts) {
    std::optional<int64_t> bytes = getExprs(part.getBytes())[0].getConstant();
    if (!part.getOffset() || !bytes)
      return std::nullopt;
    end = std::max<int64_t>(end, *part.getOffset() + llvm::alignTo(*bytes, 64));
  }
  return end;
}

ProgramLayout::ProgramLayout(lzx::ProgramOp program) {
  for (bool run : {false, true})
    for (auto symbol : program.getSymbols().getAsRange<SymbolAttr>()) {
      if ((symbol.getSource() == "run") != run)
        continue;
      SymExpr expr = SymExpr::symbol(program.getContext(), symbol.getName());
      slots[expr.getAttr()] = LZ_STATE_FIRST_FREE + symbols.size();
      symbols.push_back(symbol);
    }
  for (Operation &op : program.getBody().front())
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](lzx::OutputOp output) { addSizes(output.getDims()); })
        .Case([&](lzx::AllocOp alloc) { parts.push_back(alloc); })
        .Case([&](lzx::ViewOp view) { addSizes(view.getOffset()); })
        .Case([&](lzx::CheckOp check) { checks.push_back(check); })
        .Case([&](lzx::BindOp bind) { binds.push_back(bind); })
        .Case([&](lzx::CopyOp copy) {
          addSizes(copy.getBytes());
          steps.push_back(copy);
        })
        .Case([&](lzx::LaunchOp launch) {
          for (SymExpr argument : getArguments(launch))
            addSize(argument);
          addSizes(launch.getIterations());
          addSizes(launch.getGrain());
          steps.push_back(launch);
        });
  arenaBytes = getArenaBytes(parts);
}

int64_t ProgramLayout::getSlot(SymExpr expr) const {
  auto found = slots.find(expr.getAttr());
  assert(found != slots.end() && "the size has no slot");
  return found->second;
}

int64_t ProgramLayout::getFirstPartSlot() const {
  return LZ_STATE_FIRST_FREE + symbols.size() + sizes.size();
}

int64_t ProgramLayout::getNumSlots() const {
  return getFirstPartSlot() + (isPlannedLate() ? 4 * parts.size() : 0);
}
