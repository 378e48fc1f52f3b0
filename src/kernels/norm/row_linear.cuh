// Chains after a norm that are an activation between two linear steps of numbers, each with bounds,
//
//   h  ->  bounded(h * scale + shift)  ->  act  ->  bounded(h * scale + shift)
//
// where each part may be missing, and a row in registers to which they are applied. No list is walked: what there is
// costs a branch a vector, the same for all threads.
#ifndef GPUOPT_KERNELS_NORM_ROW_LINEAR_CUH
#define GPUOPT_KERNELS_NORM_ROW_LINEAR_CUH

#include <limits>

#include "common/bits.cuh"
#include "norm/row_work.cuh"

namespace gpuopt {

constexpr int32_t kNoRowAct = 0;

struct RowLinear {
  struct Step {
    bool exists, bounded;
    float scale, shift, low, high;
  };
  Step before, after;
  int32_t act;  // GPUOPT_STAGE_* or kNoRowAct
};

constexpr uint64_t kRowActKinds = row_stage_bit(GPUOPT_STAGE_GELU) | row_stage_bit(GPUOPT_STAGE_GELU_TANH) |
                                  row_stage_bit(GPUOPT_STAGE_SILU) | row_stage_bit(GPUOPT_STAGE_SIGMOID) |
                                  row_stage_bit(GPUOPT_STAGE_TANH);
constexpr uint64_t kRowLinearKinds = kRowActKinds | row_stage_bit(GPUOPT_STAGE_RELU) |
                                     row_stage_bit(GPUOPT_STAGE_CLAMP) | row_stage_bit(GPUOPT_STAGE_NEG) |
                                     row_stage_bit(GPUOPT_STAGE_ADD) | row_stage_bit(GPUOPT_STAGE_SUB) |
                                     row_stage_bit(GPUOPT_STAGE_MUL);

// Fills the chain and returns -1, or returns the first stage that does not fit. A product of a sum is a step of its
// own: folding it into the sum would lose digits where that cancels.
inline int32_t match_row_linear(const gpuopt_problem &problem, RowLinear &chain) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr RowLinear::Step kNothing = {false, false, 1.0f, -0.0f, -kInfinity, kInfinity};  // a zero keeps its sign
  chain = {kNothing, kNothing, kNoRowAct};
  RowLinear::Step *step = &chain.before;
  enum { kClosed, kScaled, kShifted } state = kClosed;  // the step takes nothing more, a shift and bounds, bounds
  const auto begin = [&] {
    if (step->exists && step == &chain.after) return false;
    if (step->exists) step = &chain.after;
    return step->exists = true;
  };
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem.stage[s];
    const auto v0 = static_cast<float>(stage.value[0]), v1 = static_cast<float>(stage.value[1]);
    if (stage.a.m.dtype != 0 || stage.b.m.dtype != 0) return s;
    switch (stage.kind) {
      case GPUOPT_STAGE_NEG:
      case GPUOPT_STAGE_MUL:
        if (!begin()) return s;
        step->scale = stage.kind == GPUOPT_STAGE_NEG ? -1.0f : v0;
        state = kScaled;
        break;
      case GPUOPT_STAGE_ADD:
      case GPUOPT_STAGE_SUB:
        if (state != kScaled && !begin()) return s;
        step->shift = stage.kind == GPUOPT_STAGE_SUB ? -v0 : v0;
        state = kShifted;
        break;
      case GPUOPT_STAGE_RELU:
      case GPUOPT_STAGE_CLAMP: {
        if (state == kClosed && !begin()) return s;
        const bool relu = stage.kind == GPUOPT_STAGE_RELU;
        step->low = relu ? 0.0f : v0 == v0 ? v0 : -kInfinity;  // a bound that is NaN is none
        step->high = relu || v1 != v1 ? kInfinity : v1;
        step->bounded = true;
        state = kClosed;
        break;
      }
      default:
        if (stage.kind >= 64 || (kRowActKinds >> stage.kind & 1) == 0 || chain.act != kNoRowAct || step == &chain.after)
          return s;
        chain.act = stage.kind;
        step = &chain.after;
        state = kClosed;
    }
  }
  return -1;
}

