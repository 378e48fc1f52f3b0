// The full fp32 matrix product on CUDA cores: block, warp and thread tiles.
//
// Idea and data movement. A block owns a kM x kN tile of D, a warp a part of it, a thread up to 16 x 8 sums in
// registers. Tiles of A and B of kDepth steps of k pass through a ring of kStages buffers in shared memory, both as
// [k][x] whatever the layout (warptile_copy.cuh), filled by cp.async kStages - 1 tiles ahead. A step of k costs a
// thread (kThreadM + kThreadN) / 4 float4 reads of shared memory for kThreadM * kThreadN multiply-adds: 6 for 128, so
// that about nine in ten issue slots are FFMA. B's part of the next step is read before the multiply-adds of this
// one, A's quad by quad as each quad is done with, across the barrier too. Lanes are numbered so that neighbours 2
// apart share what they read of B and neighbours 1 apart what they read of A: then a float4 read of a warp takes two
// wavefronts and not four.
// With kWarpsK > 1 groups of warps share one tile of D and take turns at the steps of k (slices), for small D; their
// sums are added through shared memory.
#ifndef GPUOPT_KERNELS_GEMM_WARPTILE_CUH
#define GPUOPT_KERNELS_GEMM_WARPTILE_CUH

#include "gemm/plain_gemm.cuh"
#include "gemm/warptile_copy.cuh"
#include "gemm/warptile_work.cuh"

