// fused_act_tiles: chains whose matrices lie in both layouts; those that lie across out turn in shared memory.
//
// Idea and data movement: a block holds a tile of 64 x 64 elements, a thread 4 columns of 4 rows of it. A matrix whose
// rows are contiguous is read and written directly; one whose columns are is read along its columns, put into shared
// memory as computing type, and read back across them (written the other way round), so that an access of global memory
// has at least 64 neighbours. Lines of the tile are 65 apart, so that neither direction has more than two lanes at a
// bank. The chain itself is interpreted as in fused_act_chain, once a thread.
//
// Needs: nothing. Every layout, leading dimension, alignment, extent, batch, type and stage, in place or not.
// Recorded (H200, 2026-11-21, cold), x column-major, f32, single call and in a graph: bias, gelu_tanh 256 square 6.59
// and 3.93 us; relu, add per_col, mul scalar 1024 square 10.24 and 6.28 (fused_act_tiles_vec 9.86 and 6.11).

#include "common/descriptor.h"
#include "fused_act/chain_steps.cuh"
#include "fused_act/cost.h"

namespace gpuopt {

constexpr int kTile = 64;

template <class C>
struct TilesWork {
  ChainSteps<C> steps;
  int64_t rows, cols;
  SmallDivider by_tiles;  // along a row
};

template <class C>
struct TilesReader {
  static constexpr int K = 4, kAcross = kTile / K, kDown = kRunThreads / kAcross, kRuns = kTile / kDown;
  static constexpr int kValues = K * kRuns, kColumnValues = K, kRowValues = kRuns, kPitch = kTile + 1;
  static constexpr bool kMatrices = true;
  C *tile;
  int64_t first_row, first_col, rows, cols;

  // K neighbours of a matrix whose lines are rows, or columns (turned): where run r of the thread begins and how many
  // of its elements exist.
  __device__ __forceinline__ int64_t run_offset(const View &view, bool turned, int r, int32_t &count) const {
    const int64_t line = (turned ? first_col : first_row) + threadIdx.x / kAcross + r * kDown;
    const int64_t at = (turned ? first_row : first_col) + threadIdx.x % kAcross * K;
    const int64_t left = line < (turned ? cols : rows) ? (turned ? rows : cols) - at : 0;
    count = left >= K ? K : left > 0 ? static_cast<int32_t>(left) : 0;
    return blockIdx.y * view.batch_step + line * (turned ? view.col_step : view.row_step) + at;
  }
  static __device__ __forceinline__ int place(int col, int row) { return col * kPitch + row; }
  // What the thread holds of the tile's columns becomes what it holds of its rows, or the other way round.
  template <bool kToRows>
  __device__ __forceinline__ void turn(C (&x)[kValues]) const {
    const auto across = static_cast<int>(threadIdx.x) % kAcross * K, down = static_cast<int>(threadIdx.x) / kAcross;
    const auto by_rows = [&](int r, int e) -> C & { return tile[place(across + e, down + r * kDown)]; };
    const auto by_columns = [&](int r, int e) -> C & { return tile[place(down + r * kDown, across + e)]; };
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
#pragma unroll
      for (int e = 0; e < K; ++e) (kToRows ? by_columns(r, e) : by_rows(r, e)) = x[r * K + e];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
#pragma unroll
      for (int e = 0; e < K; ++e) x[r * K + e] = kToRows ? by_rows(r, e) : by_columns(r, e);
    }
    __syncthreads();
  }

