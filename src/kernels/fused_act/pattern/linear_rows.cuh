// The kernel of fused_act_linear for a thread that holds K columns of kRuns rows: of an aligned problem
// (aligned_rows.cuh), or of long rows that lie anyhow (unaligned_rows.cuh).
#pragma once

#include "fused_act/common/unaligned_rows.cuh"
#include "fused_act/pattern/linear_act.cuh"

namespace gpuopt {

template <class Cut>
struct LinearWork {
  LinearAct chain;
  Cut cut;
};

// f(Type<T>{}), where uint8_t stands for any type of 8 bits: that of dtype.
template <class T, class F>
__device__ __forceinline__ void with_linear_type(int32_t dtype, F &&f) {
  if constexpr (sizeof(T) == 1)
    with_type_of_size<1>(dtype, f);
  else
    f(Type<T>{});
}

// Aligned 16-bit types with a function to compute have too few warps to keep memory busy while they do: those want more
// of them, and what later blocks will read in the second-level cache. Eight blocks leave GELU_TANH one register too
// few.
template <class T, int32_t kAct>
struct AlignedLinear : AlignedRows<16 / sizeof(T), sizeof(T) == 4 ? 2 : 4> {
  using Aligned = AlignedRows<16 / sizeof(T), sizeof(T) == 4 ? 2 : 4>;
  using Aligned::K;
  static constexpr bool kPrefetches = sizeof(T) == 2 && kAct != kEnd;
  static constexpr int kBlocks = !kPrefetches ? 6 : kAct == GPUOPT_STAGE_GELU_TANH ? 7 : 8;  // of an SM

  // Of a vector along the row, which may begin again and again.
  template <int kBytes>
  __device__ __forceinline__ Words<kBytes, K> load_columns(const AlignedCut &cut, const View &view) const {
    if (cut.repeat.d == 0) return Aligned::template load_columns<kBytes>(cut, view);
    const auto *const from = static_cast<const UnsignedOf<kBytes> *>(view.data);
    int32_t column;
    cut.repeat.divide(this->vector * K, column);
    Words<kBytes, K> words = {};
#pragma unroll
    for (int e = 0; e < K; ++e, column = column + 1 < cut.repeat.d ? column + 1 : 0)
      set_element(words, e, from[column * view.col_step]);
    return words;
  }
};
template <class T, int32_t kAct>
struct UnalignedLinear : UnalignedRows<sizeof(T) == 1 ? 8 : 16 / sizeof(T), 4> {
  static constexpr bool kPrefetches = true;
  static constexpr int kBlocks = (4 - kFewerBlocks) * (kRunThreads / kUnalignedThreads);
};

template <class T, int32_t kAct, class Rows>
__global__ void __launch_bounds__(Rows::kThreads, Rows::kBlocks)
    fused_act_linear_rows_kernel(const __grid_constant__ LinearWork<typename Rows::Cut> work) {
  constexpr int kBytes = sizeof(T), K = Rows::K, kRuns = Rows::kRuns;
  const LinearAct &chain = work.chain;
  const auto &cut = work.cut;
  Rows rows;
  if (!Rows::find(cut, rows)) return;
  if constexpr (!Rows::kPrefetches) rows.ahead = 0;
  Words<kBytes, K> words[kRuns];
  rows.template load<kBytes, true>(cut, chain.x, words);
  const auto load_columns = [&](const LinearStep &step, float(&v)[K]) {
    if (sizeof(T) == 4 || step.operand.dtype == GPUOPT_F32)
      widen_words<float>(rows.template load_columns<4>(cut, step.operand), v);
    else
      with_linear_type<T>(step.operand.dtype, [&](auto tag) {
        widen_words<typename decltype(tag)::type>(rows.template load_columns<kBytes>(cut, step.operand), v);
      });
#pragma unroll
    for (int e = 0; e < K; ++e) v[e] *= step.value;
  };
  const auto load_rows = [&](const LinearStep &step, float(&v)[K]) {
    const int64_t at = blockIdx.y * step.operand.batch_step + rows.first * step.operand.row_step;
    const auto load = [&](auto tag) {
      using V = typename decltype(tag)::type;
      const V *from = static_cast<const V *>(step.operand.data) + at;
      V raw[kRuns];
#pragma unroll
      for (int r = 0; r < kRuns; ++r) raw[r] = from[rows.exists(cut, r) ? r * rows.step(cut, step.operand) : 0];
#pragma unroll
      for (int r = 0; r < kRuns; ++r) v[r] = step.value * widen<float>(raw[r]);
    };
    if (sizeof(T) == 4 || step.operand.dtype == GPUOPT_F32)
      load(Type<float>{});
    else
      with_linear_type<T>(step.operand.dtype, load);
  };
  const auto load_vector = [&](const LinearStep &step, float(&v)[K]) {
    if (step.per_col()) load_columns(step, v);
    if (step.per_row()) load_rows(step, v);
  };
  float before[K] = {}, after[K] = {};
  load_vector(chain.before, before);
  load_vector(chain.after, after);
  float x[K * kRuns];
  with_linear_type<T>(chain.x.dtype, [&](auto tag) { widen_rows<typename decltype(tag)::type, float, K>(words, x); });
  apply_step(chain.before, before, x);
  apply_activation<kAct>(x);
  apply_step(chain.after, after, x);
  auto *to = rows.template address_of<UnsignedOf<kBytes>>(chain.out);
  with_linear_type<T>(chain.out.dtype, [&](auto tag) {
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
      const auto row = narrow_row<typename decltype(tag)::type, K>(x, r);
      if (rows.exists(cut, r)) rows.template store<kBytes>(cut, to + r * rows.step(cut, chain.out), row);
    }
  });
}

// Unaligned instances are compiled beside the others, in common/linear_unaligned.cu.
#define GPUOPT_LINEAR_UNALIGNED_(T, act)                                                  \
  template __global__ void fused_act_linear_rows_kernel<T, act, UnalignedLinear<T, act>>( \
      const __grid_constant__ LinearWork<UnalignedCut>)
#define GPUOPT_LINEAR_UNALIGNED_TYPE_(X, T) \
  X(T, kEnd)                                \
  X(T, GPUOPT_STAGE_GELU)                   \
  X(T, GPUOPT_STAGE_GELU_TANH) X(T, GPUOPT_STAGE_SILU) X(T, GPUOPT_STAGE_SIGMOID) X(T, GPUOPT_STAGE_TANH)
#define GPUOPT_LINEAR_UNALIGNED(X)         \
  GPUOPT_LINEAR_UNALIGNED_TYPE_(X, float)  \
  GPUOPT_LINEAR_UNALIGNED_TYPE_(X, __half) \
  GPUOPT_LINEAR_UNALIGNED_TYPE_(X, __nv_bfloat16) GPUOPT_LINEAR_UNALIGNED_TYPE_(X, uint8_t)

}  // namespace gpuopt
