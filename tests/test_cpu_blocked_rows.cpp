/* reduce_cpu_blocked and fused_act_cpu_blocked below the API: results against plain loops in double, equal bits whatever
 * the threads, nothing written outside the outputs. */
#include "cpu_blocked.h"

#include <limits>

using namespace cpu_blocked;

namespace {

struct Expected {
  double value, magnitude;
  int64_t index;
};

/* One line of a reduction, element by element: x(t) and y(t) for t < count. */
template <class X, class Y>
Expected reduce_line(int32_t variant, int64_t count, X x, Y y) {
  Expected e = {0, 0, -1};
  const bool lowest = variant == GPUOPT_REDUCE_MIN || variant == GPUOPT_REDUCE_ARGMIN;
  for (int64_t t = 0; t < count; ++t) {
    const double v = x(t);
    switch (variant) {
      case GPUOPT_REDUCE_MIN:
      case GPUOPT_REDUCE_MAX:
      case GPUOPT_REDUCE_ARGMIN:
      case GPUOPT_REDUCE_ARGMAX:
        if (e.index < 0 || (!std::isnan(e.value) && (std::isnan(v) || (lowest ? v < e.value : v > e.value)))) {
          e.value = v;
          e.index = t;
        }
        continue;
      case GPUOPT_REDUCE_SUMSQ:
      case GPUOPT_REDUCE_NRM2:
        e.value += v * v;
        break;
      case GPUOPT_REDUCE_ASUM:
        e.value += std::fabs(v);
        break;
      case GPUOPT_REDUCE_DOT:
        e.value += v * y(t);
        break;
      default:
        e.value += v;
        break;
    }
    e.magnitude += variant == GPUOPT_REDUCE_DOT ? std::fabs(v * y(t)) : std::fabs(v) + v * v;
  }
  if (variant == GPUOPT_REDUCE_MEAN) e.value /= double(count), e.magnitude /= double(count);
  if (variant == GPUOPT_REDUCE_NRM2) e.value = std::sqrt(e.value);
  return e;
}

void check_reduce(int32_t variant, int32_t axis, int32_t type, int64_t rows, int64_t cols, int64_t pad, bool nan,
                  int isa) {
  CAPTURE(variant);
  CAPTURE(axis);
  CAPTURE(type);
  CAPTURE(rows);
  CAPTURE(cols);
  CAPTURE(pad);
  const int64_t batch = 2;
  const int64_t outputs = axis == GPUOPT_EACH_ROW ? rows : axis == GPUOPT_EACH_COL ? cols : 1;
  const int64_t length = axis == GPUOPT_EACH_ROW ? cols : axis == GPUOPT_EACH_COL ? rows : rows * cols;
  const bool indexed = variant == GPUOPT_REDUCE_ARGMIN || variant == GPUOPT_REDUCE_ARGMAX;
  const bool exact = indexed || variant == GPUOPT_REDUCE_MIN || variant == GPUOPT_REDUCE_MAX;
  const int32_t out_type = indexed ? GPUOPT_I64 : type;
  Matrix x(rows, cols, type, GPUOPT_ROW, pad, batch), y(rows, cols, type, GPUOPT_ROW, 2 * pad, batch);
  Matrix out(outputs, 1, out_type, GPUOPT_ROW, pad, batch), value(outputs, 1, type, GPUOPT_ROW, 0, batch);
  x.randomize(1, 1, batch);
  y.randomize(2, 1, batch);
  if (nan) store_at(x.view(), rows / 2, cols / 2, 1, std::nan(""));
  gpuopt_problem q = problem(GPUOPT_OP_REDUCE, rows, cols, 0);
  q.batch = batch;
  q.variant = variant;
  q.axis = axis;
  q.operand[GPUOPT_OPERAND_X] = x.use();
  if (variant == GPUOPT_REDUCE_DOT) q.operand[GPUOPT_OPERAND_Y] = y.use();
  q.operand[GPUOPT_OPERAND_OUT] = out.use();
  if (indexed) q.operand[GPUOPT_OPERAND_VALUE] = value.use();
  run_on_threads(gpuopt_kernels_reduce_cpu_blocked, q, isa, {&out, &value});
  CHECK(padding_intact(out, batch));

  const View xv = x.view(), yv = y.view(), ov = out.view(), vv = value.view();
  int64_t wrong = 0;
  for (int64_t p = 0; p < batch; ++p)
    for (int64_t o = 0; o < outputs; ++o) {
      const auto at = [&](const View &v, int64_t t) {
        return axis == GPUOPT_EACH_ROW   ? load_at(v, o, t, p)
               : axis == GPUOPT_EACH_COL ? load_at(v, t, o, p)
                                         : load_at(v, t / cols, t % cols, p);
      };
      const Expected e = reduce_line(
          variant, length, [&](int64_t t) { return at(xv, t); },
          [&](int64_t t) { return variant == GPUOPT_REDUCE_DOT ? at(yv, t) : 0.0; });
      const double got = load_at(ov, o, 0, p);
      if (indexed) {
        wrong += load_i64(ov.data, ov.dtype, index_of(ov, o, 0, p)) != e.index;
        wrong += !normal_form::same(load_at(vv, o, 0, p), e.value);
      } else if (exact || std::isnan(e.value)) {
        wrong += !normal_form::same(got, e.value);
      } else {
        wrong += !(std::fabs(got - e.value) <= std::fabs(e.value) * epsilon(type) * 1.001 + e.magnitude * 0x1p-48);
      }
    }
  CHECK(wrong == 0);
}

constexpr int32_t kVariants[] = {GPUOPT_REDUCE_SUM,    GPUOPT_REDUCE_MEAN, GPUOPT_REDUCE_MIN,  GPUOPT_REDUCE_MAX,
                                 GPUOPT_REDUCE_SUMSQ,  GPUOPT_REDUCE_NRM2, GPUOPT_REDUCE_ASUM, GPUOPT_REDUCE_ARGMIN,
                                 GPUOPT_REDUCE_ARGMAX, GPUOPT_REDUCE_DOT};

/* A chain on x (rows x cols) against apply_chain in double. tolerance: relative to 1 + |result|. */
void check_chain(std::vector<gpuopt_problem_stage> stages, Matrix &x, Matrix &out, int64_t batch, double tolerance,
                 int isa) {
  const int64_t rows = x.operand.m.rows, cols = x.operand.m.cols;
  gpuopt_problem q = problem(GPUOPT_OP_FUSED_ACT, rows, cols, 0);
  q.compute = GPUOPT_COMPUTE_F32;
  q.batch = batch;
  q.operand[GPUOPT_OPERAND_X] = x.use();
  q.operand[GPUOPT_OPERAND_OUT] = out.use();
  q.stage_count = int32_t(stages.size());
  for (size_t s = 0; s < stages.size(); ++s) q.stage[s] = stages[s];
  run_on_threads(gpuopt_kernels_fused_act_cpu_blocked, q, isa, {&out});
  CHECK(padding_intact(out, batch));
  double worst = 0;
  for (int64_t p = 0; p < batch; ++p)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j) {
        const double from = load_at(x.view(), i, j, p), want = apply_chain(q, from, i, j, p);
        const double got = load_at(out.view(), i, j, p);
        const double error =
            normal_form::same(got, want) || got == float(want)
                ? 0
                : std::fabs(got - want) / (1 + std::fabs(want)) / (tolerance + epsilon(out.operand.m.dtype));
        if (!(error <= 1)) {
          INFO("x " << from << " gives " << got << ", not " << want);
          CHECK(error <= 1);
          return;
        }
        note(&worst, error);
      }
  CHECK(worst <= 1);
}

}  // namespace

