#include "compiled_code.h"

namespace gpuopt {

int32_t code_for(const CompiledCode &code, int32_t cc) {
  int32_t machine = 0, ptx = 0;
  for (const CompiledArch &a : code.archs) {
    if (a.cc == 0) break;
    const bool same_major = a.cc / 10 == cc / 10;
    const bool runs = a.suffix == 'a' ? a.cc == cc : a.cc <= cc && (same_major || (a.ptx && a.suffix == 0));
    int32_t &best = a.ptx ? ptx : machine;
    if (runs && a.cc > best) best = a.cc;
  }
  return machine != 0 ? machine : ptx;
}

CodeOnDevice::CodeOnDevice(const CompiledCode *classes, const gpuopt_device_facts &device, bool every) {
  arch_[0] = device.cc;
  for (int32_t i = 0; i < kCodeClasses; ++i)
    arch_[i + 1] = every || device.cc == 0 ? device.cc : code_for(classes[i], device.cc);
  for (int32_t i = 1; i < kCodeClasses; ++i)
    if (arch_[1] == 0) arch_[i + 1] = 0;
}

}  // namespace gpuopt
