// Handles on a CUDA device: facts, memory spaces, fallback, errors with names, profiling.
#include "gpu_support.h"
#include "synthetic_kernel.h"

using namespace gpuopt_test;

TEST_CASE("device: facts of the handle agree with the runtime") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  gpuopt_device_facts f = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_get_device(g.handle, &f) == GPUOPT_OK);
  cudaDeviceProp p;
  GPUOPT_CUDA(cudaGetDeviceProperties(&p, 0));
  CHECK(f.cc == 10 * p.major + p.minor);
  CHECK(f.sm_count == p.multiProcessorCount);
  CHECK(f.memory_gbs > 100);
  CHECK(f.clock_mhz > 100);
  MESSAGE(std::string(f.name), ": sm_", f.cc, ", ", f.sm_count, " SMs, ", f.memory_gbs, " GB/s, cuBLASLt ", f.cublaslt);
}

TEST_CASE("device: memory calls work without CUDA headers in the caller, in stream order") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  void *p = nullptr, *q = nullptr;
  REQUIRE(gpuopt_malloc(g.handle, &p, 1000) == GPUOPT_OK);
  REQUIRE(gpuopt_malloc(g.handle, &q, 1000) == GPUOPT_OK);
  CHECK(reinterpret_cast<uintptr_t>(p) % 256 == 0);
  std::vector<unsigned char> host(1000, 7);
  CHECK(gpuopt_copy(g.handle, p, host.data(), 1000) == GPUOPT_OK);
  CHECK(gpuopt_fill(g.handle, p, 9, 500) == GPUOPT_OK);
  CHECK(gpuopt_copy(g.handle, q, p, 1000) == GPUOPT_OK);
  CHECK(gpuopt_copy(g.handle, host.data(), q, 1000) == GPUOPT_OK);
  CHECK(gpuopt_synchronize(g.handle) == GPUOPT_OK);
  CHECK(host[0] == 9);
  CHECK(host[499] == 9);
  CHECK(host[500] == 7);
  CHECK(gpuopt_free(g.handle, p) == GPUOPT_OK);
  CHECK(gpuopt_free(g.handle, q) == GPUOPT_OK);
}

TEST_CASE("device: managed and pinned memory are DEVICE data, pageable memory is HOST data") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  float *managed = nullptr, *pinned = nullptr;
  GPUOPT_CUDA(cudaMallocManaged(reinterpret_cast<void **>(&managed), 64));
  GPUOPT_CUDA(cudaMallocHost(reinterpret_cast<void **>(&pinned), 64));
  for (int i = 0; i < 12; ++i) managed[i] = static_cast<float>(i);
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(managed, 3, 4, GPUOPT_F32);
  t.dst = gpuopt_mat(pinned, 4, 3, GPUOPT_F32);
  CHECK_MESSAGE(gpuopt_transpose(g.handle, &t) == GPUOPT_OK, last_error());
  g.sync();
  CHECK(pinned[1] == 4);
  CHECK(pinned[11] == 11);
  // Mixed spaces are refused and the message names both operands.
  float pageable[12] = {0};
  t.dst.data = pageable;
  CHECK(gpuopt_transpose(g.handle, &t) == GPUOPT_INVALID_ARGUMENT);
  CHECK(contains(last_error(), "dst.data is in pageable host memory and src.data in device memory"));
  // Fallback never: host data cannot run.
  t.src.data = pageable;
  float other[12];
  t.dst.data = other;
  CHECK(gpuopt_transpose(g.handle, &t) == GPUOPT_NOT_SUPPORTED);
  CHECK(contains(last_error(), "FALLBACK_OFF"));
  // A CPU kernel forced on device data, and a GPU kernel forced on host data, are refused with the reason.
  REQUIRE(gpuopt_set_kernel(g.handle, "transpose_naive") == GPUOPT_OK);
  CHECK(gpuopt_transpose(g.handle, &t) == GPUOPT_KERNEL_REJECTED);
  CHECK(contains(last_error(), "HOST_DATA"));
  REQUIRE(gpuopt_set_kernel(g.handle, "transpose_cpu_reference") == GPUOPT_OK);
  t.src.data = managed;
  t.dst.data = pinned;
  CHECK(gpuopt_transpose(g.handle, &t) == GPUOPT_KERNEL_REJECTED);
  CHECK(contains(last_error(), "DEVICE_DATA"));
  cudaFree(managed);
  cudaFreeHost(pinned);
}