TEST_CASE("reduce_cpu_blocked: variants, axes, types, NaN") {
  const int64_t extents[][3] = {{1, 1, 0},     {7, 300, 0},    {7, 300, 3}, {2500, 5, 1},
                                {2, 70000, 0}, {1100, 130, 2}, {5, 1030, 2}};
  on_each_isa([&](int isa) {
    for (const auto &e : extents)
      for (const int32_t variant : kVariants)
        for (const int32_t axis : {GPUOPT_EACH_ROW, GPUOPT_EACH_COL, GPUOPT_ALL})
          for (const int32_t type : {GPUOPT_F32, GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16}) {
            /* Several partial results an output: the joining is the same for all types and sums. */
            const bool large = e[0] * e[1] > 20000;
            if (large && (type != GPUOPT_F32 || isa != best_isa())) continue;
            if (large && variant != GPUOPT_REDUCE_SUM && variant != GPUOPT_REDUCE_DOT &&
                variant != GPUOPT_REDUCE_ARGMIN)
              continue;
            check_reduce(variant, axis, type, e[0], e[1], e[2], e[0] == 7 && type != GPUOPT_F16, isa);
          }
  });
}

TEST_CASE("reduce_cpu_blocked: nothing to reduce, and a sum past 2^24") {
  Matrix x(3, 0, GPUOPT_F32), out(3, 1, GPUOPT_F32);
  gpuopt_problem q = problem(GPUOPT_OP_REDUCE, 3, 0, 0);
  q.axis = GPUOPT_EACH_ROW;
  q.operand[GPUOPT_OPERAND_X] = x.use();
  q.operand[GPUOPT_OPERAND_OUT] = out.use();
  q.variant = GPUOPT_REDUCE_SUM;
  run(gpuopt_kernels_reduce_cpu_blocked, q, 0, 1);
  CHECK(load_at(out.view(), 2, 0, 0) == 0);
  q.variant = GPUOPT_REDUCE_MEAN;
  run(gpuopt_kernels_reduce_cpu_blocked, q, 0, 1);
  CHECK(std::isnan(load_at(out.view(), 2, 0, 0)));

  const int64_t count = (int64_t(1) << 24) + 4096;
  std::vector<float> ones(size_t(count), 1.0f);
  q.m = 1;
  q.n = count;
  q.operand[GPUOPT_OPERAND_X] = normal_form::operand(gpuopt_mat(ones.data(), 1, count, GPUOPT_F32));
  q.variant = GPUOPT_REDUCE_SUM;
  q.axis = GPUOPT_ALL;
  run(gpuopt_kernels_reduce_cpu_blocked, q, best_isa(), 2);
  CHECK(load_at(out.view(), 0, 0, 0) == double(count));
}

