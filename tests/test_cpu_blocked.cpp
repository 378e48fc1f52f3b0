/* gemm_cpu_blocked, transpose_cpu_blocked below the API: results against plain loops in double,
 * equal bits whatever the threads, nothing written outside the outputs. */
#include "cpu_blocked.h"

using namespace cpu_blocked;

namespace {

struct GemmCase {
  int64_t m, n, k, batch;
  int32_t a_layout, b_layout, c_layout;
  int64_t pad;
  double alpha, beta;
  bool broadcast_b, stages;
};

void check_gemm(const GemmCase &t, int32_t in, int32_t out, int isa) {
  CAPTURE(t.m);
  CAPTURE(t.n);
  CAPTURE(t.k);
  CAPTURE(t.a_layout);
  CAPTURE(t.b_layout);
  CAPTURE(in);
  CAPTURE(out);
  Matrix a(t.m, t.k, in, t.a_layout, t.pad, t.batch), b(t.k, t.n, in, t.b_layout, t.pad, t.batch, t.broadcast_b);
  Matrix c(t.m, t.n, out, t.c_layout, t.pad, t.batch), d(t.m, t.n, out, GPUOPT_ROW, t.pad, t.batch);
  Matrix bias(t.n, 1, GPUOPT_F32, GPUOPT_ROW, 0, 1, true), factor(t.m, 1, GPUOPT_BF16, GPUOPT_ROW, 0, 1, true);
  Matrix saved(t.m, t.n, GPUOPT_F32, GPUOPT_COL, 0, t.batch);
  a.randomize(1, 1, t.batch);
  b.randomize(2, 1, t.broadcast_b ? 1 : t.batch);
  c.randomize(3, 1, t.batch);
  bias.randomize(4);
  factor.randomize(5);
  gpuopt_problem q = problem(GPUOPT_OP_GEMM, t.m, t.n, t.k);
  q.compute = in == GPUOPT_F64 ? GPUOPT_COMPUTE_F64 : GPUOPT_COMPUTE_F32;
  q.batch = t.batch;
  q.alpha = t.alpha;
  q.beta = t.beta;
  q.operand[0] = a.use();
  q.operand[1] = b.use();
  q.operand[3] = d.use();
  if (t.beta != 0) {
    q.operand[2] = c.use();
    q.features |= GPUOPT_FEATURE_BETA;
  }
  if (t.stages) {
    q.stage[0] = stage_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, 1, bias.use());
    q.stage[1] = stage_with(GPUOPT_STAGE_STORE, 0, 0, saved.use());
    q.stage[2] = stage(GPUOPT_STAGE_RELU);
    q.stage[3] = stage_with(GPUOPT_STAGE_MUL, GPUOPT_PER_ROW, 0.5, factor.use());
    q.stage_count = 4;
  }
  run_on_threads(gpuopt_kernels_gemm_cpu_blocked, q, isa, {&d, &saved});
  CHECK(padding_intact(d, t.batch));

  gpuopt_problem oracle = q; /* its STORE goes elsewhere */
  Matrix expected_saved = saved;
  oracle.stage[1].a = expected_saved.use();
  const View av = a.view(), bv = b.view(), cv = c.view(), dv = d.view();
  double worst = 0;
  for (int64_t p = 0; p < t.batch; ++p)
    for (int64_t i = 0; i < t.m; ++i)
      for (int64_t j = 0; j < t.n; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < t.k; ++k) {
          const double product = load_at(av, i, k, p) * load_at(bv, k, j, p);
          sum += product;
          magnitude += std::fabs(product);
        }
        double x = t.alpha * sum, bound = std::fabs(t.alpha) * magnitude;
        if (t.beta != 0) {
          x += t.beta * load_at(cv, i, j, p);
          bound += std::fabs(t.beta * load_at(cv, i, j, p));
        }
        if (t.stages) {
          bound += std::fabs(load_at(bias.view(), j, 0, 0)) + 1;
          bound *= std::fabs(load_at(factor.view(), i, 0, 0)) + 1;
          x = apply_chain(oracle, x, i, j, p);
          const double stored = load_at(expected_saved.view(), i, j, p);
          note(&worst, std::fabs(load_at(saved.view(), i, j, p) - stored) / (bound * 0x1p-20 + 1e-300));
        }
        const double sums_epsilon = in == GPUOPT_F64 ? 0x1p-53 : 0x1p-24;
        const double allowed = bound * sums_epsilon * (4 + std::sqrt(double(t.k))) * 2 +
                               std::fabs(x) * epsilon(out) * 1.01 + 1e-7 * (out == GPUOPT_F16);
        note(&worst, std::fabs(load_at(dv, i, j, p) - x) / (allowed + 1e-300));
      }
  CHECK(worst <= 1);
}

}  // namespace

