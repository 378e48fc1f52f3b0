// How a reduction walks the matrix: which elements each thread takes, and how the threads of a block join what
// they found. Two walks serve the three axes. Both give each thread chunks of neighbouring elements, read by one
// 16-byte (or, down the columns, up to 16-byte) access where they are complete and aligned, and element by
// element where not; the order in which elements are combined is the same either way and never depends on
// addresses.
//
//   Rows     EACH_ROW and ALL. A group of threads (1 to a whole block) reduces a region: a row, or the whole
//            matrix, cut into splits where regions are few. A row is a line of chunks; the group's threads take
//            neighbouring chunks, four in flight each.
//   Columns  EACH_COL. Threads stand side by side along the columns, a chunk of columns each, and walk down; the
//            rest of the block, and further splits, take other rows.
//
// A thread's chain of additions ends after kMaxSteps steps (longer work is cut into more splits), partials are then
// combined in trees: sums stay close to pairwise summation whatever the extent.
#ifndef GPUOPT_KERNELS_REDUCE_WALK_CUH
#define GPUOPT_KERNELS_REDUCE_WALK_CUH

#include "common/index.cuh"
#include "ops.cuh"

namespace gpuopt {
namespace reduce {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kInFlight = 4;     // chunks a thread loads before it uses the first
constexpr int kMaxSteps = 128;

template <class T>
constexpr int kRowChunk = 16 / static_cast<int>(sizeof(T));
template <class T>
constexpr int kColumnChunk = kRowChunk<T> < 4 ? kRowChunk<T> : 4;

struct Rows {
  View x, y;                  // y.dtype 0: absent
  int64_t rows, cols;         // of a region
  int64_t chunks_per_row, chunks;
  int64_t step_rows, step_chunks;  // group = step_rows * chunks_per_row + step_chunks
  int64_t index_i, index_j;   // index of (i, j) within the region
  int64_t slots, range;       // a slot is one split of one region; it takes range chunks
  Divider splits, regions_per_batch;
  int64_t first_block;
  int32_t group;              // threads a slot; a power of two
};

struct Columns {
  View x, y;
  int64_t rows, cols;
  int64_t range;              // rows a split
  Divider strips, splits;     // strips of lanes chunks side by side
  int64_t first_block;
  int32_t lanes;              // threads side by side; a power of two up to 32
};

template <class T, int N>
__device__ __forceinline__ bool is_aligned(const T *address) {
  return reinterpret_cast<uintptr_t>(address) % sizeof(Pack<T, N>) == 0;
}

// The first count of N neighbours, col_step apart; the rest are zero and not to be used.
template <class T, int N>
__device__ __forceinline__ Pack<T, N> load_chunk(const T *from, int64_t col_step, int count) {
  if (count == N && col_step == 1 && is_aligned<T, N>(from)) return *reinterpret_cast<const Pack<T, N> *>(from);
  Pack<T, N> chunk;
#pragma unroll
  for (int e = 0; e < N; ++e) chunk.v[e] = e < count ? from[e * col_step] : T();
  return chunk;
}

__device__ __forceinline__ uint32_t shuffle_down(uint32_t x, int by) { return __shfl_down_sync(~0u, x, by); }
__device__ __forceinline__ uint64_t shuffle_down(uint64_t x, int by) { return __shfl_down_sync(~0u, x, by); }
__device__ __forceinline__ float shuffle_down(float x, int by) { return __shfl_down_sync(~0u, x, by); }
__device__ __forceinline__ double shuffle_down(double x, int by) { return __shfl_down_sync(~0u, x, by); }
template <class K>
__device__ __forceinline__ KeyAt<K> shuffle_down(KeyAt<K> x, int by) {
  return {shuffle_down(x.key, by), __shfl_down_sync(~0u, x.index, by)};
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

// Calls sink.put(region, split, partial) once for every slot.
template <class T, class Op, class Sink>
__device__ __forceinline__ void walk_rows(const Op &op, const Rows &walk, const Sink &sink) {
  using C = typename Op::Computed;
  constexpr int kChunk = kRowChunk<T>;
  const int lane = threadIdx.x % walk.group;
  const int64_t slot = (walk.first_block + blockIdx.x) * (kThreads / walk.group) + threadIdx.x / walk.group;
  int64_t split, in_batch;
  const int64_t region = walk.splits.divide(slot, split);
  const int64_t p = walk.regions_per_batch.divide(region, in_batch);
  const T *x = static_cast<const T *>(walk.x.data) + walk.x.offset(p, in_batch, 0);
  const T *y = static_cast<const T *>(walk.y.data);
  if constexpr (kReadsY<Op>) y += walk.y.offset(p, in_batch, 0);

  typename Op::Partial partial[kInFlight];
#pragma unroll
  for (int u = 0; u < kInFlight; ++u) partial[u] = Op::identity();
  int64_t next = split * walk.range + lane;
  const int64_t range_end = (split + 1) * walk.range;
  const int64_t end = slot >= walk.slots ? 0 : range_end < walk.chunks ? range_end : walk.chunks;
  int64_t i = 0, chunk = next;
  if (walk.rows > 1) {
    i = next / walk.chunks_per_row;
    chunk = next % walk.chunks_per_row;
  }
  while (next < end) {
    Pack<T, kChunk> of_x[kInFlight], of_y[kReadsY<Op> ? kInFlight : 1];
    int count[kInFlight];
    int64_t index[kInFlight];
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      const int64_t j = chunk * kChunk, left = next < end ? walk.cols - j : 0;
      count[u] = left < kChunk ? static_cast<int>(left) : kChunk;
      index[u] = i * walk.index_i + j * walk.index_j;
      of_x[u] = load_chunk<T, kChunk>(x + (i * walk.x.row_step + j), 1, count[u]);
      if constexpr (kReadsY<Op>)
        of_y[u] = load_chunk<T, kChunk>(y + walk.y.offset(0, i, j), walk.y.col_step, count[u]);
      next += walk.group;
      i += walk.step_rows;
      chunk += walk.step_chunks;
      if (chunk >= walk.chunks_per_row) {
        chunk -= walk.chunks_per_row;
        ++i;
      }
    }
#pragma unroll
    for (int u = 0; u < kInFlight; ++u) {
      typename Op::Partial of_chunk = Op::identity();
#pragma unroll
      for (int e = 0; e < kChunk; ++e) {
        const C value = widen<C>(of_x[u].v[e]);
        const C other = kReadsY<Op> ? widen<C>(of_y[kReadsY<Op> ? u : 0].v[e]) : C(0);
        const auto mapped = op.map(value, other, index[u] + e * walk.index_j);
        of_chunk = e < count[u] ? Op::combine(of_chunk, mapped) : of_chunk;
      }
      partial[u] = Op::combine(partial[u], of_chunk);
    }
  }
  const auto joined = join_group<Op>(
      Op::combine(Op::combine(partial[0], partial[1]), Op::combine(partial[2], partial[3])), walk.group);
  if (lane == 0 && slot < walk.slots) sink.put(op, region, split, joined);
}

}  // namespace reduce
}  // namespace gpuopt

#endif
