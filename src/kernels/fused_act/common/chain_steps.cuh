// The loop that walks a chain's steps (common/linear_steps.h): one decision a step for all that a thread holds, the
// same for all threads.
//
// A reader says what a thread holds and where its operands lie: kValues elements, in runs of K neighbours. It reads a
// vector along a row as kColumnValues elements and one along the rows as kRowValues, elements that values share being
// read once. kMatrices: whether stages may have matrices; without them registers are fewer.
#pragma once

#include "common/fast_stages_f64.cuh"
#include "common/launch.h"
#include "common/linear_steps.h"
#include "common/stage_values.h"
#include "fused_act/common/dtype_words.cuh"

namespace gpuopt {

// Value e takes scale[e / kEach % S] and shift[e / kEach % T].
template <int kEach, class C, int V, int S, int T>
__device__ __forceinline__ void apply_linear(const typename ChainSteps<C>::Step &step, const C (&scale)[S],
                                             const C (&shift)[T], C (&x)[V]) {
  const C low = step.low, high = step.high;
#pragma unroll
  for (int e = 0; e < V; ++e) x[e] = FastMathF64::clamp(x[e] * scale[e / kEach % S] + shift[e / kEach % T], low, high);
}

// f(values) for 8 doubles of many at a time: functions of fp64 need registers, and all values side by side more than
// there are.
template <class C, int N, class F>
__device__ __forceinline__ void in_parts(C (&x)[N], F &&f) {
  static_assert(N % 8 == 0, "whole parts");
#pragma unroll 1
  for (int part = 0; part < N / 8; ++part) {  // the first 8, which then go behind the others
    C y[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) y[e] = x[e];
    f(y);
#pragma unroll
    for (int e = 0; e < N; ++e) x[e] = e + 8 < N ? x[(e + 8) % N] : y[(e + 8) % 8];
  }
}

#define GPUOPT_KIND_(name, value) | stage_bit(GPUOPT_STAGE_##name)
constexpr uint64_t kFunctionSteps = (uint64_t{0} GPUOPT_STAGE_FUNCTIONS(GPUOPT_KIND_)) &
                                    ~stage_bits(GPUOPT_STAGE_RELU, GPUOPT_STAGE_CLAMP, GPUOPT_STAGE_NEG);
#undef GPUOPT_KIND_

template <int32_t kKind, class C, int N>
__device__ __forceinline__ void apply_function(const C &value, C (&x)[N]) {
  const auto apply = [&](auto &values) {
#pragma unroll
    for (auto &v : values) v = stage_value<kKind, FastMathF64>(v, value);
  };
  if constexpr (sizeof(C) == 8 && N > 8)
    in_parts(x, apply);
  else
    apply(x);
}

// The values, with as many elements of a matrix.
template <class C, int N>
__device__ __forceinline__ void apply_with_matrix(int32_t op, C factor, const C (&a)[N], C (&x)[N]) {
  apply_one_of<FastMathF64, GPUOPT_STAGE_ADD, GPUOPT_STAGE_MUL, GPUOPT_STAGE_RELU_GRAD, GPUOPT_STAGE_GELU_GRAD,
               GPUOPT_STAGE_SILU_GRAD>(op, factor, a, x);
}

// Whether a reader applies stages with a matrix itself, in parts, by apply_matrix().
template <class Reader>
constexpr bool kAppliesMatrices = false;

// kAhead: reads the number of the next step while the present one runs, for a register more.
template <bool kAhead = true, class C, class Reader>
__device__ __forceinline__ void run_steps(const ChainSteps<C> &steps, const Reader &reader) {
  constexpr int kValues = Reader::kValues, kColumnValues = Reader::kColumnValues, kRowValues = Reader::kRowValues;
  constexpr int kEach = kValues / kRowValues;
  C x[kValues];
  reader.read_matrix(steps.step[0].operand, x);
  int32_t op = steps.step[1].op;
#pragma unroll 1
  for (int32_t s = 1;; ++s) {
    const typename ChainSteps<C>::Step &step = steps.step[s];
    const int32_t next = kAhead ? steps.step[s + 1].op : 0;
    if (!kAhead) op = step.op;
    switch (op) {
#define GPUOPT_CASE_(name, result)                                          \
  case GPUOPT_STAGE_##name:                                                 \
    if constexpr ((kFunctionSteps >> GPUOPT_STAGE_##name & 1) == 0) return; \
    apply_function<GPUOPT_STAGE_##name>(step.value, x);                     \
    break;
      GPUOPT_STAGE_FUNCTIONS(GPUOPT_CASE_)
#undef GPUOPT_CASE_
      case GPUOPT_STAGE_ADD:
      case GPUOPT_STAGE_MUL:
      case GPUOPT_STAGE_RELU_GRAD:
      case GPUOPT_STAGE_GELU_GRAD:
      case GPUOPT_STAGE_SILU_GRAD:
        if constexpr (Reader::kMatrices) {
          if constexpr (kAppliesMatrices<Reader>) {
            reader.apply_matrix(op, step.value, step.operand, x);
          } else {
            C a[kValues];
            reader.read_matrix(step.operand, a);
            apply_with_matrix(op, step.value, a, x);
          }
        }
        break;
      case kLinear: {
        const C scale[1] = {step.scale}, shift[1] = {step.shift};
        apply_linear<1>(step, scale, shift, x);
        break;
      }
      case kAddPerCol:
      case kMultiplyPerCol: {
        C v[kColumnValues];
        reader.read_per_col(step.operand, v);
#pragma unroll
        for (int e = 0; e < kColumnValues; ++e) v[e] *= step.value;
        const C scale[1] = {step.scale}, shift[1] = {step.shift};
        if (op == kAddPerCol)
          apply_linear<1>(step, scale, v, x);
        else
          apply_linear<1>(step, v, shift, x);
        break;
      }
      case kAddPerRow:
      case kMultiplyPerRow: {
        C v[kRowValues];
        reader.read_per_row(step.operand, v);
#pragma unroll
        for (int e = 0; e < kRowValues; ++e) v[e] *= step.value;
        const C scale[1] = {step.scale}, shift[1] = {step.shift};
        if (op == kAddPerRow)
          apply_linear<kEach>(step, scale, v, x);
        else
          apply_linear<kEach>(step, v, shift, x);
        break;
      }
      case GPUOPT_STAGE_ADD_OUTER: {
        C v[kColumnValues], w[kRowValues];
        reader.read_per_row(step.rows, w);
        reader.read_per_col(step.operand, v);
#pragma unroll
        for (int e = 0; e < kRowValues; ++e) w[e] *= step.value;
#pragma unroll
        for (int e = 0; e < kValues; ++e) x[e] += v[e % kColumnValues] * w[e / kEach];
        break;
      }
      case GPUOPT_STAGE_STORE:
        reader.write_matrix(step.operand, x);
        break;
      default:
        return;
    }
    op = next;
  }
}

}  // namespace gpuopt
