// Random problems on the GPU: explain and dispatch agree, and eight threads with a handle and a non-blocking stream each
// compute right results for a minute (GPUOPT_TEST_SECONDS says otherwise).
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "agree.h"
#include "gpu_support.h"
#include "kernel_report.h"

using namespace gpuopt_test;

namespace {
double seconds_wanted() {
  const char *text = std::getenv("GPUOPT_TEST_SECONDS");
  return text ? std::atof(text) : 60;
}
}  // namespace

TEST_CASE("random: explain and dispatch agree on the GPU") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  gpuopt_check::Session session(g.handle, g.stream);
  const int problems = std::getenv("GPUOPT_TEST_REDUCED") ? 5 : 300;
  for (int32_t op = GPUOPT_OP_GEMM; op < GPUOPT_OP_COUNT_; ++op) {
    const gpuopt_check::Needs needs = gpuopt_check::needs_of_op(op);
    int ran = 0;
    for (int i = 0; i < problems; ++i) {
      const gpuopt_check::Problem p = gpuopt_check::random_problem(needs, "gpu agree", 1, i, gpuopt_check::Size::small);
      const gpuopt_check::Agreement a = gpuopt_check::agree(session, p);
      for (const std::string &failure : a.failures) FAIL_CHECK(failure);
      ran += a.ran;
    }
    CHECK_MESSAGE(ran > 0, std::string(gpuopt_op_name(op)));  // where all is refused, explain agrees, too
  }
}

TEST_CASE("random: 8 threads, a handle and a non-blocking stream each") {
  GPUOPT_NEED_GPU();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_wanted());
  std::atomic<int64_t> checked{0};
  std::mutex mutex;
  std::vector<std::string> failures;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      cudaStream_t stream = nullptr;
      gpuopt_handle *h = nullptr;
      gpuopt_options o = GPUOPT_OPTIONS_INIT;
      o.device = 0;
      o.cpu_fallback = GPUOPT_FALLBACK_NEVER;
      const auto report = [&](const std::string &text) {
        const std::lock_guard<std::mutex> lock(mutex);
        failures.push_back(text);
      };
      if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return report("cudaStreamCreateWithFlags failed");
      o.stream = stream;
      if (gpuopt_create(&h, &o) != GPUOPT_OK) return report(gpuopt_last_error());
      {
        gpuopt_check::Session session(h);
        for (int64_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
          const int32_t op = GPUOPT_OP_GEMM + static_cast<int32_t>(i % (GPUOPT_OP_COUNT_ - 1));
          const gpuopt_check::Problem p = gpuopt_check::random_problem(
              gpuopt_check::needs_of_op(op), "gpu threads", static_cast<uint64_t>(t), i, gpuopt_check::Size::small);
          const gpuopt_check::Truth truth = gpuopt_check::find_truth(p);
          const std::string failure = gpuopt_check::verify(session, p, truth, "", 1);
          if (!failure.empty()) report(failure + " in: " + p.text());
          ++checked;
        }
      }
      gpuopt_destroy(h);
      cudaStreamDestroy(stream);
    });
  for (std::thread &t : threads) t.join();
  for (size_t i = 0; i < failures.size() && i < 5; ++i) FAIL_CHECK(failures[i]);
  CHECK(failures.empty());
  CHECK(checked > 8);
  MESSAGE(checked.load(), " problems in 8 threads");
}
