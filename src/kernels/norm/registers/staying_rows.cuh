// Rows one after the other, by warps that stay for many of them.
//
// A norm of 16-bit rows is instructions as much as bytes: a row by itself has addresses to find and two weights to load and to
// widen. Here a block, one of a multiprocessor, has its weights in shared memory once, in fp32, and what a thread finds of a row
// is the same for all of them. Its warps are in groups, which have a row each at a time and do not wait for each other: while one
// joins its statistics another has instructions to issue. A row is widened once (wide_row.cuh) and stays in registers until its
// results are stored; the next one is on its way to shared memory meanwhile, where a thread reads only what it asked for itself.
// A row too long for a block is shared by the blocks of a cluster; many rows are drawn one by one (staying_group.cuh).
//
// All but a thread's last vector are there in any row. Where rows begin anywhere, those that a block takes begin alike: they are
// cut at x's sectors, their weights are shifted once, and head and tail are an element a lane of the first warp.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "norm/common/early_rows.cuh"
#include "norm/registers/row_acts.cuh"
#include "norm/registers/staying_weights.cuh"
#include "norm/registers/wide_row.cuh"

namespace gpuopt {

template <class T, int kNorm, int V, bool kAdds, bool kAny, class Chain>
__global__ void __launch_bounds__(staying_threads(sizeof(T) == 2, V), 1)
    norm_staying_rows_kernel(const __grid_constant__ RowWork<T> work, const __grid_constant__ Chain chain,
                             const __grid_constant__ StayingRows rows) {
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)  // as the descriptor says
  constexpr int K = 16 / sizeof(T), kWeights = staying_weights(kNorm);
  constexpr bool kPlain = std::is_same_v<Chain, NoChain>;
  // Where all registers are in use while rows are asked for, what was drawn is left before that.
  constexpr bool kLeavesFirst = kAdds && kAny && K == 8 && V >= kMostStaying - 1;
  // cp.async moves a sector twice whose halves do not lie in one of shared memory.
  extern __shared__ __align__(128) uint4 staying_memory[];
  __shared__ Moments partials[2][kMostStayingWarps];
  __shared__ float of_block;
  __shared__ int32_t numbers_of[kMostStayingWarps][StayingNumbers::kSlots];
  __shared__ StayingCounter counter;
  const auto lane = static_cast<int32_t>(threadIdx.x % 32), warp = static_cast<int32_t>(threadIdx.x / 32);
  const auto warps = static_cast<int32_t>(blockDim.x / 32), n = work.cols;
  const auto number = static_cast<int32_t>(threadIdx.y), groups = static_cast<int32_t>(blockDim.y);
  const int32_t blocks = 1 << rows.block_bits, block = static_cast<int32_t>(blockIdx.x) & (blocks - 1);

  // Clusters are as many as there are classes, or a multiple: a block has rows of one, which begin alike.
  const int32_t first = StayingNumbers::first_of(rows, static_cast<int32_t>(blockIdx.x) >> rows.block_bits);
  const StayingNumbers numbers = {numbers_of[number], &counter, rows.slot_step != 0 ? 2 : 1};
  int32_t i = first + number * static_cast<int32_t>(gridDim.x >> rows.block_bits);

