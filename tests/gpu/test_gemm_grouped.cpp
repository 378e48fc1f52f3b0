// Grouped products: every width of a group and end of a tile against gemm_grouped_naive, offsets that nobody has checked, and
// captured graphs whose offsets change between replays.
#include "products.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t kRows = 700, kN = 328, kK = 200, kGroups = 40;
constexpr const char *kKernels[] = {"gemm_grouped_wgmma_16bit_128x256", "gemm_grouped_wgmma_skinny_16bit"};

struct Experts {
  DeviceArray<uint16_t> a{bf16_values(kRows * kK, 1)}, b{bf16_values(kGroups * kK * kN, 2)};
  DeviceArray<float> d{kRows * kN};
  DeviceArray<int64_t> offsets{static_cast<size_t>(kGroups + 1)};
  gpuopt_gemm_grouped_args args = GPUOPT_GEMM_GROUPED_ARGS_INIT;

  Experts() {
    args.a = gpuopt_mat(a.data, kRows, kK, GPUOPT_BF16);
    args.b = gpuopt_mat(b.data, kK, kN, GPUOPT_BF16);
    args.d = gpuopt_mat(d.data, kRows, kN, GPUOPT_F32);
    args.offsets = gpuopt_mat(offsets.data, 1, kGroups + 1, GPUOPT_I64);
    args.groups = kGroups;
  }
  // D after a call of one kernel, whose rows of no group are 0x7f7f7f7f.
  std::vector<float> run(const Gpu &g, const char *kernel) { return result_of(g, kernel, &args, d); }
};

// Groups of `each` rows with an empty one now and then, the rest in the last but one.
std::vector<int64_t> groups_of(int64_t each) {
  std::vector<int64_t> offsets = {3};
  for (int64_t g = 0; g < kGroups; ++g)
    offsets.push_back(g + 2 == kGroups ? kRows - 5 : std::min(offsets.back() + (g % 5 == 2 ? 0 : each), kRows - 5));
  return offsets;
}

}  // namespace

TEST_CASE("gemm_grouped: groups of any size give what gemm_grouped_naive gives") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  Experts e;
  for (const char *kernel : kKernels) {
    if (!can_run(g, e.args, kernel)) continue;
    CAPTURE(std::string(kernel));
    for (const int64_t each : {0, 1, 7, 8, 9, 16, 17, 63, 64, 65, 128, 300}) {
      CAPTURE(each);
      e.offsets.set(groups_of(each));
      for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL}) {
        e.args.b.layout = layout;
        e.args.b.ld = 0;
        check_alike(e.run(g, kernel), e.run(g, "gemm_grouped_naive"));
      }
    }
  }
}

TEST_CASE("gemm_grouped: alpha and beta on the device are read when the kernel runs") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  Experts e;
  DeviceArray<float> c(normal_values(kRows * kN, 3)), factors(2);
  e.args.c = gpuopt_mat(c.data, kRows, kN, GPUOPT_F32);
  e.offsets.set(groups_of(17));
  for (const char *kernel : {"gemm_grouped_naive", kKernels[0], kKernels[1]}) {
    if (!can_run(g, e.args, kernel)) continue;
    CAPTURE(std::string(kernel));
    for (const float beta : {0.0f, -0.75f}) {
      factors.set({1.5f, beta});
      e.args.alpha_ptr = factors.data;
      e.args.beta_ptr = factors.data + 1;
      const std::vector<float> by_pointer = e.run(g, kernel);
      e.args.alpha_ptr = e.args.beta_ptr = nullptr;
      e.args.alpha = 1.5;
      e.args.beta = beta;
      check_alike(by_pointer, e.run(g, kernel));
      e.args.alpha = 1;
      e.args.beta = 0;
    }
  }
}

TEST_CASE("gemm_grouped: offsets that do not ascend, or lie outside, never lead out of d") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  Experts e;
  std::vector<int64_t> wild;
  for (int64_t i = 0; i <= kGroups; ++i)
    wild.push_back(i % 3 == 0 ? kRows - 9 * i : i % 3 == 1 ? -i : int64_t{1} << (20 + i));
  DeviceArray<float> guarded(static_cast<size_t>((kRows + 400) * kN));
  e.args.d.data = guarded.data + 200 * kN;
  e.offsets.set(wild);
  for (const char *kernel : {"gemm_grouped_naive", kKernels[0], kKernels[1]}) {
    if (!can_run(g, e.args, kernel)) continue;
    CAPTURE(std::string(kernel));
    guarded.fill(0x7f);
    REQUIRE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK);
    REQUIRE_MESSAGE(gpuopt_gemm_grouped(g.handle, &e.args) == GPUOPT_OK, last_error());
    g.sync();
    const std::vector<float> after = guarded.get();
    for (int64_t i = 0; i < 200 * kN; ++i) {
      REQUIRE(after[static_cast<size_t>(i)] == after[0]);
      REQUIRE(after[after.size() - 1 - static_cast<size_t>(i)] == after[0]);
    }
  }
}

TEST_CASE("gemm_grouped: a captured graph takes the offsets that are there when it is replayed") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  Experts e;
  for (const char *kernel : {"gemm_grouped_naive", kKernels[0], kKernels[1]}) {
    if (!can_run(g, e.args, kernel)) continue;
    CAPTURE(std::string(kernel));
    REQUIRE(gpuopt_set_kernel(g.handle, kernel) == GPUOPT_OK);
    e.offsets.set(groups_of(1));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    GPUOPT_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeGlobal));
    const gpuopt_status status = gpuopt_gemm_grouped(g.handle, &e.args);
    const std::string message = last_error();
    GPUOPT_CUDA(cudaStreamEndCapture(g.stream, &graph));
    REQUIRE_MESSAGE(status == GPUOPT_OK, message);
    GPUOPT_CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (const int64_t each : {1, 20, 5, 90, 0}) {
      e.offsets.set(groups_of(each));
      e.d.fill(0x7f);
      GPUOPT_CUDA(cudaGraphLaunch(exec, g.stream));
      g.sync();
      const std::vector<float> replayed = e.d.get();
      const std::vector<float> direct = e.run(g, kernel);
      CHECK(std::memcmp(replayed.data(), direct.data(), direct.size() * sizeof(float)) == 0);
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
}