TEST_CASE("gemm_cpu_blocked: layouts, edges, strides, batches, alpha, beta, stages") {
  const GemmCase cases[] = {
      {1, 1, 1, 1, 0, 0, 0, 0, 1, 0, false, false},        {7, 65, 9, 1, 0, 0, 0, 0, 1, 0, false, false},
      {6, 64, 16, 1, 0, 1, 0, 3, 1, 0, false, false},      {13, 130, 33, 1, 1, 0, 0, 1, 0.5, 2, false, false},
      {100, 47, 70, 2, 1, 1, 1, 5, -1, 1, false, true},    {80, 96, 37, 3, 0, 0, 0, 0, 2, -0.5, true, true},
      {75, 67, 520, 1, 0, 0, 1, 2, 1, 1, false, true},     {98, 25, 1030, 1, 1, 1, 0, 0, 1, 0, false, false},
      {150, 200, 100, 1, 0, 1, 0, 0, 1, 0, false, true},   {5, 3, 0, 1, 0, 0, 0, 1, 1, 2, false, true},
      {400, 10, 600, 1, 0, 0, 0, 0, 1, 0.25, false, false}};
  const int32_t types[][2] = {{GPUOPT_F32, GPUOPT_F32}, {GPUOPT_F64, GPUOPT_F64},   {GPUOPT_F16, GPUOPT_F16},
                              {GPUOPT_F16, GPUOPT_F32}, {GPUOPT_BF16, GPUOPT_BF16}, {GPUOPT_BF16, GPUOPT_F32}};
  on_each_isa([&](int isa) {
    for (const GemmCase &t : cases)
      for (const auto &type : types) check_gemm(t, type[0], type[1], isa);
  });
}

TEST_CASE("gemm_cpu_blocked: one row or one column") {
  on_each_isa([&](int isa) {
    for (const int32_t type : {GPUOPT_F32, GPUOPT_F64})
      for (int layouts = 0; layouts < 4; ++layouts)
        for (const bool row : {true, false})
          check_gemm({row ? 1 : 1500, row ? 1500 : 1, 130, 2, layouts & 1, layouts >> 1, row ? 1 : 0, 2, 0.5,
                      layouts == 2 ? 1.5 : 0.0, false, layouts != 1},
                     type, type, isa);
  });
}

TEST_CASE("gemm_cpu_blocked: C is not read when beta is 0, D may be C, scalars by pointer") {
  on_each_isa([&](int isa) {
    Matrix a(20, 30, GPUOPT_F32), b(30, 70, GPUOPT_F32), d(20, 70, GPUOPT_F32), c(20, 70, GPUOPT_F32);
    a.randomize(1);
    b.randomize(2);
    gpuopt_problem q = problem(GPUOPT_OP_GEMM, 20, 70, 30);
    q.compute = GPUOPT_COMPUTE_F32;
    q.operand[0] = a.use();
    q.operand[1] = b.use();
    q.operand[3] = d.use();
    run(gpuopt_kernels_gemm_cpu_blocked, q, isa, 2);
    const std::vector<unsigned char> product = d.bytes;

    for (int64_t i = 0; i < 20 * 70; ++i) store(c.bytes.data(), GPUOPT_F32, i, kNaN);
    const float zero = 0, two = 2;
    q.operand[2] = c.use();
    q.features = GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_SCALAR_POINTERS;
    q.beta_ptr = &zero;
    run(gpuopt_kernels_gemm_cpu_blocked, q, isa, 2);
    CHECK(d.bytes == product);

    q.operand[2] = d.use(); /* D holds the product: D = 2 P + 2 P */
    q.alpha_ptr = q.beta_ptr = &two;
    run(gpuopt_kernels_gemm_cpu_blocked, q, isa, 2);
    double worst = 0;
    for (int64_t i = 0; i < 20 * 70; ++i)
      note(&worst, std::fabs(load(d.bytes.data(), GPUOPT_F32, i) - 4 * load(product.data(), GPUOPT_F32, i)));
    CHECK(worst <= 1e-4);
  });
}

