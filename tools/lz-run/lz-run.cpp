//===- lz-run.cpp - run, time, profile and compare compiled models --------===//

#include "Tool.h"

#include <iostream>

int main(int argc, char **argv) {
  std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
  return lz::run::runTool(arguments, std::cout, std::cerr);
}
