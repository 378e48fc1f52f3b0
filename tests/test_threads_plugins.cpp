// Plugins that are loaded by several threads, beside calls of others.
#include <atomic>
#include <thread>

#include "plugins/folder.h"
#include "support.h"

using namespace gpuopt_test;

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
