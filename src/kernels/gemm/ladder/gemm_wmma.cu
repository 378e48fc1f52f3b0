// gemm_wmma_f16, gemm_wmma_bf16, gemm_wmma_tf32: tensor cores through the WMMA API (nvcuda::wmma), sums in fp32.
//
// Idea: a warp multiplies 16 x 16 matrices ("fragments", spread over its threads' registers in an order that the API
// does not tell) with one call. A block of 8 warps computes 128 x 128 of D, each warp 32 x 64 of it: 2 x 4
// accumulators, for which it reads 2 fragments of A and 4 of B a step: 16-bit types m16n16k16, tf32 m16n16k8.
//
// Data movement: tiles of A and B go through registers into two buffers in shared memory, always as A by rows and B by
// rows, so that any layout, leading dimension and extent will do: 16-byte loads along the contiguous direction where
// the operand is aligned, single elements where not, zeros past the end; an operand that lies the other way is
// transposed on the way in. The next tile's loads are under way while this one is multiplied. Pitches are padded by 16 bytes:
// neighbouring rows begin four banks apart. tf32 operands are rounded to 10 bits (__float_to_tf32, to nearest) when
// they enter shared memory: the tensor core itself would cut the low bits off, which is twice the error and biased.
// Because the order inside a fragment is unknown, results go back through shared memory, 16 x 16 a warp at a time.
//
// Needs: compute capability 7.5 (f16) or 8.0. Teaching: the API hides the layouts that a fast kernel must choose
// (gemm_mma_*), and Hopper's tensor cores are fully used by warpgroup products (wgmma) only.
// Prediction: waves of tiles, one block an SM, bound by reads of fragments: a tenth of what the tensor cores can do. Only
// f16 fragments are read by ldmatrix: for bf16 and tf32 nvcc 13.0 loses sight of shared memory in
// wmma::load_matrix_sync and reads single words by generic loads.
#include <mma.h>

#include <algorithm>

#include "common/index.cuh"
#include "common/launch.h"
#include "common/with_dtype.cuh"
#include "gemm/common/gemm_descriptor.h"
#include "gemm/common/plain_output.cuh"
#include "gemm/common/tile_space.cuh"
#include "gemm/ladder/figures.h"

namespace gpuopt {

constexpr int kWmmaTile = 128, kWmmaThreads = 256, kWmmaWarpM = 32, kWmmaWarpN = 64, kWmmaStripe = 8;
constexpr int kWmmaLineBytes = 64;  // of k in a row of A's tile

// The element of a fragment, its depth, and whether this architecture has it.
struct WmmaF16 {
  using Storage = __half;
  using Fragment = __half;
  static constexpr int kK = 16;
  static constexpr bool kExists = true;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
struct WmmaBf16 {
  using Storage = __nv_bfloat16;
  using Fragment = __nv_bfloat16;
  static constexpr int kK = 16;
  static constexpr bool kExists = true;
};
struct WmmaTf32 {
  using Storage = float;
  using Fragment = nvcuda::wmma::precision::tf32;
  static constexpr int kK = 8;
  static constexpr bool kExists = true;
};
#else
struct WmmaBf16 {
  static constexpr bool kExists = false;
};
struct WmmaTf32 {
  static constexpr bool kExists = false;
};
#endif

struct WmmaGemm {
  int64_t m, n, k, batch;
  View a, b, c, d;        // c.dtype 0: never read
  bool a_packs, b_packs;  // 16-byte loads along the contiguous direction
  float alpha, beta;
  const float *alpha_ptr, *beta_ptr;
  float *partials;  // not nullptr: sums go here
  TileSpace tiles;
};

// An operand's tile of kRows x kCols on its way from global to shared memory, where it lies by rows. A thread moves
// packs of 16 bytes, equal steps apart.
template <class T, int kRows, int kCols>
class WmmaTile {
 public:
  static constexpr int kPack = 16 / sizeof(T), kPitch = kCols + kPack;
  static constexpr int kPacks = kRows * kCols / kPack / kWmmaThreads;  // of a thread