TEST_CASE("device: host data falls back to the CPU after a stream synchronise, with one warning") {
  GPUOPT_NEED_GPU();
  LogLines seen;
  const Gpu g(GPUOPT_FALLBACK_AUTO);
  gpuopt_set_log(g.handle, LogLines::add, &seen);
  SmallGemm s;
  CHECK_MESSAGE(gpuopt_gemm(g.handle, &s.args) == GPUOPT_OK, last_error());
  CHECK(gpuopt_gemm(g.handle, &s.args) == GPUOPT_OK);
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(g.handle, &info);
  CHECK(info.how == GPUOPT_HOW_CPU_FALLBACK);
  CHECK(seen.lines.size() == 1);
  CHECK(contains(seen.lines.at(0), "pageable host memory"));
  float sum = 0;
  for (int l = 0; l < 4; ++l) sum += s.a[l] * s.b[5 * l];
  CHECK(s.d[0] == doctest::Approx(sum));
}

TEST_CASE("device: a promised space skips the query and the caller's device stays current") {
  GPUOPT_NEED_GPU();
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = 0;
  o.space = GPUOPT_SPACE_DEVICE;
  gpuopt_handle *h = nullptr;
  REQUIRE(gpuopt_create(&h, &o) == GPUOPT_OK);
  SampleProblem s;
  s.out.fill(0xff);
  int devices = 0, now = -1;
  GPUOPT_CUDA(cudaGetDeviceCount(&devices));
  GPUOPT_CUDA(cudaSetDevice(devices - 1));  // another than the handle's, where there is one
  CHECK_MESSAGE(gpuopt_gemm(h, &s.gemm) == GPUOPT_OK, last_error());
  GPUOPT_CUDA(cudaGetDevice(&now));
  CHECK(now == devices - 1);
  GPUOPT_CUDA(cudaSetDevice(0));
  GPUOPT_CUDA(cudaDeviceSynchronize());
  const std::vector<float> a = s.a.get(), b = s.b.get(), d = s.out.get();
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < s.k; ++l)
        sum += static_cast<double>(a[static_cast<size_t>(i * s.k + l)]) *
               static_cast<double>(b[static_cast<size_t>(l * s.n + j)]);
      CHECK(std::fabs(static_cast<double>(d[static_cast<size_t>(i * s.n + j)]) - sum) <= 1e-3);  // NaN is not
    }
  }
  // Whoever asked the pointers would see that these are the host's: nothing is launched.
  const SmallGemm host;
  const Gpu asking;
  CHECK(gpuopt_explain(asking.handle, &host.args, nullptr, nullptr, nullptr) == GPUOPT_NOT_SUPPORTED);
  CHECK_MESSAGE(gpuopt_explain(h, &host.args, nullptr, nullptr, nullptr) == GPUOPT_OK, last_error());
  gpuopt_destroy(h);
}

TEST_CASE("device: profiling counts device time per kernel") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  const SampleProblem s;
  REQUIRE(gpuopt_set_profiling(g.handle, 1) == GPUOPT_OK);
  for (int i = 0; i < 20; ++i)
    for (int32_t op = 1; op < GPUOPT_OP_COUNT_; ++op) REQUIRE_MESSAGE(s.run(g.handle, op) == GPUOPT_OK, last_error());
  gpuopt_counter counters[16];
  size_t count = 0;
  REQUIRE(gpuopt_counters(g.handle, counters, 16, &count) == GPUOPT_OK);
  CHECK(count == GPUOPT_OP_COUNT_ - 1);
  for (size_t i = 0; i < count; ++i) {
    CHECK(counters[i].calls == 20);
    CHECK(counters[i].ms > 0);
  }
}