  // At x's sectors; where its vectors begin all others' do too.
  const auto begin = reinterpret_cast<uintptr_t>(start_of_row<T>(work.x, 0, first));
  const int32_t head = kAny ? static_cast<int32_t>((0 - begin) % (kStayingUnit * 16) / sizeof(T)) : 0;
  const StayingCut cut = StayingCut::of<K, V>(rows, head, n, block, blocks, warp, warps, lane);
  const bool narrows = !kPlain && work.out.dtype == GPUOPT_E4M3, has_sum = kAdds && work.sum.dtype != 0;
  // A thread's place in a row: of each operand but a multiplication away, which takes no registers from row to row.
  uint32_t offset = static_cast<uint32_t>(cut.first) * sizeof(T);
  uint32_t single = static_cast<uint32_t>(cut.single) * sizeof(T);
  const auto row_of = [&](const View &view, int32_t row, uint32_t pitch, uint32_t bytes) {
    char *place = static_cast<char *>(view.data) + bytes;
    asm("mad.wide.u32 %0, %1, %2, %0;" : "+l"(place) : "r"(row), "r"(pitch));
    return place;
  };
  // Of the block's memory: weights, those of head and tail, rows on their way, where blocks meet.
  char *const memory = reinterpret_cast<char *>(staying_memory);
  uint4 *const mine = reinterpret_cast<uint4 *>(memory + rows.slots_at) +
                      (number * warps + warp) * (staying_row_bytes(V, kAdds) / 16) + lane;
  const auto bits_in = [](const uint4 &words) { return Bits<T, K>{{words.x, words.y, words.z, words.w}}; };
  const auto ask = [&](int32_t row, uint4 *to) {
    if (row < work.rows) {
      const char *const x = row_of(work.x, row, rows.x_pitch, offset);
      const char *const residual = kAdds ? row_of(work.residual, row, rows.residual_pitch, offset) : nullptr;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (v == V - 1 && !cut.has_last) continue;
        __pipeline_memcpy_async(&to[v * 32], x + v * 512, 16);
        if constexpr (kAdds) __pipeline_memcpy_async(&to[(V + v) * 32], residual + v * 512, 16);
      }
    }
    __pipeline_commit();
  };
  T x_one = T(0.0f), residual_one = T(0.0f);
  const auto ask_single = [&](int32_t row) {
    if (!kAny || !cut.has_single || row >= work.rows) return;
    x_one = *reinterpret_cast<const T *>(row_of(work.x, row, rows.x_pitch, single));
    if constexpr (kAdds)
      residual_one = *reinterpret_cast<const T *>(row_of(work.residual, row, rows.residual_pitch, single));
  };
  wait_with_row(work, 0, i < work.rows ? i : 0,
                block * static_cast<int32_t>(blockDim.x) + static_cast<int32_t>(threadIdx.x),
                blocks * static_cast<int32_t>(blockDim.x));
  const auto slot_of = [&](int32_t round) {
    return reinterpret_cast<uint4 *>(reinterpret_cast<char *>(mine) + round % 2 * rows.slot_step);
  };
  ask(i, slot_of(0));
  if (rows.slot_step != 0) ask(i + rows.step, slot_of(1));
  ask_single(i);
  for (int32_t round = 0; round <= numbers.ahead; ++round) numbers.leave(round, i + round * rows.step);
  numbers.prepare(rows, work.rows, i);
  uint32_t drawn = 0;

  auto *const meetings = reinterpret_cast<StayingMeeting *>(memory + rows.meetings_at);
  StayingGroup group = {
      partials[0] + number * warps, meetings + number, warps, warp, lane, blocks, block, 0, &of_block};
  const auto of_warp = static_cast<float>(cut.of_warp);
  if constexpr (WideRow<T, V, kAny>::template kDistances<kNorm>) group.hold_count(of_warp);
  if (blocks > 1) group.prepare(cut.of_block);
  StayingWeights<T, V, kWeights == 0 ? 1 : kWeights, kAny> weights = {};
  if constexpr (kWeights > 0) {
    weights.held = reinterpret_cast<float4 *>(staying_memory) + warp * weights.kOfWarp + lane;
    weights.of_single =
        reinterpret_cast<float4 *>(memory + rows.slots_at - staying_single_bytes(kWeights, kAny)) + lane;
    const View views[2] = {work.gamma, work.beta};
    weights.hold(reinterpret_cast<const View(&)[kWeights]>(views), cut, number, groups);
  }
  __syncthreads();
