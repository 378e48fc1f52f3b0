/* gemm_cpu_blocked: C and D in register tiles, B in panels, on all threads.
 *
 * Idea: a task is one panel of B (64 columns with AVX-512) against a range of A's rows. For each k block the task
 * copies its part of B into a panel that the second-level cache holds, then walks down A; a tile of D (6 x 64) stays in
 * registers over the whole block, so each step of k costs 4 loads of B and 6 broadcasts of A for 24 multiply-adds. A
 * is read where it lies when its rows are contiguous and of the compute type; else it is packed once, by all threads,
 * before the tasks start. With few rows B is read in place too. 16-bit inputs are converted while packing. The chain
 * of stages runs on each finished part of D while it is in the cache. A product with a single row or column has no
 * tiles: it streams the matrix past the vector.
 * Every element's sum runs over k in order, in blocks that depend on k alone, so the bits do not depend on threads.
 *
 * Needs: fp32 or fp64, or 16-bit inputs with fp32 sums; any layouts, strides, alignment and stages.
 * Measured once, not in a record, against OpenBLAS 0.3.21 (bench/cpu_gemm; AMD EPYC of Zen 5, 2 cores, gcc 12 -O3, f32,
 * AVX-512; OpenBLAS does not know the processor and takes its Haswell kernels, or SkylakeX ones when told to), GFLOP/s
 * and ratio to both:
 *   512 cubed: 244 (1.97, 1.04) on 1 thread, 438 (1.9, 1.1) on 2; 1024 cubed: 240 (1.98, 1.04) and 440 (1.9, 1.03);
 *   64 cubed: 225 (2.0, 0.89); 37 x 1001 x 513: 210 (2.2, 1.2); one row or column, 4096 x 4096: 19 (3.2, 4.0).
 *   With AVX2 0.96 of OpenBLAS's Haswell kernels at 512 and 1024 cubed.
 */
#include <stddef.h>

#include "common/chain.h"
#include "common/gemm_plan.h"
#include "common/host_kernel.h"
#include "common/isa/gemm_finish.h"
#include "common/isa/huge_pages.h"
#include "common/thread_pool.h"
#include "common/views.h"
#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {
namespace {

template <class T>
T scalar(const void *pointer, double value) {
  return pointer ? *static_cast<const T *>(pointer) : static_cast<T>(value);
}

/* Without k there is no product, whatever alpha is. */
template <class T>
T alpha_of(const gpuopt_problem &q) {
  return q.k == 0 ? T(0) : scalar<T>(q.alpha_ptr, q.alpha);
}

template <class T>
T beta_of(const gpuopt_problem &q) {
  return q.features & GPUOPT_FEATURE_BETA ? scalar<T>(q.beta_ptr, q.beta) : T(0);
}

template <class T>
class Gemm {
 public:
  Gemm(const Plan<T> &plan, void *scratch)
      : plan_(plan),
        q_(plan.q),
        scratch_(static_cast<char *>(scratch)),
        alpha_(alpha_of<T>(q_)),
        beta_(beta_of<T>(q_)),
        ends_apart_(is_batch_invariant(q_)),
        c_in_tiles_(q_.operand[GPUOPT_OPERAND_C].m.dtype == type_of<T>() &&
                    q_.operand[GPUOPT_OPERAND_C].m.layout == GPUOPT_ROW) {}

  void run() {
    for (first_p_ = 0; first_p_ < q_.batch; first_p_ += plan_.packed_group) {
      const int64_t matrices = least(plan_.packed_group, q_.batch - first_p_);
      for (first_row_ = 0; first_row_ < q_.m; first_row_ += plan_.packed_rows) {
        rows_ = least(plan_.packed_rows, q_.m - first_row_);
        if (plan_.pack_a) {
          const int64_t chunks = ceil_div(rows_, kChunkRows);
          auto pack = [this, chunks](int64_t index, int worker) { pack_a(index / chunks, index % chunks, worker); };
          parallel_for(plan_.threads, matrices * chunks, pack);
        }
        const int64_t parts = ceil_div(rows_, plan_.part_rows);
        auto work = [this, parts](int64_t index, int worker) {
          const int64_t panel = index / parts;
          task(panel / plan_.panels, panel % plan_.panels, index % parts, worker);
        };
        parallel_for(plan_.threads, matrices * plan_.panels * parts, work);
      }
    }
  }