  __device__ __forceinline__ WmmaTile(const View &view, bool packs, int64_t p, int64_t first_row, int64_t first_col)
      : row_step_(view.row_step), col_step_(view.col_step), packs_(packs), by_rows_(view.col_step == 1) {
    const int t = static_cast<int>(threadIdx.x);
    row_ = by_rows_ ? t / (kCols / kPack) : t % (kRows / kPack) * kPack;
    col_ = by_rows_ ? t % (kCols / kPack) * kPack : t / (kRows / kPack);
    from_ = static_cast<const T *>(view.data) + view.offset(p, first_row + row_, first_col + col_);
  }

  // Loads the next tile, of which rows x cols elements exist, and moves on.
  __device__ __forceinline__ void load(int64_t rows, int64_t cols, int next_row, int next_col) {
    const T *from = from_;
    if (packs_ && rows >= kRows && cols >= kCols) {
#pragma unroll
      for (int i = 0; i < kPacks; ++i) {
        pack_[i] = *reinterpret_cast<const Pack<T, kPack> *>(from);
        from += by_rows_ ? kRowsApart * row_step_ : kColsApart * col_step_;
      }
    } else {
#pragma unroll
      for (int i = 0; i < kPacks; ++i) {
        const int row = row_ + (by_rows_ ? i * kRowsApart : 0), col = col_ + (by_rows_ ? 0 : i * kColsApart);
        const int64_t left = row >= rows || col >= cols ? 0 : by_rows_ ? cols - col : rows - row;
#pragma unroll
        for (int e = 0; e < kPack; ++e) pack_[i].v[e] = e < left ? from[e] : narrow<T>(0.0f);
        from += by_rows_ ? kRowsApart * row_step_ : kColsApart * col_step_;
      }
    }
    from_ += next_row * row_step_ + next_col * col_step_;
  }

  __device__ __forceinline__ void store(T *shared) const {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      Pack<T, kPack> pack = pack_[i];
#if __CUDA_ARCH__ >= 800
      if constexpr (sizeof(T) == 4) {
#pragma unroll
        for (int e = 0; e < kPack; ++e) pack.v[e] = nvcuda::wmma::__float_to_tf32(pack.v[e]);
      }
#endif
      if (by_rows_) {
        *reinterpret_cast<Pack<T, kPack> *>(shared + (row_ + i * kRowsApart) * kPitch + col_) = pack;
      } else {
#pragma unroll
        for (int e = 0; e < kPack; ++e) shared[(row_ + e) * kPitch + col_ + i * kColsApart] = pack.v[e];
      }
    }
  }

 private:
  static constexpr int kRowsApart = kWmmaThreads * kPack / kCols, kColsApart = kWmmaThreads * kPack / kRows;
  const T *from_;
  int64_t row_step_, col_step_;
  int row_, col_;
  bool packs_, by_rows_;
  Pack<T, kPack> pack_[kPacks];
};

// One result: to the partial sums, or finished to D.
__device__ __forceinline__ void wmma_store(const WmmaGemm &gemm, int64_t p, int64_t i, int64_t j, float sum,
                                           float alpha, float beta) {
  if (gemm.partials != nullptr) {
    gemm.partials[(p * gemm.m + i) * gemm.n + j] = sum;
    return;
  }
  float x = gemm.k == 0 ? 0.0f : alpha * sum;  // of an empty sum even an infinite alpha makes 0
  if (beta != 0) x += beta * load_element<float>(gemm.c.data, gemm.c.offset(p, i, j), gemm.c.dtype);
  with_small_float_dtype(gemm.d.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    static_cast<T *>(gemm.d.data)[gemm.d.offset(p, i, j)] = narrow<T>(x);
  });
}

