// norm_linear: y = stages(norm(x) * W + b), LayerNorm or RMSNorm and the linear layer behind it, as one product on x
// itself. With W' = diag(gamma) * W, s = the column sums of W', b' = b + beta * W,
//
//     y(i, j) = rstd(i) * ((x * W')(i, j) - mean(i) * s(j)) + b'(j)
//
// so the normalised matrix is neither written nor read again: ADD_OUTER, MUL and ADD in the product's epilogue make
// up for it. RMSNorm is the same without the mean. docs/fused.md has the error.
#ifndef NORM_LINEAR_HPP
#define NORM_LINEAR_HPP

#include <gpuopt/gpuopt.hpp>

// What a norm and a linear layer have beside the weight. gamma and beta are 1 x k, bias is 1 x n, of any type that a
// stage takes; one without data is absent.
struct norm_linear_parameters {
  gpuopt_matrix gamma = GPUOPT_MATRIX_INIT, beta = GPUOPT_MATRIX_INIT, bias = GPUOPT_MATRIX_INIT;
  double eps = 1e-5;
};

// T is the type of x and of the weight: float, or one of 16 bits. Keeps its own copy of the weight, and uses the
// handle, which must outlive it.
template <class T>
class norm_linear {
 public:
  using parameters = norm_linear_parameters;

  // The preparation, once for a weight (k x n): everything but x.
  norm_linear(gpuopt::handle &h, std::int32_t norm, gpuopt::matrix<const T> weight, const parameters &p)
      : h_(h), norm_(norm), k_(weight.rows()), n_(weight.cols()), eps_(p.eps), weight_(h, elements(k_, n_)) {
    using namespace gpuopt;
    if (norm != GPUOPT_NORM_LAYERNORM && norm != GPUOPT_NORM_RMSNORM)
      throw error(GPUOPT_INVALID_ARGUMENT, "norm_linear: norm must be LAYERNORM or RMSNORM");
    stages fold;
    if (p.gamma.data) fold.push_back(mul(per_row(gpuopt_t(p.gamma))));
    h.fused_act(weight, weight_.view(k_, n_), fold);
    if (norm == GPUOPT_NORM_LAYERNORM) {
      // Of W' as it was rounded: what is subtracted is then what the product has added.
      column_sums_.emplace_back(h, elements(1, n_));
      h.reduce(GPUOPT_REDUCE_SUM, GPUOPT_EACH_COL, weight_.view(k_, n_), column_sums_[0].view(1, n_));
    }
    if (!p.beta.data && !p.bias.data) return;
    shift_.emplace_back(h, elements(1, n_));
    const auto shift = shift_[0].view(1, n_);
    if (p.beta.data) {
      buffer<float> scaled(h, elements(k_, n_));
      h.fused_act(weight, scaled.view(k_, n_), {mul(per_row(gpuopt_t(p.beta)))});
      h.reduce(GPUOPT_REDUCE_SUM, GPUOPT_EACH_COL, scaled.view(k_, n_), shift);
    } else {
      shift_[0].fill(0);
    }
    if (p.bias.data) h.fused_act(shift, shift, {add(per_col(p.bias))});
  }

  // y is rows x n. Statistics by two reductions: the variance is the mean of the squares less the square of the mean.
  template <class D>
  void operator()(gpuopt::matrix<const T> x, gpuopt::matrix<D> y, const gpuopt::stages &after = {},
                  const gpuopt::gemm_options &o = {}) {
    using namespace gpuopt;
    const std::int64_t rows = x.rows();
    if (rows > room_) {
      statistics_.clear();
      statistics_.emplace_back(h_, elements(2, rows));
      room_ = rows;
    }
    // Two vectors of one value a row, one after the other.
    float *memory = rows > 0 ? statistics_[0].data() : nullptr;
    const matrix<float> mean(memory, rows, 1), rstd(memory ? memory + rows : nullptr, rows, 1);
    const double of_each = 1 / static_cast<double>(k_);
    h_.reduce(GPUOPT_REDUCE_SUMSQ, GPUOPT_EACH_ROW, x, rstd);
    if (norm_ == GPUOPT_NORM_LAYERNORM) {
      h_.reduce(GPUOPT_REDUCE_MEAN, GPUOPT_EACH_ROW, x, mean);
      h_.fused_act(mean, rstd,
                   {square(), neg(), add(times(of_each, rstd)), relu(), add(eps_), gpuopt::sqrt(), reciprocal()});
    } else {
      h_.fused_act(rstd, rstd, {mul(of_each), add(eps_), gpuopt::sqrt(), reciprocal()});
    }
    multiply(x, mean, rstd, y, after, o);
  }

  // The same with the statistics that gpuopt_norm wrote (rows x 2: mean and rstd), whose variance is of the centred
  // row.
  template <class D>
  void operator()(gpuopt::matrix<const T> x, gpuopt::matrix<float> statistics, gpuopt::matrix<D> y,
                  const gpuopt::stages &after = {}, const gpuopt::gemm_options &o = {}) {
    multiply(x, statistics.block(0, 0, x.rows(), 1), statistics.block(0, 1, x.rows(), 1), y, after, o);
  }

 private:
  static std::size_t elements(std::int64_t rows, std::int64_t cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }

  template <class D>
  void multiply(gpuopt::matrix<const T> x, gpuopt::matrix<float> mean, gpuopt::matrix<float> rstd, gpuopt::matrix<D> y,
                const gpuopt::stages &after, const gpuopt::gemm_options &o) {
    using namespace gpuopt;
    stages epilogue;
    if (norm_ == GPUOPT_NORM_LAYERNORM) epilogue.push_back(add_outer(mean, column_sums_[0].view(1, n_), -1));
    epilogue.push_back(mul(per_row(rstd)));
    if (!shift_.empty()) epilogue.push_back(add(per_col(shift_[0].view(1, n_))));
    epilogue.insert(epilogue.end(), after.begin(), after.end());
    h_.gemm(x, matrix<const T>(weight_.view(k_, n_)), y, epilogue, o);
  }

  gpuopt::handle &h_;
  std::int32_t norm_;
  std::int64_t k_, n_, room_ = 0;
  double eps_;
  gpuopt::buffer<T> weight_;                                             // W'
  std::vector<gpuopt::buffer<float>> column_sums_, shift_, statistics_;  // s, b', mean and rstd: one or none of each
};

#endif
