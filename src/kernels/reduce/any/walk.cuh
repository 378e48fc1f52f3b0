// How a reduction walks the matrix: which elements each thread takes, and how the threads of a block join
// what they found. Two walks serve the three axes. Both give each thread chunks of neighbouring elements,
// read by one 16-byte (or, down the columns, up to 16-byte) access where they are complete and aligned, and
// element by element where not; the order in which elements are combined is the same either way and never
// depends on addresses.
//
//   Rows     EACH_ROW and ALL. A group of threads (1 to a whole block) reduces a region: a row, or the whole
//            matrix, cut into splits where regions are few. A row is a line of chunks; the group's threads
//            take neighbouring chunks, four in flight each.
//   Columns  EACH_COL. Threads stand side by side along the columns, a chunk of columns each, and walk down; the
//            rest of the block, and further splits, take other rows.
//
// A thread's chain of additions ends after kMaxSteps steps (longer work is cut into more splits), partials
// are then combined in trees: sums stay close to pairwise summation whatever the extent.
#pragma once

#include "common/divider.cuh"
#include "common/index.cuh"
#include "reduce/common/join_down.cuh"
#include "reduce/common/wide_sum.cuh"

namespace gpuopt {

constexpr int kThreads = 256;
constexpr int kInFlight = 4;  // chunks a thread loads before it uses the first
constexpr int kMaxSteps = 128;

// Elements of a chunk along a row and across columns: 16 bytes, but no more elements than registers allow.
constexpr int row_chunk(int bytes) { return bytes > 1 ? 16 / bytes : 8; }
constexpr int column_chunk(int bytes) { return bytes > 4 ? 16 / bytes : 4; }

// Split `split` of result i of matrix p, which is number `index` of all results.
struct Place {
  int64_t p, i, index, split;
};

struct ChunkRows {
  View x, y;           // y.dtype 0: absent
  int64_t rows, cols;  // of a region
  int64_t chunks_per_row, chunks;
  int64_t step_rows, step_chunks;  // group = step_rows * chunks_per_row + step_chunks
  int64_t index_i, index_j;        // index of (i, j) within the region
  int64_t slots, range;            // a slot is one split of one region; it takes range chunks
  Divider splits, regions_per_batch, row_of_chunk;
  int64_t first_block;
  int32_t group;  // threads a slot; a power of two
};

struct ChunkColumns {
  View x, y;
  int64_t rows, cols;
  int64_t range;           // rows a split
  Divider strips, splits;  // strips of lanes chunks side by side
  int64_t first_block;
  int32_t lanes;  // threads side by side; a power of two up to 32
};

template <class T, int N>
__device__ __forceinline__ bool is_chunk_aligned(const T *address) {
  return reinterpret_cast<uintptr_t>(address) % sizeof(Pack<T, N>) == 0;
}

// Element e of chunk u is x[u][e] and y[u][e * y_step], has index index[u] + e * index_step and joins partial[u]. Chunk
// u has count[u] elements; whole: each has N or none, and is aligned, so one access loads it (chunks of none may be
// read too, in vain).
template <class T, int N, class Op>
__device__ __forceinline__ void absorb_chunks(const Op &op, typename Op::Partial (&partial)[kInFlight], bool whole,
                                              const T *const (&x)[kInFlight], const T *const (&y)[kInFlight],
                                              int64_t y_step, const int (&count)[kInFlight],
                                              const int64_t (&index)[kInFlight], int64_t index_step) {
  using C = typename Op::Computed;
  typename Op::Partial of_chunk[kInFlight];
#pragma unroll
  for (int u = 0; u < kInFlight; ++u) of_chunk[u] = Op::identity();
  const auto absorb = [&](int u, int e, T of_x, T of_y) {
    const C other = Op::kReadsY ? widen<C>(of_y) : C(0);
    of_chunk[u] = Op::combine(of_chunk[u], op.map(widen<C>(of_x), other, index[u] + e * index_step));
  };
  if (whole) {
    Pack<T, N> of_x[kInFlight], of_y[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      of_x[u] = *reinterpret_cast<const Pack<T, N> *>(x[u]);
      if constexpr (Op::kReadsY) of_y[u] = *reinterpret_cast<const Pack<T, N> *>(y[u]);
    }
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
#pragma unroll
      for (int e = 0; e < N; ++e) absorb(u, e, of_x[u].v[e], of_y[u].v[e]);
    }
  } else {
#pragma unroll 1
    for (int e = 0; e < N; ++e) {
#pragma unroll
      for (int u = 0; u < kInFlight; ++u) {
        if (e < count[u]) absorb(u, e, x[u][e], Op::kReadsY ? y[u][e * y_step] : T());
      }
    }
  }
#pragma unroll
  for (int u = 0; u < kInFlight; ++u) {
    if (count[u] > 0) partial[u] = Op::combine(partial[u], of_chunk[u]);
  }
}

