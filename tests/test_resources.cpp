// The resources table and the occupancy calculator, without a GPU.
#include "support.h"

#include <algorithm>

#include "resources.h"

using namespace gpuopt_test;

TEST_CASE("resources: CPU kernels have none, bad arguments are named") {
  const gpuopt_kernel *cpu = gpuopt_kernel_find("gemm_cpu_reference");
  REQUIRE(cpu);
  const gpuopt_device_facts sm_90 = pretend("sm_90");
  gpuopt_occupancy o = GPUOPT_OCCUPANCY_INIT;
  CHECK(gpuopt_kernel_occupancy(cpu, &sm_90, 0, &o) == GPUOPT_NOT_SUPPORTED);
  CHECK(contains(gpuopt_last_error(), "gemm_cpu_reference states 0 entry functions"));
  CHECK(gpuopt_kernel_occupancy(nullptr, &sm_90, 0, &o) == GPUOPT_INVALID_ARGUMENT);
}

#if GPUOPT_TEST_HAVE_CUDA
TEST_CASE("resources: every entry that a kernel states was compiled, spills in gemm_spilled alone, and fits an SM") {
  const gpuopt_device_facts sm_90 = pretend("sm_90"), none = pretend("none");
  int entries = 0;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    if (k.cc_max != 0 && k.cc_max < 90) continue;
    for (size_t r = 0; r < k.resource_count; ++r) {
      gpuopt_occupancy o = GPUOPT_OCCUPANCY_INIT;
      REQUIRE_MESSAGE(gpuopt_kernel_occupancy(&k, &sm_90, r, &o) == GPUOPT_OK, last_error());
      CAPTURE(o.entry);
      CHECK(o.registers > 0);
      CHECK(o.registers <= 255);
      CHECK((o.spill_bytes > 0) == (std::string(k.name) == "gemm_spilled_8x8"));
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

TEST_CASE("resources: devices of 8.6 and 8.9 run the machine code for 8.0, and fp8 that for 8.9") {
  const auto built_for = [](int32_t cc) {
    const auto *end = gpuopt::kCompiledEntries + gpuopt::kCompiledEntryCount;
    return std::any_of(gpuopt::kCompiledEntries, end, [&](const auto &e) { return e.cc == cc; });
  };
  const gpuopt_device_facts sm_80 = pretend("sm_80"), sm_86 = pretend("sm_86"), sm_89 = pretend("sm_89");
  int entries = 0;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    CAPTURE(k.name);
    for (size_t r = 0; r < k.resource_count; ++r) {
      gpuopt_occupancy o = GPUOPT_OCCUPANCY_INIT;
      if (k.cc_min == 89 && built_for(89)) {
        REQUIRE_MESSAGE(gpuopt_kernel_occupancy(&k, &sm_89, r, &o) == GPUOPT_OK, last_error());
        CHECK(o.compiled_cc == 89);
        ++entries;
      }
      if (!built_for(80) || gpuopt_kernel_occupancy(&k, &sm_80, r, &o) != GPUOPT_OK) continue;
      for (const gpuopt_device_facts *device : {&sm_86, &sm_89}) {
        REQUIRE_MESSAGE(gpuopt_kernel_occupancy(&k, device, r, &o) == GPUOPT_OK, last_error());
        CHECK(o.compiled_cc >= 80);
        CHECK(o.compiled_cc <= device->cc);
      }
      ++entries;
    }
  }
  CHECK((entries > 0 || !built_for(80)));
}

TEST_CASE("resources: hand-checked occupancy of a known shape") {
  // 256 threads at no more than 32 registers and no shared memory: 8 blocks fill the 2048 threads of an sm_90.
  const gpuopt_kernel *k = gpuopt_kernel_find("fused_act_scalar");
  REQUIRE(k);
  const gpuopt_device_facts sm_90 = pretend("sm_90");
  gpuopt_occupancy o = GPUOPT_OCCUPANCY_INIT;
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