template <int K>
__device__ __forceinline__ void apply_row_step(const RowLinear::Step &step, float (&h)[K]) {
  if (!step.exists) return;
  const float scale = step.scale, shift = step.shift, low = step.low, high = step.high;
#pragma unroll
  for (int e = 0; e < K; ++e) h[e] = h[e] * scale + shift;
  if (!step.bounded) return;
#pragma unroll
  for (int e = 0; e < K; ++e) h[e] = fast::min_nan(fast::max_nan(h[e], low), high);
}

// One branch, the same for all threads, for all that follows: K elements of one vector.
template <int K>
__device__ __forceinline__ void apply_row_act(int32_t act, float (&h)[K]) {
  const auto each = [&](auto &&f) {
#pragma unroll
    for (int e = 0; e < K; ++e) h[e] = f(h[e]);
  };
  if (act == kNoRowAct) return;
  if (act == GPUOPT_STAGE_GELU) {
    each([](float x) { return fast::gelu(x); });
  } else if (act == GPUOPT_STAGE_SILU) {
    each([](float x) { return fast::silu(x); });
  } else if (act == GPUOPT_STAGE_GELU_TANH) {
    each([](float x) { return fast::gelu_tanh(x); });
  } else if (act == GPUOPT_STAGE_SIGMOID) {
    each([](float x) { return fast::sigmoid(x); });
  } else {
    each([](float x) { return fast::tanh(x); });
  }
}

// A row begins at an address that is the same for all threads of a block, so what differs is 32 bits.
template <class T>
__device__ __forceinline__ const T *behind(const T *row, uint32_t bytes) {
  return reinterpret_cast<const T *>(reinterpret_cast<const char *>(row) + bytes);
}
template <class T>
__device__ __forceinline__ T *behind(T *row, uint32_t bytes) {
  return reinterpret_cast<T *>(reinterpret_cast<char *>(row) + bytes);
}

// A thread's vectors of one row: `vectors` of 16 bytes, of which the thread has number rank, rank + size, ...
template <class T, int V>
struct RowPart {
  static constexpr int K = 16 / sizeof(T);
  Bits<T, K> bits[V];
  int32_t vectors, rank, size;

  __device__ __forceinline__ bool has(int v) const { return v * size + rank < vectors; }

  // A vector that the row does not have is read from its last one. Neither this nor moments() branches: where they do,
  // the compiler puts the last load off until the first vector has come.
  __device__ __forceinline__ void load(const T *row) {
    uint32_t offset = rank * 16;
    const uint32_t last = (vectors - 1) * 16;
#pragma unroll
    for (int v = 0; v < V; ++v, offset += size * 16)
      bits[v] = load_bits<T, K>(behind(row, offset < last ? offset : last));
  }
  // Elements of 16 bits stay two to a register: the compiler is not to keep them as floats from one use to the next.
  __device__ __forceinline__ void stay_packed() {
    if constexpr (sizeof(T) == 2) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
#pragma unroll
        for (uint32_t &word : bits[v].w) asm volatile("" : "+r"(word));
      }
    }
  }
  // LAYERNORM takes differences from the thread's first element, as RunningMoments does (row_tile.cuh).
  template <int kNorm>
  __device__ __forceinline__ Moments moments() const {
    const float origin = kNorm == GPUOPT_NORM_LAYERNORM && has(0) ? widen<float>(element_of(bits[0], 0)) : 0.0f;
    float sum = 0, squares = 0, count = 0;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      float h[K], of_vector = 0, squares_of_vector = 0;
      widen_bits(bits[v], h);
#pragma unroll
      for (int e = 0; e < K; ++e) {
        const float d = h[e] - origin;
        of_vector += d;
        squares_of_vector += d * d;
      }
      sum += has(v) ? of_vector : 0.0f;
      squares += has(v) ? squares_of_vector : 0.0f;
      count += has(v) ? K : 0.0f;
    }
    if constexpr (kNorm == GPUOPT_NORM_RMSNORM) return {0.0f, 0.0f, 0.0f, squares};
    const float mean = count > 0 ? __fdividef(sum, count) : 0.0f;
    return {count, origin + mean, origin * count + sum, squares - sum * mean};
  }
};

