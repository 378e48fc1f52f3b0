// What two hundred plugins cost: loading them, and choosing among their kernels. Limits are for the machine that
// bench/core/host_cost.h knows; a test that another program disturbs measures again.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "core/host_cost.h"
#include "fake_driver.h"
#include "folder.h"
#include "handle.h"
#include "images.h"

using namespace gpuopt_test;
using namespace gpuopt_bench;

namespace {

constexpr int kPlugins = 200;
constexpr double kMostLoading = 50000, kMostRepeated = 0.3, kMostFresh = 10;  // us
constexpr int64_t kMostSleeps = 4;

// Each its own manifest and images, of the sizes that compilers make them.
void write_plugins(const Folder &folder, const std::string &prefix) {
  for (int i = 0; i < kPlugins; ++i) {
    const std::string name = prefix + std::to_string(i);
    Images images;
    images.files["run.cubin"] += std::string(20000, static_cast<char>('a' + i % 26));
    std::string text = "gpuopt = 1\n[matmul]\nentry = run\n" + std::string(twin("matmul")) + images.lines();
    for (const char *file : {"run.cubin", "run.ptx"}) {
      const std::string own = name + (std::string(file) == "run.ptx" ? ".ptx" : ".cubin");
      folder.write(own, images.files[file]);
      text.replace(text.find(std::string("= ") + file), 2 + std::string(file).size(), "= " + own);
    }
    folder.write(name + ".gpuopt", text);
  }
}

// What loading the folder takes a process of its own, for what is loaded stays: its processors' time, of which other programs take
// nothing, and how often it slept, which that time does not show.
struct Loading {
  double us = 0;  // 0: it failed
  int64_t sleeps = 0;
};

Loading used_so_far() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval &t) { return 1e6 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec); };
  return {us(usage.ru_utime) + us(usage.ru_stime), usage.ru_nvcsw};
}

Loading loading(const std::string &folder) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  Loading used;
  if (child == 0) {
    const Loading before = used_so_far();
    const bool loaded = gpuopt_load_plugin(folder.c_str()) == GPUOPT_OK && gpuopt_kernel_count() > kPlugins;
    const Loading after = used_so_far();
    used = {after.us - before.us, after.sleeps - before.sleeps};
    _exit(loaded && write(ends[1], &used, sizeof used) == sizeof used ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (status != 0 || read(ends[0], &used, sizeof used) != sizeof used) used = {};
  close(ends[0]);
  close(ends[1]);
  return used;
}

}  // namespace

TEST_CASE("plugin cost: loading 200 manifests with their images takes at most 50 ms") {
  if (kSanitized) {
    MESSAGE("SKIP: a sanitizer's times say nothing");
    return;
  }
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
  const Folder folder;
  write_plugins(folder, "load");
  double least = 1e9, slower = 1;
  int64_t sleeps = kPlugins;
  measure_until([&] {
    const Loading used = loading(folder.path());
    REQUIRE(used.us > 0);
    slower = std::max(slower, how_much_slower());
    least = std::min(least, used.us);
    sleeps = std::min(sleeps, used.sleeps);
    return least <= slower * kMostLoading && sleeps <= kMostSleeps;
  });
  MESSAGE("loading 200 manifests: ", least / 1e3, " ms, asleep ", sleeps, " times");
  CHECK(least <= slower * kMostLoading);
  CHECK(sleeps <= kMostSleeps);
}

#if !GPUOPT_TEST_HAVE_CUDA
TEST_CASE("plugin cost: a call among 200 plugin kernels, at most 0.3 us for a repeated problem and 10 for a new one") {
  if (kSanitized) {
    MESSAGE("SKIP: a sanitizer's times say nothing");
    return;
  }
  if (gpuopt_kernel_count() > 1000) {
    MESSAGE("SKIP: another case of this process has loaded thousands of kernels; ctest runs each alone");
    return;
  }
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
  const Folder folder;
  write_plugins(folder, "call");
  REQUIRE_MESSAGE(gpuopt_load_plugin(folder.path().c_str()) == GPUOPT_OK, last_error());
  // A handle that believes to have a GPU, and a driver that does nothing.
  FakeDriver fake;
  fake.without_parameter_info();
  const Handle h = cpu_handle();
  const gpuopt_device_facts cpu = h->facts;
  h->facts = pretend("sm_80");
  h->cuda = true;
  h->space = GPUOPT_SPACE_DEVICE;
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_matrix *const matrices[] = {&g.a, &g.b, &g.d};
  for (uintptr_t i = 0; i < 3; ++i)
    *matrices[i] = gpuopt_mat(reinterpret_cast<void *>((i + 1) << 40), 256, 256, GPUOPT_F16);  // nothing looks
  int failed = 0;
  const auto run = [&] { failed += gpuopt_gemm(h.get(), &g) != GPUOPT_OK; };
  run();
  REQUIRE_MESSAGE(failed == 0, last_error());
  gpuopt_run_info ran = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(h.get(), &ran);
  CHECK(std::string(ran.kernel).rfind("plugin:", 0) == 0);
  times repeated = {1e9, 1e9}, fresh = repeated;
  double slower = 1;
  int64_t problem = 0;
  measure_until([&] {
    slower = std::max(slower, how_much_slower());
    const times r = measure_bursts(501, 100, [&](int) { run(); });
    // A new leading dimension is a new problem: nothing is remembered of it.
    const times f = measure_bursts(201, 20, [&](int) {
      g.a.ld = 256 + 8 * ++problem;
      run();
    });
    repeated.least = std::min(repeated.least, r.least);
    fresh.least = std::min(fresh.least, f.least);
    return repeated.least <= slower * kMostRepeated && fresh.least <= slower * kMostFresh;
  });
  MESSAGE("whole call among ", gpuopt_kernel_count(), " kernels: repeated ", repeated.least, " us, new ", fresh.least,
          " us; the limits are for a machine ", slower, " times as fast");
  CHECK(failed == 0);
  CHECK(repeated.least <= slower * kMostRepeated);
  CHECK(fresh.least <= slower * kMostFresh);
  h->cuda = false;
  h->facts = cpu;
}
#endif