// Joins the x of each group of threads, in a fixed order; the first thread of the group gets the result. All
// threads of the block must call it.
template <class Op>
__device__ __forceinline__ typename Op::Partial join_group(typename Op::Partial x, int group) {
  __shared__ typename Op::Partial of_warp[kThreads / kWarp];
  for (int distance = (group < kWarp ? group : kWarp) / 2; distance > 0; distance /= 2)
    x = Op::combine(x, shuffle_down(x, distance));
  if (group > kWarp) {
    const int warp = threadIdx.x / kWarp;
    if (threadIdx.x % kWarp == 0) of_warp[warp] = x;
    __syncthreads();
    if (threadIdx.x % group == 0) {
      for (int w = 1; w < group / kWarp; ++w) x = Op::combine(x, of_warp[warp + w]);
    }
  }
  return x;
}

// Calls sink.put(op, place, partial) once for every slot.
template <class T, class Op, class Sink>
__device__ __forceinline__ void walk_rows(const Op &op, const ChunkRows &walk, const Sink &sink) {
  constexpr int N = row_chunk(sizeof(T));
  const int lane = threadIdx.x % walk.group;
  const int64_t slot = (walk.first_block + blockIdx.x) * (kThreads / walk.group) + threadIdx.x / walk.group;
  int64_t split, in_batch;
  const int64_t region = walk.splits.divide(slot, split);
  const int64_t p = walk.regions_per_batch.divide(region, in_batch);
  const T *x = static_cast<const T *>(walk.x.data) + walk.x.offset(p, in_batch, 0);
  const T *y = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, in_batch, 0) : nullptr;

  typename Op::Partial partial[kInFlight];
#pragma unroll
  for (int u = 0; u < kInFlight; ++u) partial[u] = Op::identity();
  const int64_t first = split * walk.range + lane, in_region = walk.chunks - first;
  const int64_t reach = walk.range - lane < in_region ? walk.range - lane : in_region;
  int left = slot < walk.slots && reach > 0
                 ? static_cast<int>((static_cast<uint32_t>(reach) + walk.group - 1) / walk.group)
                 : 0;  // chunks to take
  int64_t i = 0, chunk = first;
  if (walk.rows > 1) i = walk.row_of_chunk.divide(first, chunk);
  for (; left > 0; left -= kInFlight) {
    const T *from_x[kInFlight], *from_y[kInFlight] = {};
    int count[kInFlight];
    int64_t index[kInFlight];
    bool whole = !Op::kReadsY || walk.y.col_step == 1;
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      const int64_t j = chunk * N, cols_left = walk.cols - j;
      count[u] = u >= left ? 0 : cols_left < N ? static_cast<int>(cols_left) : N;
      index[u] = i * walk.index_i + j * walk.index_j;
      from_x[u] = u < left ? x + (i * walk.x.row_step + j) : from_x[0];
      whole = whole && (u >= left || count[u] == N) && is_chunk_aligned<T, N>(from_x[u]);
      if constexpr (Op::kReadsY) {
        from_y[u] = u < left ? y + walk.y.offset(0, i, j) : from_y[0];
        whole = whole && is_chunk_aligned<T, N>(from_y[u]);
      }
      i += walk.step_rows;
      chunk += walk.step_chunks;
      if (chunk >= walk.chunks_per_row) {
        chunk -= walk.chunks_per_row;
        ++i;
      }
    }
    absorb_chunks<T, N>(op, partial, whole, from_x, from_y, walk.y.col_step, count, index, walk.index_j);
  }
  const auto joined =
      join_group<Op>(Op::combine(Op::combine(partial[0], partial[1]), Op::combine(partial[2], partial[3])), walk.group);
  if (lane == 0 && slot < walk.slots) sink.put(op, Place{p, in_batch, region, split}, joined);
}

