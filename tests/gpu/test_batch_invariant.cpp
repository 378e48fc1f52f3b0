// GPUOPT_REQUIRE_BATCH_INVARIANT of gemm: rows of a product have the bits that they have among 4096, by whichever kernel is
// chosen for so many.
#include <cmath>
#include <cstring>
#include <set>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t kMost = 4096, kN = 264, kPitch = 1040;

struct Types {
  gpuopt_dtype in, out;
  int32_t compute;
};

// Normal values of a type, as bytes; of 8-bit types any bits that are finite.
std::vector<uint8_t> values_of(gpuopt_dtype type, size_t count, uint32_t seed) {
  const size_t size = static_cast<size_t>(gpuopt_dtype_size(type));
  std::vector<uint8_t> bytes(count * size);
  const std::vector<float> x = normal_values(count, seed);
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, &x[i], sizeof bits);
    const double wide = static_cast<double>(x[i]) * 1.000000001;
    const uint16_t half = static_cast<uint16_t>(bits >> 16);
    const uint8_t small = static_cast<uint8_t>(bits >> 13 & 0xbb);  // no exponent of all ones
    const void *const from = size == 8   ? static_cast<const void *>(&wide)
                             : size == 4 ? static_cast<const void *>(&x[i])
                             : size == 2 ? static_cast<const void *>(&half)
                                         : static_cast<const void *>(&small);
    std::memcpy(bytes.data() + i * size, from, size);
  }
  return bytes;
}

class Product {
 public:
  Product(const Types &types, int64_t k, int32_t a_layout, int32_t d_layout)
      : types_(types),
        k_(k),
        a_layout_(a_layout),
        d_layout_(d_layout),
        a_(values_of(types.in, static_cast<size_t>(kMost * kPitch), 1)),
        b_(values_of(types.in, static_cast<size_t>(k * kN), 2)),
        d_(static_cast<size_t>(kMost * kN * gpuopt_dtype_size(types.out))) {}

  // D's bytes where rows [first, first + rows) lie, all others poison.
  std::vector<uint8_t> run(const Gpu &g, int64_t first, int64_t rows, std::set<std::string> *kernels) {
    gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
    args.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
    args.compute = types_.compute;
    args.alpha = 0.75;
    const auto part = [&](uint8_t *data, int64_t cols, int64_t pitch, gpuopt_dtype type, int32_t layout) {
      gpuopt_matrix m =
          gpuopt_mat(data + first * (layout == GPUOPT_ROW ? pitch : 1) * gpuopt_dtype_size(type), rows, cols, type);
      m.layout = layout;
      m.ld = layout == GPUOPT_ROW ? pitch : kMost;
      return m;
    };
    args.a = part(a_.data, k_, kPitch, types_.in, a_layout_);
    args.b = gpuopt_mat(b_.data, k_, kN, types_.in);
    args.d = part(d_.data, kN, kN, types_.out, d_layout_);
    d_.fill(0xcd);
    REQUIRE_MESSAGE(gpuopt_gemm(g.handle, &args) == GPUOPT_OK, last_error());
    g.sync();
    gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
    REQUIRE(gpuopt_last_kernel(g.handle, &info) == GPUOPT_OK);
    kernels->insert(info.kernel);
    return d_.get();
  }
  bool same(const std::vector<uint8_t> &x, const std::vector<uint8_t> &y, int64_t first, int64_t rows) const {
    const size_t size = static_cast<size_t>(gpuopt_dtype_size(types_.out));
    for (int64_t i = first; i < first + rows; ++i)
      for (int64_t j = 0; j < kN; ++j) {
        const size_t at = static_cast<size_t>(d_layout_ == GPUOPT_ROW ? i * kN + j : j * kMost + i) * size;
        if (std::memcmp(&x[at], &y[at], size) != 0) return false;
      }
    return true;
  }

 private:
  Types types_;
  int64_t k_;
  int32_t a_layout_, d_layout_;
  DeviceArray<uint8_t> a_, b_, d_;
};

}  // namespace

TEST_CASE("batch invariant: rows of a product have the bits that they have among 4096") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  const bool reduced = std::getenv("GPUOPT_TEST_REDUCED") != nullptr;
  constexpr Types kTypes[] = {
      {GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32}, {GPUOPT_F16, GPUOPT_F32, GPUOPT_COMPUTE_F32},
      {GPUOPT_E4M3, GPUOPT_F32, GPUOPT_COMPUTE_F32},  {GPUOPT_E5M2, GPUOPT_BF16, GPUOPT_COMPUTE_F8_FAST},
      {GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_TF32},  {GPUOPT_F32, GPUOPT_F32, GPUOPT_COMPUTE_F32},
      {GPUOPT_F64, GPUOPT_F64, GPUOPT_COMPUTE_F64},   {GPUOPT_I8, GPUOPT_I32, GPUOPT_COMPUTE_I32}};
  std::mt19937 random(9);
  for (const Types &types : kTypes) {
    const bool first_type = types.in == GPUOPT_BF16;
    for (int form = 0; form < 4; ++form) {
      const int64_t k = 300 + static_cast<int64_t>(random() % 700);
      CAPTURE(types.in);
      CAPTURE(types.compute);
      CAPTURE(form);
      CAPTURE(k);
      Product product(types, k, form & 1 ? GPUOPT_COL : GPUOPT_ROW, form & 2 ? GPUOPT_COL : GPUOPT_ROW);
      std::set<std::string> kernels;
      const std::vector<uint8_t> whole = product.run(g, 0, kMost, &kernels);
      int wrong = 0;
      for (int left = reduced ? 4 : first_type ? 250 : 25; left > 0; --left) {
        const auto rows = static_cast<int64_t>(std::exp2(12.0 * static_cast<double>(random() % 1001) / 1000.0));
        const int64_t first = static_cast<int64_t>(random() % static_cast<uint32_t>(kMost - rows + 1));
        wrong += product.same(whole, product.run(g, first, rows, &kernels), first, rows) ? 0 : 1;
      }
      CHECK(wrong == 0);
      if (first_type && !reduced) CHECK(kernels.size() > 1);  // or nothing was put to the test
    }
  }
}

TEST_CASE("batch invariant: more sums than a call's workspace go by panels of rows, with the same bits") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  constexpr int64_t kRows = 1500, kCols = 512, kDepth = 256;
  const DeviceArray<uint8_t> a(values_of(GPUOPT_BF16, kRows * kDepth, 1)), b(values_of(GPUOPT_BF16, kDepth * kCols, 2));
  const DeviceArray<float> bias(normal_values(kCols, 3)), column(normal_values(kRows, 4)),
      residual(normal_values(kRows * kCols, 5));
  DeviceArray<uint16_t> d(kRows * kCols);
  const gpuopt_stage stages[] = {
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias.data, 1, kCols, GPUOPT_F32)),
      gpuopt_act_with(GPUOPT_STAGE_MUL, GPUOPT_PER_ROW, gpuopt_mat(column.data, kRows, 1, GPUOPT_F32)),
      gpuopt_act(GPUOPT_STAGE_GELU, 0, 0),
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, gpuopt_t(gpuopt_mat(residual.data, kCols, kRows, GPUOPT_F32)))};
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  args.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
  args.a = gpuopt_mat(a.data, kRows, kDepth, GPUOPT_BF16);
  args.b = gpuopt_mat(b.data, kDepth, kCols, GPUOPT_BF16);
  args.d = gpuopt_mat(d.data, kRows, kCols, GPUOPT_BF16);
  args.stages = stages;
  args.stage_count = 4;
  std::vector<uint16_t> results[2];
  for (int limited = 0; limited < 2; ++limited) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = 0;
    o.cpu_fallback = GPUOPT_FALLBACK_NEVER;
    o.stream = g.stream;
    if (limited == 1) o.workspace_limit = size_t{1} << 20;
    gpuopt_handle *raw = nullptr;
    REQUIRE_MESSAGE(gpuopt_create(&raw, &o) == GPUOPT_OK, last_error());
    const Handle h(raw);
    d.fill(0xcd);
    const gpuopt_status status = gpuopt_gemm(h.get(), &args);
    g.sync();
    gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
    REQUIRE_MESSAGE(status == GPUOPT_OK, last_error());
    REQUIRE(gpuopt_last_kernel(h.get(), &info) == GPUOPT_OK);
    CHECK(info.workspace_bytes <= (limited == 1 ? size_t{1} << 20 : size_t{256} << 20));
    results[limited] = d.get();
  }
  CHECK(results[0] == results[1]);
}
