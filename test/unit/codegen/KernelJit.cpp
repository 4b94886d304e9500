//===- KernelJit.cpp - emit, compile and run a kernel in a test -----------===//

#include "KernelJit.h"

#include "compiler/target/Kernels.h"
#include "dialects/lz/IR/LzDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/codegen/cpu/Passes.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

using namespace lz;
using namespace lz::test;

struct KernelJit::Plan {
  SymExpr iterations, scratch;
  SymShape params;
};

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static void optimize(llvm::Module &module, llvm::TargetMachine &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.getTargetCPU());
    function.addFnAttr("target-features", target.getTargetFeatureString());
  }
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, mam);
}

static mlir::OwningOpRef<mlir::ModuleOp> emit(mlir::MLIRContext &context,
                                              const std::string &text,
                                              const std::string &cpu) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return nullptr;
  mlir::PassManager passes(&context);
  EmitKernelsPassOptions options;
  options.cpu = cpu;
  passes.addPass(createEmitKernelsPass(options));
  if (failed(passes.run(*module)))
    return nullptr;
  return module;
}

static mlir::LogicalResult lower(mlir::ModuleOp module) {
  module.lookupSymbol<mlir::func::FuncOp>("k").setPublic();
  mlir::PassManager passes(module.getContext());
  buildLowerKernelsPipeline(passes);
  return passes.run(module);
}

KernelJit::KernelJit(const std::string &text, const std::string &cpu) {
  compile(text, cpu);
}

void KernelJit::compile(const std::string &text, const std::string &cpu) {
  mlir::DialectRegistry registry;
  registry.insert<LzDialect, mlir::func::FuncDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> module = emit(*context, text, cpu);
  ASSERT_TRUE(module) << text;
  auto kernel = module->lookupSymbol<mlir::func::FuncOp>("k");
  plan.reset(
      new Plan{SymExpr(kernel->getAttr("lzx.iterations")),
               SymExpr(kernel->getAttr("lzx.scratch")),
               getExprs(kernel->getAttrOfType<mlir::ArrayAttr>("lzx.params"))});
  inPlace = kernel->getAttrOfType<mlir::DenseI64ArrayAttr>("lzx.in_place")
                .asArrayRef();
  ASSERT_TRUE(succeeded(lower(*module))) << text;

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto llvmModule = mlir::translateModuleToLLVMIR(*module, *llvmContext);
  ASSERT_TRUE(llvmModule) << text;
  auto host = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  auto target = llvm::cantFail(host.createTargetMachine());
  llvmModule->setDataLayout(target->createDataLayout());
  llvmModule->setTargetTriple(target->getTargetTriple());
  llvm::cantFail(linkKernels(*llvmModule));
  optimize(*llvmModule, *target);
  llvm::raw_string_ostream(ir) << *llvmModule;
  jit = llvm::cantFail(
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(host).create());
  jit->getMainJITDylib().addGenerator(llvm::cantFail(
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
          jit->getDataLayout().getGlobalPrefix())));
  llvm::cantFail(
      jit->addIRModule({std::move(llvmModule), std::move(llvmContext)}));
  body = llvm::cantFail(jit->lookup("k")).toPtr<KernelBody>();
}

KernelJit::~KernelJit() = default;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static int64_t evaluate(SymExpr expr, const llvm::StringMap<int64_t> &symbols) {
  auto value =
      expr.evaluate([&](llvm::StringRef name) -> std::optional<int64_t> {
        auto found = symbols.find(name);
        if (found == symbols.end())
          return std::nullopt;
        return found->second;
      });
  EXPECT_TRUE(value.has_value()) << "no value for " << expr.str();
  return value.value_or(0);
}

void KernelJit::run(llvm::ArrayRef<void *> buffers, int64_t chunk,
                    const llvm::StringMap<int64_t> &symbols) {
  if (!body)
    return; // construction has failed the test
  std::vector<int64_t> slots;
  for (void *buffer : buffers)
    slots.push_back(reinterpret_cast<int64_t>(buffer));
  std::vector<char> scratch(evaluate(plan->scratch, symbols) + 64);
  char *aligned = scratch.data();
  while (reinterpret_cast<uintptr_t>(aligned) % 64)
    ++aligned;
  slots.push_back(reinterpret_cast<int64_t>(aligned));
  for (SymExpr param : plan->params)
    slots.push_back(evaluate(param, symbols));
  lastIterations = evaluate(plan->iterations, symbols);
  int64_t chunks = (lastIterations + chunk - 1) / chunk;
  for (int64_t i = chunks; i-- > 0;)
    body(slots.data(), i * chunk, std::min(lastIterations, (i + 1) * chunk));
}
