//===- ArtifactTable.cpp - the table an artifact exports ------------------===//
//
// Each C struct becomes a constant whose fields are given with the offset that
// the C compiler gave them; a mismatch with LLVM's layout is caught when the
// constant is built.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/ArtifactTable.h"
#include "runtime/include/lezero/lz_artifact.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace lz;

// The layout is part of the contract; who changes it changes LZ_ARTIFACT_ABI.
static_assert(sizeof(lz_symbol) == 48 && sizeof(lz_value_desc) == 72);
static_assert(sizeof(lz_compound_desc) == 32);
static_assert(sizeof(lz_check_desc) == 24 && sizeof(lz_launch_desc) == 24);
static_assert(sizeof(lz_entry) == 136 && sizeof(lz_parameter_desc) == 56);
static_assert(sizeof(lz_artifact) == 136);

namespace {

/// A field of a C struct and where it lies there.
struct Field {
  size_t offset;
  Constant *value;
};

class TableBuilder {
public:
  explicit TableBuilder(Module &module)
      : module(module), context(module.getContext()),
        pointerType(PointerType::get(context, 0)) {}

  Error addTable(const ArtifactDescription &artifact);

private:
  Constant *integer(int64_t value) {
    return ConstantInt::getSigned(Type::getInt64Ty(context), value);
  }
  Constant *integer32(int64_t value) {
    return ConstantInt::getSigned(Type::getInt32Ty(context), value);
  }
  Constant *null() { return ConstantPointerNull::get(pointerType); }

  Constant *global(Constant *value);
  Constant *string(StringRef text);
  Constant *stringOrNull(StringRef text) {
    return text.empty() ? null() : string(text);
  }
  Constant *array(ArrayRef<Constant *> elements);
  Constant *integers(ArrayRef<int64_t> values);
  Constant *structure(size_t size, ArrayRef<Field> fields);

  /// An array with what `convert` makes of each element.
  template <typename Range, typename Convert>
  Constant *arrayOf(const Range &range, Convert convert) {
    return array(map_to_vector(range, convert));
  }

  Constant *symbol(const SymbolDescription &symbol);
  Constant *compound(const CompoundDescription &compound);
  Constant *value(const ValueDescription &value);
  Constant *check(const CheckDescription &check);
  Constant *launch(const LaunchDescription &launch);
  Constant *parameter(const ParameterDescription &parameter);
  Constant *entry(const EntryDescription &entry);
  Constant *weights(const ArtifactDescription &artifact);
  Constant *metadata(const ArtifactDescription &artifact);
  Constant *artifactTable(const ArtifactDescription &artifact);
  Error checkFunction(StringRef entry, StringRef name);
  void addAccessor(Constant *table);

  Module &module;
  LLVMContext &context;
  PointerType *pointerType;
};

} // namespace

/// A private constant with this value.
Constant *TableBuilder::global(Constant *value) {
  auto *variable =
      new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, value, "lz.table");
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return variable;
}

Constant *TableBuilder::string(StringRef text) {
  return global(ConstantDataArray::getString(context, text));
}

/// A pointer to a constant array, null if it is empty.
Constant *TableBuilder::array(ArrayRef<Constant *> elements) {
  if (elements.empty())
    return null();
  auto *type = ArrayType::get(elements.front()->getType(), elements.size());
  return global(ConstantArray::get(type, elements));
}

Constant *TableBuilder::integers(ArrayRef<int64_t> values) {
  return arrayOf(values, [&](int64_t value) { return integer(value); });
}

/// A struct of `size` bytes: its size in the first field, then `fields`.
Constant *TableBuilder::structure(size_t size, ArrayRef<Field> fields) {
  SmallVector<Constant *> values = {integer(size)};
  for (const Field &field : fields)
    values.push_back(field.value);
  auto *constant = cast<ConstantStruct>(ConstantStruct::getAnon(values));
  [[maybe_unused]] const StructLayout *layout =
      module.getDataLayout().getStructLayout(constant->getType());
  assert(layout->getSizeInBytes() == size && "differs from the C struct");
  for ([[maybe_unused]] auto [index, field] : enumerate(fields))
    assert(layout->getElementOffset(index + 1) == field.offset &&
           "differs from the C struct");
  return constant;
}