TEST_CASE("device: exec lines of profiled calls are written with their device time, others at once without") {
  GPUOPT_NEED_GPU();
  LogLines seen;
  const Gpu g;
  const SampleProblem s;
  REQUIRE(gpuopt_set_log(g.handle, LogLines::add, &seen) == GPUOPT_OK);
  REQUIRE(gpuopt_set_verbose(g.handle, "exec") == GPUOPT_OK);
  REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &s.gemm) == GPUOPT_OK, last_error());
  REQUIRE(seen.lines.size() == 3);  // two of them say what the third is
  CHECK(contains(seen.lines[1], "gpuopt,v2,device,cuda"));
  CHECK(seen.lines[2].back() == ',');
  REQUIRE(gpuopt_set_profiling(g.handle, 1) == GPUOPT_OK);
  REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &s.gemm) == GPUOPT_OK, last_error());
  CHECK(seen.lines.size() == 3);
  size_t count = 0;
  REQUIRE(gpuopt_counters(g.handle, nullptr, 0, &count) == GPUOPT_OK);
  REQUIRE(seen.lines.size() == 4);
  const std::string time = seen.lines[3].substr(seen.lines[3].rfind(',') + 1);
  CHECK_MESSAGE(std::atof(time.c_str()) > 0, seen.lines[3]);
  CHECK(seen.lines[3].compare(0, seen.lines[3].size() - time.size(), seen.lines[2]) == 0);
  gpuopt_set_log(g.handle, nullptr, nullptr);
}

namespace {
// Launches a real kernel with more threads than a block may have.
gpuopt_status launch_too_many_threads(const gpuopt_problem *, const gpuopt_launch *l) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(4096);
  config.stream = l->stream;
  const gpuopt_kernel *real = gpuopt_kernel_find("transpose_naive");
  unsigned char zeros[512] = {0};
  void *args[16];
  for (void *&a : args) a = zeros;
  const cudaError_t error = cudaLaunchKernelExC(&config, real->resources[0].entry, args);
  std::snprintf(l->error, l->error_bytes, "%s", cudaGetErrorName(error));
  return error == cudaSuccess ? GPUOPT_OK : GPUOPT_CUDA_ERROR;
}
constexpr gpuopt_signature kB128[] = {{{GPUOPT_B128, GPUOPT_B128, -1, -1}, -1}};
}  // namespace

TEST_CASE("device: a failed launch names the kernel and the error, and the next call is fine") {
  GPUOPT_NEED_GPU();
  static gpuopt_kernel k =
      synthetic_kernel(GPUOPT_OP_TRANSPOSE, "transpose_test_too_many_threads", GPUOPT_KERNEL_TEACHING, kB128);
  k.can_run = [](const gpuopt_problem *p, gpuopt_reject *r) -> int {  // out of the way of tests that walk the registry
    *r = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, p->m, 0, "m"};
    return (p->flags & GPUOPT_REQUIRE_BATCH_INVARIANT) != 0;
  };
  k.launch = launch_too_many_threads;
  REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, last_error());
  const Gpu g(GPUOPT_FALLBACK_NEVER, k.name);
  DeviceArray<float> memory(64);
  memory.fill(0);
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
  t.src = gpuopt_mat(memory.data, 1, 1, GPUOPT_B128);
  t.dst = gpuopt_mat(memory.data + 32, 1, 1, GPUOPT_B128);
  CHECK(gpuopt_transpose(g.handle, &t) == GPUOPT_CUDA_ERROR);
  CHECK_MESSAGE(contains(last_error(), "gpuopt_transpose: transpose_test_too_many_threads: cudaErrorInvalid"),
                last_error());
  REQUIRE(gpuopt_set_kernel(g.handle, nullptr) == GPUOPT_OK);
  CHECK_MESSAGE(gpuopt_transpose(g.handle, &t) == GPUOPT_OK, last_error());
  g.sync();
}

