/* reduce_cpu_blocked: sums in double and extremes, in blocks that depend on the problem only, on all threads.
 *
 * Idea: memory is the limit, so every element is widened to double on the way in, which costs nothing there and makes
 * any order of summation accurate. Rows (and whole matrices, taken as one row where they are packed) are cut into
 * chunks of 65536 elements, columns into strips of 1024 that go down the rows with their sums in the first-level
 * cache; partial results are joined in order, so the bits do not depend on threads. The position of an extreme is
 * looked for only in the blocks that improve on what came before.
 *
 * Needs: f32, f64, f16 or bf16, any output type; y (DOT) in x's layout; no PROD, no integers.
 * Measured once, not in a record (one thread of an AMD EPYC of Zen 5, gcc 12 -O3, AVX-512, f32, 4096 x 4096), GB/s
 * read: SUM and MAX 35 by rows and over all, SUM 48 and MAX 26 by columns, ARGMAX 30 by rows and 10 by columns.
 */
#include <math.h>

#include <limits>

#include "common/host_kernel.h"
#include "common/isa/reduce.h"
#include "common/isa/rows.h"
#include "common/reduction.h"
#include "common/tasks.h"
#include "common/thread_pool.h"
#include "common/views.h"
#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {
namespace {

constexpr int64_t kChunk = 65536;   /* elements of a row in one partial result */
constexpr int64_t kBlock = 4096;    /* elements converted, or searched for an extreme, at a time */
constexpr int64_t kStrip = 1024;    /* columns reduced together */
constexpr int64_t kPartRows = 1024; /* at least so many rows in one partial result of a column */
constexpr int64_t kMostParts = 64;
constexpr int64_t kSearchRows = 64; /* rows of a strip searched for an extreme at a time */

/* A sum, or an extreme (NaN if there is one) and where it is. */
struct Partial {
  double value;
  int64_t index; /* -1: of nothing yet */
};

const ReduceFunctions<float> &functions(const ReduceIsa &isa, float) { return isa.f32; }
const ReduceFunctions<double> &functions(const ReduceIsa &isa, double) { return isa.f64; }

/* A problem whose elements are T once loaded. */
template <class T>
struct Reduce {
  const gpuopt_problem &q;
  const ReduceFunctions<T> &isa;
  const RowsIsa &rows;
  View x, y;
  ReduceTerm term;
  int sign; /* 0: a sum; 1: the least; -1: the greatest */
  bool indexed, two;
  int threads;
  Partial *partials;

  Reduce(const gpuopt_problem &problem, void *scratch)
      : q(problem),
        isa(functions(reduce_isa(host_facts(problem).isa), T())),
        rows(rows_isa(host_facts(problem).isa)),
        x(view_of(problem.operand[GPUOPT_OPERAND_X])),
        y(view_of(problem.operand[GPUOPT_OPERAND_Y])),
        partials(static_cast<Partial *>(scratch)) {
    const int32_t v = q.variant;
    term = v == GPUOPT_REDUCE_SUMSQ || v == GPUOPT_REDUCE_NRM2 ? kTermSquare
           : v == GPUOPT_REDUCE_ASUM                           ? kTermMagnitude
           : v == GPUOPT_REDUCE_DOT                            ? kTermProduct
                                                               : kTermValue;
    sign = v == GPUOPT_REDUCE_MIN || v == GPUOPT_REDUCE_ARGMIN   ? 1
           : v == GPUOPT_REDUCE_MAX || v == GPUOPT_REDUCE_ARGMAX ? -1
                                                                 : 0;
    indexed = v == GPUOPT_REDUCE_ARGMIN || v == GPUOPT_REDUCE_ARGMAX;
    two = v == GPUOPT_REDUCE_DOT;
    threads = threads_for(q, elements_of(q) / double(kChunk));
  }

  /* Elements of a buffer for what is converted, which f64 never is. */
  template <int64_t count>
  static constexpr int64_t kConverted = sizeof(T) == sizeof(double) ? 1 : count;

  Partial nothing() const { return {0, -1}; }

  void join(Partial *all, const Partial &next) const {
    if (sign == 0) {
      all->value += next.value;
    } else if (next.index >= 0) {
      const bool beats = sign > 0 ? next.value < all->value : next.value > all->value;
      if (all->index < 0 || (all->value == all->value && (beats || next.value != next.value))) *all = next;
    }
  }

