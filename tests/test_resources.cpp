// The resources table and the occupancy calculator, without a GPU.
#include "support.h"

using namespace gpuopt_test;

TEST_CASE("resources: CPU kernels have none, bad arguments are named") {
  const gpuopt_kernel *cpu = gpuopt_kernel_find("gemm_cpu_reference");
  REQUIRE(cpu);
  const gpuopt_device_facts sm_90 = pretend("sm_90");
  gpuopt_occupancy o;
  CHECK(gpuopt_kernel_occupancy(cpu, &sm_90, 0, &o) == GPUOPT_NOT_SUPPORTED);
  CHECK(contains(gpuopt_last_error(), "gemm_cpu_reference states 0 entry functions"));
  CHECK(gpuopt_kernel_occupancy(nullptr, &sm_90, 0, &o) == GPUOPT_INVALID_ARGUMENT);
}

#if GPUOPT_TEST_HAVE_CUDA
TEST_CASE("resources: every entry that a kernel states was compiled, does not spill, and fits a multiprocessor") {
  const gpuopt_device_facts sm_90 = pretend("sm_90"), none = pretend("none");
  int entries = 0;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    if (k.cc_max != 0 && k.cc_max < 90) continue;
    for (size_t r = 0; r < k.resource_count; ++r) {
      gpuopt_occupancy o;
      REQUIRE_MESSAGE(gpuopt_kernel_occupancy(&k, &sm_90, r, &o) == GPUOPT_OK, last_error());
      CAPTURE(o.entry);
      CHECK(o.registers > 0);
      CHECK(o.registers <= 255);
      CHECK(o.spill_bytes == 0);
      CHECK(o.blocks_per_sm >= 1);
      CHECK(o.occupancy > 0);
      CHECK(o.occupancy <= 1);
      CHECK(o.threads == k.resources[r].threads);
      ++entries;
      CHECK(gpuopt_kernel_occupancy(&k, &none, r, &o) == GPUOPT_NOT_SUPPORTED);
    }
  }
  CHECK(entries > 0);
}

TEST_CASE("resources: hand-checked occupancy of a known shape") {
  // 256 threads at no more than 32 registers and no shared memory: 8 blocks fill the 2048 threads of an sm_90.
  const gpuopt_kernel *k = gpuopt_kernel_find("fused_act_scalar");
  REQUIRE(k);
  const gpuopt_device_facts sm_90 = pretend("sm_90");
  gpuopt_occupancy o;
  REQUIRE_MESSAGE(gpuopt_kernel_occupancy(k, &sm_90, 0, &o) == GPUOPT_OK, last_error());
  if (o.threads == 256 && o.registers <= 32 && o.static_smem == 0) {
    CHECK(o.blocks_per_sm == 8);
    CHECK(o.warps_per_sm == 64);
    CHECK(o.limiter == GPUOPT_LIMIT_THREADS);
  }
  const int32_t by_registers = 65536 / (o.threads * ((o.registers + 7) / 8 * 8));
  CHECK(o.blocks_per_sm <= by_registers);
}
#endif