namespace gpuopt {

struct WarptileOperand {
  const float *data;
  int64_t ld, batch_step;
  bool along_k;  // k is the contiguous dimension
};

struct Warptile {
  WarptileWork work;
  int64_t m, n, k;
  WarptileOperand a, b;
  PlainOutput<float> out;
  bool packed;        // C and D may be moved by float4
  float *parts;       // slots of streaming blocks
  uint32_t *tickets;  // one for each streamed tile, zero before and after
};

constexpr int kWarptileStagedStages = 2;  // below sm_80, where the copies of the next tile wait in registers

template <int kM_, int kN_, int kDepthOfWarp_, int kWarpsM_, int kWarpsN_, int kWarpsK_, int kLanesM_, int kStages_,
          int kBlocks_>
struct WarpTileShape {
  static constexpr int kM = kM_, kN = kN_, kStages = kStages_;
  static constexpr int kWarpsM = kWarpsM_, kWarpsN = kWarpsN_, kWarpsK = kWarpsK_;
  static constexpr int kLanesM = kLanesM_, kLanesN = 32 / kLanesM_;
  static constexpr int kDepthOfWarp = kDepthOfWarp_, kDepth = kDepthOfWarp_ * kWarpsK_;
  static constexpr int kThreads = 32 * kWarpsM * kWarpsN * kWarpsK;
  static constexpr int kBlocks = kBlocks_;  // an SM must have registers for
  static constexpr int kThreadM = kM / kWarpsM / kLanesM, kThreadN = kN / kWarpsN / kLanesN;
  static constexpr int kRowsKept = kThreadM / kWarpsK;  // rows of a thread's sums that it stores itself
  static constexpr int kStageFloats = kDepth * (kM + 4 + kN + 4);
  static constexpr int kExchangeFloats = kWarpsK == 1 ? 0 : kWarpsK * kM * kN;
  static constexpr int smem_bytes(int stages) {
    return 4 * (stages * kStageFloats > kExchangeFloats ? stages * kStageFloats : kExchangeFloats);
  }
  static_assert(kThreadM % 4 == 0 && kThreadN % 4 == 0 && kRowsKept % 4 == 0, "fragments are float4");
};

// A lane's place in its warp's kLanesM x (32 / kLanesM) grid. Bit 0 counts columns and bit 1 rows, see above.
template <int kLanesM>
__device__ __forceinline__ int warptile_lane_row(int lane) {
  if constexpr (kLanesM == 1) return 0;
  if constexpr (kLanesM == 2) return lane >> 1 & 1;
  if constexpr (kLanesM == 4) return (lane >> 1 & 1) | (lane >> 3 & 2);
  if constexpr (kLanesM == 8) return (lane >> 1 & 1) | (lane >> 2 & 6);
  if constexpr (kLanesM == 16) return lane >> 1;
}
template <int kLanesM>
__device__ __forceinline__ int warptile_lane_col(int lane) {
  if constexpr (kLanesM == 1) return lane;
  if constexpr (kLanesM == 2) return (lane & 1) | (lane >> 1 & 14);
  if constexpr (kLanesM == 4) return (lane & 1) | (lane >> 1 & 6);
  if constexpr (kLanesM == 8) return (lane & 1) | (lane >> 1 & 2);
  if constexpr (kLanesM == 16) return lane & 1;
}

__device__ __forceinline__ void load_quad(const char *from, float *x) {
  const float4 v = *reinterpret_cast<const float4 *>(from);
  x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
}

// Of a tile's copies, see TileCopy. Staged, a part is read from global memory in one step of k and stored in the next.
template <class Shape>
constexpr int warptile_parts = GPUOPT_WARPTILE_STAGED ? Shape::kDepthOfWarp - 1 : 1;

template <class Shape>
using WarptileSums = float[Shape::kThreadM][Shape::kThreadN];

// Four rows of a thread's sums, row by row, there and back. An FFMA a clock needs its three operands from two register
// banks (even and odd registers) that deliver one each a clock: A's element stays in the operand cache for a row, and
// B's must come from the other bank than the sum. B's elements lie in registers as float4, so sums have to lie as
// float4 with neighbours exchanged; pack_sums() makes them.
template <class Shape>
__device__ __forceinline__ void multiply_quad(int from, const float (&a)[Shape::kThreadM],
                                              const float (&b)[Shape::kThreadN], WarptileSums<Shape> &acc) {
  constexpr int kN = Shape::kThreadN;
  constexpr int kRows = GPUOPT_WARPTILE_STAGED ? 2 : 1;  // at once
#pragma unroll
  for (int i = from; i < from + 4; i += kRows) {
#pragma unroll
    for (int jj = 0; jj < kN; ++jj) {
      const int j = i / kRows % 2 == 0 ? jj : kN - 1 - jj;
#pragma unroll
      for (int r = 0; r < kRows; ++r) acc[i + r][j] += a[i + r] * b[j];
    }
  }
}

// Four sums on their way between registers and private memory, neighbours exchanged. 16-byte accesses of this order
// make the compiler put a thread's sums into registers in it, see multiply_quad(). Below sm_80 an FFMA takes two clocks
// to issue, and the banks keep up.
constexpr int kExchanged = GPUOPT_WARPTILE_STAGED ? 0 : 1;
__device__ __forceinline__ float4 pack_sums(const float *x) {
  return make_float4(x[0 ^ kExchanged], x[1 ^ kExchanged], x[2 ^ kExchanged], x[3 ^ kExchanged]);
}
__device__ __forceinline__ void unpack_sums(const float4 &v, float *x) {
  x[0 ^ kExchanged] = v.x, x[1 ^ kExchanged] = v.y, x[2 ^ kExchanged] = v.z, x[3 ^ kExchanged] = v.w;
}

// acc += the product of one segment of `tiles` tiles of k, the last of which has last_depth steps.
template <class Shape, class CopyA, class CopyB>
__device__ __forceinline__ void multiply_segment(float *shared, CopyA &copy_a, CopyB &copy_b, int tiles, int last_depth,
                                                 int row_in_tile, int col_in_tile, int slice,
                                                 WarptileSums<Shape> &acc) {
  constexpr int kM = Shape::kThreadM, kN = Shape::kThreadN, kSteps = Shape::kDepthOfWarp;
  constexpr int kStages = GPUOPT_WARPTILE_STAGED ? kWarptileStagedStages : Shape::kStages;
  constexpr uint32_t kStageBytes = Shape::kStageFloats * 4, kRingBytes = kStageBytes * kStages;
  constexpr uint32_t kOfB = CopyA::kFloats * 4;
  constexpr int kParts = warptile_parts<Shape>;
  char *const ring = reinterpret_cast<char *>(shared);
  const uint32_t ring_address = static_cast<uint32_t>(__cvta_generic_to_shared(ring));
  copy_a.place(ring_address);
  copy_b.place(ring_address + kOfB);

  int to_load = tiles;
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (to_load > 0) {
      const int depth = to_load == 1 ? last_depth : Shape::kDepth;
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        copy_a.issue(s * kStageBytes, depth, part);
        copy_b.issue(s * kStageBytes, depth, part);
        copy_a.settle(ring + s * kStageBytes, part);
        copy_b.settle(ring + s * kStageBytes + kOfB, part);
      }
      copy_a.advance();
      copy_b.advance();
    }
    --to_load;
    __pipeline_commit();
  }

  float a[kM], b[2][kN];
  uint32_t of_a = keep_in_register(static_cast<uint32_t>(slice * kSteps * CopyA::kPitch + row_in_tile) * 4);
  uint32_t of_b = keep_in_register(static_cast<uint32_t>(slice * kSteps * CopyB::kPitch + col_in_tile) * 4 + kOfB);
  // Quad q of this thread's part of A at a step of k, and its part of B.
  const auto load_a = [&](int step, uint32_t read, int q) {
    load_quad(ring + (read + of_a) + (step * CopyA::kPitch + q * Shape::kLanesM * 4) * 4, a + q * 4);
  };
  const auto load_b = [&](int step, uint32_t read, float *to) {
#pragma unroll
    for (int q = 0; q < kN / 4; ++q) {
      load_quad(ring + (read + of_b) + (step * CopyB::kPitch + q * Shape::kLanesN * 4) * 4, to + q * 4);
    }
  };

  __pipeline_wait_prior(kStages - 2);
  __syncthreads();
  uint32_t write = (kStages - 1) * kStageBytes, read = 0;
