// f32_split.h's kernels.
//
// Idea and data movement: what a line is scaled by is known when all of it has been read. Lines that lie along k stay in
// registers meanwhile, 1024 elements a warp, 16 warps at most: beyond 16,384 of k the rest is read again, which L2 still has.
// So they are read once and written once. Other operands are read by one launch for their largest numbers, and by a second one,
// in the opposite order, since what came last may still be in L2, for their parts: in tiles that pass through shared memory,
// where they are turned. Everything goes by 16 bytes, or by words where lines begin anywhere, of which the first level of
// cache makes the same sectors; parts go by 8 bytes. Largest numbers are compared as the integers that their bits are. The last
// block has the answer.
// Needs: sm_80; below it is empty.
// Prediction: 256 MB of memory for two operands of 4096 square, one of which lies along k: 64 us at 4.2 TB/s; 16 us more for the
// other's first reading.
#include <algorithm>

#include "common/dependent_launch.cuh"
#include "common/index.cuh"
#include "gemm/common/f32_split_parts.cuh"

namespace gpuopt {

constexpr int kSplitQuads = 8;  // of four elements, in a thread's registers
constexpr int kSplitOfWarp = kSplitQuads * 4 * 32;
constexpr int kSplitMostWarps = 16;                               // of a line that lies along k
constexpr int kSplitWarps = 8, kSplitThreads = 32 * kSplitWarps;  // of a block, where a line has no more
constexpr int kSplitStrip = kF32SplitStripLines;
constexpr int kSplitSlice = 256;  // of k, of a strip: a block's
// Blocks that a multiprocessor shall have registers for, of lines along k and of others: before sm_90 ptxas takes more of them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr int kSplitBlocks = 1, kSplitTurnedBlocks = 3;
#else
constexpr int kSplitBlocks = 2, kSplitTurnedBlocks = 4;
#endif

// Pieces of strips, those of neighbouring strips one after another.
struct F32SplitPieces {
  uint32_t strips, slices;  // of a matrix
  __host__ __device__ explicit F32SplitPieces(const F32SplitOperand &o)
      : strips(static_cast<uint32_t>(ceil_div(o.lines, kSplitStrip))),
        slices(static_cast<uint32_t>(ceil_div(o.k, kSplitSlice))) {}
  __host__ __device__ uint32_t count(const F32SplitOperand &o) const {
    return o.along_k ? 0 : static_cast<uint32_t>(o.matrices) * strips * slices;
  }
};
// How many lines that lie along k a block has at a time, and how many warps each.
struct F32SplitLines {
  int warps, at_once;
  __host__ __device__ explicit F32SplitLines(int64_t k)
      : warps(static_cast<int>(ceil_div(k, kSplitOfWarp))), at_once(1) {
    if (warps > kSplitMostWarps) warps = kSplitMostWarps;
    if (warps < kSplitWarps) at_once = kSplitWarps / warps;
  }
  __host__ __device__ uint32_t count(const F32SplitOperand &o) const {
    return o.along_k ? static_cast<uint32_t>(ceil_div(o.matrices * o.lines, at_once)) : 0;
  }
};

struct F32SplitShared {
  uint32_t largest[kSplitMostWarps];
  uint32_t small[kSplitMostWarps], within[2][kSplitMostWarps];
  F32SplitFacts found[2];
};

#if __CUDA_ARCH__ >= 800

constexpr int kSplitTile = 64;  // of k, of a strip: what a block has in shared memory

struct F32SplitPlace {
  int64_t p;
  uint32_t strip, slice;
  __device__ __forceinline__ F32SplitPlace(const F32SplitOperand &o, uint32_t piece) {
    const F32SplitPieces pieces(o);
    const uint32_t of_matrix = pieces.strips * pieces.slices, matrix = piece / of_matrix;
    const uint32_t in_matrix = piece - matrix * of_matrix;
    p = matrix;
    slice = in_matrix / pieces.strips;
    strip = in_matrix - slice * pieces.strips;
  }
  // Whether all of the strip exists.
  __device__ __forceinline__ bool whole(const F32SplitOperand &o) const {
    return (strip + 1) * int64_t{kSplitStrip} <= o.lines;
  }
  __device__ __forceinline__ F32SplitStrip &known(const F32SplitOperand &o) const {
    return o.strips[p * F32SplitPieces(o).strips + strip];
  }
};

// `at_once` lines from `first` on, of all matrices.
template <bool kVectors>
__device__ __forceinline__ void f32_split_lines(const F32SplitOperand &o, F32SplitLines lines, uint32_t first,
                                                F32SplitShared &shared, F32SplitFacts &found) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int group = warp / lines.warps, first_warp = group * lines.warps;
  const int row = lines.warps * 128, mine = (static_cast<int>(threadIdx.x) - first_warp * 32) * 4;
  const uint32_t line = first + static_cast<uint32_t>(group), of_matrix = static_cast<uint32_t>(o.lines);
  const bool exists = line < static_cast<uint32_t>(o.matrices) * of_matrix;
  const int k = exists ? static_cast<int>(o.k) : 0, padded = (k + 31) / 32 * 32;
  const uint32_t p = line / of_matrix, in_matrix = line - p * of_matrix;
  const float *const from = o.from + p * o.batch_step + in_matrix * o.ld + mine;

