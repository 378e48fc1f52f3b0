// norm_realigned_row: rows that do not begin at 16 bytes, those that begin alike to a block; for rows of 2 to 16 KB.
//
// Idea and data movement: where the leading dimension is odd, every eighth row of 16-bit elements begins at the same
// distance from a 16-byte boundary. A block takes a few such rows, one after the other, in registers as norm_block_row
// does. So weights are shifted into place once a block and stay in registers, and the next row's loads are under way
// while one is normalised. Shifting the weights takes more instructions than normalising a row: blocks are to have many
// rows, in a whole number of waves. (fp32 rows have half as many elements to shift and share among every fourth row
// only: norm_block_row is as fast or faster there, and for softmax, which has no weights.)
//
// Needs: x, out, gamma, beta of one type (f16, bf16), row-major; LAYERNORM or RMSNORM; no residual and no stages. Any
// alignment.
// Recorded (H200, 2026-11-21, cold), bf16 4097 x 4099, single call and in a graph: layer norm 24.4 us, 81 % of copy,
// and 22.0; RMS norm 22.7 us, 87 %, and 20.4.

#include "norm/row_launch.h"
#include "norm/row_realigned.cuh"

namespace gpuopt {

// Of a block at most, and the blocks of that size for which an SM's registers are to be enough.
constexpr int kRealignedThreads = 256, kRealignedBlocks = 2;

struct RowClasses {
  int32_t classes;    // rows i and i + classes begin alike
  int32_t each;       // rows of a block
  int32_t of_matrix;  // blocks of a matrix
};

// V: vectors of a thread.
template <class T, int kNorm, int V>
__global__ void __launch_bounds__(kRealignedThreads, kRealignedBlocks)
    norm_realigned_row_kernel(const __grid_constant__ RowWork<T> work, const RowClasses rows) {
  constexpr int K = 16 / sizeof(T);
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM;
  __shared__ Moments partials[2][kRealignedThreads / 32];
  BlockGroup<kRealignedThreads / 32> group(partials);
  const auto block = static_cast<int32_t>(blockIdx.x);
  const int32_t p = block / rows.of_matrix, in_matrix = block - p * rows.of_matrix;
  const int32_t set = in_matrix / rows.classes;
  int32_t i = in_matrix - set * rows.classes + set * rows.each * rows.classes;
  const auto end = [&] {
    const int64_t last = int64_t{i} + int64_t{rows.each} * rows.classes;
    return last < work.rows ? static_cast<int32_t>(last) : work.rows;
  }();
  if (i >= end) return;

  const int32_t n = work.cols, threads = static_cast<int32_t>(blockDim.x), thread = static_cast<int32_t>(threadIdx.x);
  const auto cols = static_cast<float>(n);
  const auto row_of = [&](const View &view, int32_t row) {
    return static_cast<T *>(view.data) + (p * view.batch_step + row * view.row_step);
  };
  const T *const gammas = static_cast<const T *>(work.gamma.data) + p * work.gamma.batch_step;
  const T *const betas = static_cast<const T *>(work.beta.data) + p * work.beta.batch_step;
  const bool has_gamma = work.gamma.dtype != 0, has_beta = work.beta.dtype != 0;
  const RowCut cut = [&] {
    const int32_t head = RowCut::head_of(row_of(work.out, i));
    int32_t before = elements_before(row_of(work.x, i) + head);
    if (has_gamma) before = max(before, elements_before(gammas + head));
    if (has_beta) before = max(before, elements_before(betas + head));
    return RowCut::of<T>(head, before, n);
  }();
  RowVectors<T, V> row, next, gamma, beta;
  row.fill(0);
  next = row;
  row.load(row_of(work.x, i), cut, n);
  gamma.fill(one_word<T>());
  if (has_gamma) gamma.load(gammas, cut, n);
  if constexpr (kLayer) {
    beta.fill(kMinusZeroWord);
    if (has_beta) beta.load(betas, cut, n);
  }

#pragma unroll 1
  for (;;) {
    const int32_t after = i + rows.classes;
    if (after < end) next.load(row_of(work.x, after), cut, n);

    const Moments m = group.template join<kNorm, false>(moments_of_row<kNorm>(row, cut, n), cols);
    stay_packed(row);
    stay_packed(gamma);
    if constexpr (kLayer) stay_packed(beta);
    const RowFactors factors = factors_of<kNorm>(work, m, cols);
    if (work.statistics.dtype != 0 && thread == 0) store_statistics(work, p, i, factors);
    T *const out = row_of(work.out, i);
    T *const first = out + cut.head + thread * K;
    const bool adds = !kLayer && has_beta;  // rare, and read again for every row
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float h[K], g[K], b[K];
      widen_bits(row.bits[v], h);
      widen_bits(gamma.bits[v], g);
      if constexpr (kLayer) widen_bits(beta.bits[v], b);
#pragma unroll
      for (int e = 0; e < K; ++e) {
        h[e] = normalised<kNorm, T>(factors, h[e]) * g[e];
        if constexpr (kLayer) h[e] += b[e];
      }
      const int32_t vector = v * threads + thread;
      if (vector < cut.vectors) {
        if (adds) {
          const T *const from = betas + cut.head + vector * K;
          widen_bits(elements_before(from) == 0 ? load_bits<T, K>(from) : load_shifted<T, K>(from), b);
#pragma unroll
          for (int e = 0; e < K; ++e) h[e] += b[e];
        }
        store_bits(first + v * threads * K, narrow_bits<T>(h));
      }
    }
    if (cut.at < n) {
      float h = normalised<kNorm, T>(factors, widen<float>(row.one)) * widen<float>(gamma.one);
      if constexpr (kLayer) h += widen<float>(beta.one);
      if (adds) h += widen<float>(betas[cut.at]);
      out[cut.at] = narrow<T>(h);
    }
    if (after >= end) return;
    i = after;
    row = next;
  }
}