// Element e of row u is x[u * x_step + e] and y[u * y_step + e * y_col_step], has index row + u * row_step and joins
// partial[e]. The first count of N columns and rows_left rows exist; whole: all N columns do, and are aligned.
template <class T, int N, class Op>
__device__ __forceinline__ void absorb_rows(const Op &op, typename Op::Partial (&partial)[N], bool whole, const T *x,
                                            const T *y, int64_t x_step, int64_t y_step, int64_t y_col_step, int count,
                                            int64_t rows_left, int64_t row, int64_t row_step) {
  using C = typename Op::Computed;
  typename Op::Partial of_column[N];
#pragma unroll
  for (int e = 0; e < N; ++e) of_column[e] = Op::identity();
  const auto absorb = [&](int u, int e, T of_x, T of_y) {
    const C other = Op::kReadsY ? widen<C>(of_y) : C(0);
    of_column[e] = Op::combine(of_column[e], op.map(widen<C>(of_x), other, row + u * row_step));
  };
  if (whole) {
    Pack<T, N> of_x[kInFlight], of_y[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      if (u >= rows_left) continue;
      of_x[u] = *reinterpret_cast<const Pack<T, N> *>(x + u * x_step);
      if constexpr (Op::kReadsY) of_y[u] = *reinterpret_cast<const Pack<T, N> *>(y + u * y_step);
    }
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      if (u >= rows_left) continue;
#pragma unroll
      for (int e = 0; e < N; ++e) absorb(u, e, of_x[u].v[e], of_y[u].v[e]);
    }
  } else {
#pragma unroll 1
    for (int u = 0; u < kInFlight; ++u) {
#pragma unroll
      for (int e = 0; e < N; ++e) {
        if (u < rows_left && e < count)
          absorb(u, e, x[u * x_step + e], Op::kReadsY ? y[u * y_step + e * y_col_step] : T());
      }
    }
  }
#pragma unroll
  for (int e = 0; e < N; ++e) partial[e] = Op::combine(partial[e], of_column[e]);
}

// Calls sink.put(op, place, partial) once for every column and split.
template <class T, class Op, class Sink>
__device__ __forceinline__ void walk_columns(const Op &op, const ChunkColumns &walk, const Sink &sink) {
  constexpr int N = column_chunk(sizeof(T));
  __shared__ typename Op::Partial shared[N][kThreads];
  const int lane = threadIdx.x % walk.lanes, row_lane = threadIdx.x / walk.lanes;
  const int row_lanes = kThreads / walk.lanes;
  int64_t strip, split;
  const int64_t p = walk.splits.divide(walk.strips.divide(walk.first_block + blockIdx.x, strip), split);
  const int64_t j = (strip * walk.lanes + lane) * N, left = walk.cols - j;
  const int count = left >= N ? N : left > 0 ? static_cast<int>(left) : 0;
  const int64_t range_end = (split + 1) * walk.range, end = range_end < walk.rows ? range_end : walk.rows;

  typename Op::Partial partial[N];
#pragma unroll
  for (int e = 0; e < N; ++e) partial[e] = Op::identity();
  int64_t row = split * walk.range + row_lane;
  const int64_t x_step = row_lanes * walk.x.row_step, y_step = row_lanes * walk.y.row_step;
  const T *x = static_cast<const T *>(walk.x.data) + walk.x.offset(p, row, j);
  const T *y = Op::kReadsY ? static_cast<const T *>(walk.y.data) + walk.y.offset(p, row, j) : nullptr;
  bool aligned = count == N && is_chunk_aligned<T, N>(x) && is_chunk_aligned<T, N>(x + x_step);
  if constexpr (Op::kReadsY)
    aligned = aligned && walk.y.col_step == 1 && is_chunk_aligned<T, N>(y) && is_chunk_aligned<T, N>(y + y_step);
  for (; row < end && count > 0; row += kInFlight * row_lanes) {
    const int64_t rows_left = ceil_div(end - row, row_lanes);
    absorb_rows<T, N>(op, partial, aligned, x, y, x_step, y_step, walk.y.col_step, count, rows_left, row, row_lanes);
    x += kInFlight * x_step;
    if constexpr (Op::kReadsY) y += kInFlight * y_step;
  }

#pragma unroll
  for (int e = 0; e < N; ++e) shared[e][threadIdx.x] = partial[e];
  for (int below = row_lanes / 2; below > 0; below /= 2) {
    __syncthreads();
    if (row_lane < below) {
#pragma unroll
      for (int e = 0; e < N; ++e) {
        shared[e][threadIdx.x] = Op::combine(shared[e][threadIdx.x], shared[e][threadIdx.x + below * walk.lanes]);
      }
    }
  }
  if (row_lane == 0) {
#pragma unroll 1
    for (int e = 0; e < count; ++e) sink.put(op, Place{p, j + e, p * walk.cols + j + e, split}, shared[e][threadIdx.x]);
  }
}

}  // namespace gpuopt