  float4 x[kSplitQuads];
#pragma unroll
  for (int i = 0; i < kSplitQuads; ++i)
    x[i] = (i + 1) * row <= k ? f32_split_load<kVectors>(from + i * row)
                              : f32_split_load_some(from + i * row, k - i * row - mine);
  float most = 0;
#pragma unroll
  for (int i = 0; i < kSplitQuads; ++i) most = f32_split_larger(most, x[i]);
#pragma unroll 4
  for (int at = kSplitQuads * row; at < k; at += row)
    most = f32_split_larger(
        most, at + row <= k ? f32_split_load<kVectors>(from + at) : f32_split_load_some(from + at, k - at - mine));
  uint32_t largest = __reduce_max_sync(0xffffffffu, __float_as_uint(most));
  if (lines.warps != 1) {
    if (lane == 0) shared.largest[warp] = largest;
    __syncthreads();
    largest = __reduce_max_sync(0xffffffffu, lane < lines.warps ? shared.largest[first_warp + lane] : 0);
  }

  const float scale = f32_split_scale(largest);
  char *const to = o.to + p * o.to_batch_pitch + in_matrix * o.to_pitch + f32_split_offset(mine);
  F32SplitCounts counts = {};
  {
    F32SplitCounter counter;
#pragma unroll
    for (int i = 0; i < kSplitQuads; ++i) {
      if (i * row + mine < padded) f32_split_store(to + f32_split_offset(i * row), x[i], scale, counter);
    }
    counter.end(x, scale, counts);
  }
#pragma unroll 1
  for (int at = kSplitQuads * row; at + mine < padded; at += row) {
    const float4 again[1] = {at + row <= k ? f32_split_load<kVectors>(from + at)
                                           : f32_split_load_some(from + at, k - at - mine)};
    F32SplitCounter counter;
    f32_split_store(to + f32_split_offset(at), again[0], scale, counter);
    counter.end(again, scale, counts);
  }
  __syncwarp();
  const auto sum = [&](uint32_t count, uint32_t *of_warps) {
    count = __reduce_add_sync(0xffffffffu, count);
    if (lane == 0) of_warps[warp] = count;
  };
  sum(counts.small, shared.small);
  sum(counts.within[0], shared.within[0]);
  sum(counts.within[1], shared.within[1]);
  if (lines.warps != 1)
    __syncthreads();
  else
    __syncwarp();
  if (warp != first_warp || !exists) return;
  const auto all = [&](const uint32_t *of_warps) {
    return __reduce_add_sync(0xffffffffu, lane < lines.warps ? of_warps[first_warp + lane] : 0);
  };
  counts = {all(shared.small), {all(shared.within[0]), all(shared.within[1])}};
  if (lane != 0) return;
  o.exponents[line] = f32_split_exponent(largest);
  f32_split_join(found, f32_split_line(largest, o.k, counts));
}

