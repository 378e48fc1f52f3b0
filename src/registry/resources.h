// What ptxas said of every __global__ function of the build, per architecture.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gpuopt {

struct CompiledEntry {
  void (*entry)();     // the host stub, whose address a launch names; of no other use under this type
  const char *symbol;  // mangled name of the device function
  int32_t cc;          // 10 * major + minor
  int32_t registers, static_smem, spill_bytes;
};
extern const CompiledEntry kCompiledEntries[];
extern const size_t kCompiledEntryCount;

}  // namespace gpuopt