// Elements of a word that change nothing: as a factor, and as a summand for which a zero keeps its sign.
template <class T>
__device__ __forceinline__ uint32_t neutral_word(bool factor) {
  if constexpr (sizeof(T) == 4) return factor ? 0x3f800000u : 0x80000000u;
  if (!factor) return 0x80008000u;
  return cuda::std::is_same_v<T, __half> ? 0x3c003c00u : 0x3f803f80u;
}

template <class T, int kNorm, int V>
__device__ __forceinline__ void store_linear_row(const RowWork<T> &work, const RowLinear &chain, const RowFactors &row,
                                                 const RowPart<T, V> &part, int32_t p, int32_t i) {
  constexpr int K = RowPart<T, V>::K;
  constexpr bool kLayer = kNorm == GPUOPT_NORM_LAYERNORM;
  T *const out = static_cast<T *>(work.out.data) + (p * work.out.batch_step + i * work.out.row_step);
  const T *const gammas = static_cast<const T *>(work.gamma.data) + p * work.gamma.batch_step;
  const T *const betas = static_cast<const T *>(work.beta.data) + p * work.beta.batch_step;
  uint32_t offset = part.rank * 16;
  const bool has_gamma = work.gamma.dtype != 0, has_beta = work.beta.dtype != 0;
  const int32_t act = chain.act;
  Bits<T, K> gamma, beta;  // absent ones are never loaded and stay as they are
#pragma unroll
  for (int w = 0; w < Bits<T, K>::kWords; ++w) {
    gamma.w[w] = neutral_word<T>(true);
    beta.w[w] = neutral_word<T>(false);
  }
#pragma unroll
  for (int v = 0; v < V; ++v, offset += part.size * 16) {
    if (!part.has(v)) continue;
    if (has_gamma) gamma = load_bits<T, K>(behind(gammas, offset));
    if (kLayer && has_beta) beta = load_bits<T, K>(behind(betas, offset));
    float h[K], factor[K], move[K];
    widen_bits(part.bits[v], h);
    widen_bits(gamma, factor);
    if constexpr (kLayer) widen_bits(beta, move);
#pragma unroll
    for (int e = 0; e < K; ++e) {
      h[e] = normalised<kNorm, T>(row, h[e]) * factor[e];
      if constexpr (kLayer) h[e] += move[e];
    }
    if (!kLayer && has_beta) {  // rare
      widen_bits(load_bits<T, K>(behind(betas, offset)), move);
#pragma unroll
      for (int e = 0; e < K; ++e) h[e] += move[e];
    }
    apply_row_step(chain.before, h);
    apply_row_act(act, h);
    apply_row_step(chain.after, h);
    store_bits(behind(out, offset), narrow_bits<T>(h));
  }
}

// exists: whether there is such a row; where not, a row that exists is read and nothing is written.
template <class T, int kNorm, int V, class Group>
__device__ __forceinline__ void norm_linear_row(const RowWork<T> &work, const RowLinear &chain, Group &group, int32_t p,
                                                int32_t i, bool exists) {
  RowPart<T, V> part;
  part.vectors = work.cols / RowPart<T, V>::K;
  part.rank = group.rank();
  part.size = group.size();
  part.load(start_of_row<T>(work.x, p, i));
  const auto n = static_cast<float>(work.cols);
  const Moments m = group.template join<kNorm, false>(part.template moments<kNorm>(), n);
  const RowFactors row = factors_of<kNorm>(work, m, n);
  if (!exists) return;
  if (work.statistics.dtype != 0 && part.rank == 0) store_statistics(work, p, i, row);
  part.stay_packed();
  store_linear_row<T, kNorm>(work, chain, row, part, p, i);
}

}  // namespace gpuopt

#endif