// The largest of each line in a piece.
template <bool kVectors>
__device__ __forceinline__ void f32_split_largest(const F32SplitOperand &o, F32SplitPlace at) {
  const uint32_t lane = threadIdx.x % 32, step = blockDim.x / 16;
  const int64_t line = int64_t{at.strip} * kSplitStrip + lane % 16 * 4;
  const uint32_t begin = at.slice * kSplitSlice, end = min(begin + kSplitSlice, static_cast<uint32_t>(o.k));
  const float *const from = o.from + at.p * o.batch_step + line;
  float most[4] = {};
  const auto read = [&](auto &&load) {
    constexpr int kRows = 8;  // under way at once, the last one again where there are fewer
#pragma unroll 1
    for (uint32_t k = begin + threadIdx.x / 16; k < end; k += kRows * step) {
      float4 x[kRows];
#pragma unroll
      for (int i = 0; i < kRows; ++i) x[i] = load(from + min(k + i * step, end - 1) * o.ld);
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        most[0] = f32_split_larger(most[0], x[i].x);
        most[1] = f32_split_larger(most[1], x[i].y);
        most[2] = f32_split_larger(most[2], x[i].z);
        most[3] = f32_split_larger(most[3], x[i].w);
      }
    }
  };
  if (at.whole(o))
    read([](const float *row) { return f32_split_load<kVectors>(row); });
  else
    read([&](const float *row) { return f32_split_load_some(row, static_cast<int>(o.lines - line)); });
  F32SplitStrip &known = at.known(o);
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const uint32_t bits = __float_as_uint(most[e]), below = __shfl_down_sync(0xffffffffu, bits, 16);
    if (lane < 16) atomicMax(known.largest + lane * 4 + e, max(bits, below));
  }
}

// Tile `depth` of a piece: a thread's 4 x 4, each line's along k.
template <bool kVectors>
__device__ __forceinline__ void f32_split_read(const F32SplitOperand &o, F32SplitPlace at, uint32_t depth,
                                               float4 (&x)[4]) {
  const uint32_t line = at.strip * kSplitStrip + threadIdx.x % 16 * 4, k = depth + threadIdx.x / 16 * 4;
  const float *const from = o.from + at.p * o.batch_step + k * o.ld + line;
  const int left = static_cast<int>(o.lines - line), deep = static_cast<int>(o.k) - static_cast<int>(k);
  if (at.whole(o) && depth + kSplitTile <= o.k) {
#pragma unroll
    for (int e = 0; e < 4; ++e) x[e] = f32_split_load<kVectors>(from + e * o.ld);
  } else {
#pragma unroll
    for (int e = 0; e < 4; ++e) x[e] = f32_split_load_some(from + e * o.ld, e < deep ? left : 0);
  }
}

// In shared memory a line of a tile is 16 chunks of 16 bytes, exchanged so that neither who writes four neighbouring lines
// at every fourth, nor who reads four chunks of two neighbours, meets a bank twice.
__device__ __forceinline__ int f32_split_chunk(int line, int chunk) { return chunk ^ (line / 4 % 8) ^ (line % 2 * 4); }

