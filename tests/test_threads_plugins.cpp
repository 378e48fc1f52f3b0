// Plugins that are loaded by several threads, beside calls of others.
#include <atomic>
#include <thread>

#include "plugins/driver.h"
#include "plugins/folder.h"
#include "plugins/image_problem.h"
#include "support.h"

using namespace gpuopt_test;

namespace {

namespace driver = gpuopt::driver;

// A driver for several threads, which counts.
std::atomic<int> loads{0}, launches{0};
const driver::Functions kDriver = {
    [](void **library, const void *, int *, void **, unsigned, int *, void **, unsigned) {
      ++loads;
      std::this_thread::yield();
      return *library = &loads, 0;
    },
    [](void **kernel, void *library, const char *) { return *kernel = library, 0; },
    [](int *value, int which, void *, int) { return *value = which == driver::kMaxThreadsPerBlock ? 1024 : 0, 0; },
    [](int, int, void *, int) { return 0; },
    nullptr,
    [](int *device, int ordinal) { return *device = ordinal, 0; },
    [](const driver::LaunchConfig *, void *kernel, void **, void **) { return ++launches, kernel == &loads ? 0 : 1; },
    [](driver::Result, const char **name) { return *name = "?", 0; }};

}  // namespace

TEST_CASE("threads: an image that eight threads launch first is loaded once, and each launches it") {
  driver::replace_functions(&kDriver);
  const Section section(twin("vector_add"));
  const Addition add(3, 5);
  std::atomic<int> failed{0};
  std::vector<std::unique_ptr<Asked>> asked;
  for (int i = 0; i < 8; ++i) asked.push_back(std::make_unique<Asked>(add.args, section.kernel()));
  std::vector<std::thread> threads;
  for (const auto &one : asked)
    threads.emplace_back([&failed, &one] {
      for (int again = 0; again < 50; ++again) failed += one->run() != GPUOPT_OK;
    });
  for (std::thread &t : threads) t.join();
  driver::replace_functions(nullptr);
  CHECK(failed == 0);
  CHECK(loads == 1);
  CHECK(launches == 8 * 50);
}

TEST_CASE("threads: a plugin that eight threads load at once is loaded once, while others call") {
  const Folder folder;
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none"), name("GPUOPT_TEST_PLUGIN_NAME", "race");
  const std::string path = folder.copy(GPUOPT_TEST_HOSTILE_PLUGIN, "race.so");
  const size_t before = gpuopt_kernel_count();
  std::atomic<int> failed{0};
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    const Handle h = cpu_handle();
    while (!stop) {
      SmallGemm g;
      if (gpuopt_gemm(h.get(), &g.args) != GPUOPT_OK) ++failed;
    }
  });
  std::vector<std::thread> loaders;
  for (int i = 0; i < 8; ++i)
    loaders.emplace_back([&] {
      if (gpuopt_load_plugin(path.c_str()) != GPUOPT_OK) ++failed;
      const gpuopt_kernel *const k = gpuopt_kernel_find("plugin:race/gemm_first");
      if (k == nullptr || gpuopt_kernel_origin(k) != path) ++failed;
    });
  for (std::thread &t : loaders) t.join();
  stop = true;
  caller.join();
  CHECK(failed == 0);
  CHECK(gpuopt_kernel_count() == before + 1);
}