#pragma unroll
  for (int q = 0; q < kM / 4; ++q) load_a(0, read, q);
  load_b(0, read, b[0]);

#pragma unroll 1
  for (int t = tiles; t > 0; --t) {
    const bool loads = t >= kStages;
    const int depth = t == kStages ? last_depth : Shape::kDepth;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (GPUOPT_WARPTILE_STAGED && step > 0 && loads) {
        copy_a.settle(ring + write, step - 1);
        copy_b.settle(ring + write + kOfB, step - 1);
      }
      if (step == kSteps - 1) {
        __pipeline_commit();
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        read = read + kStageBytes == kRingBytes ? 0 : read + kStageBytes;
        write = write + kStageBytes == kRingBytes ? 0 : write + kStageBytes;
      }
      const int next = step == kSteps - 1 ? 0 : step + 1;
      load_b(next, read, b[(step + 1) % 2]);
      if (step < kParts && loads) {
        copy_a.issue(write, depth, step);
        copy_b.issue(write, depth, step);
      }
#pragma unroll
      for (int q = 0; q < kM / 4; ++q) {
        multiply_quad<Shape>(q * 4, a, b[step % 2], acc);
        load_a(next, read, q);  // this quad is done with
      }
    }
    copy_a.advance();
    copy_b.advance();
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // the ring may be written again
}

// Adds the slices' sums; then the warps of slice s hold the final rows [s * kRowsKept, (s + 1) * kRowsKept) of each
// thread.
template <class Shape>
__device__ __forceinline__ void exchange_slices(float *shared, int slice, int thread_in_slice, WarptileSums<Shape> &acc,
                                                float (&kept)[Shape::kRowsKept][Shape::kThreadN]) {
  constexpr int kSlices = Shape::kWarpsK, kRows = Shape::kRowsKept, kN = Shape::kThreadN;
  if constexpr (kSlices == 1) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kN; ++j) kept[i][j] = acc[i][j];
    }
  } else {
    constexpr int kThreadsOfSlice = Shape::kThreads / kSlices, kPacks = kRows * kN / 4;
    float4 *const packs = reinterpret_cast<float4 *>(shared) + thread_in_slice;
    // Pack q of the rows that slice `owner` keeps, from slice `source`.
    const auto place = [&](int source, int owner, int q) {
      return ((source * kSlices + owner) * kPacks + q) * kThreadsOfSlice;
    };
#pragma unroll
    for (int owner = 0; owner < kSlices; ++owner) {
#pragma unroll
      for (int q = 0; q < kPacks; ++q) {
        packs[place(slice, owner, q)] = pack_sums(acc[owner * kRows + q * 4 / kN] + q * 4 % kN);
      }
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < kPacks; ++q) {
      float4 sum = packs[place(0, slice, q)];
#pragma unroll
      for (int source = 1; source < kSlices; ++source) {
        const float4 v = packs[place(source, slice, q)];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
      unpack_sums(sum, kept[q * 4 / kN] + q * 4 % kN);
    }
    __syncthreads();
  }
}

