#include "solve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "../core/globs.h"

namespace gpuopt_bench {
namespace {

constexpr double kSmooth = 0.03;  // of log ratios: below it they count by their square
constexpr double kRidge = 2;    // rows that pull at a figure of twice its present value as strongly as its present does
constexpr double kRegular = 3;  // weight of large aligned products, of which most that people have are
constexpr double kMostFactor = 4;  // from the present value
constexpr int kRounds = 40;
constexpr double kEnough = 2e-4;  // of the sum a round: no more rounds
constexpr int kSecond = 6;        // rounds after which dependences are looked at again

struct Variable {
  const FigureTable *table;
  const FigureRow *row;
  double start = 0, low = 0, high = 0;
  double step = 0.15;        // of its logarithm
  std::vector<size_t> rows;  // that depend on it
  double value() const { return *row->value; }
};

bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

class Solver {
 public:
  Solver(const std::vector<FigureTable> &tables, const std::vector<FitSample> &samples,
         const std::vector<std::string> &kept)
      : samples_(samples) {
    for (const FigureTable &t : tables)
      for (const FigureRow &r : t.rows) {
        Variable v;
        v.table = &t;
        v.row = &r;
        v.start = *r.value;
        if (!(v.start > 0) || r.fitted_to == "counted" || r.fitted_to == "planned") continue;
        if (matches_one(kept, t.folder + "/" + r.name)) continue;
        v.low = v.start / kMostFactor;
        v.high = v.start * kMostFactor;
        if (ends_with(r.name, "share")) v.high = std::max(1.0, v.start);
        variables_.push_back(v);
      }
    weigh();
    refresh();
    find_dependences();
  }

  void run() {
    double before = sum();
    for (int round = 0; round < kRounds; ++round) {
      if (round % kSecond == kSecond - 1) {
        refresh();
        find_dependences();
        before = sum();
      }
      for (size_t begin = 0; begin < variables_.size();) {
        size_t end = begin;
        while (end < variables_.size() && variables_[end].table == variables_[begin].table) ++end;
        newton_step(begin, end);
        begin = end;
      }
      for (Variable &v : variables_) single_step(&v);
      refresh();
      const double after = sum();
      if (before - after < kEnough * before && round % kSecond != kSecond - 2) break;
      before = after;
    }
  }

  std::vector<FittedFigure> result() {
    refresh();
    find_dependences();
    std::vector<FittedFigure> all;
    for (const Variable &v : variables_) {
      if (v.rows.empty() && v.value() == v.start) continue;
      double error = 0;
      for (const size_t i : v.rows) error += std::abs(std::exp(residual_[i]) - 1);
      all.push_back({v.table, v.row, v.start, v.value(), static_cast<int>(v.rows.size()),
                     v.rows.empty() ? 0 : 100 * error / static_cast<double>(v.rows.size())});
    }
    return all;
  }

 private:
  // Rows of one kernel and octave of time, regular products and others apart, count together as the square root of how many
  // they are; those that cannot be chosen for a better one, less.
  void weigh() {
    std::map<std::tuple<std::string, int, bool>, int> bins;
    std::map<std::string, double> best;
    const auto bin = [](const FitSample &s) {
      return std::make_tuple(s.kernel, static_cast<int>(std::floor(std::log2(s.measured_us))), s.regular);
    };
    for (const FitSample &s : samples_) {
      ++bins[bin(s)];
      double &us = best[s.call];
      if (us == 0 || s.measured_us < us) us = s.measured_us;
    }
    double all = 0;
    for (const FitSample &s : samples_) {
      const double near = s.measured_us < 1.5 * best[s.call] ? 1 : s.measured_us < 3 * best[s.call] ? 0.6 : 0.4;
      weight_.push_back((s.regular ? kRegular : 1) * near / std::sqrt(bins[bin(s)]));
      all += weight_.back();
    }
    for (double &w : weight_) w *= static_cast<double>(weight_.size()) / all;
  }

  double residual_now(size_t i) const {
    const double us = predict(samples_[i]);
    return us > 0 && std::isfinite(us) ? std::log(us / samples_[i].measured_us) : 10;
  }
  void refresh() {
    residual_.resize(samples_.size());
    for (size_t i = 0; i < samples_.size(); ++i) residual_[i] = residual_now(i);
  }
  static double loss(double r) { return std::sqrt(r * r + kSmooth * kSmooth) - kSmooth; }
  static double pull(const Variable &v) {
    const double x = std::log(v.value() / v.start);
    return kRidge * x * x;
  }
  double sum() const {
    double all = 0;
    for (size_t i = 0; i < samples_.size(); ++i) all += weight_[i] * loss(residual_[i]);
    for (const Variable &v : variables_) all += pull(v);
    return all;
  }

  static bool concerns(const Variable &v, const FitSample &s) {
    const std::string op = v.table->folder.substr(0, v.table->folder.find('/'));
    for (const FitPart &part : s.parts)
      if (op == gpuopt_op_name(part.kernel->op)) return true;
    return false;
  }

  void find_dependences() {
    constexpr double kFactors[] = {0.6, 0.97, 1.03, 1.7};
    for (Variable &v : variables_) {
      const double value = v.value();
      std::vector<bool> touched(samples_.size(), false);
      for (const double factor : kFactors) {
        *v.row->value = value * factor;
        for (size_t i = 0; i < samples_.size(); ++i)
          if (!touched[i] && concerns(v, samples_[i]) && std::abs(residual_now(i) - residual_[i]) > 1e-9)
            touched[i] = true;
      }
      *v.row->value = value;
      v.rows.clear();
      for (size_t i = 0; i < samples_.size(); ++i)
        if (touched[i]) v.rows.push_back(i);
    }
  }

