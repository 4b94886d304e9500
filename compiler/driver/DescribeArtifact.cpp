//===- DescribeArtifact.cpp - a module's programs as tables ---------------===//

#include "compiler/driver/DescribeArtifact.h"

#include "compiler/driver/BuildReport.h"
#include "compiler/driver/Version.h"
#include "passes/codegen/host/Passes.h"
#include "passes/codegen/host/ProgramLayout.h"
#include "passes/layout/WeightLayouts.h"
#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The table's form of one size: a number, or -(index + 1) of a symbol or slot.
static int64_t getDim(SymExpr size, const ProgramLayout &layout, bool isInput) {
  if (std::optional<int64_t> value = size.getConstant())
    return *value;
  int64_t slot = layout.getSlot(size);
  return -(isInput ? slot - LZ_STATE_FIRST_FREE : slot) - 1;
}

/// A sequence or optional of `type` that takes `parts` places.
static CompoundDescription describeCompound(Type type, int64_t parts) {
  CompoundDescription compound;
  compound.kind = LZ_SEQUENCE;
  if (auto optional = dyn_cast<OptionalType>(type)) {
    type = optional.getElementType();
    compound.kind =
        isa<SequenceType>(type) ? LZ_OPTIONAL_SEQUENCE : LZ_OPTIONAL;
  }
  if (auto sequence = dyn_cast<SequenceType>(type))
    type = sequence.getElementType();
  if (compound.kind == LZ_OPTIONAL_SEQUENCE)
    compound.parts |= LZ_PART_HAS;
  if (parts == (compound.parts ? 3 : 2))
    compound.parts |= LZ_PART_SHAPES;
  auto tensor = cast<ShapedType>(type);
  compound.elementType = getElementTypeNumber(tensor.getElementType());
  compound.rank =
      tensor.hasRank() ? static_cast<int32_t>(tensor.getRank()) : -1;
  if (tensor.hasRank())
    for (int64_t size : tensor.getShape())
      compound.dims.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return compound;
}

