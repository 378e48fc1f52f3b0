/* norm_cpu_blocked: rows in fp32 by segments that stay in the first-level cache, vectorised, on all threads.
 *
 * Idea: a row is walked as often as its formula says, 512 elements at a time: converted to fp32 with the residual
 * added, then the passes of the stage machinery do the arithmetic (subtract, exp, multiply by gamma). A row of some
 * hundred kilobytes is read from memory once and from the second-level cache after that. Sums are kept in double.
 *
 * The mean of a layer norm is known in double: what rounding it to fp32 takes away is subtracted too where it matters, so a
 * row far from 0 loses nothing. A row that spreads so far that its rstd has lost its digits is scaled by a power of two.
 *
 * Needs: a norm computed in fp32; any float types, layouts and stages.
 * Measured: not yet measured.
 */
#include <cmath>

#include "common/chain.h"
#include "common/host_kernel.h"
#include "common/isa/float_chain.h"
#include "common/isa/reduce.h"
#include "common/tasks.h"
#include "common/thread_pool.h"
#include "common/views.h"
#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {
namespace {

constexpr int64_t kTaskElements = 32768;
constexpr int kLanes = 16;

int threads_for(const gpuopt_problem &q) { return cpu::threads_for(q, elements_of(q) / double(kTaskElements)); }

float greatest_of(const float *x, int64_t count, float greatest) {
  float lane[kLanes];
  for (float &m : lane) m = greatest;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int k = 0; k < kLanes; ++k) lane[k] = x[i + k] > lane[k] || x[i + k] != x[i + k] ? x[i + k] : lane[k];
  for (; i < count; ++i) lane[0] = x[i] > lane[0] || x[i] != x[i] ? x[i] : lane[0];
  for (const float m : lane) greatest = m > greatest || m != m ? m : greatest;
  return greatest;
}

class RowNorm {
 public:
  RowNorm(const gpuopt_problem &problem, const FloatChain &chain, const ReduceFunctions<float> &sums, int64_t p,
          int64_t i)
      : q_(problem), chain_(chain), sums_(sums), p_(p), i_(i) {}

  void run() {
    if (q_.variant == GPUOPT_NORM_SOFTMAX || q_.variant == GPUOPT_NORM_LOG_SOFTMAX)
      find_softmax();
    else
      find_moments();
    const gpuopt_operand &statistics = q_.extra[GPUOPT_OPERAND_STATISTICS - 4];
    if (statistics.m.dtype) {
      store_at(view_of(statistics), i_, 0, p_, double(first_));
      store_at(view_of(statistics), i_, 1, p_, double(second_));
    }
    each_segment([this](const Block &block, float *h) {
      const gpuopt_operand &sum = q_.operand[GPUOPT_OPERAND_SUM];
      if (sum.m.dtype) chain_.store(sum, block, h, false);
      normalise(block, h);
      chain_.run(block, h);
      chain_.store(q_.operand[GPUOPT_OPERAND_OUT], block, h, false);
    });
  }

 private:
  template <class F>
  void each_segment(F &&f) {
    alignas(64) float h[kSegment];
    float other[kSegment];
    for (int64_t j = 0; j < q_.n; j += kSegment) {
      const Block block = {p_, i_, 1, j, least(kSegment, q_.n - j)};
      const float *from = chain_.load(q_.operand[GPUOPT_OPERAND_X], block, h);
      if (from != h) memcpy(h, from, size_t(block.cols) * sizeof(float));
      if (q_.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype) {
        const StageStep add = {
            GPUOPT_STAGE_ADD, {1, 0}, chain_.load(q_.operand[GPUOPT_OPERAND_RESIDUAL], block, other)};
        chain_.stages->run(h, block.cols, &add, 1);
      }
      f(block, h);
    }
  }

  double sum_of(ReduceTerm term, const float *h, int64_t count) const { return sums_.sum(term, h, nullptr, count); }

  void find_moments() {
    const double n = double(q_.n);
    double mean = 0, squares = 0;
    if (q_.variant == GPUOPT_NORM_LAYERNORM) {
      each_segment([&](const Block &block, const float *h) { mean += sum_of(kTermValue, h, block.cols); });
      mean /= n;
    }
    each_segment([&](const Block &block, const float *h) { squares += sums_.squares_from(h, mean, block.cols); });
    const double rstd = 1 / std::sqrt(squares / n + q_.eps);
    first_ = float(mean);
    second_ = float(rstd);
    if (rstd < 0x1p-100) scale_ = 0x1p-64f;
    factor_ = float(rstd / double(scale_));
    const double low = mean - double(first_);
    low_ = std::fabs(low) * rstd > 0x1p-25 ? float(low * double(scale_)) : 0;
  }