TEST_CASE("fused_act_cpu_blocked: each stage over the whole range") {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<double> points = {0.0,    -0.0,    inf,   -inf, std::nan(""), 1e-42, -1e-42, 1e-30,
                                3.4e38, -3.4e38, 88.72, 89,   -87.5,        -103,  -104.5, 1};
  for (double v = -20; v < 20; v += 0.0137) points.push_back(float(v));
  for (double v = 1e-6; v < 1e6; v *= 1.37) points.insert(points.end(), {float(v), float(-v)});
  const int64_t count = int64_t(points.size());
  Matrix x(1, count, GPUOPT_F32), a(1, count, GPUOPT_F32), out(1, count, GPUOPT_F32);
  for (int64_t i = 0; i < count; ++i) store_at(x.view(), 0, i, 0, points[size_t(i)]);
  for (int64_t i = 0; i < count; ++i) store_at(a.view(), 0, i, 0, i < 16 ? 1.5 : points[size_t(count - 1 - (i - 16))]);
  on_each_isa([&](int isa) {
    for (int32_t kind = GPUOPT_STAGE_RELU; kind <= GPUOPT_STAGE_SILU_GRAD; ++kind) {
      CAPTURE(kind);
      if (kind == GPUOPT_STAGE_ADD_OUTER || kind == GPUOPT_STAGE_STORE) continue;
      if (kind >= GPUOPT_STAGE_ADD && kind <= GPUOPT_STAGE_MUL)
        check_chain({stage_with(kind, GPUOPT_MATRIX, -1.5, a.use())}, x, out, 1, 4e-7, isa);
      else if (kind > GPUOPT_STAGE_MUL)
        check_chain({stage_with(kind, 0, 0, a.use())}, x, out, 1, 1e-6, isa);
      else
        check_chain({stage(kind, kind == GPUOPT_STAGE_CLAMP ? -0.75 : 0.3, 2.5)}, x, out, 1, 1e-6, isa);
    }
  });
}

