// What the tests of threads share: a call that uses the pool, and the pool's threads as the system shows them.
#pragma once
#include <dirent.h>
#include <sys/types.h>

#include <cstdio>
#include <cstdlib>

#include "support.h"

namespace gpuopt_test {

inline Handle threaded_handle(int32_t threads = 4) {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = threads;
  gpuopt_handle *h = nullptr;
  REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
  return Handle(h);
}

// A product that is cut over several threads, and its right result.
struct ThreadedGemm {
  static constexpr int64_t kExtent = 160;
  std::vector<float> a, b, d, right;
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  ThreadedGemm() : a(kExtent * kExtent), b(a.size()), d(a.size()), right(a.size()) {
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 7);
      b[i] = static_cast<float>(i % 5) - 2;
    }
    for (int64_t i = 0; i < kExtent; ++i)
      for (int64_t l = 0; l < kExtent; ++l)
        for (int64_t j = 0; j < kExtent; ++j)
          right[size_t(i * kExtent + j)] += a[size_t(i * kExtent + l)] * b[size_t(l * kExtent + j)];
    args.a = gpuopt_mat(a.data(), kExtent, kExtent, GPUOPT_F32);
    args.b = gpuopt_mat(b.data(), kExtent, kExtent, GPUOPT_F32);
    args.d = gpuopt_mat(d.data(), kExtent, kExtent, GPUOPT_F32);
  }
  ThreadedGemm(const ThreadedGemm &) = delete;
  // Small integers: every sum is exact, in whatever order.
  bool run(gpuopt_handle *h) {
    std::memset(d.data(), 0x7f, d.size() * sizeof(float));
    return gpuopt_gemm(h, &args) == GPUOPT_OK && d == right;
  }
};

// Ids of the pool's threads.
inline std::vector<pid_t> worker_ids() {
  std::vector<pid_t> ids;
  DIR *tasks = opendir("/proc/self/task");
  REQUIRE(tasks != nullptr);
  while (const dirent *entry = readdir(tasks)) {
    const std::string path = std::string("/proc/self/task/") + entry->d_name + "/comm";
    std::FILE *file = std::fopen(path.c_str(), "r");
    if (!file) continue;
    char name[32] = "";
    if (std::fgets(name, sizeof name, file) && std::strcmp(name, "gpuopt\n") == 0)
      ids.push_back(std::atoi(entry->d_name));
    std::fclose(file);
  }
  closedir(tasks);
  return ids;
}

}  // namespace gpuopt_test