Constant *TableBuilder::symbol(const SymbolDescription &symbol) {
  return structure(sizeof(lz_symbol),
                   {{offsetof(lz_symbol, name), string(symbol.name)},
                    {offsetof(lz_symbol, min), integer(symbol.min)},
                    {offsetof(lz_symbol, max), integer(symbol.max)},
                    {offsetof(lz_symbol, source), integer32(symbol.source)},
                    {offsetof(lz_symbol, input), integer32(symbol.input)},
                    {offsetof(lz_symbol, index), integer(symbol.index)}});
}

Constant *TableBuilder::compound(const CompoundDescription &compound) {
  return structure(
      sizeof(lz_compound_desc),
      {{offsetof(lz_compound_desc, kind), integer32(compound.kind)},
       {offsetof(lz_compound_desc, element_type),
        integer32(compound.elementType)},
       {offsetof(lz_compound_desc, rank), integer32(compound.rank)},
       {offsetof(lz_compound_desc, parts), integer32(compound.parts)},
       {offsetof(lz_compound_desc, dims), integers(compound.dims)}});
}

Constant *TableBuilder::value(const ValueDescription &value) {
  Constant *names = arrayOf(value.dimNames,
                            [&](StringRef name) { return stringOrNull(name); });
  return structure(
      sizeof(lz_value_desc),
      {{offsetof(lz_value_desc, name), string(value.name)},
       {offsetof(lz_value_desc, element_type), integer32(value.elementType)},
       {offsetof(lz_value_desc, rank), integer32(value.dims.size())},
       {offsetof(lz_value_desc, dims), integers(value.dims)},
       {offsetof(lz_value_desc, dim_names), names},
       {offsetof(lz_value_desc, doc), stringOrNull(value.doc)},
       {offsetof(lz_value_desc, alias_input), integer32(value.aliasInput)},
       {offsetof(lz_value_desc, address_slot), integer(value.addressSlot)},
       {offsetof(lz_value_desc, compound),
        value.compound ? global(compound(*value.compound)) : null()}});
}

Constant *TableBuilder::check(const CheckDescription &check) {
  return structure(sizeof(lz_check_desc),
                   {{offsetof(lz_check_desc, node), string(check.node)},
                    {offsetof(lz_check_desc, message), string(check.message)}});
}

Constant *TableBuilder::launch(const LaunchDescription &launch) {
  return structure(sizeof(lz_launch_desc),
                   {{offsetof(lz_launch_desc, kernel), string(launch.kernel)},
                    {offsetof(lz_launch_desc, nodes), string(launch.nodes)}});
}

Constant *TableBuilder::parameter(const ParameterDescription &parameter) {
  return structure(
      sizeof(lz_parameter_desc),
      {{offsetof(lz_parameter_desc, name), string(parameter.name)},
       {offsetof(lz_parameter_desc, element_type),
        integer32(parameter.elementType)},
       {offsetof(lz_parameter_desc, rank), integer32(parameter.dims.size())},
       {offsetof(lz_parameter_desc, dims), integers(parameter.dims)},
       {offsetof(lz_parameter_desc, layout), string(parameter.layout)},
       {offsetof(lz_parameter_desc, offset), integer(parameter.offset)},
       {offsetof(lz_parameter_desc, bytes), integer(parameter.bytes)}});
}

Constant *TableBuilder::entry(const EntryDescription &entry) {
  auto values = [&](const std::vector<ValueDescription> &list) {
    return arrayOf(list, [&](const auto &item) { return value(item); });
  };
  Constant *symbols =
      arrayOf(entry.symbols, [&](const auto &item) { return symbol(item); });
  Constant *checks =
      arrayOf(entry.checks, [&](const auto &item) { return check(item); });
  Constant *launches =
      arrayOf(entry.launches, [&](const auto &item) { return launch(item); });
  return structure(
      sizeof(lz_entry),
      {{offsetof(lz_entry, name), string(entry.name)},
       {offsetof(lz_entry, memory_class), integer32(entry.memoryClass)},
       {offsetof(lz_entry, memory_class_node),
        stringOrNull(entry.memoryClassNode)},
       {offsetof(lz_entry, input_count), integer(entry.inputs.size())},
       {offsetof(lz_entry, output_count), integer(entry.outputs.size())},
       {offsetof(lz_entry, symbol_count), integer(entry.symbols.size())},
       {offsetof(lz_entry, check_count), integer(entry.checks.size())},
       {offsetof(lz_entry, launch_count), integer(entry.launches.size())},
       {offsetof(lz_entry, inputs), values(entry.inputs)},
       {offsetof(lz_entry, outputs), values(entry.outputs)},
       {offsetof(lz_entry, symbols), symbols},
       {offsetof(lz_entry, checks), checks},
       {offsetof(lz_entry, launches), launches},
       {offsetof(lz_entry, state_slots), integer(entry.stateSlots)},
       {offsetof(lz_entry, prepare), module.getFunction(entry.prepareFunction)},
       {offsetof(lz_entry, run), module.getFunction(entry.runFunction)}});
}

