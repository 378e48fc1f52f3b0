// Handles of many threads share what was read of a tuned-choice file while writers replace it.
#include <atomic>
#include <thread>

#include "merge.h"
#include "tuned.h"

using namespace gpuopt_test;

TEST_CASE("threads: handles come and go on a tuned-choice file that is replaced meanwhile") {
  const TempFolder folder;
  const std::string path = folder / "x.tune", log = folder / "log";
  alignas(16) float a[12] = {}, b[20] = {};
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  args.a = gpuopt_mat(a, 3, 4, GPUOPT_F32);
  args.b = gpuopt_mat(b, 4, 5, GPUOPT_F32);
  args.d = gpuopt_mat(nullptr, 3, 5, GPUOPT_F32);
  std::string key;
  {
    const TunedHandle none("none");
    const gpuopt_explain_options no_pointers = GPUOPT_EXPLAIN_OPTIONS_INIT;
    key = tune_key(none.get(), &args, GPUOPT_TUNE_EXACT, &no_pointers);
  }
  REQUIRE(gpuopt_tune::merge_into(path, {{key, "kernel=gemm_cpu_reference version=1"}}).fault == "");
  std::atomic<int> failures{0}, running{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 6; ++t)
    readers.emplace_back([&] {
      ++running;
      gpuopt_options o = GPUOPT_OPTIONS_INIT;
      o.device = GPUOPT_DEVICE_CPU;
      o.num_threads = 1;
      o.tune_cache = path.c_str();
      o.log_file = log.c_str();
      alignas(16) float d[15];
      gpuopt_gemm_args mine = args;
      mine.d.data = d;
      for (int round = 0; round < 40; ++round) {
        gpuopt_handle *h = nullptr;
        gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
        if (gpuopt_create(&h, &o) != GPUOPT_OK || gpuopt_gemm(h, &mine) != GPUOPT_OK ||
            gpuopt_last_kernel(h, &info) != GPUOPT_OK || info.how != GPUOPT_HOW_TUNED)
          ++failures;
        gpuopt_destroy(h);
      }
      --running;
    });
  for (int i = 0; i < 20 || running > 0; ++i) {
    std::string other = key;
    other.replace(other.find(" m=3"), 4, " m=" + std::to_string(10 + i));
    if (!gpuopt_tune::merge_into(path, {{other, "kernel=gemm_cpu_blocked version=1"}}).fault.empty()) ++failures;
  }
  for (std::thread &t : readers) t.join();
  CHECK(failures == 0);
  CHECK(read_file(log).empty());
}
