// What this build compiled each class of kernel file for, and what of it a device runs. The tables are generated beside the
// manifest.
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpuopt/kernel.h"

namespace gpuopt {

// One architecture: cc as in gpuopt_device_facts; suffix 'a' or 'f' as in sm_90a, or 0; machine code or PTX.
struct CompiledArch {
  int16_t cc;
  char suffix;
  bool ptx;
};
struct CompiledCode {
  const char *name;        // the class: "performance"
  CompiledArch archs[32];  // up to the first with cc 0
};
constexpr int32_t kCodeClasses = 4, kNoCode = -1;  // kNoCode: no device code of this library, or none that it knows of
extern const CompiledCode kCompiledCode[kCodeClasses];  // [0]: that which kernels of every class call, too
extern const char kCompiledArchs[];                     // all of them, for people

// The architecture that the code was compiled for that a device runs, 0 if it runs none: machine code of the same major
// capability and the highest minor not above its own, with suffix 'a' of that very capability; else the newest PTX.
int32_t code_for(const CompiledCode &code, int32_t cc);

// Code that a device of another major capability compiles from PTX: whatever the host part of a kernel knows by the device's
// capability - tiles, clusters, launches that begin early - is there only as the PTX's architecture has it.
inline bool is_other_generation(int32_t arch, const gpuopt_device_facts &device) {
  return arch != 0 && arch / 10 != device.cc / 10;
}

// The same of any list of architectures: the one whose code runs, or nullptr.
const CompiledArch *best_arch(const CompiledArch *archs, size_t count, int32_t cc);

// For each class the architecture whose code a device runs, asked once for each selection.
class CodeOnDevice {
 public:
  // every: as if each class had been compiled for the device.
  CodeOnDevice(const CompiledCode *classes, const gpuopt_device_facts &device, bool every);
  // code: index of the class or kNoCode.
  int32_t arch(int32_t code) const { return arch_[code + 1]; }

 private:
  int32_t arch_[kCodeClasses + 1];
};

// A problem as such a kernel is to see it: its device has the architecture of the code.
struct ProblemForCode {
  gpuopt_device_facts device;
  gpuopt_problem problem;
  ProblemForCode(const gpuopt_problem &p, int32_t arch) : device(*p.device), problem(p) {
    device.cc = arch;
    problem.device = &device;
  }
  ProblemForCode(const ProblemForCode &) = delete;
};

}  // namespace gpuopt