TEST_CASE("transpose_cpu_blocked: element sizes, edges, batches, copy, in place") {
  const int32_t types[] = {GPUOPT_U8, GPUOPT_BF16, GPUOPT_F32, GPUOPT_F64, GPUOPT_B128};
  const int64_t extents[][2] = {{1, 1}, {5, 130}, {64, 64}, {131, 67}, {200, 530}, {520, 31}};
  on_each_isa([&](int isa) {
    for (const int32_t type : types)
      for (const auto &e : extents)
        for (int mode = 0; mode < 3; ++mode) {
          const int64_t rows = e[0], cols = mode == 2 ? e[0] : e[1], pad = mode == 1 ? 3 : 0, batch = 2;
          const bool copy = mode == 1, in_place = mode == 2;
          CAPTURE(type);
          CAPTURE(rows);
          CAPTURE(cols);
          CAPTURE(mode);
          Matrix src(rows, cols, type, GPUOPT_ROW, 1, batch);
          Matrix dst(copy ? rows : cols, copy ? cols : rows, type, GPUOPT_ROW, pad, batch);
          std::mt19937 random(7);
          for (unsigned char &byte : src.bytes) byte = static_cast<unsigned char>(random());
          const std::vector<unsigned char> original = src.bytes;
          Matrix &result = in_place ? src : dst;
          gpuopt_problem q = problem(GPUOPT_OP_TRANSPOSE, rows, cols, 0);
          q.batch = batch;
          q.operand[0] = src.use();
          q.operand[1] = result.use();
          q.features = copy ? GPUOPT_FEATURE_COPY : in_place ? GPUOPT_FEATURE_IN_PLACE : 0;
          run_on_threads(gpuopt_kernels_transpose_cpu_blocked, q, isa, {&result});
          if (!in_place) CHECK(padding_intact(dst, batch));
          const View from = src.view(), to = result.view();
          const size_t size = size_t(dtype_size(type));
          bool right = true;
          for (int64_t p = 0; p < batch; ++p)
            for (int64_t i = 0; i < rows; ++i)
              for (int64_t j = 0; j < cols; ++j)
                right &= 0 == std::memcmp(original.data() + size_t(index_of(from, i, j, p)) * size,
                                          result.bytes.data() +
                                              size_t(copy ? index_of(to, i, j, p) : index_of(to, j, i, p)) * size,
                                          size);
          CHECK(right);
        }
  });
}

TEST_CASE("transpose_cpu_blocked: streamed past the caches") {
  Matrix src(1600, 1456, GPUOPT_F32), dst(1456, 1600, GPUOPT_F32);
  src.randomize(3);
  on_each_isa([&](int isa) {
    std::fill(dst.bytes.begin(), dst.bytes.end(), 0);
    gpuopt_problem q = problem(GPUOPT_OP_TRANSPOSE, 1600, 1456, 0);
    q.operand[0] = src.use();
    q.operand[1] = dst.use();
    run(gpuopt_kernels_transpose_cpu_blocked, q, isa, 2);
    bool right = true;
    for (int64_t i = 0; i < 1600; ++i)
      for (int64_t j = 0; j < 1456; ++j) right &= load_at(src.view(), i, j, 0) == load_at(dst.view(), j, i, 0);
    CHECK(right);
  });
}