TEST_CASE("fused_act_cpu_blocked: operands of every form, layouts, types, shapes") {
  const int64_t extents[][2] = {{1, 1}, {300, 3}, {37, 129}, {5, 1700}, {70, 513}};
  on_each_isa([&](int isa) {
    for (const auto &e : extents)
      for (int mode = 0; mode < 4; ++mode) {
        const int64_t rows = e[0], cols = e[1], batch = 2;
        const int32_t types[] = {GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16, GPUOPT_F32};
        CAPTURE(rows);
        CAPTURE(cols);
        CAPTURE(mode);
        Matrix x(rows, cols, types[mode], mode & 1, mode, batch),
            out(rows, cols, types[3 - mode], GPUOPT_ROW, mode, batch);
        Matrix down(rows, 1, GPUOPT_F32, GPUOPT_ROW, mode, 1, true),
            along(cols, 1, types[mode], GPUOPT_ROW, mode, 1, true);
        Matrix full(rows, cols, mode == 2 ? GPUOPT_I8 : types[mode], 1 - (mode & 1), 1, batch);
        Matrix saved(rows, cols, GPUOPT_F64, mode >> 1, 1, batch);
        x.randomize(1, 1, batch);
        down.randomize(2);
        along.randomize(3);
        full.randomize(4, 3, batch);
        gpuopt_problem_stage outer = stage_with(GPUOPT_STAGE_ADD_OUTER, 0, 0.5, down.use());
        outer.b = along.use();
        check_chain({stage_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, 1, along.use()),
                     stage_with(GPUOPT_STAGE_MUL, GPUOPT_PER_ROW, -2, down.use()), outer, stage(GPUOPT_STAGE_GELU),
                     stage_with(GPUOPT_STAGE_STORE, 0, 0, saved.use()),
                     stage_with(GPUOPT_STAGE_SUB, GPUOPT_MATRIX, 0.25, full.use()), stage(GPUOPT_STAGE_MUL, 1.25),
                     stage_with(GPUOPT_STAGE_RELU_GRAD, 0, 0, full.use())},
                    x, out, batch, 2e-6, isa);
      }
  });
}

TEST_CASE("fused_act_cpu_blocked: in place, and streamed past the caches") {
  on_each_isa([&](int isa) {
    Matrix x(50, 70, GPUOPT_F32), y(2101, 1021, GPUOPT_F32), out(2101, 1021, GPUOPT_F32);
    x.randomize(1);
    const std::vector<unsigned char> original = x.bytes;
    gpuopt_problem q = problem(GPUOPT_OP_FUSED_ACT, 50, 70, 0);
    q.compute = GPUOPT_COMPUTE_F32;
    q.operand[GPUOPT_OPERAND_X] = q.operand[GPUOPT_OPERAND_OUT] = x.use();
    q.stage[0] = stage(GPUOPT_STAGE_SQUARE);
    q.stage[1] = stage_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, 1, x.use());
    q.stage_count = 2;
    run(gpuopt_kernels_fused_act_cpu_blocked, q, isa, 2);
    double worst = 0;
    for (int64_t i = 0; i < 50 * 70; ++i) {
      const double v = load(original.data(), GPUOPT_F32, i);
      note(&worst, std::fabs(load(x.bytes.data(), GPUOPT_F32, i) - (v * v + v)));
    }
    CHECK(worst <= 1e-5);

    y.randomize(2);
    check_chain({stage(GPUOPT_STAGE_ADD, 0.5), stage(GPUOPT_STAGE_RELU)}, y, out, 1, 0, isa);
  });
}
