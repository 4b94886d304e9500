//===- VerifyPasses.cpp - does a pass keep the model's values? ------------===//

#include "passes/support/VerifyPasses.h"

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Reference/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/support/CompareValues.h"
#include "passes/support/NodeNames.h"
#include "passes/support/SeededInputs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace lz;

namespace {

/// The values of one run: the function's results, and those of every operation
/// by its location, in program order.
struct Trace {
  SmallVector<RefValue> results;
  llvm::MapVector<Location, SmallVector<RefValue>> values;
};

/// What is remembered of a function between passes.
struct FunctionState {
  SmallVector<RefValue> inputs;
  Trace trace;
  std::optional<OperationFingerPrint> fingerprint;
};

class VerifyInstrumentation : public PassInstrumentation {
public:
  explicit VerifyInstrumentation(PassVerifier &verifier) : verifier(verifier) {}

  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPass(Pass *pass, Operation *op) override;

private:
  void start(func::FuncOp function);
  void check(Pass *pass, func::FuncOp function, FunctionState &state);
  void report(Pass *pass, func::FuncOp function, const FunctionState &state,
              const Trace &after, unsigned index, StringRef difference);

  PassVerifier &verifier;
  llvm::StringMap<FunctionState> states;
};

} // namespace

/// The functions in `op` (or itself) that the evaluator can run: those of the
/// model, not yet kernels or programs.
static SmallVector<func::FuncOp> getFunctions(Operation *op) {
  SmallVector<func::FuncOp> functions;
  op->walk<WalkOrder::PreOrder>([&](func::FuncOp function) {
    if (!function.isExternal() && !function->hasAttr("lzx.kernel"))
      functions.push_back(function);
    return WalkResult::skip();
  });
  return functions;
}

/// Runs `function`; fails, quietly if so asked, where the evaluator does.
static FailureOr<Trace> trace(func::FuncOp function, ArrayRef<RefValue> inputs,
                              bool quietly) {
  Trace trace;
  auto observe = [&](Operation *op, ArrayRef<RefValue> results) {
    trace.values[op->getLoc()] = SmallVector<RefValue>(results);
    return success();
  };
  ScopedDiagnosticHandler silence(
      function.getContext(), [&](Diagnostic &) { return success(quietly); });
  Evaluator evaluator;
  if (failed(evaluator.run(function, inputs, trace.results, observe)))
    return failure();
  return trace;
}

/// Finds sizes that the function accepts, and remembers what it gives.
void VerifyInstrumentation::start(func::FuncOp function) {
  FunctionState &state = states[function.getName()];
  for (int64_t size : {2, 1, 3, 4, 8, 16, 32, 64}) {
    auto inputs = makeSeededInputs(function, verifier.getSeed(), size);
    if (!inputs)
      continue;
    FailureOr<Trace> first = trace(function, *inputs, /*quietly=*/true);
    if (failed(first))
      continue;
    state.inputs = std::move(*inputs);
    state.trace = std::move(*first);
    state.fingerprint.emplace(function);
    return;
  }
  function.emitWarning() << "values can't be verified: the reference evaluator "
                            "runs '"
                         << function.getName() << "' with none of its inputs";
}

// Nested pass managers are passes too, which have no name; their passes are
// seen one by one.
void VerifyInstrumentation::runBeforePass(Pass *pass, Operation *op) {
  if (verifier.hasFailed() || pass->getArgument().empty())
    return;
  for (func::FuncOp function : getFunctions(op))
    if (!states.contains(function.getName()))
      start(function);
}

void VerifyInstrumentation::runAfterPass(Pass *pass, Operation *op) {
  if (pass->getArgument().empty())
    return;
  for (func::FuncOp function : getFunctions(op)) {
    auto found = states.find(function.getName());
    if (verifier.hasFailed() || found == states.end() ||
        !found->second.fingerprint ||
        *found->second.fingerprint == OperationFingerPrint(function))
      continue;
    check(pass, function, found->second);
  }
}

/// Compares the function with what it was, and remembers what it is.
void VerifyInstrumentation::check(Pass *pass, func::FuncOp function,
                                  FunctionState &state) {
  FailureOr<Trace> after = trace(function, state.inputs, /*quietly=*/false);
  if (failed(after) || after->results.size() != state.trace.results.size()) {
    function.emitError() << "pass '" << pass->getArgument() << "' left '"
                         << function.getName() << "' unable to run as before";
    return verifier.setFailed();
  }
  for (auto [index, before, now] :
       llvm::enumerate(state.trace.results, after->results))
    if (auto difference = findDifference(before, now))
      return report(pass, function, state, *after, index, *difference);
  state.trace = std::move(*after);
  state.fingerprint.emplace(function);
}

/// Names the first operation that gives another value than before, or that of
/// the result if all others are new.
void VerifyInstrumentation::report(Pass *pass, func::FuncOp function,
                                   const FunctionState &state,
                                   const Trace &after, unsigned index,
                                   StringRef difference) {
  verifier.setFailed();
  std::string where = difference.str();
  Value result = function.getBody().front().getTerminator()->getOperand(index);
  Location location = result.getLoc();
  for (const auto &[candidate, values] : after.values) {
    auto found = state.trace.values.find(candidate);
    if (found == state.trace.values.end() ||
        found->second.size() != values.size())
      continue;
    std::optional<std::string> moved;
    for (auto [before, now] : llvm::zip_equal(found->second, values))
      if (!moved)
        moved = findDifference(before, now);
    if (!moved)
      continue;
    location = candidate;
    where = *moved;
    break;
  }
  InFlightDiagnostic error = emitError(location);
  error << "pass '" << pass->getArgument() << "' changed the value of '"
        << getNodeName(location) << "': " << where;
  error.attachNote(function.getLoc())
      << "result " << index << " of '" << function.getName()
      << "' moved: " << difference;
}

std::unique_ptr<PassInstrumentation> PassVerifier::createInstrumentation() {
  return std::make_unique<VerifyInstrumentation>(*this);
}