  // Over these rows and the figures from begin to end.
  double part_of_sum(const std::vector<size_t> &rows, size_t begin, size_t end, std::vector<double> *residuals) const {
    double all = 0;
    residuals->clear();
    for (const size_t i : rows) {
      residuals->push_back(residual_now(i));
      all += weight_[i] * loss(residuals->back());
    }
    for (size_t k = begin; k < end; ++k) all += pull(variables_[k]);
    return all;
  }

  void newton_step(size_t begin, size_t end) {
    std::vector<size_t> used, rows;
    for (size_t k = begin; k < end; ++k) {
      if (variables_[k].rows.empty()) continue;
      used.push_back(k);
      rows.insert(rows.end(), variables_[k].rows.begin(), variables_[k].rows.end());
    }
    if (used.empty()) return;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const size_t n = used.size();
    std::vector<double> before;
    const double least = part_of_sum(rows, begin, end, &before);
    std::vector<std::vector<double>> slopes(n, std::vector<double>(rows.size(), 0));
    constexpr double kStep = 0.01;
    for (size_t k = 0; k < n; ++k) {
      Variable &v = variables_[used[k]];
      const double value = v.value();
      *v.row->value = value * std::exp(kStep);
      size_t at = 0;
      for (const size_t i : v.rows) {
        at = static_cast<size_t>(std::lower_bound(rows.begin() + static_cast<std::ptrdiff_t>(at), rows.end(), i) -
                                 rows.begin());
        slopes[k][at] = (residual_now(i) - before[at]) / kStep;
      }
      *v.row->value = value;
    }
    std::vector<double> matrix(n * n, 0), right(n, 0);
    for (size_t at = 0; at < rows.size(); ++at) {
      const double r = before[at], w = weight_[rows[at]] / std::sqrt(r * r + kSmooth * kSmooth);
      for (size_t k = 0; k < n; ++k) {
        if (slopes[k][at] == 0) continue;
        right[k] -= w * slopes[k][at] * r;
        for (size_t l = 0; l <= k; ++l) matrix[k * n + l] += w * slopes[k][at] * slopes[l][at];
      }
    }
    std::vector<double> values;
    for (size_t k = 0; k < n; ++k) {
      const Variable &v = variables_[used[k]];
      values.push_back(v.value());
      matrix[k * n + k] += 2 * kRidge;
      right[k] -= 2 * kRidge * std::log(v.value() / v.start);
    }
    for (const double damping : {1e-3, 1e-2, 1e-1, 1.0, 10.0}) {
      const std::vector<double> step = solved(matrix, right, damping);
      for (size_t k = 0; k < n; ++k) {
        const Variable &v = variables_[used[k]];
        const double value = values[k] * std::exp(std::clamp(step[k], -0.5, 0.5));
        *v.row->value = std::clamp(value, v.low, v.high);
      }
      std::vector<double> after;
      if (part_of_sum(rows, begin, end, &after) < least) {
        for (size_t at = 0; at < rows.size(); ++at) residual_[rows[at]] = after[at];
        return;
      }
    }
    for (size_t k = 0; k < n; ++k) *variables_[used[k]].row->value = values[k];
  }

  // (matrix + damping * its diagonal)^-1 * right by Cholesky; matrix: its lower triangle.
  static std::vector<double> solved(std::vector<double> m, std::vector<double> x, double damping) {
    const size_t n = x.size();
    for (size_t i = 0; i < n; ++i) {
      m[i * n + i] *= 1 + damping;
      for (size_t j = 0; j <= i; ++j) {
        double value = m[i * n + j];
        for (size_t k = 0; k < j; ++k) value -= m[i * n + k] * m[j * n + k];
        m[i * n + j] = i == j ? std::sqrt(std::max(value, 1e-12)) : value / m[j * n + j];
      }
    }
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k) x[i] -= m[i * n + k] * x[k];
      x[i] /= m[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
      for (size_t k = i + 1; k < n; ++k) x[i] -= m[k * n + i] * x[k];
      x[i] /= m[i * n + i];
    }
    return x;
  }

  // A step up or down that lowers the sum makes the next one longer, one that does not shorter.
  void single_step(Variable *v) {
    if (v->rows.empty() || v->step < 1e-3) return;
    const auto cost = [&](std::vector<double> *residuals) {
      residuals->clear();
      double all = pull(*v);
      for (const size_t i : v->rows) {
        residuals->push_back(residual_now(i));
        all += weight_[i] * loss(residuals->back());
      }
      return all;
    };
    std::vector<double> residuals, tried;
    const double value = v->value(), least = cost(&residuals);
    for (const double sign : {1.0, -1.0}) {
      *v->row->value = std::clamp(value * std::exp(sign * v->step), v->low, v->high);
      if (cost(&tried) < least) {
        for (size_t k = 0; k < v->rows.size(); ++k) residual_[v->rows[k]] = tried[k];
        v->step = std::min(v->step * 1.3, 0.3);
        return;
      }
    }
    *v->row->value = value;
    v->step /= 2;
  }

  const std::vector<FitSample> &samples_;
  std::vector<Variable> variables_;
  std::vector<double> weight_, residual_;
};

}  // namespace

std::vector<FittedFigure> fit_figures(const std::vector<FigureTable> &tables, const std::vector<FitSample> &samples,
                                      const std::vector<std::string> &kept) {
  Solver solver(tables, samples, kept);
  solver.run();
  return solver.result();
}

}  // namespace gpuopt_bench