template <class Kind>
__global__ void __launch_bounds__(kWmmaThreads) gemm_wmma_kernel(const __grid_constant__ WmmaGemm gemm) {
  if constexpr (Kind::kExists) {
    namespace wmma = nvcuda::wmma;
    using T = typename Kind::Storage;
    using Fragment = typename Kind::Fragment;
    constexpr int kK = Kind::kK, kDepth = kWmmaLineBytes / static_cast<int>(sizeof(T));
    constexpr int kMs = kWmmaWarpM / 16, kNs = kWmmaWarpN / 16;
    using TileA = WmmaTile<T, kWmmaTile, kDepth>;
    using TileB = WmmaTile<T, kDepth, kWmmaTile>;
    constexpr int kSizeA = kWmmaTile * TileA::kPitch, kSizeB = kDepth * TileB::kPitch;
    __shared__ __align__(128) T shared[2][kSizeA + kSizeB];
    static_assert(sizeof(shared) >= kWmmaThreads / 32 * 256 * sizeof(float), "a 16 x 16 result for each warp");
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int warp_m = warp / 2 * kWmmaWarpM, warp_n = warp % 2 * kWmmaWarpN;
    const float alpha = gemm.alpha_ptr != nullptr ? *gemm.alpha_ptr : gemm.alpha;
    const float beta = gemm.c.dtype == 0 ? 0.0f : gemm.beta_ptr != nullptr ? *gemm.beta_ptr : gemm.beta;

    for (int64_t block = blockIdx.x; block < gemm.tiles.total; block += gridDim.x) {
      const TileSpace::Tile tile = gemm.tiles.tile(block);
      const int64_t row = tile.row * kWmmaTile, col = tile.col * kWmmaTile;
      wmma::fragment<wmma::accumulator, 16, 16, kK, float> acc[kMs][kNs];
#pragma unroll
      for (int i = 0; i < kMs; ++i) {
#pragma unroll
        for (int j = 0; j < kNs; ++j) wmma::fill_fragment(acc[i][j], 0.0f);
      }
      TileA a(gemm.a, gemm.a_packs, tile.p, row, 0);
      TileB b(gemm.b, gemm.b_packs, tile.p, 0, col);
      const auto load = [&](int64_t k) {
        a.load(gemm.m - row, gemm.k - k, 0, kDepth);
        b.load(gemm.k - k, gemm.n - col, kDepth, 0);
      };
      load(0);
      int buffer = 0;
      for (int64_t k = 0; k < gemm.k; k += kDepth, buffer ^= 1) {
        // The other buffer was last read two steps ago, before the barrier of the last step.
        a.store(shared[buffer]);
        b.store(shared[buffer] + kSizeA);
        __syncthreads();
        if (k + kDepth < gemm.k) load(k + kDepth);
        const T *from_a = shared[buffer] + warp_m * TileA::kPitch, *from_b = shared[buffer] + kSizeA + warp_n;
#pragma unroll
        for (int step = 0; step < kDepth; step += kK) {
          wmma::fragment<wmma::matrix_a, 16, 16, kK, Fragment, wmma::row_major> left[kMs];
#pragma unroll
          for (int i = 0; i < kMs; ++i) {
            wmma::load_matrix_sync(left[i], from_a + i * 16 * TileA::kPitch + step, TileA::kPitch);
          }
#pragma unroll
          for (int j = 0; j < kNs; ++j) {
            wmma::fragment<wmma::matrix_b, 16, 16, kK, Fragment, wmma::row_major> right;
            wmma::load_matrix_sync(right, from_b + step * TileB::kPitch + j * 16, TileB::kPitch);
#pragma unroll
            for (int i = 0; i < kMs; ++i) wmma::mma_sync(acc[i][j], left[i], right, acc[i][j]);
          }
        }
      }
      __syncthreads();

      float *result = reinterpret_cast<float *>(shared) + warp * 256;
#pragma unroll
      for (int i = 0; i < kMs; ++i) {
#pragma unroll
        for (int j = 0; j < kNs; ++j) {
          wmma::store_matrix_sync(result, acc[i][j], 16, wmma::mem_row_major);
          __syncwarp();
#pragma unroll 1
          for (int e = lane; e < 256; e += 32) {
            const int64_t at_row = row + warp_m + i * 16 + e / 16, at_col = col + warp_n + j * 16 + e % 16;
            if (at_row < gemm.m && at_col < gemm.n) {
              wmma_store(gemm, tile.p, at_row, at_col, result[e], alpha, beta);
            }
          }
          __syncwarp();
        }
      }
      __syncthreads();  // before the next tile's first store
    }
  }
}

namespace {

template <class Kind>
struct Wmma {
  static constexpr auto kKernel = gemm_wmma_kernel<Kind>;

  static gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
    const gpuopt_status status = load_kernel(launch, "gemm_wmma", kKernel);
    return status == GPUOPT_OK ? load_finish_gemm<float>(launch) : status;
  }