/// The address of the weights, which another object defines.
Constant *TableBuilder::weights(const ArtifactDescription &artifact) {
  if (artifact.weightsSymbol.empty())
    return null();
  auto *variable = cast<GlobalVariable>(module.getOrInsertGlobal(
      artifact.weightsSymbol, Type::getInt8Ty(context)));
  variable->setConstant(true);
  variable->setVisibility(GlobalValue::HiddenVisibility);
  return variable;
}

Constant *TableBuilder::metadata(const ArtifactDescription &artifact) {
  SmallVector<Constant *> strings;
  for (const auto &[key, text] : artifact.metadata)
    append_values(strings, string(key), string(text));
  return array(strings);
}

Constant *TableBuilder::artifactTable(const ArtifactDescription &artifact) {
  Constant *entries =
      arrayOf(artifact.entries, [&](const auto &item) { return entry(item); });
  Constant *parameters = arrayOf(
      artifact.parameters, [&](const auto &item) { return parameter(item); });
  return structure(
      sizeof(lz_artifact),
      {{offsetof(lz_artifact, abi), integer32(LZ_ARTIFACT_ABI)},
       {offsetof(lz_artifact, reserved), integer32(0)},
       {offsetof(lz_artifact, producer), string(artifact.producer)},
       {offsetof(lz_artifact, model_name), string(artifact.modelName)},
       {offsetof(lz_artifact, target), string(artifact.target)},
       {offsetof(lz_artifact, cpu_features), string(artifact.cpuFeatures)},
       {offsetof(lz_artifact, entry_count), integer(artifact.entries.size())},
       {offsetof(lz_artifact, parameter_count),
        integer(artifact.parameters.size())},
       {offsetof(lz_artifact, entries), entries},
       {offsetof(lz_artifact, parameters), parameters},
       {offsetof(lz_artifact, weights), weights(artifact)},
       {offsetof(lz_artifact, weights_bytes), integer(artifact.weightsBytes)},
       {offsetof(lz_artifact, weights_file),
        stringOrNull(artifact.weightsFile)},
       {offsetof(lz_artifact, weights_hash),
        stringOrNull(artifact.weightsHash)},
       {offsetof(lz_artifact, metadata_count),
        integer(artifact.metadata.size())},
       {offsetof(lz_artifact, metadata), metadata(artifact)},
       {offsetof(lz_artifact, report), string(artifact.report)}});
}

Error TableBuilder::checkFunction(StringRef entry, StringRef name) {
  const Function *function = module.getFunction(name);
  if (function && !function->isDeclaration())
    return Error::success();
  return createStringError("entry '" + entry + "' has no function '" + name +
                           "' in the module");
}

/// Defines the one exported function, which returns the table.
void TableBuilder::addAccessor(Constant *table) {
  auto *type = FunctionType::get(pointerType, {pointerType}, false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage,
                                    LZ_ARTIFACT_SYMBOL, module);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", function));
  builder.CreateRet(table);
}

Error TableBuilder::addTable(const ArtifactDescription &artifact) {
  for (const EntryDescription &entry : artifact.entries)
    if (Error error =
            joinErrors(checkFunction(entry.name, entry.prepareFunction),
                       checkFunction(entry.name, entry.runFunction)))
      return error;
  addAccessor(global(artifactTable(artifact)));
  return Error::success();
}

Error lz::addArtifactTable(Module &module,
                           const ArtifactDescription &artifact) {
  return TableBuilder(module).addTable(artifact);
}
