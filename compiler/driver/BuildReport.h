//===- BuildReport.h - what an artifact is made of, as JSON -----*- C++ -*-===//
#ifndef COMPILER_DRIVER_BUILDREPORT_H
#define COMPILER_DRIVER_BUILDREPORT_H

#include "compiler/target/ArtifactTable.h"

#include <string>

namespace lz {

/// The build report: target, libraries opened at load (none on CPU), and for
/// each entry its memory class, conditions and steps.
std::string getBuildReport(const ArtifactDescription &artifact);

} // namespace lz

#endif // COMPILER_DRIVER_BUILDREPORT_H
