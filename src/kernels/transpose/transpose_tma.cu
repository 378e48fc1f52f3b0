// The tensor memory accelerator moves the tiles: one thread asks for a box of the source, and later for a box of the
// result to be written; the other threads only turn the tile over.
//
// Data movement: a tile is two boxes wide and two high; a box is 128 bytes wide, so tiles are 64 x 64 elements of 4
// bytes, 128 x 128 of 2, 256 x 256 of 1, 32 x 32 of 8. The hardware swizzles what it puts into shared memory: the
// 16-byte chunk c of a box's row r lies at c ^ r % 8. Each of 256 threads reads one block of 16-byte vectors, as many
// as a vector has elements, transposes it in registers (register_transpose.cuh), and after a barrier stores it into the
// same memory, swizzled as the write back will read it. Threads take blocks along diagonals, so that both of these
// touch all banks. Edges cost nothing: boxes are cut at the tensor's bounds, reading zeros and writing nothing; but the
// writes are cut at multiples of 16 bytes only, beyond which they would overwrite padding.
// The price is one thread's wait before and another after, and a descriptor of each matrix per call (encoded on the
// host, 128 bytes of kernel argument).
// Needs: compute capability 9.0; m, the length of the result's rows, a multiple of 16; bases, leading dimensions and
// batch strides that are multiples of 16 bytes, no broadcast; not for 16-byte elements, which tensor maps do not have.
// Recorded (H200, 2026-11-21, single call, cold), forced: 8192^2 f32 133.5 us, 96 % of copy, in a graph 131.4 us (plain
// loads and stores, transpose_vec8_64: 130.5 us, 99 %, 128.2 us).
// Measured once, not in a record (H200, 2026-11-21, single call, cold): f64 97 % of copy, bf16 95, i8 88 %.

#include <cuda/ptx>

#include "common/tensor_map.h"
#include "register_transpose.cuh"
#include "tile_grid.cuh"

namespace gpuopt {

constexpr int kTmaThreads = 256;
constexpr int kBoxBytes = 128;  // across; also the period of the swizzle, with 8 rows
template <int kBytes>
constexpr int kTmaTile = 2 * kBoxBytes / kBytes;  // elements, both ways
template <int kBytes>
constexpr int kTmaSmem = kTmaTile<kBytes> * 2 * kBoxBytes;

template <int kBytes>
__global__ void __launch_bounds__(kTmaThreads)
    transpose_tma_kernel(const __grid_constant__ CUtensorMap src, const __grid_constant__ CUtensorMap dst,
                         TileGrid grid) {
#if __CUDA_ARCH__ >= 900
  namespace ptx = cuda::ptx;
  constexpr int kTile = kTmaTile<kBytes>, kSide = 16 / kBytes, kBoxVectors = kTile * kBoxBytes / 16;
  static_assert(kTile / kSide == 16, "16 x 16 blocks for 256 threads");
  extern __shared__ __align__(1024) uint4 tile[];  // two boxes of kTile rows, one beside the other
  __shared__ uint64_t full;
  const TileGrid::Tile at = grid.tile();
  wait_for_stream();
  const int i0 = static_cast<int>(at.row) * kTile, j0 = static_cast<int>(at.col) * kTile;
  const int p = static_cast<int>(at.p);
  constexpr int kHalf = kTile / 2;  // elements across a box
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, kTmaSmem<kBytes>);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &src, {j0, i0, p}, &full);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile + kBoxVectors, &src, {j0 + kHalf, i0, p},
                              &full);
  }
  __syncthreads();  // the barrier exists
  while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
  }

  // Block (row, col) of the 16 x 16. Low bits: 8 threads have 8 different rows and 8 different columns.
  const int t = static_cast<int>(threadIdx.x);
  const int col = t % 8 + t / 64 % 2 * 8, row = (t % 8 ^ t / 8 % 8) + t / 128 * 8;
  // Chunk `chunk` (of 16: two boxes) of row r of the tile.
  const auto place = [](int r, int chunk) { return chunk / 8 * kBoxVectors + r * 8 + (chunk % 8 ^ r % 8); };
  Vector<16> block[kSide], turned[kSide];
#pragma unroll
  for (int r = 0; r < kSide; ++r) block[r].whole = tile[place(row * kSide + r, col)];
  transpose_registers<kBytes, 16>(block, turned);
  __syncthreads();  // everyone has read