 private:
  T *panel_of(int worker) const {
    return reinterpret_cast<T *>(scratch_ + round_up(plan_.packed_bytes, 4096) + worker * plan_.worker_bytes());
  }
  T *sums_of(int worker) const { return panel_of(worker) + plan_.panel_bytes / int64_t(sizeof(T)); }
  T *temp_of(int worker) const { return sums_of(worker) + plan_.sums_bytes / int64_t(sizeof(T)); }
  /* Row `row` (from first_row_ on) of k block `block` of packed A; rows follow packed_ld apart. */
  T *packed_a(int64_t matrix, int64_t block, int64_t row) const {
    return reinterpret_cast<T *>(scratch_) +
           ((matrix * plan_.k_blocks + block) * plan_.packed_rows + row) * plan_.packed_ld;
  }

  void pack_a(int64_t matrix, int64_t chunk, int worker) const {
    const int64_t row = chunk * kChunkRows, rows = least(kChunkRows, rows_ - row);
    for (int64_t block = 0; block < plan_.k_blocks; ++block) {
      const int64_t k = block * plan_.k_block;
      plan_.packer.pack(q_.operand[GPUOPT_OPERAND_A], first_p_ + matrix, first_row_ + row, rows, k,
                        least(plan_.k_block, q_.k - k), packed_a(matrix, block, row), plan_.packed_ld, temp_of(worker));
    }
  }

  void task(int64_t matrix, int64_t panel, int64_t part, int worker) const {
    const gpuopt_operand &a = q_.operand[GPUOPT_OPERAND_A], &b = q_.operand[GPUOPT_OPERAND_B];
    const gpuopt_operand &c = q_.operand[GPUOPT_OPERAND_C], &d = q_.operand[GPUOPT_OPERAND_D];
    const int64_t p = first_p_ + matrix, part_row = part * plan_.part_rows;
    const int64_t part_end = least(part_row + plan_.part_rows, rows_);
    const int64_t column = panel * plan_.isa.panel_columns;
    GemmPanel<T> g = {};
    g.n = least(plan_.isa.panel_columns, q_.n - column);
    g.alpha = ends_apart_ ? T(1) : alpha_;
    g.beta = beta_;
    g.lda = plan_.pack_a ? plan_.packed_ld : a.m.ld;
    g.ldd = plan_.sums_aside ? plan_.isa.panel_columns : d.m.ld;
    g.ldc = c.m.ld;
    /* Tiles read B in whole vectors, so a panel that ends within one is copied in any case. */
    const bool copy_b = plan_.copy_b || g.n % plan_.isa.lanes != 0;
    g.ldb = copy_b ? plan_.isa.panel_columns : b.m.ld;

    for (int64_t block = 0; block < plan_.k_blocks; ++block) {
      const int64_t k = block * plan_.k_block;
      g.k = least(plan_.k_block, q_.k - k);
      g.b = copy_b ? pack_b(p, k, g.k, column, g.n, worker) : element(b, p, k, column);
      g.accumulate = block > 0;
      const bool add_c = block == 0 && !ends_apart_ && beta_ != T(0), last = block + 1 == plan_.k_blocks;
      for (int64_t row = part_row; row < part_end; row += kChunkRows) {
        g.m = least(kChunkRows, part_end - row);
        g.a = plan_.pack_a ? packed_a(matrix, block, row) : element(a, p, first_row_ + row, k);
        g.d = plan_.sums_aside ? sums_of(worker) + (row - part_row) * g.ldd : element(d, p, first_row_ + row, column);
        g.c = add_c && c_in_tiles_ ? element(c, p, first_row_ + row, column) : nullptr;
        plan_.isa.panel(g);
        if (add_c && !c_in_tiles_) add_scaled_c(q_, beta_, p, first_row_ + row, g.m, column, g.n, g.d, g.ldd);
        if (last && ends_apart_ && plan_.sums_aside) {
          for (int64_t i = 0; i < g.m; ++i)
            for (int64_t j = 0; j < g.n; ++j) g.d[i * g.ldd + j] *= alpha_;
          if (beta_ != T(0)) add_scaled_c(q_, beta_, p, first_row_ + row, g.m, column, g.n, g.d, g.ldd);
        }
        if (last && (plan_.sums_aside || q_.stage_count))
          finish(q_, isa_of(q_), p, first_row_ + row, g.m, column, g.n, g.d, g.ldd);
      }
    }
  }

