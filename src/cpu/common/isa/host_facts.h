/* What the predictions of the CPU kernels take the host to be. The handle's clock and bandwidth are a GPU's when its
 * device is one. */
#pragma once

#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {

struct HostFacts {
  int isa, threads;
  double mhz, gbs; /* gbs: of all the threads together */
};

static inline HostFacts host_facts(const gpuopt_problem &problem) {
  HostFacts facts = {0, 1, 3000, 12};
  const gpuopt_device_facts *device = problem.device;
  if (!device) return facts;
  facts.isa = device->cpu_isa;
  if (device->cpu_threads > 1) facts.threads = device->cpu_threads;
  if (device->cc == 0 && device->clock_mhz > 0) facts.mhz = device->clock_mhz;
  /* A thread draws about 12 GB/s; about eight of them, what a socket's memory gives. */
  facts.gbs *= facts.threads < 8 ? facts.threads : 8;
  if (device->cc == 0 && device->memory_gbs > 0) facts.gbs = device->memory_gbs;
  return facts;
}

}  // namespace cpu
}  // namespace gpuopt
