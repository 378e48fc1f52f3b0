// Lists of grouped products: products of every size against gemm_grouped_naive, tiles of every width, what is done to sums, lists that
// nobody has checked, and captured graphs whose lists change between replays.
#include "products.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t kProducts = 40, kM = 200, kN = 136, kK = 264;
constexpr const char *kKernels[] = {"gemm_grouped_mma_16bit", "gemm_grouped_wgmma_list_16bit"};
constexpr const char *kWithNaive[] = {"gemm_grouped_naive", kKernels[0], kKernels[1]};

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

// Products whose matrices follow each other, all of the same extents but for the last, which has what is left.
struct Alike {
  struct Shape {
    int64_t products, m, n, k;
  };
  DeviceArray<uint16_t> a, b;
  DeviceArray<float> d;
  DeviceArray<gpuopt_gemm_group> list;
  gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;

  explicit Alike(const Shape &s)
      : a(bf16_values(static_cast<size_t>(s.products * s.m * s.k), 3)),
        b(bf16_values(static_cast<size_t>(s.products * s.k * s.n), 4)),
        d(static_cast<size_t>(s.products * s.m * s.n)),
        list(static_cast<size_t>(s.products)) {
    args.a = gpuopt_mat(nullptr, s.m, s.k, GPUOPT_BF16);
    args.b = gpuopt_mat(nullptr, s.k, s.n, GPUOPT_BF16);
    args.d = gpuopt_mat(nullptr, s.m, s.n, GPUOPT_F32);
    args.groups = s.products;
    for (int32_t &align : args.list_align) align = 16;
    args.list = list.data;
    std::vector<gpuopt_gemm_group> all;
    for (int64_t i = 0; i < s.products; ++i) {
      const int64_t less = i == s.products - 1 ? 8 : 0;
      all.push_back({a.data + i * s.m * s.k, b.data + i * s.k * s.n, nullptr, d.data + i * s.m * s.n, s.m - less,
                     s.n - less, s.k - less, s.k, s.n, 0, s.n, 0});
    }
    list.set(all);
  }
  // D after a call of one kernel; before: what it has in front, for products that read it.
  std::vector<float> run(const Gpu &g, const char *kernel, const std::vector<float> &before = {}) {
    if (before.empty())
      d.fill(0x7f);
    else
      d.set(before);
    REQUIRE_MESSAGE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK, last_error());
    REQUIRE_MESSAGE(gpuopt_gemm_grouped(g.handle, &args) == GPUOPT_OK, last_error());
    g.sync();
    return d.get();
  }
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

TEST_CASE("gemm_grouped list: tiles of 256, 192 and 128 columns, for lists of one that fill the chip best") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  const Alike::Shape shapes[] = {{8, 512, 2048, 264}, {1, 1408, 2304, 200}, {2, 136, 1160, 72}, {70, 72, 104, 136}};
  for (const Alike::Shape &shape : shapes) {
    Alike p(shape);
    CAPTURE(shape.products);
    const std::vector<float> expected = p.run(g, "gemm_grouped_naive");
    for (const char *kernel : kKernels) {
      if (!can_run(g, p.args, kernel)) continue;
      CAPTURE(std::string(kernel));
      check_alike(p.run(g, kernel), expected);
      CHECK(p.run(g, kernel) == p.run(g, kernel));
    }
  }
}

TEST_CASE("gemm_grouped list: alpha, a C that is D, stages, results of 16 bits") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  const Alike::Shape shape = {5, 200, 264, 136};
  for (const char *kernel : kKernels) {
    Alike p(shape);
    if (!can_run(g, p.args, kernel)) continue;
    CAPTURE(std::string(kernel));
    p.args.alpha = -0.75;
    check_alike(p.run(g, kernel), p.run(g, "gemm_grouped_naive"));
    const std::vector<gpuopt_gemm_group> plain = p.list.get();
    std::vector<gpuopt_gemm_group> with_c = plain;
    for (gpuopt_gemm_group &x : with_c) {
      x.c = x.d;
      x.ldc = x.ldd;
    }
    const std::vector<float> before = normal_values(p.d.count, 6);
    const DeviceArray<float> bias(normal_values(static_cast<size_t>(shape.products * shape.n), 5));
    gpuopt_stage stages[2] = {
        gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias.data, 1, shape.n, GPUOPT_F32)),
        gpuopt_act(GPUOPT_STAGE_RELU, 0, 0)};
    for (const bool staged : {false, true}) {
      CAPTURE(staged);
      p.args.stages = stages;
      p.args.stage_count = staged ? 2 : 0;
      p.list.set(with_c);
      p.args.c = p.args.d;
      p.args.beta = 0.5;
      check_alike(p.run(g, kernel, before), p.run(g, "gemm_grouped_naive", before));
      p.args.c = GPUOPT_MATRIX_INIT;
      p.args.beta = 0;
      p.list.set(plain);
      check_alike(p.run(g, kernel), p.run(g, "gemm_grouped_naive"));
    }
    p.args.stage_count = 0;
    p.args.d.dtype = GPUOPT_BF16;  // in the places of half as many fp32
    check_alike(of_bf16_pairs(p.run(g, kernel)), of_bf16_pairs(p.run(g, "gemm_grouped_naive")), 8e-3f);
  }
}

TEST_CASE("gemm_grouped list: extents that nobody checks lead nowhere beyond what is declared") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  Products p;
  for (const char *kernel : kWithNaive) {
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
  for (const char *kernel : kWithNaive) {
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