  __device__ __forceinline__ void read_matrix(const View &view, C (&x)[kValues]) const {
    const bool turned = view.col_step != 1;
    with_size<sizeof(C)>(view.dtype, [&](auto size) {
      using E = UnsignedOf<decltype(size)::value>;
      Bits<E, K> words[kRuns];
#pragma unroll
      for (int r = 0; r < kRuns; ++r) {
        int32_t count;
        const E *from = static_cast<const E *>(view.data) + run_offset(view, turned, r, count);
        if (count == K && is_aligned<E, K>(from)) {
          words[r] = load_bits<E, K>(from);
        } else {
          words[r] = {};
#pragma unroll
          for (int e = 0; e < K; ++e) {
            if (e < count) set_element(words[r], e, from[e]);
          }
        }
      }
      with_type_of_size<decltype(size)::value>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          C run[K];
          widen_words<typename decltype(tag)::type>(words[r], run);
#pragma unroll
          for (int e = 0; e < K; ++e) x[r * K + e] = run[e];
        }
      });
    });
    if (turned) turn<true>(x);
  }
  __device__ __forceinline__ void write_matrix(const View &view, const C (&values)[kValues]) const {
    C x[kValues];
#pragma unroll
    for (int e = 0; e < kValues; ++e) x[e] = values[e];
    const bool turned = view.col_step != 1;
    if (turned) turn<false>(x);
    with_size<sizeof(C)>(view.dtype, [&](auto size) {
      using E = UnsignedOf<decltype(size)::value>;
      with_type_of_size<decltype(size)::value>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
          C run[K];
#pragma unroll
          for (int e = 0; e < K; ++e) run[e] = x[r * K + e];
          int32_t count;
          E *to = static_cast<E *>(view.data) + run_offset(view, turned, r, count);
          const Bits<E, K> bits = narrow_words<typename decltype(tag)::type>(run);
          if (count == K && is_aligned<E, K>(to)) {
            store_bits(to, bits);
          } else {
#pragma unroll
            for (int e = 0; e < K; ++e) {
              if (e < count) to[e] = element_of(bits, e);
            }
          }
        }
      });
    });
  }

  // N elements of a vector, so many apart in it; those past its end are its last.
  template <int N>
  __device__ __forceinline__ void read_vector(const View &view, int64_t step, int64_t begin, int32_t apart,
                                              int64_t count, C (&v)[N]) const {
    with_size<sizeof(C)>(view.dtype, [&](auto size) {
      using E = UnsignedOf<decltype(size)::value>;
      const E *from = static_cast<const E *>(view.data) + blockIdx.y * view.batch_step;
      E raw[N];
#pragma unroll
      for (int e = 0; e < N; ++e) {
        const int64_t at = begin + e * apart;
        raw[e] = from[(at < count ? at : count - 1) * step];
      }
      with_type_of_size<decltype(size)::value>(view.dtype, [&](auto tag) {
#pragma unroll
        for (int e = 0; e < N; ++e) v[e] = widen<C>(bits_as<typename decltype(tag)::type>(raw[e]));
      });
    });
  }
  __device__ __forceinline__ void read_per_col(const View &view, C (&v)[K]) const {
    read_vector(view, view.col_step, first_col + threadIdx.x % kAcross * K, 1, cols, v);
  }
  __device__ __forceinline__ void read_per_row(const View &view, C (&v)[kRuns]) const {
    read_vector(view, view.row_step, first_row + threadIdx.x / kAcross, kDown, rows, v);
  }
};

template <class C>
__global__ void __launch_bounds__(kRunThreads, sizeof(C) == 4 ? 3 - kFewerBlocks : 1)
    fused_act_tiles_kernel(const __grid_constant__ TilesWork<C> work) {
  __shared__ C tile[kTile * TilesReader<C>::kPitch];
  int32_t column;
  const int32_t row = work.by_tiles.divide(static_cast<int32_t>(blockIdx.x), column);
  const TilesReader<C> reader = {tile, static_cast<int64_t>(row) * kTile, static_cast<int64_t>(column) * kTile,
                                 work.rows, work.cols};
  run_steps(work.steps, reader);
}

namespace {

constexpr char kName[] = "fused_act_tiles";

// f(C{}): fp64 where the chain is, or an operand.
template <class F>
gpuopt_status with_tile_type(const gpuopt_problem &problem, F &&f) {
  bool wide = problem.compute == GPUOPT_COMPUTE_F64;
  for (int32_t s = 0; s < problem.stage_count; ++s)
    wide = wide || problem.stage[s].a.m.dtype == GPUOPT_F64 || problem.stage[s].b.m.dtype == GPUOPT_F64;
  return wide ? f(double{}) : f(float{});
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_tile_type(*problem,
                        [&](auto zero) { return load_kernel(launch, kName, fused_act_tiles_kernel<decltype(zero)>); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_tile_type(*problem, [&](auto zero) {
    using C = decltype(zero);
    const int64_t across = ceil_div(problem->n, kTile);
    const TilesWork<C> work = {make_steps<C>(*problem), problem->m, problem->n, SmallDivider(across)};
    const dim3 grid(static_cast<unsigned>(ceil_div(problem->m, kTile) * across), static_cast<unsigned>(problem->batch));
    return launch_kernel(launch, kName, grid, kRunThreads, 0, fused_act_tiles_kernel<C>, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMost = int64_t{1} << 30;
  const int64_t across = ceil_div(problem->n, kTile);
  if (problem->batch > 65535) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->batch, 65535, "batch"};
    return 0;
  }
  if (across > kMost || ceil_div(problem->m, kTile) > kMost / (across > 0 ? across : 1)) {
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_OUT, problem->m, kMost / (across > 0 ? across : 1) * kTile,
               "rows of this length"};
    return 0;
  }
  return 1;
}

// Tiles past an edge are as much work as full ones.
double predict_us(const gpuopt_problem *problem) {
  const double tiles =
      static_cast<double>(ceil_div(problem->m, kTile)) * static_cast<double>(ceil_div(problem->n, kTile));
  const double used = static_cast<double>(problem->m) * static_cast<double>(problem->n) / (tiles * kTile * kTile);
  // Where nothing turns, fused_act_chain does the same with less.
  return (turns(*problem) ? 1 : 2) * pass_us(*problem, {2.9, 0.7, 500 / used, 30, 16});
}

gpuopt_resource kResources[] = {
    {kRunThreads, 0, reinterpret_cast<const void *>(fused_act_tiles_kernel<float>)},
    {kRunThreads, 0, reinterpret_cast<const void *>(fused_act_tiles_kernel<double>)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = any_chain_descriptor(GPUOPT_OP_FUSED_ACT, kName,
                                         "any chain, matrices in both layouts: tiles turned in shared memory");
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