// The part of a tile that a streaming block has computed. True for the block that came last: it has the whole sum now.
template <class Shape>
__device__ __forceinline__ bool join_parts(const Warptile &w, uint32_t tile, uint32_t *shared_ticket,
                                           float (&kept)[Shape::kRowsKept][Shape::kThreadN]) {
  constexpr int kPacks = Shape::kRowsKept * Shape::kThreadN / 4;
  constexpr int64_t kSlotPacks = Shape::kM * Shape::kN / 4;
  const uint64_t tile_unit = uint64_t{tile} * w.work.k_tiles;
  float4 *const parts = reinterpret_cast<float4 *>(w.parts) + threadIdx.x;
  float4 *const mine = parts + w.work.slot(blockIdx.x, tile_unit) * kSlotPacks;
#pragma unroll
  for (int q = 0; q < kPacks; ++q) {
    __stcg(mine + q * Shape::kThreads, pack_sums(kept[q * 4 / Shape::kThreadN] + q * 4 % Shape::kThreadN));
  }
  const uint32_t first = w.work.block_of(tile_unit), last = w.work.block_of(tile_unit + w.work.k_tiles - 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *shared_ticket = atomicAdd(w.tickets + tile, 1);
  __syncthreads();
  const bool is_last = *shared_ticket == last - first;
  __syncthreads();
  if (!is_last) return false;
  __threadfence();
  if (threadIdx.x == 0) w.tickets[tile] = 0;
#pragma unroll
  for (int i = 0; i < Shape::kRowsKept; ++i) {
#pragma unroll
    for (int j = 0; j < Shape::kThreadN; ++j) kept[i][j] = 0;
  }
#pragma unroll 1
  for (uint32_t block = first; block <= last; ++block) {
    const float4 *const from = parts + w.work.slot(block, tile_unit) * kSlotPacks;
#pragma unroll
    for (int q = 0; q < kPacks; ++q) {
      const float4 v = __ldcg(from + q * Shape::kThreads);
      float *x = kept[q * 4 / Shape::kThreadN] + q * 4 % Shape::kThreadN;
      x[0 ^ kExchanged] += v.x, x[1 ^ kExchanged] += v.y, x[2 ^ kExchanged] += v.z, x[3 ^ kExchanged] += v.w;
    }
  }
  return true;
}

// D = alpha * sums + beta * C for this thread's rows, of which those below rows_left and columns below cols_left exist.
template <class Shape>
__device__ __forceinline__ void store_rows(const Warptile &w, int64_t p, int64_t row, int64_t col, int first_row,
                                           int first_col, int rows_left, int cols_left,
                                           const float (&kept)[Shape::kRowsKept][Shape::kThreadN]) {
  const PlainOutput<float>::Scalars s = w.out.scalars();
  const bool reads_c = w.out.c != nullptr && s.beta != 0;  // a zero read through the pointer must not read C either
  float *const d = w.out.d + p * w.out.d_stride + row * w.out.d_ld + col;
  const float *const c = reads_c ? w.out.c + p * w.out.c_stride + row * w.out.c_ld + col : nullptr;
#pragma unroll
  for (int i = 0; i < Shape::kRowsKept; ++i) {
    const int at_row = first_row + i / 4 * Shape::kLanesM * 4 + i % 4;
    if (at_row >= rows_left) continue;
#pragma unroll
    for (int j = 0; j < Shape::kThreadN; j += 4) {
      const int at_col = first_col + j / 4 * Shape::kLanesN * 4;
      float x[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) x[e] = s.alpha * kept[i][j + e];
      float *const to = d + at_row * w.out.d_ld + at_col;
      const float *const from = c + at_row * w.out.c_ld + at_col;
      if (w.packed && at_col + 3 < cols_left) {
        if (reads_c) {
          const float4 v = *reinterpret_cast<const float4 *>(from);
          x[0] += s.beta * v.x, x[1] += s.beta * v.y, x[2] += s.beta * v.z, x[3] += s.beta * v.w;
        }
        *reinterpret_cast<float4 *>(to) = make_float4(x[0], x[1], x[2], x[3]);
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          if (at_col + e < cols_left) to[e] = reads_c ? x[e] + s.beta * from[e] : x[e];
        }
      }
    }
  }
}

