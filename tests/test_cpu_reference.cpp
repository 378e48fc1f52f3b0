/* The transpose and fused_act references, below the API: problems filled by hand, results worked out by hand
 * or by an independent formula. */
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "normal_form.h"

extern "C" const gpuopt_kernel_span gpuopt_kernels_gemm_cpu_reference, gpuopt_kernels_transpose_cpu_reference,
    gpuopt_kernels_reduce_cpu_reference, gpuopt_kernels_fused_act_cpu_reference;

using namespace normal_form;
using gpuopt::cpu::load;

namespace {

const double kNaN = std::nan("");

void transpose(const gpuopt_problem &p) { REQUIRE(launch(gpuopt_kernels_transpose_cpu_reference, p) == GPUOPT_OK); }
void fused_act(const gpuopt_problem &p) { REQUIRE(launch(gpuopt_kernels_fused_act_cpu_reference, p) == GPUOPT_OK); }

}  // namespace

TEST_CASE("reference descriptors: one a file, on the host, finite and slow") {
  for (const gpuopt_kernel_span *span :
       {&gpuopt_kernels_gemm_cpu_reference, &gpuopt_kernels_transpose_cpu_reference,
        &gpuopt_kernels_reduce_cpu_reference, &gpuopt_kernels_fused_act_cpu_reference}) {
    REQUIRE(span->count == 1);
    const gpuopt_kernel &kernel = span->kernels[0];
    CAPTURE(kernel.name);
    CHECK(kernel.flags == GPUOPT_KERNEL_HOST);
    CHECK(!kernel.can_run);
    for (const int64_t extent : {int64_t(0), int64_t(1), int64_t(100000)}) {
      const gpuopt_problem p = problem(kernel.op, extent, extent, extent);
      const double us = kernel.predict_us(&p);
      CHECK(us >= 1000);
      CHECK(std::isfinite(us));
    }
  }
}

TEST_CASE("transpose: every element size, padded, batched, copied, in place") {
  const int32_t dtypes[] = {GPUOPT_I8, GPUOPT_BF16, GPUOPT_F32, GPUOPT_I64, GPUOPT_B128};
  const size_t sizes[] = {1, 2, 4, 8, 16};
  for (int t = 0; t < 5; ++t) {
    const size_t size = sizes[t];
    CAPTURE(size);
    const int64_t rows = 3, cols = 5, src_ld = 6, dst_ld = 4, batch = 2;
    std::vector<uint8_t> src(size_t(batch * rows * src_ld) * size), dst(size_t(batch * cols * dst_ld) * size, 0xee);
    for (size_t i = 0; i < src.size(); ++i) src[i] = uint8_t(i * 37 + 11);
    gpuopt_problem p = problem(GPUOPT_OP_TRANSPOSE, rows, cols, 0);
    p.batch = batch;
    p.operand[0] = operand(gpuopt_mat_ld(src.data(), rows, cols, src_ld, dtypes[t]));
    p.operand[1] = operand(gpuopt_mat_ld(dst.data(), cols, rows, dst_ld, dtypes[t]));
    transpose(p);
    bool right = true;
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < dst_ld; ++i) {
          const uint8_t *to = &dst[size_t((b * cols + j) * dst_ld + i) * size];
          const std::vector<uint8_t> untouched(size, 0xee);
          const uint8_t *from = i < rows ? &src[size_t((b * rows + i) * src_ld + j) * size] : untouched.data();
          right = right && memcmp(to, from, size) == 0;
        }
    CHECK(right);
    std::vector<uint8_t> back(src.size(), 0xee);
    p.features = GPUOPT_FEATURE_COPY | GPUOPT_FEATURE_BATCH;
    p.operand[1] = operand(gpuopt_mat_ld(back.data(), rows, cols, src_ld, dtypes[t]));
    transpose(p);
    right = true;
    for (size_t i = 0; i < src.size(); ++i)
      right = right && back[i] == (int64_t(i / size) % src_ld < cols ? src[i] : 0xee);
    CHECK(right);
  }
  std::vector<float> square = {1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1};
  gpuopt_problem p = problem(GPUOPT_OP_TRANSPOSE, 3, 3, 0);
  p.features = GPUOPT_FEATURE_IN_PLACE;
  p.operand[0] = p.operand[1] = operand(gpuopt_mat_ld(square.data(), 3, 3, 4, GPUOPT_F32));
  transpose(p);
  CHECK(square == std::vector<float>{1, 4, 7, -1, 2, 5, 8, -1, 3, 6, 9, -1});
}

