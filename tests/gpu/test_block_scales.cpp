// Scales of blocks on a GPU against the CPU's reference: every kind of block and layout, batches, groups, and a graph whose scales
// change between replays.
#include <cmath>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t kM = 150, kN = 141, kK = 300, kBatch = 2, kRoom = kBatch * 160 * 4;

// The same operands on the host and on the device.
struct Scaled {
  std::vector<uint8_t> a = fp8_values(kBatch * kM * kK), b = fp8_values(kBatch * kK * kN);
  std::vector<float> of_a = positive_values(kRoom, 3), of_b = positive_values(kRoom, 4),
                     d = std::vector<float>(kBatch * kM * kN);
  DeviceArray<uint8_t> on_a{a}, on_b{b};
  DeviceArray<float> on_of_a{of_a}, on_of_b{of_b}, on_d{d.size()};

  gpuopt_matrix matrix_a(bool device) const {
    gpuopt_matrix x = gpuopt_mat(device ? on_a.data : a.data(), kM, kK, GPUOPT_E4M3);
    return gpuopt_mat_scales(x, device ? on_of_a.data : of_a.data(), GPUOPT_SCALE_1X128);
  }
  gpuopt_matrix matrix_b(bool device) const {
    gpuopt_matrix w = gpuopt_mat(device ? on_b.data : b.data(), kN, kK, GPUOPT_E4M3);
    return gpuopt_t(gpuopt_mat_scales(w, device ? on_of_b.data : of_b.data(), GPUOPT_SCALE_128X128));
  }
  gpuopt_gemm_args gemm(bool device) {
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    g.a = matrix_a(device);
    g.b = matrix_b(device);
    g.d = gpuopt_mat(device ? on_d.data : d.data(), kM, kN, GPUOPT_F32);
    return g;
  }
  void check(int64_t count) const {
    const std::vector<float> got = on_d.get();
    double size = 0;
    for (int64_t i = 0; i < count; ++i) size += std::fabs(double(d[static_cast<size_t>(i)])) / double(count);
    for (int64_t i = 0; i < count; ++i) {
      const float one = got[static_cast<size_t>(i)], other = d[static_cast<size_t>(i)];
      if (std::fabs(double(one) - double(other)) <= 1e-5 * (size + std::fabs(double(other)))) continue;
      CAPTURE(i);
      CHECK(one == other);
      return;
    }
  }
};

}  // namespace

TEST_CASE("gpu: block scales without tensor cores are those of the CPU, whatever the blocks and however they lie") {
  GPUOPT_NEED_GPU();
  const Gpu naive(GPUOPT_FALLBACK_NEVER, "gemm=gemm_naive"), tiled(GPUOPT_FALLBACK_NEVER, "gemm=gemm_tiled_32");
  const Handle cpu = cpu_handle();
  for (const int32_t of_a : {GPUOPT_SCALE_1X128, GPUOPT_SCALE_128X128})
    for (const int32_t of_b : {GPUOPT_SCALE_ONE, GPUOPT_SCALE_128X1, GPUOPT_SCALE_128X128})
      for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL})
        for (const int64_t batch : {int64_t{1}, kBatch}) {
          Scaled s;
          const auto run = [&](gpuopt_handle *h, bool device) {
            gpuopt_gemm_args args = s.gemm(device);
            args.a.scales = {of_a, layout, layout == GPUOPT_ROW ? 4 : 155};
            args.b.scales = {of_b, of_b == GPUOPT_SCALE_ONE ? 0 : layout, 0};
            args.batch = batch;
            REQUIRE_MESSAGE(gpuopt_gemm(h, &args) == GPUOPT_OK, last_error());
          };
          run(cpu.get(), false);
          for (const Gpu *g : {&naive, &tiled}) {
            s.on_d.set(std::vector<float>(s.d.size()));
            run(g->handle, true);
            g->sync();
            s.check(batch * kM * kN);
          }
        }
}

TEST_CASE("gpu: block scales of groups are those of the CPU") {
  GPUOPT_NEED_GPU();
  const Gpu g(GPUOPT_FALLBACK_NEVER, "gemm_grouped=gemm_grouped_naive");
  const Handle cpu = cpu_handle();
  const int64_t offsets[] = {0, 70, kM};
  Scaled s;
  for (const bool device : {false, true}) {
    gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;
    args.a = s.matrix_a(device);
    args.b = s.matrix_b(device);
    args.d = gpuopt_mat(device ? s.on_d.data : s.d.data(), kM, kN, GPUOPT_F32);
    args.groups = 2;
    args.host_offsets = offsets;
    REQUIRE_MESSAGE(gpuopt_gemm_grouped(device ? g.handle : cpu.get(), &args) == GPUOPT_OK, last_error());
  }
  g.sync();
  s.check(kM * kN);
}

TEST_CASE("gpu: block scales are read when a graph runs") {
  GPUOPT_NEED_GPU();
  const Gpu g(GPUOPT_FALLBACK_NEVER, "gemm=gemm_naive");
  const Handle cpu = cpu_handle();
  Scaled s;
  const gpuopt_gemm_args args = s.gemm(true);
  REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
  GPUOPT_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeThreadLocal));
  REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  GPUOPT_CUDA(cudaStreamEndCapture(g.stream, &graph));
  GPUOPT_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  s.of_a = positive_values(kRoom, 8);
  s.of_b = positive_values(kRoom, 9);
  s.on_of_a.set(s.of_a);
  s.on_of_b.set(s.of_b);
  const gpuopt_gemm_args host = s.gemm(false);
  REQUIRE_MESSAGE(gpuopt_gemm(cpu.get(), &host) == GPUOPT_OK, last_error());
  GPUOPT_CUDA(cudaGraphLaunch(exec, g.stream));
  g.sync();
  s.check(kM * kN);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}