// The parts of a piece, and what is counted of its lines; who ends a strip judges its lines.
template <bool kVectors>
__device__ __forceinline__ void f32_split_piece(const F32SplitOperand &o, F32SplitPlace at,
                                                float4 (&tile)[kSplitStrip][kSplitTile / 4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int l = warp * 8 + lane / 4;  // a thread's line, of which it has every fourth quad
  const int64_t line = int64_t{at.strip} * kSplitStrip + l;
  const uint32_t padded = (static_cast<uint32_t>(o.k) + 31) / 32 * 32;
  F32SplitStrip &known = at.known(o);
  const uint32_t largest = known.largest[l];
  const float scale = f32_split_scale(largest);
  char *const to = o.to + at.p * o.to_batch_pitch + line * o.to_pitch + lane % 4 * 8;
  const uint32_t begin = at.slice * kSplitSlice, end = min(begin + kSplitSlice, padded);
  uint32_t counts = 0;
  float4 x[4];
  f32_split_read<kVectors>(o, at, begin, x);
#pragma unroll 1
  for (uint32_t depth = begin; depth < end; depth += kSplitTile) {
    if (depth != begin) __syncthreads();
    const int first = static_cast<int>(threadIdx.x) % 16 * 4, chunk = static_cast<int>(threadIdx.x) / 16;
    tile[first][f32_split_chunk(first, chunk)] = {x[0].x, x[1].x, x[2].x, x[3].x};
    tile[first + 1][f32_split_chunk(first + 1, chunk)] = {x[0].y, x[1].y, x[2].y, x[3].y};
    tile[first + 2][f32_split_chunk(first + 2, chunk)] = {x[0].z, x[1].z, x[2].z, x[3].z};
    tile[first + 3][f32_split_chunk(first + 3, chunk)] = {x[0].w, x[1].w, x[2].w, x[3].w};
    __syncthreads();
    if (depth + kSplitTile < end) f32_split_read<kVectors>(o, at, depth + kSplitTile, x);
    if (line >= o.lines) continue;
    float4 mine[kSplitTile / 16];
    F32SplitCounter counter;
#pragma unroll
    for (int i = 0; i < kSplitTile / 16; ++i) {
      mine[i] = tile[l][i / 2 * 8 + f32_split_chunk(l, i % 2 * 4 + lane % 4)];
      if (depth + i / 2 * 32 < padded)
        f32_split_store(to + f32_split_offset(depth) + f32_split_offset(i * 16), mine[i], scale, counter);
    }
    F32SplitCounts of_tile = {};
    counter.end(mine, scale, of_tile);
    counts += of_tile.small | of_tile.within[0] << 10 | of_tile.within[1] << 20;
  }
  counts += __shfl_down_sync(0xffffffffu, counts, 2);
  counts += __shfl_down_sync(0xffffffffu, counts, 1);
  static_assert(kSplitSlice < 1024, "three counts in a word");
  const unsigned long long all = (counts & 1023) | static_cast<unsigned long long>(counts >> 10 & 1023) << 21 |
                                 static_cast<unsigned long long>(counts >> 20) << 42;
  if (lane % 4 == 0 && line < o.lines && all != 0) atomicAdd(known.counts + l, all);
}

// By who ends a strip: nobody reads what is known of it any more.
__device__ __forceinline__ void f32_split_judge(const F32SplitOperand &o, F32SplitPlace at, F32SplitFacts &found) {
  F32SplitStrip &known = at.known(o);
  const int l = static_cast<int>(threadIdx.x);
  const int64_t line = int64_t{at.strip} * kSplitStrip + l;
  if (l >= kSplitStrip) return;
  if (line >= o.lines) return;
  const unsigned long long counts = __ldcg(known.counts + l);
  const uint32_t largest = known.largest[l];
  const auto count = [&](int at_bit) { return static_cast<uint32_t>(counts >> at_bit) & 0x1fffffu; };
  o.exponents[at.p * o.lines + line] = f32_split_exponent(largest);
  f32_split_join(found, f32_split_line(largest, o.k, {count(0), {count(21), count(42)}}));
  known.counts[l] = 0;
  known.largest[l] = 0;
}

// What a block found joins what all found.
__device__ __forceinline__ void f32_split_join_found(const F32Split &split, const F32SplitFacts (&found)[2]) {
  if (threadIdx.x < 2) f32_split_join(split.state->lines[threadIdx.x], found[threadIdx.x]);
}

#endif

// kVectors: all that is read in quads lies on 16 bytes.
//
// Lines that lie along k, all of it; of others the largest numbers, last. `answers`: there are no others.
template <bool kVectors>
__global__ void __launch_bounds__(kSplitMostWarps * 32, kSplitBlocks)
    gemm_f32_split_kernel(const __grid_constant__ F32Split split, const bool answers) {
#if __CUDA_ARCH__ >= 800
  __shared__ F32SplitShared shared;
  wait_for_stream();
  if (threadIdx.x < 2) shared.found[threadIdx.x] = {};
  __syncthreads();
  const F32SplitLines lines(split.a.k);
  const uint32_t lines_a = lines.count(split.a), all = lines_a + lines.count(split.b);
  const uint32_t pieces_a = F32SplitPieces(split.a).count(split.a);
  const uint32_t end = all + pieces_a + F32SplitPieces(split.b).count(split.b);
#pragma unroll 1
  for (uint32_t i = blockIdx.x; i < end; i += gridDim.x) {
    const bool in_lines = i < all, is_a = in_lines ? i < lines_a : i - all < pieces_a;
    const F32SplitOperand &o = is_a ? split.a : split.b;
    if (in_lines) {
      const uint32_t first = (is_a ? i : i - lines_a) * lines.at_once;
      F32SplitFacts &found = shared.found[is_a ? 0 : 1];
      f32_split_lines<kVectors>(o, lines, first, shared, found);
    } else {
      const F32SplitPlace at(o, is_a ? i - all : i - all - pieces_a);
      f32_split_largest<kVectors>(o, at);
    }
  }
  __syncthreads();
  f32_split_join_found(split, shared.found);
  __syncthreads();
  if (answers && threadIdx.x == 0) f32_split_answer(split, gridDim.x);
#endif
}

// The parts of operands that do not lie along k, from the end to the beginning.
template <bool kVectors>
__global__ void __launch_bounds__(kSplitThreads, kSplitTurnedBlocks)
    gemm_f32_split_turned_kernel(const __grid_constant__ F32Split split) {
#if __CUDA_ARCH__ >= 800
  __shared__ float4 tile[kSplitStrip][kSplitTile / 4];
  __shared__ F32SplitFacts found[2];
  wait_for_stream();
  const uint32_t piece = gridDim.x - 1 - blockIdx.x;
  const uint32_t pieces_a = F32SplitPieces(split.a).count(split.a);
  const bool is_a = piece < pieces_a;
  const F32SplitOperand &o = is_a ? split.a : split.b;
  const F32SplitPlace at(o, is_a ? piece : piece - pieces_a);
  f32_split_piece<kVectors>(o, at, tile);
  if (threadIdx.x < 2) found[threadIdx.x] = {};
  const uint32_t slices = F32SplitPieces(o).slices;
  if (!is_last_to_come(&at.known(o).ticket, slices)) return;
  f32_split_judge(o, at, found[is_a ? 0 : 1]);
  __syncthreads();
  f32_split_join_found(split, found);
  __syncthreads();
  if (threadIdx.x == 0) f32_split_answer(split, gridDim.x / slices);
#endif
}

namespace {

constexpr char kName[] = "gemm_f32_split";

}  // namespace

gpuopt_status f32_split(const gpuopt_problem &problem, const gpuopt_launch *launch, const F32Split &split) {
  const F32SplitLines lines(problem.k);
  const auto goes = [](const F32SplitOperand &o) { return o.vectors || o.matrices == 0; };
  const bool vectors = goes(split.a) && goes(split.b);
  const int64_t pieces = F32SplitPieces(split.a).count(split.a) + F32SplitPieces(split.b).count(split.b);
  // As many blocks as run at once, which take line after line: what they find is joined once.
  const int threads = lines.warps * lines.at_once * 32;
  const int64_t at_once = int64_t{std::max(problem.device->sm_count, 1)} * (2 * kSplitMostWarps * 32 / threads);
  const int64_t first = std::min(lines.count(split.a) + lines.count(split.b) + pieces, at_once);
  const gpuopt_status status = launch_kernel(
      early_launch(problem), launch, kName, dim3(static_cast<unsigned>(first)), dim3(static_cast<unsigned>(threads)), 0,
      vectors ? gemm_f32_split_kernel<true> : gemm_f32_split_kernel<false>, split, pieces == 0);
  if (status != GPUOPT_OK || pieces == 0) return status;
  return launch_kernel(early_launch(problem), launch, kName, dim3(static_cast<unsigned>(pieces)), dim3(kSplitThreads),
                       0, vectors ? gemm_f32_split_turned_kernel<true> : gemm_f32_split_turned_kernel<false>, split);
}
gpuopt_status load_f32_split(const gpuopt_launch *launch) {
  for (const auto kernel : {gemm_f32_split_kernel<true>, gemm_f32_split_kernel<false>}) {
    const gpuopt_status status = load_kernel(launch, kName, kernel);
    if (status != GPUOPT_OK) return status;
  }
  for (const auto kernel : {gemm_f32_split_turned_kernel<true>, gemm_f32_split_turned_kernel<false>}) {
    const gpuopt_status status = load_kernel(launch, kName, kernel);
    if (status != GPUOPT_OK) return status;
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt
