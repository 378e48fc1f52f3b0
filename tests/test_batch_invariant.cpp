// GPUOPT_REQUIRE_BATCH_INVARIANT of gemm: on the CPU bit by bit, of GPUs which kernels a call may choose between.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support.h"

using namespace gpuopt_test;

namespace {

std::vector<float> normal_values(size_t n, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> v(n);
  for (float &x : v) x = normal(engine);
  return v;
}

// A product of `rows` rows, from row `first` of A, C and D on. Elements of B are A's bits for 16-bit types.
struct Product {
  int64_t n, k;
  gpuopt_dtype type;
  int32_t layout;  // of A and D; C has the other one
  bool with_more;  // C, a bias, an activation
  std::vector<double> a, b, c, d;
  std::vector<float> bias;
  static constexpr int64_t kRows = 70;

  Product(int64_t n_, int64_t k_, gpuopt_dtype type_, int32_t layout_, bool with_more_)
      : n(n_),
        k(k_),
        type(type_),
        layout(layout_),
        with_more(with_more_),
        bias(normal_values(static_cast<size_t>(n_), 4)) {
    uint32_t seed = 1;
    for (std::vector<double> *x : {&a, &b, &c}) {
      const size_t count = static_cast<size_t>(x == &b ? k * n : kRows * (x == &a ? k : n));
      const std::vector<float> values = normal_values(count, seed++);
      x->resize(count);
      for (size_t i = 0; i < count; ++i) {
        if (type == GPUOPT_F64) {
          (*x)[i] = static_cast<double>(values[i]) * 1.000000001;
        } else if (type == GPUOPT_F32) {
          std::memcpy(reinterpret_cast<char *>(x->data()) + i * 4, &values[i], 4);
        } else {  // bf16: the upper half of an fp32
          std::memcpy(reinterpret_cast<char *>(x->data()) + i * 2, reinterpret_cast<const char *>(&values[i]) + 2, 2);
        }
      }
    }
    d.resize(static_cast<size_t>(kRows * n));
  }

  // D's bytes, row by row.
  std::vector<uint8_t> run(gpuopt_handle *h, int64_t first, int64_t rows) {
    const int64_t size = gpuopt_dtype_size(type);
    const auto part = [&](std::vector<double> &from, int64_t cols, int32_t of) {
      gpuopt_matrix m = gpuopt_mat(reinterpret_cast<char *>(from.data()) + first * (of == GPUOPT_ROW ? cols : 1) * size,
                                   rows, cols, type);
      m.layout = of;
      m.ld = of == GPUOPT_ROW ? cols : kRows;
      return m;
    };
    gpuopt_stage stages[2] = {
        gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias.data(), 1, n, GPUOPT_F32)),
        gpuopt_act(GPUOPT_STAGE_GELU, 0, 0)};
    gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
    args.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
    args.a = part(a, k, layout);
    args.b = gpuopt_mat(b.data(), k, n, type);
    args.d = part(d, n, layout);
    args.alpha = 0.7;
    if (with_more) {
      args.c = part(c, n, GPUOPT_ROW + GPUOPT_COL - layout);
      args.beta = -1.3;
      args.stages = stages;
      args.stage_count = 2;
    }
    REQUIRE_MESSAGE(gpuopt_gemm(h, &args) == GPUOPT_OK, last_error());
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const auto *at =
            static_cast<const uint8_t *>(args.d.data) + (layout == GPUOPT_ROW ? i * n + j : j * kRows + i) * size;
        bytes.insert(bytes.end(), at, at + size);
      }
    return bytes;
  }
};

std::vector<std::string> accepted(const gpuopt_gemm_args &args, const char *device) {
  const Handle h = cpu_handle();
  const gpuopt_device_facts facts = pretend(device);
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.pretend = &facts;
  o.any_build = 1;
  Candidates seen;
  gpuopt_explain(h.get(), &args, &o, Candidates::add, &seen);
  std::vector<std::string> names;
  for (const Candidate &c : seen.all)
    if (c.verdict != GPUOPT_VERDICT_REJECTED) names.push_back(c.kernel);
  return names;
}

gpuopt_gemm_args call_of(int64_t m, gpuopt_dtype type, int32_t compute) {
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  args.flags = GPUOPT_REQUIRE_BATCH_INVARIANT;
  args.compute = compute;
  args.a = gpuopt_mat(nullptr, m, 4096, type);
  args.b = gpuopt_mat(nullptr, 4096, 1024, type);
  args.d = gpuopt_mat(nullptr, m, 1024, type == GPUOPT_E4M3 ? GPUOPT_BF16 : type);
  return args;
}

}  // namespace

TEST_CASE("batch invariant: rows of a product on the CPU have the bits that they have among others") {
  for (const char *isa : {"", "avx512", "avx2", "baseline"}) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.cpu_isa = *isa ? isa : nullptr;
    o.num_threads = 3;
    gpuopt_handle *raw = nullptr;
    if (gpuopt_create(&raw, &o) != GPUOPT_OK) continue;  // the processor has no such instructions
    const Handle h(raw);
    CAPTURE(std::string(isa));
    for (const char *kernel : {"", "gemm_cpu_reference"}) {
      CAPTURE(std::string(kernel));
      REQUIRE(gpuopt_set_kernel(h.get(), *kernel ? kernel : nullptr) == GPUOPT_OK);
      for (const gpuopt_dtype type : {GPUOPT_F32, GPUOPT_F64, GPUOPT_BF16}) {
        for (const int form : {0, 1, 2, 3}) {
          for (const int64_t n : {1, 33}) {
            CAPTURE(type);
            CAPTURE(form);
            CAPTURE(n);
            Product product(n, 517, type, form & 1 ? GPUOPT_COL : GPUOPT_ROW, (form & 2) != 0);
            const std::vector<uint8_t> whole = product.run(h.get(), 0, Product::kRows);
            const size_t line = whole.size() / Product::kRows;
            int wrong = 0;
            for (int64_t first = 0; first < Product::kRows; first += 3) {
              for (const int64_t rows : {int64_t{1}, int64_t{2}, int64_t{5}, Product::kRows - first}) {
                if (first + rows > Product::kRows) continue;
                const std::vector<uint8_t> part = product.run(h.get(), first, rows);
                wrong += std::equal(part.begin(), part.end(),
                                    whole.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(first) * line))
                             ? 0
                             : 1;
              }
            }
            CHECK(wrong == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("batch invariant: without the promise a CPU product of one row may be summed in another order") {
  const Handle h = cpu_handle();
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  const std::vector<float> a = normal_values(40 * 4096, 1), b = normal_values(4096 * 40, 2);
  std::vector<float> one(40), all(40 * 40);
  int differ = 0;
  for (const int64_t rows : {1, 40}) {
    args.a = gpuopt_mat(const_cast<float *>(a.data()), rows, 4096, GPUOPT_F32);
    args.b = gpuopt_t(gpuopt_mat(const_cast<float *>(b.data()), 40, 4096, GPUOPT_F32));
    args.d = gpuopt_mat(rows == 1 ? one.data() : all.data(), rows, 40, GPUOPT_F32);
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &args) == GPUOPT_OK, last_error());
  }
  for (size_t j = 0; j < one.size(); ++j) differ += one[j] != all[j] ? 1 : 0;
  CHECK(differ > 0);  // so the test above sees orders
}

TEST_CASE("batch invariant: a device sums a type in one order, whatever the number of rows") {
  if (!GPUOPT_TEST_HAVE_CUDA) return;
  const bool has_wgmma = GPUOPT_TEST_EVERY_CLASS;
  for (const int64_t m : {1, 7, 64, 200, 4096}) {
    CAPTURE(m);
    for (const gpuopt_dtype type : {GPUOPT_BF16, GPUOPT_F16, GPUOPT_E4M3}) {
      const std::vector<std::string> names = accepted(call_of(m, type, GPUOPT_COMPUTE_DEFAULT), "sm_90");
      CHECK(names.empty() == !has_wgmma);
      for (const std::string &name : names) CHECK_MESSAGE(contains(name.c_str(), "wgmma"), name);
      // Elsewhere by multiply-adds.
      for (const std::string &name : accepted(call_of(m, type, GPUOPT_COMPUTE_DEFAULT), "sm_80"))
        CHECK_MESSAGE((name == "gemm_tiled_32" || name == "gemm_naive"), name);
    }
    for (const std::string &name : accepted(call_of(m, GPUOPT_F32, GPUOPT_COMPUTE_TF32), "sm_90"))
      CHECK_MESSAGE(contains(name.c_str(), "wgmma_tf32"), name);
    // Slices of a tile, and split k, are other orders.
    for (const std::string &name : accepted(call_of(m, GPUOPT_F32, GPUOPT_COMPUTE_F32), "sm_90")) {
      CHECK_MESSAGE((contains(name, "gemm_tiled") || name == "gemm_naive" || name == "gemm_warptile_128x256" ||
                     name == "gemm_warptile_128x128"),
                    name);
    }
  }
}

TEST_CASE("batch invariant: with scales of blocks, too, one row is summed in the order of many, however D lies") {
  if (!GPUOPT_TEST_HAVE_CUDA || !GPUOPT_TEST_EVERY_CLASS) return;
  static const float somewhere = 1;
  // Where D is by columns, B's of the normal form are a column's and 128 of k each.
  for (const int32_t layout : {GPUOPT_ROW, GPUOPT_COL}) {
    for (const bool a_by_rows : {true, false}) {
      int of_wgmma = 0, of_others = 0;
      for (const int64_t m : {1, 2, 300}) {
        for (const int64_t n : {1, 2, 1024}) {
          gpuopt_gemm_args args = call_of(m, GPUOPT_E4M3, GPUOPT_COMPUTE_DEFAULT);
          args.b = gpuopt_mat(nullptr, 4096, n, GPUOPT_E4M3);
          args.a = gpuopt_mat_scales(args.a, &somewhere, a_by_rows ? GPUOPT_SCALE_1X128 : GPUOPT_SCALE_128X128);
          args.b = gpuopt_mat_scales(args.b, &somewhere, a_by_rows ? GPUOPT_SCALE_128X128 : GPUOPT_SCALE_128X1);
          args.d = gpuopt_mat(nullptr, m, n, GPUOPT_BF16);
          if (layout == GPUOPT_COL) args.d = gpuopt_t(gpuopt_mat(nullptr, n, m, GPUOPT_BF16));
          const std::vector<std::string> names = accepted(args, "sm_90");
          CHECK(!names.empty());
          for (const std::string &name : names) ++(contains(name, "wgmma") ? of_wgmma : of_others);
        }
      }
      CAPTURE(layout);
      CAPTURE(a_by_rows);
      CHECK(of_wgmma >= 9);
      CHECK(of_others == 0);
    }
  }
}

TEST_CASE("batch invariant: every row of the gemm table has a kernel that promises it, on every device") {
  if (!GPUOPT_TEST_HAVE_CUDA) return;
  const bool has_wgmma = GPUOPT_TEST_EVERY_CLASS;
  for (const char *device : {"sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"}) {
    if (std::string(device) == "sm_90" && !has_wgmma) continue;
    CAPTURE(std::string(device));
#define GPUOPT_X_(a_, b_, c_, d_, compute_)                                      \
  {                                                                              \
    gpuopt_gemm_args args = call_of(33, GPUOPT_##a_, GPUOPT_COMPUTE_##compute_); \
    args.b.dtype = GPUOPT_##b_;                                                  \
    args.d.dtype = GPUOPT_##d_;                                                  \
    CHECK_MESSAGE(!accepted(args, device).empty(), #a_ " " #d_ " " #compute_);   \
  }
    GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  }
}