TEST_CASE("device: an error that the application left pending neither fails a call nor is taken from it") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  const SampleProblem s;
  CHECK(cudaSetDevice(4242) != cudaSuccess);
  CHECK_MESSAGE(gpuopt_gemm(g.handle, &s.gemm) == GPUOPT_OK, last_error());
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  g.sync();
}

TEST_CASE("device: memory that there is not leaves no error pending, and one of the application's stays") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  void *memory = nullptr;
  CHECK(gpuopt_malloc(g.handle, &memory, size_t{1} << 46) == GPUOPT_OUT_OF_MEMORY);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaSetDevice(4242) != cudaSuccess);
  CHECK(gpuopt_malloc(g.handle, &memory, size_t{1} << 46) == GPUOPT_OUT_OF_MEMORY);
  CHECK(cudaGetLastError() != cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("device: a broken context is reported as broken before the call") {
  GPUOPT_NEED_GPU();
  // Breaking the context ends it for the whole process, so a child does it: this case again, with a variable set.
  if (!std::getenv("GPUOPT_TEST_BREAK_CONTEXT")) {
    if (std::getenv("GPUOPT_TEST_REDUCED")) return;  // a sanitizer would report the child's illegal access
    // The child says that it was here: where the name matched no case it would pass, too.
    const int status = std::system(
        "GPUOPT_TEST_BREAK_CONTEXT=1 /proc/$PPID/exe --test-case='device: a broken context*' >broken_context.log 2>&1"
        " && grep -q 'the broken context was reported' broken_context.log");
    CHECK(status == 0);
    return;
  }
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = 0;
  o.space = GPUOPT_SPACE_DEVICE;  // a promise that is broken next
  gpuopt_handle *h = nullptr;
  REQUIRE(gpuopt_create(&h, &o) == GPUOPT_OK);
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(reinterpret_cast<void *>(uintptr_t{1} << 20), 64, 64, GPUOPT_F32);
  t.dst = gpuopt_mat(reinterpret_cast<void *>(uintptr_t{1} << 21), 64, 64, GPUOPT_F32);
  CHECK_MESSAGE(gpuopt_transpose(h, &t) == GPUOPT_OK, last_error());
  CHECK(gpuopt_synchronize(h) == GPUOPT_CUDA_ERROR);
  CHECK(gpuopt_transpose(h, &t) == GPUOPT_CUDA_ERROR);
  CHECK_MESSAGE(contains(last_error(), "the CUDA context was in error before this call, which did nothing"),
                last_error());
  gpuopt_destroy(h);
  MESSAGE("the broken context was reported");
}

TEST_CASE("resources: ptxas' table agrees with the loaded kernels") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  gpuopt_device_facts f = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_get_device(g.handle, &f);
  int compared = 0;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    if (f.cc < k.cc_min || (k.cc_max && f.cc > k.cc_max)) continue;
    for (size_t r = 0; r < k.resource_count; ++r) {
      gpuopt_occupancy o = GPUOPT_OCCUPANCY_INIT;
      if (gpuopt_kernel_occupancy(&k, &f, r, &o) != GPUOPT_OK) continue;
      CAPTURE(o.entry);
      cudaFuncAttributes attributes;
      GPUOPT_CUDA(cudaFuncGetAttributes(&attributes, k.resources[r].entry));
      CHECK(attributes.numRegs == o.registers);
      CHECK(static_cast<int>(attributes.sharedSizeBytes) == o.static_smem);
      CHECK((attributes.localSizeBytes == 0) == (std::string(k.name) != "gemm_spilled_8x8"));
      int blocks = 0;
      if (o.static_smem + o.dynamic_smem > 48 * 1024)
        GPUOPT_CUDA(
            cudaFuncSetAttribute(k.resources[r].entry, cudaFuncAttributeMaxDynamicSharedMemorySize, o.dynamic_smem));
      GPUOPT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k.resources[r].entry, o.threads,
                                                                static_cast<size_t>(o.dynamic_smem)));
      CHECK(blocks == o.blocks_per_sm);
      ++compared;
    }
  }
  CHECK(compared > 0);
}
