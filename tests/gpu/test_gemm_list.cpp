// Lists of grouped products: products of every size against gemm_grouped_naive, lists that nobody has checked, and captured graphs
// whose lists change between replays.
#include "products.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t kProducts = 40, kM = 200, kN = 136, kK = 264;
constexpr const char *kKernels[] = {"gemm_grouped_mma_16bit"};

struct Products {
  DeviceArray<uint16_t> a{bf16_values(kProducts * kM * kK, 1)}, b{bf16_values(kProducts * kK * kN, 2)};
  DeviceArray<float> d{kProducts * kM * kN};
  DeviceArray<gpuopt_gemm_group> list{static_cast<size_t>(kProducts)};
  std::vector<gpuopt_gemm_group> of_host;
  gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;

  explicit Products(int32_t layout_b = GPUOPT_ROW) {
    args.a = gpuopt_mat(nullptr, kM, kK, GPUOPT_BF16);
    args.b = gpuopt_mat(nullptr, kK, kN, GPUOPT_BF16);
    args.b.layout = layout_b;
    args.d = gpuopt_mat(nullptr, kM, kN, GPUOPT_F32);
    args.groups = kProducts;
    for (int32_t &align : args.list_align) align = 16;
    args.list = list.data;
  }
  // Products of up to so many rows, of any width and depth, some of them empty.
  void set(int64_t rows, int64_t seed) {
    of_host.clear();
    for (int64_t i = 0; i < kProducts; ++i) {
      const int64_t m = i % 7 == 3 ? 0 : 1 + (i * 31 + seed * 17) % rows, n = 1 + (i * 53 + seed) % kN,
                    k = i % 9 == 5 ? 0 : 1 + (i * 71 + seed * 3) % kK;
      of_host.push_back({a.data + i * kM * kK, b.data + i * kK * kN, nullptr, d.data + i * kM * kN, m, n, k, kK,
                         args.b.layout == GPUOPT_ROW ? kN : kK, 0, kN, 0});
    }
    list.set(of_host);
  }
  // D after a call of one kernel, which has 0x7f7f7f7f where no product writes.
  std::vector<float> run(const Gpu &g, const char *kernel) { return result_of(g, kernel, &args, d); }
};

}  // namespace

TEST_CASE("gemm_grouped list: products of any size give what gemm_grouped_naive gives, from the host and the device") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL}) {
    Products p(layout);
    for (const char *kernel : kKernels) {
      if (!can_run(g, p.args, kernel)) continue;
      CAPTURE(std::string(kernel));
      for (const int64_t rows : {5, 16, 60, 200}) {
        CAPTURE(rows);
        p.args.a.rows = p.args.d.rows = rows;
        p.set(rows, rows);
        const std::vector<float> expected = p.run(g, "gemm_grouped_naive");
        check_alike(p.run(g, kernel), expected);
        Products same(layout);
        same.set(rows, rows);
        same.args.a.rows = same.args.d.rows = rows;
        same.args.list = nullptr;
        same.args.host_list = same.of_host.data();
        for (int32_t &align : same.args.list_align) align = 0;
        check_alike(same.run(g, kernel), expected);
      }
    }
  }
}

TEST_CASE("gemm_grouped list: extents that nobody checks lead nowhere beyond what is declared") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  Products p;
  for (const char *kernel : {"gemm_grouped_naive", kKernels[0]}) {
    if (!can_run(g, p.args, kernel)) continue;
    CAPTURE(std::string(kernel));
    p.set(kM, 3);
    p.of_host[0].m = p.of_host[1].n = p.of_host[2].k = int64_t{1} << 50;
    p.of_host[3].m = p.of_host[4].n = p.of_host[5].k = INT64_MIN;
    p.list.set(p.of_host);
    const std::vector<float> wild = p.run(g, kernel);
    p.of_host[0].m = kM;
    p.of_host[1].n = kN;
    p.of_host[2].k = kK;
    p.of_host[3].m = p.of_host[4].n = p.of_host[5].k = 0;
    p.list.set(p.of_host);
    CHECK(p.run(g, kernel) == wild);
  }
}

TEST_CASE("gemm_grouped list: a captured graph takes the list that is there when it is replayed") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  Products p, other;
  for (const char *kernel : {"gemm_grouped_naive", kKernels[0]}) {
    if (!can_run(g, p.args, kernel)) continue;
    CAPTURE(std::string(kernel));
    REQUIRE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK);
    p.set(kM, 1);
    GPUOPT_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeThreadLocal));
    const gpuopt_status status = gpuopt_gemm_grouped(g.handle, &p.args);
    cudaGraph_t graph = nullptr;
    GPUOPT_CUDA(cudaStreamEndCapture(g.stream, &graph));
    REQUIRE_MESSAGE(status == GPUOPT_OK, last_error());
    cudaGraphExec_t replay = nullptr;
    GPUOPT_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    for (const int64_t seed : {1, 8}) {
      p.set(kM, seed);
      p.d.fill(0x7f);
      GPUOPT_CUDA(cudaGraphLaunch(replay, g.stream));
      g.sync();
      const std::vector<float> replayed = p.d.get();
      CHECK(p.run(g, kernel) == replayed);
    }
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
  }
}
