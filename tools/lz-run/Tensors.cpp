//===- Tensors.cpp - inputs and references from files ---------------------===//

#include "Tensors.h"
#include "Elements.h"
#include "Files.h"
#include "Zip.h"

using namespace lz;
using namespace lz::run;

Tensor FileTensor::as(int32_t type) const {
  if (isNpy)
    return toTensor(array, type, source);
  if (tensor.elementType() != type)
    throw Failure(source + " is " + typeName(tensor.elementType()) +
                  ", but must be " + typeName(type));
  return tensor;
}

Tensor FileTensor::any() const {
  return isNpy ? toTensor(array, source) : tensor;
}

namespace {

/// Collects tensors by name.
class Collector {
public:
  void add(const std::string &argument);
  std::map<std::string, FileTensor> tensors;

private:
  void insert(const std::string &name, FileTensor tensor) {
    if (!tensors.emplace(name, tensor).second)
      throw Failure(tensor.source + " is given twice");
  }
  void addNpz(const std::string &path);
  void addNpy(const std::string &name, const std::string &path);
  void addPb(std::string name, const std::string &path);
};

} // namespace

void Collector::addNpz(const std::string &path) {
  for (auto &[member, content] : readZip(readFile(path), path)) {
    std::string name = member;
    if (endsWith(name, ".npy"))
      name.resize(name.size() - 4);
    FileTensor tensor;
    tensor.source = path + ": '" + name + "'";
    tensor.array = parseNpy(content, tensor.source);
    insert(name, tensor);
  }
}

void Collector::addNpy(const std::string &name, const std::string &path) {
  FileTensor tensor;
  tensor.source = path + ": '" + name + "'";
  tensor.array = parseNpy(readFile(path), path);
  insert(name, tensor);
}

void Collector::addPb(std::string name, const std::string &path) {
  NamedTensor parsed = parseOnnxTensor(readFile(path), path);
  if (name.empty())
    name = parsed.name;
  if (name.empty())
    throw Failure(path + ": the tensor has no name; give it as NAME=" + path);
  FileTensor tensor;
  tensor.source = path + ": '" + name + "'";
  tensor.isNpy = false;
  tensor.tensor = parsed.tensor;
  insert(name, tensor);
}

/// The equals sign after a name: the first that leaves a file's path behind it.
/// A path of an .npz file is never split.
static size_t findEquals(const std::string &argument) {
  return endsWith(argument, ".npz") ? std::string::npos : argument.find('=');
}

void Collector::add(const std::string &argument) {
  size_t equals = findEquals(argument);
  bool named = equals != std::string::npos;
  std::string name = named ? argument.substr(0, equals) : "";
  std::string path = named ? argument.substr(equals + 1) : argument;
  if (endsWith(path, ".npz"))
    return addNpz(path);
  if (endsWith(path, ".pb"))
    return addPb(name, path);
  if (endsWith(path, ".npy")) {
    if (!named)
      throw Failure(path +
                    ": the file has no name for its tensor; give it as "
                    "NAME=" +
                    path);
    return addNpy(name, path);
  }
  throw Failure(argument + ": not a .npz, .npy or .pb file");
}

std::map<std::string, FileTensor>
run::readTensors(const std::vector<std::string> &arguments) {
  Collector collector;
  for (const std::string &argument : arguments)
    collector.add(argument);
  return collector.tensors;
}

void run::writeTensors(const std::string &path,
                       const std::vector<NamedTensor> &tensors) {
  std::vector<ZipMember> members;
  members.reserve(tensors.size());
  for (const NamedTensor &tensor : tensors)
    members.emplace_back(tensor.name + ".npy", writeNpy(tensor.tensor));
  writeFile(path, writeZip(members));
}