  /* count elements from (i, j) on as T: in place where they are, else converted to buffer. */
  const T *fetch(const View &view, int64_t i, int64_t j, int64_t p, int64_t count, T *buffer) const {
    const char *from = static_cast<const char *>(view.data) + index_of(view, i, j, p) * dtype_size(view.dtype);
    if (dtype_size(view.dtype) == int64_t(sizeof(T))) return reinterpret_cast<const T *>(from);
    rows.load(reinterpret_cast<float *>(buffer), from, view.dtype, count); /* 16-bit types: T is float */
    return buffer;
  }

  /* The elements (i, j .. j + count - 1); positions count from `position`. */
  Partial reduce_row(int64_t i, int64_t j, int64_t p, int64_t count, int64_t position) const {
    T x_buffer[kConverted<kBlock>], y_buffer[kConverted<kBlock>];
    Partial all = nothing();
    for (int64_t first = 0; first < count; first += kBlock) {
      const int64_t some = least(kBlock, count - first);
      const T *values = fetch(x, i, j + first, p, some, x_buffer);
      if (sign == 0) {
        const T *others = two ? fetch(y, i, j + first, p, some, y_buffer) : nullptr;
        all.value += isa.sum(term, values, others, some);
        continue;
      }
      const Extreme<T> best = isa.extreme(sign, values, some);
      const bool beats = sign > 0 ? best.value < T(all.value) : best.value > T(all.value);
      if (all.index >= 0 && (all.value != all.value || !(beats || best.nan))) continue;
      const T wanted = best.nan ? std::numeric_limits<T>::quiet_NaN() : best.value;
      const int64_t at = indexed ? isa.find(values, some, wanted) : 0;
      all = {double(wanted), position + first + at};
    }
    return all;
  }

  void put(int64_t output, int64_t p, Partial result) const {
    const View out = view_of(q.operand[GPUOPT_OPERAND_OUT]);
    if (indexed) {
      store_i64(out.data, out.dtype, index_of(out, output, 0, p), result.index);
      const gpuopt_operand &value = q.operand[GPUOPT_OPERAND_VALUE];
      if (value.m.dtype) store_at(view_of(value), output, 0, p, result.value);
      return;
    }
    if (q.variant == GPUOPT_REDUCE_MEAN)
      result.value /= q.axis == GPUOPT_EACH_ROW   ? double(q.n)
                      : q.axis == GPUOPT_EACH_COL ? double(q.m)
                                                  : double(q.m) * double(q.n);
    if (q.variant == GPUOPT_REDUCE_NRM2) result.value = sqrt(result.value);
    store_at(out, output, 0, p, result.value);
  }

  struct RowCut {
    int64_t lines, length; /* lines of elements that lie side by side */
    int64_t chunks;        /* of a line */
    int64_t group, groups; /* lines, or chunks where a line has several, of a task; tasks of a matrix */
  };

  static RowCut cut_rows(const gpuopt_problem &q) {
    const auto packed = [&](int operand) {
      const gpuopt_matrix &m = q.operand[operand].m;
      return m.dtype == 0 || m.ld == q.n;
    };
    const bool one_line = q.axis == GPUOPT_ALL && packed(GPUOPT_OPERAND_X) && packed(GPUOPT_OPERAND_Y);
    RowCut cut;
    cut.lines = one_line ? least(q.m, 1) : q.m;
    cut.length = one_line ? q.m * q.n : q.n;
    cut.chunks = most(1, ceil_div(cut.length, kChunk));
    cut.group = cut.chunks > 1 ? 1 : most(1, kChunk / most(1, cut.length));
    cut.groups = ceil_div(cut.lines * cut.chunks, cut.group);
    return cut;
  }

