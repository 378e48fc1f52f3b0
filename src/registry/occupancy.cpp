// Registers, shared memory and occupancy of a kernel on any device: ptxas' report and the toolkit's occupancy calculator.
#include <cstring>

#include "api_scope.h"
#include "error.h"
#include "facts.h"
#include "gpuopt/kernel.h"
#include "resources.h"

#if defined(GPUOPT_HAVE_CUDA)
#include <cuda_occupancy.h>
#endif

namespace gpuopt {
namespace {

// The machine code that a device of capability cc runs: of the same major capability, the highest minor not above its own.
const CompiledEntry *compiled_for(const void *entry, int32_t cc) {
  const CompiledEntry *best = nullptr;
  for (size_t i = 0; i < kCompiledEntryCount; ++i) {
    const CompiledEntry &e = kCompiledEntries[i];
    if (reinterpret_cast<const void *>(e.entry) != entry || e.cc / 10 != cc / 10 || e.cc > cc) continue;
    if (best == nullptr || e.cc > best->cc) best = &e;
  }
  return best;
}

#if defined(GPUOPT_HAVE_CUDA)
bool compute(const gpuopt_device_facts &d, gpuopt_occupancy *o) {
  cudaOccDeviceProp device;
  std::memset(static_cast<void *>(&device), 0, sizeof device);
  device.computeMajor = d.cc / 10;
  device.computeMinor = d.cc % 10;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = d.max_threads_per_sm;
  device.regsPerBlock = 65536;
  device.regsPerMultiprocessor = d.regs_per_sm;
  device.warpSize = 32;
  device.sharedMemPerBlock = static_cast<size_t>(d.smem_per_block);
  device.sharedMemPerMultiprocessor = static_cast<size_t>(d.smem_per_sm);
  device.numSms = d.sm_count;
  device.sharedMemPerBlockOptin = static_cast<size_t>(d.smem_per_block_optin);
  device.reservedSharedMemPerBlock = d.cc >= 80 ? 1024 : 0;
  cudaOccFuncAttributes function;
  std::memset(static_cast<void *>(&function), 0, sizeof function);
  function.maxThreadsPerBlock = o->threads;
  function.numRegs = o->registers;
  function.sharedSizeBytes = static_cast<size_t>(o->static_smem);
  function.partitionedGCConfig = PARTITIONED_GC_OFF;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = static_cast<size_t>(o->dynamic_smem);
  const cudaOccDeviceState state;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, o->threads,
                                              static_cast<size_t>(o->dynamic_smem)) != CUDA_OCC_SUCCESS)
    return false;
  o->blocks_per_sm = result.activeBlocksPerMultiprocessor;
  o->warps_per_sm = o->blocks_per_sm * ((o->threads + 31) / 32);
  o->occupancy = 32.0 * o->warps_per_sm / d.max_threads_per_sm;
  const unsigned limits = result.limitingFactors;
  // Where several are reached at once, a full multiprocessor is the one that no tuning lifts.
  o->limiter = limits & OCC_LIMIT_WARPS           ? GPUOPT_LIMIT_THREADS
               : limits & OCC_LIMIT_REGISTERS     ? GPUOPT_LIMIT_REGISTERS
               : limits & OCC_LIMIT_SHARED_MEMORY ? GPUOPT_LIMIT_SHARED_MEMORY
                                                  : GPUOPT_LIMIT_BLOCKS;
  return true;
}
#else
bool compute(const gpuopt_device_facts &, gpuopt_occupancy *) { return false; }
#endif

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_kernel_occupancy(const gpuopt_kernel *kernel, const gpuopt_device_facts *given,
                                                 size_t index, gpuopt_occupancy *occupancy) {
  constexpr const char *fn = "gpuopt_kernel_occupancy";
  const ApiScope scope;
  if (kernel == nullptr || given == nullptr || occupancy == nullptr)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s is NULL", fn,
                kernel == nullptr  ? "kernel"
                : given == nullptr ? "device"
                                   : "occupancy");
  gpuopt_device_facts device;
  if (const gpuopt_status s = take_facts(fn, "device", given, &device)) return s;
  if (index >= kernel->resource_count)
    return fail(GPUOPT_NOT_SUPPORTED, "%s: %s states %zu entry functions; index=%zu is past the last", fn, kernel->name,
                kernel->resource_count, index);
  const gpuopt_resource &r = kernel->resources[index];
  const CompiledEntry *compiled = device.cc == 0 ? nullptr : compiled_for(r.entry, device.cc);
  if (compiled == nullptr)
    return fail(GPUOPT_NOT_SUPPORTED, "%s: %s: no machine code for sm_%d in this build", fn, kernel->name, device.cc);
  gpuopt_occupancy o = {};
  o.entry = compiled->symbol;
  o.compiled_cc = compiled->cc;
  o.threads = r.threads;
  o.registers = compiled->registers;
  o.static_smem = compiled->static_smem;
  o.dynamic_smem = r.dynamic_smem;
  o.spill_bytes = compiled->spill_bytes;
  if (!compute(device, &o))
    return fail(GPUOPT_NOT_SUPPORTED, "%s: %s: the occupancy calculator does not know sm_%d", fn, kernel->name,
                device.cc);
  return write_struct(fn, "occupancy", occupancy, &o, sizeof o, sizeof o, "GPUOPT_OCCUPANCY_INIT");
}
