#include "truth.h"

#include <algorithm>
#include <cmath>

#include "error_class.h"
#include "truth_ops.h"
#include "values.h"

namespace gpuopt_check {

Arithmetic chain_arithmetic(const Problem &p) {
  return chain_compute(p) == GPUOPT_COMPUTE_F64 ? arithmetic_f64() : arithmetic_f32();
}

ChainTruth::ChainTruth(const Problem &problem, Truth *truth)
    : problem_(problem), truth_(truth), arithmetic_(chain_arithmetic(problem)) {
  for (const Stage &s : problem.stages) {
    gpuopt_stage stage = gpuopt_act(s.kind, s.value[0], s.value[1]);
    stage.form = s.form;
    stages_.push_back(stage);
  }
}

void ChainTruth::apply(Range x, int64_t p, int64_t i, int64_t j, double output_scale) const {
  const auto is_column = [](const Stage &s) { return s.form == GPUOPT_PER_ROW || s.kind == GPUOPT_STAGE_ADD_OUTER; };
  size_t output = 1;
  for (size_t k = 0; k < stages_.size(); ++k) {
    const Stage &s = problem_.stages[k];
    if (s.kind == GPUOPT_STAGE_STORE) {
      truth_->outputs[output++].ranges.push_back(x);
      continue;
    }
    double a = 0, b = 0;
    if (s.a.present()) a = problem_.decoded(s.a, p, s.form == GPUOPT_PER_COL ? 0 : i, is_column(s) ? 0 : j);
    if (s.b.present()) b = problem_.decoded(s.b, p, 0, j);
    x = apply_stage(arithmetic_, stages_[k], x, a, b);
  }
  if (output_scale != 1) x = widened(times(x, output_scale, output_scale), 2 * arithmetic_.unit, 0, arithmetic_);
  truth_->outputs[0].ranges.push_back(x);
}

void add_outputs(const Problem &p, int result, Truth *truth) {
  Output out;
  out.tensor = &p.t[result];
  truth->outputs.push_back(out);
  for (const Stage &s : p.stages)
    if (s.kind == GPUOPT_STAGE_STORE) {
      out.tensor = &s.a;
      truth->outputs.push_back(out);
    }
}

std::vector<int64_t> sampled_rows(int64_t m, double steps, double max_steps) {
  std::vector<int64_t> rows;
  const double share = steps > max_steps ? max_steps / steps : 1;
  const int64_t count = share < 1 ? std::max<int64_t>(std::min<int64_t>(m, 8), int64_t(double(m) * share)) : m;
  // The first and last rows hold the edges of tiles; the others are spread evenly.
  for (int64_t r = 0; r < count; ++r) rows.push_back(count == m || count < 2 ? r : r * (m - 1) / (count - 1));
  return rows;
}

namespace {

std::vector<double> gathered(const Problem &p, const Tensor &t, int64_t matrix, bool by_column) {
  std::vector<double> v;
  v.reserve(size_t(t.rows * t.cols));
  const int64_t lines = by_column ? t.cols : t.rows, length = by_column ? t.rows : t.cols;
  for (int64_t l = 0; l < lines; ++l)
    for (int64_t e = 0; e < length; ++e) v.push_back(by_column ? p.scaled(t, matrix, e, l) : p.scaled(t, matrix, l, e));
  return v;
}

Sum dot(const double *a, const double *b, int64_t k) {
  // The squares of doubles, too, have room in a long double.
  long double value = 0, squares = 0;
  double magnitude = 0;
  for (int64_t i = 0; i < k; ++i) {
    const long double term = static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
    value += term;
    magnitude += std::fabs(a[i] * b[i]);
    squares += term * term;
  }
  return {double(value), magnitude, double(std::sqrt(squares))};
}

// alpha * sum + beta * c, before the stages.
Range scaled_sum(const Problem &p, int32_t compute, int64_t k, const Sum &sum, double scales, bool reads_c, double c,
                 const Arithmetic &t) {
  const double product = p.alpha * scales * sum.value, addend = reads_c ? p.beta * c : 0;
  const double x = product + addend;
  if (!std::isfinite(x)) {
    Range r = exactly(x);
    // Splitting an infinite operand gives inf - inf.
    if (compute == GPUOPT_COMPUTE_F32_TENSOR && !std::isfinite(sum.value)) r.nan = true;
    return r;
  }
  const double unit = compute == GPUOPT_COMPUTE_F16 ? 0x1p-11 : t.unit;  // sums in fp16 may be scaled in fp16
  double error = std::fabs(p.alpha * scales) * gemm_error(compute, is_fp8(p.t[0].dtype), k, sum) +
                 unit * (6 * std::fabs(product) + 3 * std::fabs(addend) + std::fabs(x));
  // Small results of integer products without rounding stay exact.
  const bool plain = compute == GPUOPT_COMPUTE_I32 && std::nearbyint(p.alpha) == p.alpha &&
                     (!reads_c || p.beta * c == std::nearbyint(p.beta * c));
  if (plain && std::fabs(x) < 0x1p52) error = 0;
  Range r = around(x, error);
  if (error != 0) r = widened(r, 0, 0, t);
  if (p.flags & GPUOPT_ALLOW_INTERMEDIATE_ROUNDING && !p.stages.empty()) {  // of a two-step kernel, to D's type
    r.lo = std::fmin(r.lo, round_to(p.t[3].dtype, r.lo));
    r.hi = std::fmax(r.hi, round_to(p.t[3].dtype, r.hi));
  }
  return r;
}

void gemm_truth(const Problem &p, double max_steps, Truth *truth) {
  const Tensor &a = p.t[0], &b = p.t[1], &c = p.t[2], &d = p.t[3];
  add_outputs(p, GPUOPT_OPERAND_D, truth);
  const int64_t n = d.cols, k = a.cols;
  // Then A is the same for all of the batch.
  const bool grouped = p.op == GPUOPT_OP_GEMM_GROUPED && p.list == List::none;
  // An element is scaled and goes through the chain, whatever its sum is of.
  truth->rows = sampled_rows(
      d.rows, double(d.rows) * double(n) * (double(k) + kStepsOfElement) * double(grouped ? 1 : p.batch), max_steps);
  const int32_t compute = gemm_compute(p);
  const bool reads_c = c.present() && p.beta != 0;
  const double scales = a.scale * b.scale;
  const ChainTruth chain(p, truth);
  std::vector<double> left;
  for (int64_t m = 0; m < p.batch; ++m) {
    if (!grouped || m == 0) left = gathered(p, a, m, false);
    const std::vector<double> right = gathered(p, b, m, true);
    for (int64_t i : truth->rows)
      for (int64_t j = 0; j < n && p.has(m, i, j); ++j) {
        const Sum sum = dot(left.data() + i * k, right.data() + j * k, p.inner(m));
        const double cij = reads_c ? p.decoded(c, m, i, j) : 0;
        chain.apply(scaled_sum(p, compute, p.inner(m), sum, scales, reads_c, cij, chain.arithmetic()), m, i, j,
                    d.scale);
      }
  }
}

void fused_act_truth(const Problem &p, double max_steps, Truth *truth) {
  add_outputs(p, GPUOPT_OPERAND_OUT, truth);
  truth->rows =
      sampled_rows(p.rows(), kStepsOfElement * double(p.rows()) * double(p.cols()) * double(p.batch), max_steps);
  const ChainTruth chain(p, truth);
  for (int64_t m = 0; m < p.batch; ++m)
    for (int64_t i : truth->rows)
      for (int64_t j = 0; j < p.cols(); ++j) chain.apply(exactly(p.decoded(p.t[0], m, i, j)), m, i, j, 1);
}

}  // namespace

Truth find_truth(const Problem &p, double max_steps) {
  Truth truth;
  if (is_product(p.op)) gemm_truth(p, max_steps, &truth);
  if (p.op == GPUOPT_OP_FUSED_ACT) fused_act_truth(p, max_steps, &truth);
  if (p.op == GPUOPT_OP_REDUCE) reduce_truth(p, max_steps, &truth);
  if (p.op == GPUOPT_OP_NORM) norm_truth(p, max_steps, &truth);
  return truth;
}

}  // namespace gpuopt_check
