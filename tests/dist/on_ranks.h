// Ranks that are threads of this process, each with a handle of the CPU.
#pragma once
#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include "cases.h"

namespace gpuopt_dist_test {

inline gpuopt_handle *cpu() {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = 1;
  gpuopt_handle *handle = nullptr;
  return gpuopt_create(&handle, &o) == GPUOPT_OK ? handle : nullptr;
}

// body on every rank, each with words for what went wrong there.
using Body = std::function<std::string(gpuopt_comm *, gpuopt_handle *, int32_t rank)>;
inline void on_ranks(int32_t size, int32_t limit_ms, const Body &body) {
  gpuopt_unique_id id;
  gpuopt_handle *maker = cpu();
  REQUIRE(maker);
  REQUIRE(gpuopt_get_unique_id(maker, &id) == GPUOPT_OK);
  gpuopt_destroy(maker);
  std::vector<std::string> wrong(static_cast<size_t>(size));
  std::vector<std::thread> ranks;
  for (int32_t r = 0; r < size; ++r) {
    ranks.emplace_back([&, r] {
      gpuopt_handle *handle = cpu();
      gpuopt_comm *comm = nullptr;
      gpuopt_comm_options o = GPUOPT_COMM_OPTIONS_INIT;
      o.time_limit_ms = limit_ms;
      std::string &words = wrong[static_cast<size_t>(r)];
      words = gpuopt_comm_create(&comm, handle, &id, r, size, &o) == GPUOPT_OK ? body(comm, handle, r)
                                                                               : gpuopt_last_error();
      gpuopt_comm_destroy(comm);
      gpuopt_destroy(handle);
    });
  }
  for (std::thread &t : ranks) t.join();
  for (int32_t r = 0; r < size; ++r)
    CHECK_MESSAGE(wrong[static_cast<size_t>(r)].empty(), "rank " << r << ": " << wrong[static_cast<size_t>(r)]);
}

inline gpuopt_status small_call(gpuopt_comm *comm, int64_t n) {
  std::vector<float> a(32, 1), b(static_cast<size_t>(4 * n), 1), d(static_cast<size_t>(8 * n));
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(a.data(), 8, 4, GPUOPT_F32);
  g.b = gpuopt_mat(b.data(), 4, n, GPUOPT_F32);
  g.d = gpuopt_mat(d.data(), 8, n, GPUOPT_F32);
  return gpuopt_gemm_all_reduce(comm, &g);
}

inline bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace gpuopt_dist_test
