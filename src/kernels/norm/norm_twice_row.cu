// norm_twice_row: a block reads its row twice, the second time from the first-level cache; for rows of 8192 and 16,384
// elements.
//
// Idea and data movement: norm_block_row keeps a row in registers from its loads to its stores, and so has fewer blocks
// an SM. Here the first reading asks the caches to keep the row and leaves only statistics in registers; the second
// finds it in the first-level cache (rows of 96 to 128 KB an SM, and the weights) and says that it is not wanted again.
// What comes from memory is the same, but each thread's loads of the second reading are spread among its stores.
//
// Needs: sm_90; x, out, gamma, beta of one type (f32, f16, bf16), row-major, aligned to 16 bytes; exactly so many
// columns; no residual and no stages.
// Recorded (H200, 2026-11-21, single call, cold), of copy, layer norm, RMS norm, softmax: 8192 square f32 98.5 %
// (130.7 us), 99.0 (130.3), 100.5 (128.5), bf16 94.3 (69.6 us), 98.1 (67.4), 97.2 (67.4), f16 94.7, 96.5, 97.6; 16384
// square f32 99.0 (509.6 us), 99.8 (505.0), 100.5 (502.2), bf16 99.8 (254.7 us), 100.0 (254.8), 100.6 (252.9), f16
// 99.3, 100.1, 100.4. Log-softmax within one point of softmax.

#include "norm/row_launch.h"
#include "norm/row_tile.cuh"

namespace gpuopt {

constexpr int kTwiceColumns = 8192;

// As measured: rows and weights of an SM's blocks are to fit the first-level cache. kLong: rows of twice kTwiceColumns.
template <class T, int kNorm, bool kLong>
struct TwiceShape {
  static constexpr bool kIsF32 = sizeof(T) == 4, kIsWide = !kIsF32 && !kLong && kNorm == GPUOPT_NORM_RMSNORM;
  static constexpr int kVectors = kIsWide ? 2 : 4;  // of a thread
  static constexpr int kThreads = (kLong ? 2 : 1) * kTwiceColumns / (kVectors * 16 / static_cast<int>(sizeof(T)));
  // Vectors whose weights are asked for before the statistics are joined; of fp32 that also takes the registers of a
  // fourth block, whose row would not fit.
  static constexpr int kAhead = kIsF32 && !kLong && kNorm == GPUOPT_NORM_LAYERNORM ? 1 : 0;
  static constexpr int kBlocks = kThreads == 1024 ? 2 : kIsWide ? 4 : 1536 / kThreads;  // of an SM
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// again: whether the line will be wanted again.
__device__ __forceinline__ uint64_t cache_policy(bool again) {
  uint64_t policy;
  if (again) {
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  } else {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  }
  return policy;
}
// In the order of the program with all other accesses: out may be x.
template <bool kAgain, class T>
__device__ __forceinline__ Bits<T, 16 / sizeof(T)> load_by_policy(const T *from, uint64_t policy) {
  Bits<T, 16 / sizeof(T)> bits;
  if constexpr (kAgain) {
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(bits.w[0]), "=r"(bits.w[1]), "=r"(bits.w[2]), "=r"(bits.w[3])
                 : "l"(from), "l"(policy)
                 : "memory");
  } else {
    asm volatile("ld.global.L1::evict_first.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(bits.w[0]), "=r"(bits.w[1]), "=r"(bits.w[2]), "=r"(bits.w[3])
                 : "l"(from), "l"(policy)
                 : "memory");
  }
  return bits;
}
#endif

template <class T, int kNorm, bool kLong>
__global__ void __launch_bounds__(
    TwiceShape<T, kNorm, kLong>::kThreads,
    blocks_at_once<TwiceShape<T, kNorm, kLong>::kThreads>(TwiceShape<T, kNorm, kLong>::kBlocks))
    norm_twice_row_kernel(const __grid_constant__ RowWork<T> work) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using Shape = TwiceShape<T, kNorm, kLong>;
  constexpr int K = 16 / sizeof(T), V = Shape::kVectors, kStep = Shape::kThreads * K;
  __shared__ Moments partials[2][Shape::kThreads / 32];
  BlockGroup<Shape::kThreads / 32> group(partials);
  const auto row = static_cast<int32_t>(blockIdx.x);
  const int32_t p = work.batch > 1 ? row / work.rows : 0, i = row - p * work.rows;
  const int32_t first = static_cast<int32_t>(threadIdx.x) * K;
  const T *const x = start_of_row<T>(work.x, p, i) + first;
  const uint64_t keep = cache_policy(true), drop = cache_policy(false);
  const T *const gammas = static_cast<const T *>(work.gamma.data) + p * work.gamma.batch_step + first;
  const T *const betas = static_cast<const T *>(work.beta.data) + p * work.beta.batch_step + first;
  Bits<T, K> gamma[V], beta[V];
  RunningMoments<kNorm> running;
#pragma unroll
  for (int v = 0; v < V; ++v) {
    float h[K];
    widen_bits(load_by_policy<true>(x + v * kStep, keep), h);
    running.add(h);
  }
#pragma unroll
  for (int v = 0; v < Shape::kAhead; ++v) {
    if (work.gamma.dtype != 0) gamma[v] = load_bits<T, K>(gammas + v * kStep);
    if (work.beta.dtype != 0) beta[v] = load_bits<T, K>(betas + v * kStep);
  }
  constexpr auto n = static_cast<float>(V * kStep);
  const RowFactors factors = factors_of<kNorm>(work, group.template join<kNorm, true>(running.result(), n), n);
  if (work.statistics.dtype != 0 && threadIdx.x == 0) store_statistics(work, p, i, factors);