  void find_softmax() {
    first_ = -HUGE_VALF;
    each_segment([this](const Block &block, const float *h) { first_ = greatest_of(h, block.cols, first_); });
    double sum = 0;
    each_segment([&](const Block &block, float *h) {
      const StageStep steps[] = {{GPUOPT_STAGE_SUB, {first_, 0}, nullptr}, {GPUOPT_STAGE_EXP, {0, 0}, nullptr}};
      chain_.stages->run(h, block.cols, steps, 2);
      sum += sum_of(kTermValue, h, block.cols);
    });
    second_ = float(sum);
  }

  const float *weights(const gpuopt_operand &operand, const Block &block, float *buffer) const {
    const View view = view_of(operand);
    for (int64_t j = 0; j < block.cols; ++j) buffer[j] = float(load_at(view, block.j + j, 0, p_));
    return buffer;
  }

  void normalise(const Block &block, float *h) const {
    float gammas[kSegment], betas[kSegment];
    StageStep steps[6];
    int count = 0;
    if (scale_ != 1) steps[count++] = {GPUOPT_STAGE_MUL, {scale_, 0}, nullptr};
    if (first_ != 0) steps[count++] = {GPUOPT_STAGE_SUB, {first_ * scale_, 0}, nullptr};
    if (q_.variant == GPUOPT_NORM_LOG_SOFTMAX) {
      steps[count++] = {GPUOPT_STAGE_SUB, {std::log(second_), 0}, nullptr};
    } else if (q_.variant == GPUOPT_NORM_SOFTMAX) {
      steps[count++] = {GPUOPT_STAGE_EXP, {0, 0}, nullptr};
      steps[count++] = {GPUOPT_STAGE_MUL, {1 / second_, 0}, nullptr};
    } else {
      const gpuopt_operand &gamma = q_.extra[GPUOPT_OPERAND_GAMMA - 4], &beta = q_.extra[GPUOPT_OPERAND_BETA - 4];
      if (low_ != 0) steps[count++] = {GPUOPT_STAGE_SUB, {low_, 0}, nullptr};
      steps[count++] = {GPUOPT_STAGE_MUL, {factor_, 0}, nullptr};
      if (gamma.m.dtype) steps[count++] = {GPUOPT_STAGE_MUL, {1, 0}, weights(gamma, block, gammas)};
      if (beta.m.dtype) steps[count++] = {GPUOPT_STAGE_ADD, {1, 0}, weights(beta, block, betas)};
    }
    chain_.stages->run(h, block.cols, steps, count);
  }

  const gpuopt_problem &q_;
  const FloatChain &chain_;
  const ReduceFunctions<float> &sums_;
  int64_t p_, i_;
  float first_ = 0, second_ = 0;           /* the row's statistics */
  float low_ = 0, scale_ = 1, factor_ = 1; /* mean: first_ + low_ / scale_; rstd: factor_ * scale_ */
};

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *) {
  const gpuopt_problem &q = *problem;
  const FloatChain chain = float_chain(q, host_facts(q).isa);
  const ReduceFunctions<float> &sums = reduce_isa(host_facts(q).isa).f32;
  const int64_t rows = q.m * q.batch, task_rows = least(rows, 1 + kTaskElements / q.n);
  auto work = [&](int64_t index, int) {
    for (int64_t row = index * task_rows; row < least(rows, (index + 1) * task_rows); ++row)
      RowNorm(q, chain, sums, row / q.m, row % q.m).run();
  };
  parallel_for(threads_for(q), ceil_div(rows, task_rows), work);
  return GPUOPT_OK;
}

double predict_us(const gpuopt_problem *problem) {
  const HostFacts host = host_facts(*problem);
  const double elements = elements_of(*problem);
  const bool softmax = problem->variant == GPUOPT_NORM_SOFTMAX || problem->variant == GPUOPT_NORM_LOG_SOFTMAX;
  const double ns = (softmax ? 2.0 : 1.0) * (host.isa >= 2   ? 1
                                             : host.isa == 1 ? 1.5
                                                             : 2.5) +
                    0.5 * problem->stage_count;
  return 0.5 + elements * ns * 1e-3 / threads_for(*problem);
}

constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32}};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = host_kernel(GPUOPT_OP_NORM, "norm_cpu_blocked",
                                     "CPU: fp32 rows by segments in the first-level cache, vectorised, threaded",
                                     kSignatures, predict_us, launch);
  accept_all_stages(kernel);
  kernel.variants = kAllNorms;
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