template <class Shape, int kBytesA, int kBytesB>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    gemm_warptile_kernel(const __grid_constant__ Warptile w) {
  extern __shared__ float4 warptile_shared[];
  float *const shared = reinterpret_cast<float *>(warptile_shared);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int slice = warp / (Shape::kWarpsM * Shape::kWarpsN), warp_of_slice = warp % (Shape::kWarpsM * Shape::kWarpsN);
  const int row_in_tile =
      warp_of_slice / Shape::kWarpsN * (Shape::kM / Shape::kWarpsM) + warptile_lane_row<Shape::kLanesM>(lane) * 4;
  const int col_in_tile =
      warp_of_slice % Shape::kWarpsN * (Shape::kN / Shape::kWarpsN) + warptile_lane_col<Shape::kLanesM>(lane) * 4;

  const bool streams = blockIdx.x < w.work.stream_blocks;
  const uint64_t k_tiles = w.work.k_tiles;
  uint64_t unit =
      streams ? w.work.first_unit(blockIdx.x) : (w.work.streamed + blockIdx.x - w.work.stream_blocks) * k_tiles;
  const uint64_t end = streams ? w.work.first_unit(blockIdx.x + 1) : unit + k_tiles;

  while (unit < end) {
    const uint32_t index = static_cast<uint32_t>(unit / k_tiles);
    const uint32_t first = static_cast<uint32_t>(unit - index * k_tiles);  // units of this tile: [first, first + count)
    const uint64_t left_of_tile = k_tiles - first;
    const uint32_t count = static_cast<uint32_t>(end - unit < left_of_tile ? end - unit : left_of_tile);
    unit += count;
    const WarptileWork::Tile tile = w.work.tile(index);
    const int64_t row = int64_t{tile.row} * Shape::kM, col = int64_t{tile.col} * Shape::kN;
    const int64_t k = int64_t{first} * Shape::kDepth;
    const int rows_left = static_cast<int>(min(w.m - row, int64_t{Shape::kM}));
    const int cols_left = static_cast<int>(min(w.n - col, int64_t{Shape::kN}));

    TileCopy<Shape::kM, Shape::kDepth, Shape::kThreads, kBytesA, warptile_parts<Shape>> copy_a;
    TileCopy<Shape::kN, Shape::kDepth, Shape::kThreads, kBytesB, warptile_parts<Shape>> copy_b;
    const bool a_along_k = kBytesA == 4 && w.a.along_k, b_along_k = kBytesB == 4 && w.b.along_k;
    copy_a.begin(w.a.data + tile.p * w.a.batch_step + (a_along_k ? row * w.a.ld + k : k * w.a.ld + row), w.a.ld,
                 a_along_k, rows_left);
    copy_b.begin(w.b.data + tile.p * w.b.batch_step + (b_along_k ? col * w.b.ld + k : k * w.b.ld + col), w.b.ld,
                 b_along_k, cols_left);

    WarptileSums<Shape> acc = {};
    const int last_depth = static_cast<int>(min(w.k - k - int64_t{count - 1} * Shape::kDepth, int64_t{Shape::kDepth}));
    multiply_segment<Shape>(shared, copy_a, copy_b, static_cast<int>(count), last_depth, row_in_tile, col_in_tile,
                            slice, acc);
    float kept[Shape::kRowsKept][Shape::kThreadN];
    exchange_slices<Shape>(shared, slice, threadIdx.x % (Shape::kThreads / Shape::kWarpsK), acc, kept);
    if (count < k_tiles && !join_parts<Shape>(w, index, reinterpret_cast<uint32_t *>(shared), kept)) continue;
    const int first_row = row_in_tile + slice * (Shape::kRowsKept / 4) * Shape::kLanesM * 4;
    store_rows<Shape>(w, tile.p, row, col, first_row, col_in_tile, rows_left, cols_left, kept);
  }
}

}  // namespace gpuopt

#endif