  T *const out = static_cast<T *>(work.out.data) + (p * work.out.batch_step + i * work.out.row_step) + first;
  with_weights<kNorm>(work, [&](auto has_gamma, auto has_beta) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const Bits<T, K> bits = load_by_policy<false>(x + v * kStep, drop);
      if (has_gamma && v >= Shape::kAhead) gamma[v] = load_bits<T, K>(gammas + v * kStep);
      if (has_beta && v >= Shape::kAhead) beta[v] = load_bits<T, K>(betas + v * kStep);
      float h[K], weight[K];
      widen_bits(bits, h);
#pragma unroll
      for (int e = 0; e < K; ++e) h[e] = normalised<kNorm, T>(factors, h[e]);
      if (has_gamma) {
        widen_bits(gamma[v], weight);
#pragma unroll
        for (int e = 0; e < K; ++e) h[e] *= weight[e];
      }
      if (has_beta) {
        widen_bits(beta[v], weight);
#pragma unroll
        for (int e = 0; e < K; ++e) h[e] += weight[e];
      }
      store_bits(out + v * kStep, narrow_bits<T>(h));
    }
  });
#endif
}

namespace {

constexpr char kName[] = "norm_twice_row";
bool is_long(const gpuopt_problem &problem) { return problem.n > kTwiceColumns; }

// f(T's tag, the kernel, its threads).
template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, F &&f) {
  return with_row_instance(problem, kRowAligned, [&](auto tag, auto norm, auto) {
    using T = typename decltype(tag)::type;
    constexpr int kNorm = decltype(norm)::value;
    return is_long(problem) ? f(tag, norm_twice_row_kernel<T, kNorm, true>, TwiceShape<T, kNorm, true>::kThreads)
                            : f(tag, norm_twice_row_kernel<T, kNorm, false>, TwiceShape<T, kNorm, false>::kThreads);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto, auto kernel, int) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_kernel(*problem, [&](auto tag, auto kernel, int threads) {
    return launch_kernel(launch, kName, static_cast<unsigned>(problem->m * problem->batch),
                         static_cast<unsigned>(threads), 0, kernel,
                         make_row_work<typename decltype(tag)::type>(*problem));
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  if (problem->n > 2 * kTwiceColumns) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, problem->n, 2 * kTwiceColumns, "n"};
    return 0;
  }
  if (!others_aligned(*problem, reject)) return 0;
  return row_can_run(problem, 0, kTwiceColumns, reject);
}

// A little ahead of norm_block_row.
double predict_us(const gpuopt_problem *problem) { return row_us(*problem, 0.88, 3.5); }

#define GPUOPT_ENTRY_(T, norm, is_long, mode) \
  { TwiceShape<T, norm, is_long>::kThreads, 0, reinterpret_cast<const void *>(norm_twice_row_kernel<T, norm, is_long>) }
gpuopt_resource kResources[] = {GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, false, kRowAligned),
                                GPUOPT_ROW_INSTANCES_OF(GPUOPT_ENTRY_, true, kRowAligned)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = aligned_row_kernel(
      kName, "rows of 8192 or 16384 read twice, the second time from the first-level cache", kTwiceColumns);
  k.cc_min = 90;
  set_signatures(k, kRowSignaturesAlone);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