TEST_CASE("fused_act: every stage kind against its formula") {
  const std::vector<double> xs = {-6.5, -2.25, -1, -0.3, -0.0, 0.0, 1e-3, 0.5, 1, 2.75, 7, kNaN};
  const int64_t n = int64_t(xs.size());
  std::vector<double> saved(xs.size()), out(xs.size());
  for (size_t i = 0; i < xs.size(); ++i) saved[i] = 1.5 - 0.35 * double(i);
  const double row = 3;
  const auto sigmoid = [](long double x) { return 1 / (1 + std::exp(-x)); };
  const auto gelu = [](long double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0L))); };
  const auto derivative = [](auto f, long double a) { return (f(a + 1e-6L) - f(a - 1e-6L)) / 2e-6L; };
  const auto silu = [&](long double x) { return x * sigmoid(x); };
  const auto expected = [&](int32_t kind, long double x, long double a) -> long double {
    switch (kind) {
      case GPUOPT_STAGE_RELU:
        return std::isnan(x) ? x : std::fmax(x, 0.0L);
      case GPUOPT_STAGE_LEAKY_RELU:
        return x < 0 ? 0.25L * x : x;
      case GPUOPT_STAGE_GELU:
        return gelu(x);
      case GPUOPT_STAGE_GELU_TANH:
        return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * std::pow(x, 3))));
      case GPUOPT_STAGE_SILU:
        return silu(x);
      case GPUOPT_STAGE_SIGMOID:
        return sigmoid(x);
      case GPUOPT_STAGE_TANH:
        return std::tanh(x);
      case GPUOPT_STAGE_CLAMP:
        return std::isnan(x) ? x : std::fmin(std::fmax(x, 0.25L), 2.0L);
      case GPUOPT_STAGE_EXP:
        return std::exp(x);
      case GPUOPT_STAGE_LOG:
        return std::log(x);
      case GPUOPT_STAGE_SQRT:
        return std::sqrt(x);
      case GPUOPT_STAGE_SQUARE:
        return std::pow(x, 2);
      case GPUOPT_STAGE_ABS:
        return std::fabs(x);
      case GPUOPT_STAGE_NEG:
        return 0 - x;
      case GPUOPT_STAGE_RECIPROCAL:
        return std::pow(x, -1);
      case GPUOPT_STAGE_STEP:
        return x > 0;
      case GPUOPT_STAGE_ADD:
        return x + 0.25L * a;
      case GPUOPT_STAGE_SUB:
        return x - 0.25L * a;
      case GPUOPT_STAGE_MUL:
        return x * 0.25L * a;
      case GPUOPT_STAGE_ADD_OUTER:
        return x + 0.25L * row * a;
      case GPUOPT_STAGE_STORE:
        return x;
      case GPUOPT_STAGE_RELU_GRAD:
        return a > 0 ? x : 0;
      case GPUOPT_STAGE_GELU_GRAD:
        return x * derivative(gelu, a);
      case GPUOPT_STAGE_SILU_GRAD:
        return x * derivative(silu, a);
    }
    FAIL("a stage kind without a formula here: ", kind);
    return 0;
  };
  const auto check = [&](int32_t kind, int32_t form, int32_t saved_dtype) {
    CAPTURE(kind);
    CAPTURE(form);
    const std::vector<uint64_t> a = array(saved_dtype, n, [&](int64_t i) { return saved[size_t(i)]; });
    std::vector<uint64_t> aside = a; /* STORE writes its operand */
    gpuopt_problem p = problem(GPUOPT_OP_FUSED_ACT, 1, n, 0);
    p.operand[0] = operand(gpuopt_mat(xs.data(), 1, n, GPUOPT_F64));
    p.operand[2] = operand(gpuopt_mat(out.data(), 1, n, GPUOPT_F64));
    p.stage[0] = stage_with(kind, form, 0.25, operand(gpuopt_mat(aside.data(), 1, n, saved_dtype)));
    p.stage[0].value[1] = 2;
    if (form == GPUOPT_PER_COL) p.stage[0].a = column(aside.data(), n, saved_dtype);
    if (form == GPUOPT_PER_ROW) p.stage[0].a = column(&row, 1, GPUOPT_F64);
    if (kind == GPUOPT_STAGE_ADD_OUTER) {
      p.stage[0].a = column(&row, 1, GPUOPT_F64);
      p.stage[0].b = column(aside.data(), n, saved_dtype);
    }
    p.stage_count = 1;
    fused_act(p);
    for (int64_t i = 0; i < n; ++i) {
      const double x = xs[size_t(i)];
      const double v = form == GPUOPT_PER_ROW ? row
                       : form == GPUOPT_SCALAR && kind >= GPUOPT_STAGE_ADD && kind <= GPUOPT_STAGE_MUL
                           ? 1
                           : load(a.data(), saved_dtype, i);
      const double want = double(expected(kind, x, v));
      CAPTURE(x);
      if (std::isfinite(want))
        CHECK(out[size_t(i)] ==
              doctest::Approx(want).epsilon(1e-9).scale(kind >= GPUOPT_STAGE_GELU_GRAD ? 1e-3 : 1e-6));
      else
        CHECK(same(std::fabs(out[size_t(i)]), std::fabs(want)));
      if (kind == GPUOPT_STAGE_STORE) CHECK(same(load(aside.data(), saved_dtype, i), double(float(x))));
    }
  };