  T *pack_b(int64_t p, int64_t k, int64_t k_count, int64_t column, int64_t columns, int worker) const {
    T *panel = panel_of(worker);
    const int64_t ld = plan_.isa.panel_columns, padded = round_up(columns, plan_.isa.lanes);
    plan_.packer.pack(q_.operand[GPUOPT_OPERAND_B], p, k, k_count, column, columns, panel, ld, temp_of(worker));
    if (padded > columns)
      for (int64_t r = 0; r < k_count; ++r) memset(panel + r * ld + columns, 0, size_t(padded - columns) * sizeof(T));
    return panel;
  }

  static T *element(const gpuopt_operand &operand, int64_t p, int64_t i, int64_t j) {
    return static_cast<T *>(operand.m.data) + index_of(view_of(operand), i, j, p);
  }

  const Plan<T> &plan_;
  const gpuopt_problem &q_;
  char *scratch_;
  const T alpha_, beta_;
  const bool ends_apart_;  // alpha and C are applied to whole sums
  const bool c_in_tiles_;
  int64_t first_p_ = 0, first_row_ = 0, rows_ = 0;
};

/* m = 1 or n = 1: results[r] = sum over k of matrix(r, k) * x[k], the matrix being B transposed, or A. */
template <class T>
void run_vector(const Plan<T> &plan, void *scratch) {
  const gpuopt_problem &q = plan.q;
  const bool row_result = q.m == 1;
  const View matrix = view_of(q.operand[row_result ? GPUOPT_OPERAND_B : GPUOPT_OPERAND_A]);
  const View vector = view_of(q.operand[row_result ? GPUOPT_OPERAND_A : GPUOPT_OPERAND_B]);
  const View d = view_of(q.operand[GPUOPT_OPERAND_D]);
  const int64_t results = row_result ? q.n : q.m;
  const int64_t result_step = row_result ? matrix.col_step : matrix.row_step;
  const int64_t k_step = row_result ? matrix.row_step : matrix.col_step;
  const int64_t x_step = row_result ? vector.col_step : vector.row_step;
  const bool dots = k_step == 1;
  const T alpha = alpha_of<T>(q), beta = beta_of<T>(q);

  T *packed_x = static_cast<T *>(scratch);
  const int64_t x_pitch = round_up(q.k, 64 / int64_t(sizeof(T)));
  for (int64_t p = 0; p < q.batch && x_step != 1; ++p)
    for (int64_t k = 0; k < q.k; ++k)
      packed_x[p * x_pitch + k] = static_cast<const T *>(vector.data)[p * vector.batch_step + k * x_step];

  const int64_t for_64k = most(16, round_up(65536 / (most(1, q.k) * int64_t(sizeof(T))), 16));
  const int64_t chunk = dots ? least(for_64k, kVectorChunk) : kVectorChunk;
  const int64_t chunks = ceil_div(results, chunk);
  auto work = [&](int64_t index, int worker) {
    const int64_t p = index / chunks, first = index % chunks * chunk, count = least(chunk, results - first);
    const T *x = x_step == 1 ? static_cast<const T *>(vector.data) + p * vector.batch_step : packed_x + p * x_pitch;
    const T *from = static_cast<const T *>(matrix.data) + p * matrix.batch_step + first * result_step;
    T *y = reinterpret_cast<T *>(static_cast<char *>(scratch) + round_up(plan.packed_bytes, 4096) +
                                 worker * plan.worker_bytes());
    if (dots)
      plan.isa.dot_rows(from, result_step, x, count, q.k, y);
    else
      plan.isa.combine_rows(from, k_step, x, count, q.k, y);
    for (int64_t r = 0; r < count; ++r) y[r] *= alpha;
    const int64_t row = row_result ? 0 : first, col = row_result ? first : 0;
    const int64_t rows = row_result ? 1 : count, cols = row_result ? count : 1;
    if (beta != T(0)) add_scaled_c(q, beta, p, row, rows, col, cols, y, cols);
    if (q.stage_count) {
      finish(q, isa_of(q), p, row, rows, col, cols, y, cols);
      return;
    }
    T *to = static_cast<T *>(d.data) + index_of(d, row, col, p);
    const int64_t step = row_result ? d.col_step : d.row_step;
    for (int64_t r = 0; r < count; ++r) to[r * step] = y[r];
  };
  parallel_for(plan.threads, q.batch * chunks, work);
}

template <class T>
void run(const gpuopt_problem &problem, void *scratch) {
  const Plan<T> plan(problem);
  if (plan.vector)
    run_vector(plan, scratch);
  else
    Gemm<T>(plan, scratch).run();
}

size_t scratch_bytes(const gpuopt_problem &problem) {
  return problem.compute == GPUOPT_COMPUTE_F64 ? Plan<double>(problem).scratch_bytes()
                                               : Plan<float>(problem).scratch_bytes();
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  *scratch = scratch_bytes(*problem);
  *zeroed = 0;
}

/* An empty sum has operands without elements, at NULL perhaps and with any steps. They get an address, which nothing
 * reads, and steps of 0 and 1, so that address arithmetic on them is defined. */
gpuopt_problem with_addresses(const gpuopt_problem &problem) {
  static const double kNothing = 0;
  gpuopt_problem q = problem;
  for (int operand = GPUOPT_OPERAND_A; operand <= GPUOPT_OPERAND_B; ++operand) {
    gpuopt_matrix &m = q.operand[operand].m;
    m.data = const_cast<double *>(&kNothing);
    m.ld = 1;
    m.batch_stride = 0;
  }
  return q;
}

void run(const gpuopt_problem &problem, void *scratch) {
  if (problem.compute == GPUOPT_COMPUTE_F64)
    run<double>(problem, scratch);
  else
    run<float>(problem, scratch);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *how) {
  if (problem->m == 0 || problem->n == 0 || problem->batch == 0) return GPUOPT_OK;
  advise_huge_pages(how->scratch, scratch_bytes(*problem));
  if (problem->k == 0)
    run(with_addresses(*problem), how->scratch);
  else
    run(*problem, how->scratch);
  return GPUOPT_OK;
}

/* Only explain can state extents whose products leave 64 bits; no memory holds them. */
int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  const double m = double(problem->m), n = double(problem->n), k = double(problem->k), batch = double(problem->batch);
  constexpr int64_t kMost = int64_t(1) << 48;
  const double sizes[] = {m * n * batch, m * k * batch, k * n * batch};
  for (const double elements : sizes) {
    if (elements <= double(kMost)) continue;
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, elements < 0x1p62 ? int64_t(elements) : INT64_MAX, kMost,
               "the elements of a batched operand"};
    return 0;
  }
  return 1;
}