#pragma unroll 1
  while (i < work.rows) {
    asm volatile("" : "+r"(offset), "+r"(single));
    WideRow<T, V, kAny> wide;
    uint4 *const slot = slot_of(group.round);
    rows.slot_step != 0 ? __pipeline_wait_prior(1) : __pipeline_wait_prior(0);
    if constexpr (kLeavesFirst) group.leave_drawn(rows, numbers, drawn);
    __syncwarp();
#pragma unroll
    for (int v = 0; v < V; ++v) {
      widen_bits(bits_in(slot[v * 32]), wide.h[v]);
      if constexpr (kAdds) add(wide.h[v], bits_in(slot[(V + v) * 32]));
    }
    if constexpr (kAny) wide.one = widen<float>(x_one);
    if constexpr (kAny && kAdds) wide.one += widen<float>(residual_one);
    ask(numbers.number_of(group.round + numbers.ahead), slot);
    ask_single(numbers.number_of(group.round + 1));
    if (has_sum) {
      T *const sum = reinterpret_cast<T *>(row_of(work.sum, i, rows.sum_pitch, offset));
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (v < V - 1 || cut.has_last) store_bits(sum + v * 32 * K, narrow_bits<T>(wide.h[v]));
      if (kAny && cut.has_single)
        *reinterpret_cast<T *>(row_of(work.sum, i, rows.sum_pitch, single)) = narrow<T>(wide.one);
    }

    Moments m = wide.template statistics<kNorm>(cut, group, static_cast<float>(n), of_warp, rows.per_element, [&] {
      if constexpr (kLeavesFirst) return;
      group.leave_drawn(rows, numbers, drawn);
      drawn = numbers.draw(rows, group.round + numbers.ahead + 2);
    });
    if constexpr (kLeavesFirst) drawn = numbers.draw(rows, group.round + numbers.ahead + 1);
    if constexpr (kWeights > 0) m.second *= rows.per_element;
    RowFactors factors = factors_of<kNorm>(work, m, 1.0f);  // of squares an element's
    if (work.statistics.dtype != 0 && threadIdx.x + block == 0) store_statistics(work, 0, i, factors);
    wide.template rebase<kNorm>(factors);

    char *const out = row_of(work.out, i, rows.out_pitch, narrows ? offset / sizeof(T) : offset);
    const auto finish = [&](const auto &chained) {
      const bool by_e4m3 = kMayNarrow<std::decay_t<decltype(chained)>> && narrows;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        float(&h)[K] = wide.h[v];
#pragma unroll
        for (float &element : h) element = wide.template normalised<kNorm>(factors, element);
        if constexpr (kWeights > 0) {
          float a[K];
          weights.get(v, 0, a);
#pragma unroll
          for (int e = 0; e < K; ++e) h[e] *= a[e];
          if constexpr (kWeights > 1) {
            weights.get(v, 1, a);
#pragma unroll
            for (int e = 0; e < K; ++e) h[e] += a[e];
          }
        }
        if constexpr (!kPlain) apply_chain<T, kAny>(chained, work, 0, i, 0, h);
        if (by_e4m3) {
          if (v < V - 1 || cut.has_last) store_e4m3<false>(reinterpret_cast<__nv_fp8_e4m3 *>(out) + v * 32 * K, h);
        } else {
          Bits<T, K> bits[1] = {narrow_bits<T>(h)};
          stay_packed(bits);  // a last vector that is not there is computed, too: no branch between vectors
          if (v < V - 1 || cut.has_last) store_bits(reinterpret_cast<T *>(out) + v * 32 * K, bits[0]);
        }
      }
      if (!kAny || !cut.has_single) return;
      float h[1] = {wide.template normalised<kNorm>(factors, wide.one)};
      if constexpr (kWeights > 0) {
        const float4 weight = *weights.of_single;
        h[0] *= weight.x;
        if constexpr (kWeights > 1) h[0] += weight.y;
      }
      if constexpr (!kPlain) apply_chain<T, kAny>(chained, work, 0, i, 0, h);
      char *const to = row_of(work.out, i, rows.out_pitch, narrows ? single / sizeof(T) : single);
      if (by_e4m3)
        *reinterpret_cast<__nv_fp8_e4m3 *>(to) = narrow<__nv_fp8_e4m3>(h[0]);
      else
        *reinterpret_cast<T *>(to) = narrow<T>(h[0]);
    };
    if constexpr (kPlain)
      finish(chain);
    else
      with_row_act<true>(chain, narrows, finish);
    i = numbers.number_of(group.round);
  }
#endif
}

}  // namespace gpuopt