namespace {

constexpr char kName[] = "norm_realigned_row";
constexpr int kVectors = 4;       // of a thread
constexpr int64_t kMostEach = 8;  // rows of a block, or little more

constexpr int kElements = 8;  // of a vector

// How many rows lie between one and the next that begins alike, a power of two.
int32_t period_of(const gpuopt_operand &operand) {
  int32_t period = kElements;
  while (period > 1 && operand.m.ld * (period / 2) % kElements == 0) period /= 2;
  return period;
}

int64_t threads_of(const gpuopt_problem &problem) {
  const int64_t threads = ceil_div(ceil_div(problem.n / kElements, kVectors), 32) * 32;
  return threads < kLeastRealigned ? kLeastRealigned : threads;
}

RowClasses classes_of(const gpuopt_problem &problem) {
  const int32_t of_out = period_of(problem.operand[GPUOPT_OPERAND_OUT]);
  const int32_t of_x = period_of(problem.operand[GPUOPT_OPERAND_X]);
  RowClasses rows = {};
  rows.classes = of_out > of_x ? of_out : of_x;
  const int64_t of_class = ceil_div(problem.m, rows.classes);
  const auto blocks_of = [&](int64_t each) {  // of a matrix
    const int64_t blocks = rows.classes * ceil_div(of_class, each);
    return blocks < problem.m ? blocks : problem.m;
  };
  // Every block has as many rows as the next, so the last wave is to be full, or nearly.
  const int64_t sms = problem.device->sm_count > 0 ? problem.device->sm_count : 1;
  const int64_t at_once = sms * (kRealignedThreads * kRealignedBlocks / threads_of(problem));
  const int64_t all = problem.m * problem.batch;
  const int64_t waves = ceil_div(all, at_once * kMostEach);
  int64_t each = ceil_div(all, at_once * waves);
  for (const int64_t most = each + 2; each < most && blocks_of(each) * problem.batch > at_once * waves;) ++each;
  rows.each = static_cast<int32_t>(each);
  rows.of_matrix = static_cast<int32_t>(blocks_of(each));
  return rows;
}

// f(T's tag, the kernel).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  const auto with_norm = [&](auto tag) {
    using T = typename decltype(tag)::type;
    return problem.variant == GPUOPT_NORM_LAYERNORM
               ? f(tag, norm_realigned_row_kernel<T, GPUOPT_NORM_LAYERNORM, kVectors>)
               : f(tag, norm_realigned_row_kernel<T, GPUOPT_NORM_RMSNORM, kVectors>);
  };
  return problem.operand[GPUOPT_OPERAND_X].m.dtype == GPUOPT_F16 ? with_norm(Type<__half>{})
                                                                 : with_norm(Type<__nv_bfloat16>{});
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto tag, auto kernel) {
    const RowClasses rows = classes_of(*problem);
    return launch_kernel(launch, kName, static_cast<unsigned>(rows.of_matrix * problem->batch),
                         static_cast<unsigned>(threads_of(*problem)), 0, kernel,
                         make_row_work<typename decltype(tag)::type>(*problem), rows);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (threads_of(*problem) <= kRealignedThreads)
    return row_can_run(problem, 0, kRealignedThreads * kVectors + 2, reject);
  *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, row_vectors(*problem), kRealignedThreads * kVectors,
             "16-byte vectors of a row"};
  return 0;
}

// Ahead of norm_block_row where there are weights, and rows to share them among; a layer norm's two weights cost that
// one so much that even a row by itself is faster here.
double predict_us(const gpuopt_problem *problem) {
  const bool weighs = problem->extra[GPUOPT_OPERAND_GAMMA - 4].m.dtype != 0;
  const bool ahead = !all_aligned(*problem) && weighs && row_vectors(*problem) >= 128 &&
                     (classes_of(*problem).each >= 2 || problem->variant == GPUOPT_NORM_LAYERNORM);
  return row_us(*problem, ahead ? 0.95 : 0.6, 3.6);
}

#define GPUOPT_ENTRY_(T, norm) \
  { kRealignedThreads, 0, reinterpret_cast<const void *>(norm_realigned_row_kernel<T, norm, kVectors>) }
gpuopt_resource kResources[] = {
    GPUOPT_ENTRY_(__half, GPUOPT_NORM_LAYERNORM), GPUOPT_ENTRY_(__half, GPUOPT_NORM_RMSNORM),
    GPUOPT_ENTRY_(__nv_bfloat16, GPUOPT_NORM_LAYERNORM), GPUOPT_ENTRY_(__nv_bfloat16, GPUOPT_NORM_RMSNORM)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_F16, 0, GPUOPT_F16, 0}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, 0, GPUOPT_BF16, 0}, GPUOPT_COMPUTE_F32},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      row_kernel(kName, "16-bit rows that begin anywhere, in registers; weights shifted once for several");
  k.variants = 1u << GPUOPT_NORM_LAYERNORM | 1u << GPUOPT_NORM_RMSNORM;
  set_signatures(k, kSignatures);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
