// A group of 1 to 32 neighbouring threads a row, for rows of at most a few loads of a warp; several rows of a thread
// under way.
//
// Rows that begin anywhere are read by the aligned vectors that have an element of theirs, so nothing is read beyond the
// 16 bytes around an element; the other elements of the first and the last are put out in registers.
//
// Data movement: the lanes of a group read neighbouring pieces of a row, the groups of a warp neighbouring rows, and
// the warp's next loads the rows after those: a warp reads one contiguous run where rows are packed, however short they
// are. The rows of a thread are joined across the lanes of its group all at once: in each exchange a lane keeps half of
// its rows and gives the other half away, so four rows in 16 lanes cost five exchanges, not 16. Where rows have 128
// bytes and more, a block keeps its results in shared memory and writes them thousands at a time: memory has to turn
// round for every burst of writes among the reads.
#pragma once

#include "common/dependent_launch.cuh"
#include "common/with_dtype.cuh"
#include "reduce/common/dispatch.cuh"
#include "reduce/common/join.cuh"
#include "reduce/common/product_lanes.cuh"
#include "reduce/common/resolve.cuh"
#include "reduce/rows/rows_group.h"

namespace gpuopt {

#ifdef __CUDA_ARCH__
constexpr int kGroupArch = __CUDA_ARCH__ / 10;
#else
constexpr int kGroupArch = 0;
#endif

// Joins row r of every lane of the group for all kGroupRows rows r. A lane is left with the totals of `count` rows from
// `first` on, in of_row[0] and following; lanes whose index has bits of `idle` repeat others' totals.
struct JoinedRows {
  int first, count, idle;
};
template <class Op>
__device__ __forceinline__ JoinedRows join_rows_of_group(typename Op::Partial (&of_row)[kGroupRows], int lane,
                                                         int group) {
  JoinedRows joined = {0, kGroupRows, 0};
  int distance = group / 2;
#pragma unroll
  for (int half = kGroupRows / 2; half > 0; half /= 2) {
    if (distance == 0) break;
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (int r = 0; r < half; ++r) {
      const typename Op::Partial given = upper ? of_row[r] : of_row[r + half],
                                 kept = upper ? of_row[r + half] : of_row[r];
      of_row[r] = Op::combine(kept, shuffle_across(given, distance));
    }
    joined.first += upper ? half : 0;
    joined.count = half;
    distance /= 2;
  }
  joined.idle = distance > 0 ? 2 * distance - 1 : 0;
  for (; distance > 0; distance /= 2) of_row[0] = Op::combine(of_row[0], shuffle_across(of_row[0], distance));
  return joined;
}

// Vectors at the ends of a row have elements that are not the row's: `outside` replaces them. Word w has the bits from
// 32 * w on of its vector; those from bit `first` of the vector on:
__device__ __forceinline__ uint32_t bits_from(int first, int w) {
  return __funnelshift_lc(0, ~0u, static_cast<uint32_t>(max(first - 32 * w, 0)));
}
// Puts out the elements before `end` (kBefore), or those from it on.
template <bool kBefore, class T, int N>
__device__ __forceinline__ void put_out(Pack<T, N> &x, int end, uint32_t outside) {
  auto bits = bits_as<Bits<T, N>>(x);
#pragma unroll
  for (int w = 0; w < Bits<T, N>::kWords; ++w) {
    const uint32_t from = bits_from(end * static_cast<int>(8 * sizeof(T)), w), out = kBefore ? ~from : from;
    bits.w[w] = (bits.w[w] & ~out) | (outside & out);
  }
  x = bits_as<Pack<T, N>>(bits);
}
// What changes no result: zeros in a sum, infinities of the worse sign where the best is sought.
template <class Op, class T>
__device__ __forceinline__ uint32_t outside_word(const Op &op) {
  constexpr uint32_t kLowest = sizeof(T) == 4 ? 0xff800000u : std::is_same_v<T, __half> ? 0xfc00fc00u : 0xff80ff80u;
  constexpr uint32_t kFlip = sizeof(T) == 4 ? 0x80000000u : 0x80008000u;
  if constexpr (kIsIdempotent<Op>)
    return op.state.most != 0 ? kLowest : kLowest ^ kFlip;
  else
    return 0;
}

// Reads kGroupRows rows that begin anywhere: their vectors from lane to lane of the group.
template <class T, int N, class Op>
__device__ __forceinline__ void read_pieces(const Op &op, const T *const (&rows)[kGroupRows], int lane,
                                            const GroupWalk &walk, Lane<Op, T, N, 1> (&lanes)[kGroupRows]) {
  const uint32_t outside = outside_word<Op, T>(op);
  const Pack<T, N> *x[kGroupRows];
  int past[kGroupRows];  // elements of the row's first vector that are not the row's
#pragma unroll
  for (int u = 0; u < kGroupRows; ++u) {
    past[u] = static_cast<int>(reinterpret_cast<uintptr_t>(rows[u]) / sizeof(T) % N);
    x[u] = reinterpret_cast<const Pack<T, N> *>(rows[u] - past[u]);
  }
#pragma unroll 1
  for (int from = 0; from < walk.vectors; from += walk.group) {
    const int v = from + lane;
    Pack<T, N> of_x[kGroupRows][1];
#pragma unroll
    for (int u = 0; u < kGroupRows; ++u)  // the row's last one in place of those that there are not
      of_x[u][0] = x[u][min(v, (past[u] + walk.cols - 1) / N)];
    if (from == 0) {
#pragma unroll
      for (int u = 0; u < kGroupRows; ++u) put_out<true>(of_x[u][0], past[u] - v * N, outside);
    }
    if (from + walk.group > walk.whole) {
#pragma unroll
      for (int u = 0; u < kGroupRows; ++u) put_out<false>(of_x[u][0], past[u] + walk.cols - v * N, outside);
    }
#pragma unroll
    for (int u = 0; u < kGroupRows; ++u) lanes[u].absorb(op, 1, of_x[u], of_x[u], max(v * N - past[u], 0), 0);
  }
}

// Element `at` of each row, converted from a type known at run time.
template <class C>
__device__ __forceinline__ void load_any(Pack<C, 1> (&to)[kGroupRows][1], const char *const (&from)[kGroupRows],
                                         int64_t at, int32_t dtype) {
  const auto load = [&](auto tag) {
    using T = typename decltype(tag)::type;
#pragma unroll
    for (int u = 0; u < kGroupRows; ++u) to[u][0].v[0] = widen<C>(reinterpret_cast<const T *>(from[u])[at]);
  };
  if constexpr (std::is_same_v<C, double>) {
    load(Type<double>{});
  } else if constexpr (std::is_same_v<C, float>) {
    with_small_float_dtype(dtype, load);
  } else {
    if (dtype == GPUOPT_I8) load(Type<int8_t>{});
    if (dtype == GPUOPT_U8) load(Type<uint8_t>{});
    if (dtype == GPUOPT_I32) load(Type<int32_t>{});
    if (dtype == GPUOPT_I64) load(Type<int64_t>{});
  }
}

// The block takes the rows of its range tile by tile, and keeps results in shared memory until it has `stage` of them.
// Of elements of any type kDtype is the computing type.
template <int kDtype, int kOp, GroupLoads kLoads>
__device__ __forceinline__ void reduce_groups(OpState state, const GroupWalk &walk, const ReduceOutput &output) {
  using Op = OpOfChoice<kOp, kDtype>;
  constexpr bool kAny = kLoads == GroupLoads::any, kPieces = kLoads == GroupLoads::pieces;
  using Second = typename Op::Second;
  using T = typename TypesOf<kDtype>::Stored;
  using Unit = std::conditional_t<kAny, char, T>;  // that rows are counted in
  constexpr int N = kAny ? 1 : kVector<T>;
  extern __shared__ uint4 memory[];
  auto *results = reinterpret_cast<typename Op::Partial *>(memory);
  const Op op{kAny ? state : state_of_choice<kOp>(state)};
  wait_for_stream();
  const int lane = threadIdx.x & (walk.group - 1), log_group = 31 - __clz(walk.group), groups = kWarp >> log_group;
  const uint32_t tile = kGroupThreads / kWarp * groups * kGroupRows, begin = blockIdx.x * walk.range;
  const uint32_t end = walk.rows - begin < walk.range ? walk.rows : begin + walk.range;
  const uint32_t place = threadIdx.x / kWarp * groups * kGroupRows + (threadIdx.x % kWarp >> log_group);
  for (uint32_t from = begin; from < end; from += walk.stage) {
    const uint32_t to = end - from < walk.stage ? end : from + walk.stage;
#pragma unroll 1
    for (uint32_t first = from + place; first - place < to; first += tile) {
      const Unit *x[kGroupRows], *y[kGroupRows];
      // Beyond the last row, the tile's first.
      const uint32_t first_here = first < to ? first : from;
      if (walk.has_many) {
#pragma unroll
        for (int u = 0; u < kGroupRows; ++u) {
          const uint32_t row = first + u * groups;
          uint32_t i = row < to ? row : first_here;
          const uint32_t p = walk.per_matrix.divide(i, i);
          x[u] = static_cast<const Unit *>(walk.x.data) + walk.x.offset(p, i, 0);
          y[u] = Op::kReadsY ? static_cast<const Unit *>(walk.y.data) + walk.y.offset(p, i, 0) : nullptr;
        }
      } else {
        x[0] = static_cast<const Unit *>(walk.x.data) + first_here * walk.x.row_step;
        y[0] = Op::kReadsY ? static_cast<const Unit *>(walk.y.data) + first_here * walk.y.row_step : nullptr;
        const int64_t x_step = groups * walk.x.row_step, y_step = groups * walk.y.row_step;
#pragma unroll
        for (int u = 1; u < kGroupRows; ++u) {
          const bool is_row = first + u * groups < to;
          x[u] = is_row ? x[0] + u * x_step : x[0];
          y[u] = Op::kReadsY && is_row ? y[0] + u * y_step : y[0];
        }
      }
      Lane<Op, T, N, 1> lanes[kGroupRows];
      if constexpr (kPieces) read_pieces(op, x, lane, walk, lanes);
#pragma unroll 1
      for (int v = kPieces ? walk.vectors : lane; v < walk.vectors; v += walk.group) {
        Loaded<Op, T, N> of_x[kGroupRows][1], of_y[kGroupRows][1];
        if constexpr (kAny) {
          load_any(of_x, x, v, walk.x.dtype);
          if constexpr (Op::kReadsY) load_any(of_y, y, v * walk.y.col_step, walk.x.dtype);
        }
#pragma unroll
        for (int u = 0; u < kGroupRows; ++u) {
          if constexpr (kAny) continue;
          of_x[u][0] = reinterpret_cast<const Loaded<Op, T, N> *>(x[u])[v];
          if constexpr (Op::kReadsY) of_y[u][0] = reinterpret_cast<const Loaded<Op, T, N> *>(y[u])[v];
        }
#pragma unroll
        for (int u = 0; u < kGroupRows; ++u) lanes[u].absorb(op, 1, of_x[u], of_y[u], v * N, 0);
      }
      typename Op::Partial of_row[kGroupRows];
#pragma unroll
      for (int u = 0; u < kGroupRows; ++u) of_row[u] = lanes[u].partial(op);
      if (kLoads == GroupLoads::vectors && walk.vectors * N < walk.cols) {
        using C = typename Op::Computed;
#pragma unroll 1
        for (int e = walk.vectors * N + lane; e < walk.cols; e += walk.group) {
#pragma unroll
          for (int u = 0; u < kGroupRows; ++u)
            of_row[u] = Op::combine(of_row[u], op.map(widen<C>(x[u][e]), Op::kReadsY ? widen<C>(y[u][e]) : C(0), e));
        }
      }
      JoinedRows joined;
      if constexpr (kIsElementWord<Op>) {
        uint64_t words[kGroupRows];
#pragma unroll
        for (int u = 0; u < kGroupRows; ++u)
          words[u] = element_word(of_row[u].key, static_cast<uint32_t>(of_row[u].index));
        joined = join_rows_of_group<Extreme<double>>(words, lane, walk.group);
#pragma unroll
        for (int u = 0; u < kGroupRows; ++u) of_row[u] = of_element_word(words[u]);
      } else {
        joined = join_rows_of_group<Op>(of_row, lane, walk.group);
      }
      if ((lane & joined.idle) == 0) {
#pragma unroll
        for (int r = 0; r < kGroupRows; ++r) {
          const uint32_t row = first + (joined.first + r) * groups;
          if (r < joined.count && row < to) results[row - from] = of_row[r];
        }
      }
    }
    // Of a single tile each warp writes its own rows, and waits for no other.
    const bool is_tile = walk.range == tile;
    const uint32_t warps_rows = groups * kGroupRows, start = threadIdx.x / kWarp * warps_rows;
    const uint32_t start_here = from + (is_tile ? start + threadIdx.x % kWarp : threadIdx.x);
    const uint32_t stop = is_tile && from + start + warps_rows < to ? from + start + warps_rows : to;
    if (is_tile)
      __syncwarp();
    else
      __syncthreads();
#pragma unroll 1
    for (uint32_t row = start_here; row < stop; row += is_tile ? kWarp : kGroupThreads) {
      uint32_t p = 0, i = row;
      if (walk.has_many) p = walk.per_matrix.divide(i, i);
      auto partial = results[row - from];
      if constexpr (!kAny)
        partial = resolve<N>(op, partial, static_cast<const T *>(walk.x.data) + walk.x.offset(p, i, 0), walk.cols);
      using Written = std::conditional_t<kAny, void, T>;
      write_result<Written>(Second{state}, output, p, i, static_cast<typename Second::Partial>(partial));
    }
    if (!is_tile) __syncthreads();
  }
}

template <int kDtype, int kOp>
__global__ void __launch_bounds__(kGroupThreads, group_blocks(kDtype, kOp, GroupLoads::vectors, kGroupArch))
    reduce_group_vectors(OpState state, GroupWalk walk, ReduceOutput output) {
  reduce_groups<kDtype, kOp, GroupLoads::vectors>(state, walk, output);
}
template <int kDtype, int kOp>
__global__ void __launch_bounds__(kGroupThreads, group_blocks(kDtype, kOp, GroupLoads::pieces, kGroupArch))
    reduce_group_pieces(OpState state, GroupWalk walk, ReduceOutput output) {
  reduce_groups<kDtype, kOp, GroupLoads::pieces>(state, walk, output);
}
template <int kDtype, int kOp>
__global__ void __launch_bounds__(kGroupThreads, group_blocks(kDtype, kOp, GroupLoads::any, kGroupArch))
    reduce_group_any(OpState state, GroupWalk walk, ReduceOutput output) {
  reduce_groups<kDtype, kOp, GroupLoads::any>(state, walk, output);
}

}  // namespace gpuopt