#define GPUOPT_X_(name, value, operands, scalars, what) check(value, 0, GPUOPT_F32);
  GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  for (const int32_t kind : {GPUOPT_STAGE_ADD, GPUOPT_STAGE_SUB, GPUOPT_STAGE_MUL})
    for (const int32_t form : {GPUOPT_PER_ROW, GPUOPT_PER_COL, GPUOPT_MATRIX})
      for (const int32_t dtype : {GPUOPT_F16, GPUOPT_E4M3, GPUOPT_I8, GPUOPT_F64}) check(kind, form, dtype);
}

TEST_CASE("fused_act: layouts, batch, broadcasts, STORE, and out being x") {
  std::vector<float> x = {-1, 2, 3, -4, 5, 6, 10, -20, 30, 40, -50, 60}; /* two 2 x 3 matrices */
  const std::vector<float> input = x;
  std::vector<uint8_t> aside(12, 99);
  const float u[] = {100, 200}, v[] = {1, 2, 3, 4, 5, 6}; /* u is shared, v is one 3-vector a matrix */
  gpuopt_problem p = problem(GPUOPT_OP_FUSED_ACT, 2, 3, 0);
  p.batch = 2;
  p.operand[0] = p.operand[2] = operand(gpuopt_mat(x.data(), 2, 3, GPUOPT_F32));
  gpuopt_matrix aside_m = gpuopt_mat(aside.data(), 2, 3, GPUOPT_I8);
  aside_m.layout = GPUOPT_COL;
  p.stage[0] = stage(GPUOPT_STAGE_RELU);
  p.stage[1] = stage_with(GPUOPT_STAGE_STORE, 0, 0, operand(aside_m));
  p.stage[2] = stage_with(GPUOPT_STAGE_ADD, GPUOPT_PER_ROW, 2, column(u, 2, GPUOPT_F32));
  p.stage[2].a.m.batch_stride = 0;
  p.stage[3] = stage_with(GPUOPT_STAGE_SUB, GPUOPT_PER_COL, 1, column(v, 3, GPUOPT_F32));
  p.stage_count = 4;
  fused_act(p);
  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j) {
        const float relu = std::fmax(input[size_t(b * 6 + i * 3 + j)], 0.0f);
        CHECK(int(aside[size_t(b * 6 + j * 2 + i)]) == int(relu));
        CHECK(x[size_t(b * 6 + i * 3 + j)] == relu + 2 * u[i] - v[b * 3 + j]);
      }
  const float wide[] = {-3.5f, 300, 2.5f, NAN};
  std::vector<uint8_t> narrow(4);
  p = problem(GPUOPT_OP_FUSED_ACT, 2, 2, 0);
  gpuopt_matrix wide_m = gpuopt_mat(wide, 2, 2, GPUOPT_F32);
  wide_m.layout = GPUOPT_COL;
  p.operand[0] = operand(wide_m);
  p.operand[2] = operand(gpuopt_mat(narrow.data(), 2, 2, GPUOPT_U8));
  fused_act(p);
  CHECK(narrow == std::vector<uint8_t>{0, 2, 255, 0}); /* no stages: conversion alone */
}