  static gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
    const gpuopt_problem &p = *problem;
    const bool plain = is_plain_gemm(p), reads_c = plain && (p.features & GPUOPT_FEATURE_BETA) != 0;
    const gpuopt_operand *o = p.operand;
    const WmmaGemm gemm = {p.m,
                           p.n,
                           p.k,
                           p.batch,
                           matrix_view(o[GPUOPT_OPERAND_A]),
                           matrix_view(o[GPUOPT_OPERAND_B]),
                           reads_c ? matrix_view(o[GPUOPT_OPERAND_C]) : View{},
                           matrix_view(o[GPUOPT_OPERAND_D]),
                           has_aligned_lines(o[GPUOPT_OPERAND_A]),
                           has_aligned_lines(o[GPUOPT_OPERAND_B]),
                           static_cast<float>(p.alpha),
                           static_cast<float>(p.beta),
                           static_cast<const float *>(p.alpha_ptr),
                           static_cast<const float *>(p.beta_ptr),
                           plain ? nullptr : static_cast<float *>(launch->scratch),
                           TileSpace(p.m, p.n, p.batch, kWmmaTile, kWmmaTile, kWmmaStripe)};
    const gpuopt_status status =
        launch_kernel(launch, "gemm_wmma", dim3(gemm.tiles.blocks()), dim3(kWmmaThreads), 0, kKernel, gemm);
    if (status != GPUOPT_OK || plain) return status;
    return finish_gemm(p, launch, static_cast<const float *>(launch->scratch), 1);
  }

  // Waves of blocks, one an SM.
  static double predict_us(const gpuopt_problem *problem) {
    const gpuopt_problem &p = *problem;
    const double tiles = static_cast<double>(ceil_div(p.m, kWmmaTile) * ceil_div(p.n, kWmmaTile) * p.batch);
    const double waves = std::ceil(tiles / std::max(p.device->sm_count, 1));
    const double clock = p.device->clock_mhz > 0 ? p.device->clock_mhz : 1500;
    const int32_t a = p.operand[GPUOPT_OPERAND_A].m.dtype;
    const GemmLadderFigures &g = gemm_ladder_figures;
    const double per_clock = a == GPUOPT_F32    ? g.wmma_tf32_fma_per_clock
                             : a == GPUOPT_BF16 ? g.wmma_bf16_fma_per_clock
                                                : g.wmma_f16_fma_per_clock;
    const double steps = static_cast<double>(p.k) + g.wmma_tile_steps;
    const double us = g.wmma_us + waves * kWmmaTile * kWmmaTile * steps / per_clock / clock;
    return is_plain_gemm(p) ? us : us + finish_gemm_us(p, 1, sizeof(float));
  }
};

constexpr gpuopt_signature kF16[] = {
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F16},
};
constexpr gpuopt_signature kBf16[] = {
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_BF16}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_BF16, GPUOPT_BF16, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32},
};
constexpr gpuopt_signature kTf32[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_TF32}};

template <class Kind, size_t kCount>
constexpr gpuopt_kernel make_kernel(const char *name, const char *summary, int32_t cc_min,
                                    const gpuopt_signature (&signatures)[kCount]) {
  gpuopt_kernel kernel = gemm_descriptor(name, summary);
  kernel.flags = GPUOPT_KERNEL_TEACHING;
  kernel.cc_min = cc_min;
  set_signatures(kernel, signatures);
  kernel.workspace = plain_gemm_workspace;
  set_functions(kernel, Wmma<Kind>::predict_us, Wmma<Kind>::prepare, Wmma<Kind>::launch,
                kResourcesOf<kWmmaThreads, 0, gemm_wmma_kernel<Kind>>);
  return kernel;
}
constexpr gpuopt_kernel kKernels[] = {
    make_kernel<WmmaF16>("gemm_wmma_f16", "tensor cores by the WMMA API, m16n16k16, fp32 sums", 75, kF16),
    make_kernel<WmmaBf16>("gemm_wmma_bf16", "tensor cores by the WMMA API, m16n16k16, fp32 sums", 80, kBf16),
    make_kernel<WmmaTf32>("gemm_wmma_tf32", "tensor cores by the WMMA API, m16n16k8, rounded operands", 80, kTf32),
};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