  void by_rows() const {
    const RowCut cut = cut_rows(q);
    const bool direct = q.axis == GPUOPT_EACH_ROW && cut.chunks == 1;
    auto work = [&](int64_t task, int) {
      const int64_t p = task / cut.groups, first = task % cut.groups * cut.group;
      Partial all = nothing();
      for (int64_t unit = first; unit < least(first + cut.group, cut.lines * cut.chunks); ++unit) {
        const int64_t line = unit / cut.chunks, from = unit % cut.chunks * kChunk;
        const int64_t position = q.axis == GPUOPT_ALL ? line * cut.length + from : from;
        const Partial part = reduce_row(line, from, p, least(kChunk, cut.length - from), position);
        if (direct)
          put(line, p, part);
        else
          join(&all, part);
      }
      if (!direct) partials[task] = all;
    };
    parallel_for(threads, q.batch * cut.groups, work);
    if (direct) return;
    const int64_t outputs = q.axis == GPUOPT_ALL ? 1 : q.m, per_output = q.axis == GPUOPT_ALL ? cut.groups : cut.chunks;
    for (int64_t p = 0; p < q.batch; ++p)
      for (int64_t output = 0; output < outputs; ++output) {
        Partial all = nothing();
        for (int64_t u = 0; u < per_output; ++u) join(&all, partials[p * cut.groups + output * per_output + u]);
        put(output, p, all);
      }
  }

  /* Down the rows first .. last - 1 of the strip at column j. */
  void sum_strip(int64_t p, int64_t first, int64_t last, int64_t j, int64_t cols, double *sums) const {
    constexpr int64_t kTogether = 4;
    T x_buffer[kConverted<kTogether * kStrip>], y_buffer[kConverted<kTogether * kStrip>];
    const bool in_place = dtype_size(x.dtype) == int64_t(sizeof(T));
    if (in_place) {
      const T *other = two ? fetch(y, first, j, p, cols, y_buffer) : nullptr;
      isa.sum_columns(term, fetch(x, first, j, p, cols, x_buffer), x.row_step, other, y.row_step, last - first, cols,
                      sums);
      return;
    }
    for (int64_t i = first; i < last; i += kTogether) {
      const int64_t some = least(kTogether, last - i);
      for (int64_t r = 0; r < some; ++r) {
        fetch(x, i + r, j, p, cols, x_buffer + r * kStrip);
        if (two) fetch(y, i + r, j, p, cols, y_buffer + r * kStrip);
      }
      isa.sum_columns(term, x_buffer, kStrip, y_buffer, kStrip, some, cols, sums);
    }
  }

  void search_strip(int64_t p, int64_t first, int64_t last, int64_t j, int64_t cols, Partial *all) const {
    T best[kStrip], buffer[kStrip];
    for (int64_t i = first; i < last; i += kSearchRows) {
      const int64_t end = least(last, i + kSearchRows);
      memcpy(best, fetch(x, i, j, p, cols, buffer), size_t(cols) * sizeof(T));
      if (dtype_size(x.dtype) == int64_t(sizeof(T))) {
        if (end > i + 1)
          isa.extreme_columns(sign, fetch(x, i + 1, j, p, cols, buffer), x.row_step, end - i - 1, cols, best);
      } else {
        for (int64_t r = i + 1; r < end; ++r)
          isa.extreme_columns(sign, fetch(x, r, j, p, cols, buffer), 0, 1, cols, best);
      }
      for (int64_t c = 0; c < cols; ++c) {
        const bool nan = best[c] != best[c];
        Partial part = {double(best[c]), i};
        const bool beats = sign > 0 ? part.value < all[c].value : part.value > all[c].value;
        if (all[c].index >= 0 && (all[c].value != all[c].value || !(beats || nan))) continue;
        if (indexed)
          for (double v = load_at(x, i, j + c, p); nan ? v == v : v != part.value; v = load_at(x, part.index, j + c, p))
            ++part.index;
        all[c] = part;
      }
    }
  }

  static int64_t part_rows(const gpuopt_problem &q) { return most(kPartRows, ceil_div(q.m, kMostParts)); }

  /* The strip's sums or extremes, each given to take(column, partial). Functions of their own, so that their arrays do not
   * add up on the stack. */
  template <class Take>
  __attribute__((noinline)) void sum_columns(int64_t p, int64_t first, int64_t last, int64_t j, int64_t cols,
                                             const Take &take) const {
    double sums[kStrip] = {};
    sum_strip(p, first, last, j, cols, sums);
    for (int64_t c = 0; c < cols; ++c) {
      Partial all = nothing();
      all.value = sums[c];
      take(j + c, all);
    }
  }
  template <class Take>
  __attribute__((noinline)) void search_columns(int64_t p, int64_t first, int64_t last, int64_t j, int64_t cols,
                                                const Take &take) const {
    Partial all[kStrip];
    for (int64_t c = 0; c < cols; ++c) all[c] = nothing();
    search_strip(p, first, last, j, cols, all);
    for (int64_t c = 0; c < cols; ++c) take(j + c, all[c]);
  }

