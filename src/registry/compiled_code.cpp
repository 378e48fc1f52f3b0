#include "compiled_code.h"

namespace gpuopt {

const CompiledArch *best_arch(const CompiledArch *archs, size_t count, int32_t cc) {
  const CompiledArch *machine = nullptr, *ptx = nullptr;
  for (size_t i = 0; i < count && archs[i].cc != 0; ++i) {
    const CompiledArch &a = archs[i];
    const bool same_major = a.cc / 10 == cc / 10;
    const bool runs = a.suffix == 'a' ? a.cc == cc : a.cc <= cc && (same_major || (a.ptx && a.suffix == 0));
    const CompiledArch *&best = a.ptx ? ptx : machine;
    if (runs && (!best || a.cc > best->cc)) best = &a;
  }
  return machine ? machine : ptx;
}

int32_t code_for(const CompiledCode &code, int32_t cc) {
  const CompiledArch *const best = best_arch(code.archs, sizeof code.archs / sizeof *code.archs, cc);
  return best ? best->cc : 0;
}

CodeOnDevice::CodeOnDevice(const CompiledCode *classes, const gpuopt_device_facts &device, bool every) {
  arch_[0] = device.cc;
  for (int32_t i = 0; i < kCodeClasses; ++i)
    arch_[i + 1] = every || device.cc == 0 ? device.cc : code_for(classes[i], device.cc);
  for (int32_t i = 1; i < kCodeClasses; ++i)
    if (arch_[1] == 0) arch_[i + 1] = 0;
}

}  // namespace gpuopt