#pragma unroll
  for (int c = 0; c < kSide; ++c) tile[place(col * kSide + c, row)] = turned[c].whole;
  ptx::fence_proxy_async(ptx::space_shared);  // before the accelerator reads what threads wrote
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &dst, {i0, j0, p}, tile);
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &dst, {i0 + kHalf, j0, p}, tile + kBoxVectors);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});  // shared memory must outlive the read
  }
#endif
}

namespace {

constexpr char kName[] = "transpose_tma";

bool encode(const gpuopt_operand &operand, int64_t batch, int bytes, int box_rows, CUtensorMap *map) {
  const gpuopt_matrix &m = operand.m;
  return encode_tensor_map(map, m.data, bytes, m.cols, m.rows, m.ld * bytes, batch, m.batch_stride * bytes, box_rows);
}

template <class F>
gpuopt_status with_tma_bytes(const gpuopt_problem &problem, F &&f) {
  return with_bytes(problem, [&](auto bytes) {
    if constexpr (decltype(bytes)::value == 16)
      return GPUOPT_INTERNAL;
    else
      return f(bytes);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  return with_tma_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value, kTile = kTmaTile<kBytes>;
    CUtensorMap src, dst;
    if (tensor_map_encoder() == nullptr ||
        !encode(problem->operand[GPUOPT_OPERAND_SRC], problem->batch, kBytes, kTile, &src) ||
        !encode(problem->operand[GPUOPT_OPERAND_DST], problem->batch, kBytes, kTile, &dst))
      return no_tensor_map(launch, kName);
    return launch_tiles(kName, *problem, launch, problem->m, kTile, kTile, dim3(kTmaThreads), kTmaSmem<kBytes>,
                        transpose_tma_kernel<kBytes>, src, dst);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (tensor_map_encoder() == nullptr) return no_tensor_map(launch, kName);
  return with_tma_bytes(*problem, [&](auto bytes) {
    constexpr int kBytes = decltype(bytes)::value;
    return load_kernel(launch, kName, transpose_tma_kernel<kBytes>, kTmaSmem<kBytes>);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  constexpr int64_t kMaxExtent = 0x7fffffff - 256;        // coordinates are 32-bit
  constexpr int64_t kMaxStride = (int64_t{1} << 40) - 1;  // bytes
  for (const int64_t extent : {problem->m, problem->n, problem->batch}) {
    if (extent <= kMaxExtent) continue;
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_NONE, extent, kMaxExtent, "an extent"};
    return 0;
  }
  for (const int operand : {GPUOPT_OPERAND_SRC, GPUOPT_OPERAND_DST}) {
    const gpuopt_matrix &m = problem->operand[operand].m;
    const int64_t longest = m.ld > m.batch_stride ? m.ld : m.batch_stride;
    if (longest <= kMaxStride / word_bytes(*problem)) continue;
    *reject = {GPUOPT_REJECT_SIZE_LIMIT, operand, longest, kMaxStride / word_bytes(*problem), "ld or batch_stride"};
    return 0;
  }
  return 1;
}

// Fitted on an H200.
constexpr TileCost kCost = {5.0, {0.79, 0.838, 0.848, 0.847, 0}};

double predict_us(const gpuopt_problem *problem) {
  const int tile = 2 * kBoxBytes / word_bytes(*problem);
  return tiles_us(*problem, kCost, tile, tile, kTmaThreads);
}

#define GPUOPT_RESOURCES_(kBytes) \
  { kTmaThreads, kTmaSmem<kBytes>, reinterpret_cast<const void *>(transpose_tma_kernel<kBytes>) }
gpuopt_resource kResources[] = {GPUOPT_RESOURCES_(1), GPUOPT_RESOURCES_(2), GPUOPT_RESOURCES_(4), GPUOPT_RESOURCES_(8)};
#undef GPUOPT_RESOURCES_

// The table's last row are the 16-byte elements.
static_assert(kTransposeSignatures[kTransposeSignatureCount - 1].dtype[0] == GPUOPT_B128, "the last row is left out");

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = transpose_kernel(kName, "tiles moved by the tensor memory accelerator, swizzled by hardware",
                                     kViewFeatures & ~GPUOPT_FEATURE_BROADCAST);
  k.cc_min = 90;
  k.signature_count = kTransposeSignatureCount - 1;
  k.multiple[0] = 16;
  k.align[GPUOPT_OPERAND_SRC] = k.align[GPUOPT_OPERAND_DST] = 16;
  k.ld_align[GPUOPT_OPERAND_SRC] = k.ld_align[GPUOPT_OPERAND_DST] = 16;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