/* The slower of arithmetic at two thirds of the peak of the instruction set and of memory. */
double predict_us(const gpuopt_problem *problem) {
  const HostFacts host = host_facts(*problem);
  const int threads = threads_for(*problem);
  const bool f64 = problem->compute == GPUOPT_COMPUTE_F64;
  const double flops_per_clock = (host.isa >= 2 ? 64 : host.isa == 1 ? 32 : 8) * (f64 ? 0.5 : 1.0);
  const double m = double(problem->m), n = double(problem->n), k = double(problem->k), batch = double(problem->batch);
  double bytes = 0;
  for (int i = 0; i < 4; ++i) {
    if (i == GPUOPT_OPERAND_C && !(problem->features & GPUOPT_FEATURE_BETA)) continue;
    const double elements = i == GPUOPT_OPERAND_A ? m * k : i == GPUOPT_OPERAND_B ? k * n : m * n;
    bytes += batch * elements * double(dtype_size(problem->operand[i].m.dtype));
  }
  const double arithmetic = 2 * m * n * k * batch / (flops_per_clock * host.mhz * threads * 0.65);
  const double memory = bytes / (host.gbs * 1e3);
  const double chain = m * n * batch * problem->stage_count * (f64 ? 0.02 : 0.0005) / threads;
  return 0.5 + (threads > 1 ? 3 : 0) + (arithmetic > memory ? arithmetic : memory) + chain;
}

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F64, GPUOPT_F64, GPUOPT_F64, GPUOPT_F64}, GPUOPT_COMPUTE_F64},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel = host_kernel(
      GPUOPT_OP_GEMM, "gemm_cpu_blocked",
      "CPU: register tiles over cache-sized panels of B, vectorised for AVX-512, AVX2 or the baseline, threaded",
      kSignatures, predict_us, launch);
  kernel.understands |=
      GPUOPT_FEATURE_BETA | GPUOPT_FEATURE_ALPHA_ZERO | GPUOPT_FEATURE_SCALAR_POINTERS | GPUOPT_FEATURE_BATCH_INVARIANT;
  accept_all_stages(kernel);
  kernel.can_run = can_run;
  kernel.workspace = workspace;
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