template <typename Port>
static ValueDescription describePort(Port port, const ProgramLayout &layout) {
  bool isInput = std::is_same_v<Port, lzx::InputOp>;
  ValueDescription value;
  value.name = port.getName().str();
  auto type = cast<RankedTensorType>(port.getType());
  if (port.getValue())
    value.compound = describeCompound(*port.getValue(), *port.getParts());
  else
    value.elementType = getElementTypeNumber(type.getElementType());
  for (SymExpr size : getExprs(port.getDims())) {
    value.dims.push_back(getDim(size, layout, isInput));
    value.dimNames.push_back(size.getConstant() ? "" : size.str());
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Looks for the input dimension, or element, that is just `symbol`.
static bool findSource(lzx::ProgramOp program, SymExpr symbol,
                       SymbolDescription &description) {
  auto find = [&](ArrayAttr exprs, int32_t source, int64_t input) {
    if (!exprs)
      return false;
    for (auto [index, expr] : llvm::enumerate(getExprs(exprs)))
      if (expr == symbol) {
        description.source = source;
        description.input = static_cast<int32_t>(input);
        description.index = static_cast<int64_t>(index);
        return true;
      }
    return false;
  };
  for (auto input : program.getOps<lzx::InputOp>())
    if (find(input.getDims(), LZ_SYMBOL_DIM, input.getIndex()) ||
        find(input.getElements().value_or(ArrayAttr()), LZ_SYMBOL_ELEMENT,
             input.getIndex()))
      return true;
  return false;
}

static SymbolDescription describeSymbol(lzx::ProgramOp program,
                                        SymbolAttr symbol) {
  SymbolDescription description;
  description.name = symbol.getName().str();
  description.min = symbol.getMin();
  description.max = symbol.getMax();
  SymExpr expr = SymExpr::symbol(program.getContext(), symbol.getName());
  if (!findSource(program, expr, description))
    description.source = LZ_SYMBOL_RUN;
  return description;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static LaunchDescription describeStep(Operation *op) {
  auto join = [](ArrayAttr nodes) {
    return llvm::join(nodes.getAsValueRange<StringAttr>(), ",");
  };
  if (auto launch = dyn_cast<lzx::LaunchOp>(op))
    return {launch.getKernel().str(), join(launch.getNodes())};
  return {"copy", join(cast<lzx::CopyOp>(op).getNodes())};
}

static CheckDescription describeCheck(lzx::CheckOp check) {
  SymShape sides = getExprs(check.getSides());
  return {check.getNode().str(), (check.getMessage() + " (" + sides[0].str() +
                                  " and " + sides[1].str() + ")")
                                     .str()};
}

/// The texts of what ends a run.
static CheckDescription describeFailure(Operation *op) {
  auto list = [](ArrayAttr exprs) {
    return llvm::join(llvm::map_range(getExprs(exprs),
                                      [](SymExpr expr) { return expr.str(); }),
                      ", ");
  };
  return llvm::TypeSwitch<Operation *, CheckDescription>(op)
      .Case([](lzx::CheckOp check) { return describeCheck(check); })
      .Case<lzx::BindOp, lzx::SetOp>([&](auto binder) {
        return CheckDescription{
            binder.getNode().str(),
            "the run finds a size (" + list(binder.getSymbols()) +
                ") outside of 0 to " + list(binder.getLimits()) +
                ": check the values that it reads"};
      })
      .Case([](lzx::LoopOp loop) {
        return CheckDescription{
            loop.getNode().str(),
            "sizes exceed 64 bits after so many iterations"};
      })
      .Case([](lzx::GrowOp grow) {
        return CheckDescription{
            grow.getNode().str(),
            "the size of a result has no bound, and no memory beyond the arena "
            "was given; a 'grow' function must give it"};
      });
}

static EntryDescription describeEntry(lzx::ProgramOp program) {
  ProgramLayout layout(program);
  EntryDescription entry;
  entry.name = program.getSymName().str();
  if (auto memoryClass = program.getMemoryClass()) {
    entry.memoryClass = static_cast<int32_t>(*memoryClass);
    entry.memoryClassNode = program.getMemoryNode().value_or("").str();
  }
  for (auto input : program.getOps<lzx::InputOp>())
    entry.inputs.push_back(describePort(input, layout));
  for (lzx::OutputOp output : layout.outputs) {
    entry.outputs.push_back(describePort(output, layout));
    entry.outputs.back().addressSlot = layout.getGrowthSlot(output).value_or(0);
  }
  for (SymbolAttr symbol : layout.symbols)
    entry.symbols.push_back(describeSymbol(program, symbol));
  for (lzx::CheckOp check : layout.checks)
    entry.checks.push_back(describeCheck(check));
  entry.checks.push_back(
      {"", "the sizes must fit into 64 bits and the arena into 64 TiB"});
  for (Operation *op : layout.runChecks)
    entry.checks.push_back(describeFailure(op));
  for (Operation *step : layout.steps)
    entry.launches.push_back(describeStep(step));
  entry.stateSlots = layout.getNumSlots();
  entry.prepareFunction = getPrepareName(entry.name);
  entry.runFunction = getRunName(entry.name);
  return entry;
}

static void describeParameters(ModuleOp module, const WeightsLayout &weights,
                               ArtifactDescription &artifact) {
  for (const auto &[value, entry] : weights.getEntries()) {
    if (!isa<DenseResourceElementsAttr>(value))
      continue;
    ShapedType type = cast<ElementsAttr>(value).getShapedType();
    ParameterDescription parameter;
    parameter.name = entry.name;
    parameter.elementType = getElementTypeNumber(type.getElementType());
    parameter.dims.assign(type.getShape().begin(), type.getShape().end());
    parameter.offset = entry.offset;
    parameter.bytes = entry.bytes;
    if (std::optional<WeightLayout> packed = getWeightLayout(module, value)) {
      parameter.name = packed->name;
      parameter.dims.assign(packed->shape.begin(), packed->shape.end());
      parameter.layout = packed->layout;
    }
    artifact.parameters.push_back(std::move(parameter));
  }
}

ArtifactDescription lz::describeArtifact(ModuleOp module,
                                         const WeightsLayout &weights,
                                         const TargetSpec &target) {
  ArtifactDescription artifact;
  artifact.producer = getProducer().str();
  if (auto name = module->getAttrOfType<StringAttr>("lz.model_name"))
    artifact.modelName = name.str();
  artifact.target = target.text();
  artifact.cpuFeatures = target.required();
  for (auto program : module.getOps<lzx::ProgramOp>())
    artifact.entries.push_back(describeEntry(program));
  describeParameters(module, weights, artifact);
  artifact.weightsBytes = weights.getNumBytes();
  if (artifact.weightsBytes > 0)
    artifact.weightsSymbol = kWeightsSymbol;
  if (auto metadata = module->getAttrOfType<DictionaryAttr>("lz.metadata"))
    for (NamedAttribute entry : metadata)
      if (auto value = dyn_cast<StringAttr>(entry.getValue()))
        artifact.metadata.emplace_back(entry.getName().str(), value.str());
  artifact.report = getBuildReport(artifact);
  return artifact;
}