  void by_columns() const {
    const int64_t strips = ceil_div(q.n, kStrip), height = part_rows(q), parts = most(1, ceil_div(q.m, height));
    auto work = [&](int64_t task, int) {
      const int64_t p = task / (strips * parts), part = task / strips % parts, j = task % strips * kStrip;
      const int64_t first = part * height, last = least(q.m, first + height), cols = least(kStrip, q.n - j);
      const auto take = [&](int64_t column, const Partial &all) {
        if (parts == 1)
          put(column, p, all);
        else
          partials[(p * parts + part) * q.n + column] = all;
      };
      if (sign == 0)
        sum_columns(p, first, last, j, cols, take);
      else
        search_columns(p, first, last, j, cols, take);
    };
    parallel_for(threads, q.batch * parts * strips, work);
    if (parts == 1) return;
    for (int64_t p = 0; p < q.batch; ++p)
      for (int64_t j = 0; j < q.n; ++j) {
        Partial all = nothing();
        for (int64_t part = 0; part < parts; ++part) join(&all, partials[(p * parts + part) * q.n + j]);
        put(j, p, all);
      }
  }

  static int64_t partial_count(const gpuopt_problem &q) {
    if (q.axis == GPUOPT_EACH_COL) return q.m > part_rows(q) ? q.batch * ceil_div(q.m, part_rows(q)) * q.n : 0;
    const RowCut cut = cut_rows(q);
    return q.axis == GPUOPT_EACH_ROW && cut.chunks == 1 ? 0 : q.batch * cut.groups;
  }

  void run() const {
    if (q.axis == GPUOPT_EACH_COL)
      by_columns();
    else
      by_rows();
  }
};

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = size_t(Reduce<float>::partial_count(*problem)) * sizeof(Partial);
  *zeroed = 0;
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *how) {
  if (outputs_of(*problem) == 0 || problem->batch == 0) return GPUOPT_OK;
  if (const gpuopt_status s = check_elements(*problem, how)) return s;
  if (problem->operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_F64)
    Reduce<double>(*problem, how->scratch).run();
  else
    Reduce<float>(*problem, how->scratch).run();
  return GPUOPT_OK;
}

double predict_us(const gpuopt_problem *problem) {
  const double bytes = elements_of(*problem) * double(dtype_size(problem->operand[GPUOPT_OPERAND_X].m.dtype)) *
                       (problem->variant == GPUOPT_REDUCE_DOT ? 2 : 1);
  return 0.5 + bytes / (0.9 * host_facts(*problem).gbs * 1e3);
}

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
    {{GPUOPT_F64, GPUOPT_F64, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = host_kernel(GPUOPT_OP_REDUCE, "reduce_cpu_blocked",
                                     "CPU: double sums and extremes over fixed blocks, vectorised, threaded",
                                     kSignatures, predict_us, launch);
  kernel.understands |= GPUOPT_FEATURE_VALUE_OUT | GPUOPT_FEATURE_BATCH_INVARIANT;
  kernel.variants = 1u << GPUOPT_REDUCE_SUM | 1u << GPUOPT_REDUCE_MEAN | 1u << GPUOPT_REDUCE_MIN |
                    1u << GPUOPT_REDUCE_MAX | 1u << GPUOPT_REDUCE_SUMSQ | 1u << GPUOPT_REDUCE_NRM2 |
                    1u << GPUOPT_REDUCE_ASUM | 1u << GPUOPT_REDUCE_ARGMIN | 1u << GPUOPT_REDUCE_ARGMAX |
                    1u << GPUOPT_REDUCE_DOT;
  kernel.axes = kAllAxes;
  kernel.layouts[GPUOPT_OPERAND_Y] = GPUOPT_LAYOUT_ROW;
  kernel.workspace = workspace;
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
