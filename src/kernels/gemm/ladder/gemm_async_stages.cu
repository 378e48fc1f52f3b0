// gemm_async_stages_3: gemm_vec4 with three stages of panels, filled by cp.async two tiles ahead.
//
// Idea and data movement: the sums, the panels and the reads of shared memory are gemm_vec4's. There a block loads,
// waits for memory, computes and loads again, and only the SM's other block fills its gaps. Here three pairs of
// panels form a ring: while one is multiplied, cp.async copies the next two from global to shared memory, without
// registers between and without anybody waiting; a barrier a tile is left of two. 16-byte copies where x is the
// contiguous direction; a panel that has to be transposed (a row-major A, a column-major B) is copied by 4 bytes, each to
// its own place. Below sm_80 there is no cp.async: the copies become loads into registers before the product and
// stores after it.
//
// Needs: fp32, 50 KB of shared memory a block. Counterparts: gemm_vec4, gemm_double_buffer_32.
// Prediction: gemm_vec4 without its waits at each tile; most where one block an SM has nobody else to fill the gaps.

#include <cuda_pipeline.h>

#include "gemm/ladder/figures.h"
#include "gemm/ladder/quad_tile.cuh"

namespace gpuopt {

constexpr int kStages = 3;
constexpr int kStageFloats = 2 * kQuadDepth * kQuadPitch;
constexpr int kStagesBytes = kStages * kStageFloats * static_cast<int>(sizeof(float));

// One operand's way into the ring. begin() starts a panel's copy, finish() ends what could not be left under way.
class StageCopy {
 public:
  __device__ StageCopy(const View &view, Side side, bool aligned, int64_t p, int64_t first_x) {
    const int64_t step_x = side == Side::kRowsOfA ? view.row_step : view.col_step;
    const int64_t step_k = side == Side::kRowsOfA ? view.col_step : view.row_step;
    const int t = static_cast<int>(threadIdx.x);
    along_x_ = step_x == 1;
    quads_ = along_x_ && aligned;
    if (along_x_) {
      const int lanes = quads_ ? kQuadTile / 4 : kQuadTile;
      x_ = quads_ ? t % lanes * 4 : t % lanes;
      k_ = t / lanes;
      step_ = (quads_ ? kQuadStepK : kStepK) * step_k;
    } else {  // 8 x 4 lanes: whole sectors of 8 k, and 32 banks at a pitch of 4 more than a multiple of 32
      k_ = t % 8;
      x_ = t / 8;
      step_ = kTransposedStepX * step_x;
      half_ = 8 * step_k;
    }
    next_ = kQuadDepth * step_k;
    from_ = static_cast<const float *>(view.data) + p * view.batch_step + (first_x + x_) * step_x + k_ * step_k;
  }

  // Of the panel, width x depth exist; the rest becomes zeros.
  __device__ __forceinline__ void begin(QuadPanel &panel, int width, int depth) {
    if (width == kQuadTile && depth == kQuadDepth) {
      begin_panel(panel, [](int, int) { return kQuadTile; });
    } else if (along_x_) {
      begin_panel(panel, [&](int x, int k) { return k < depth ? width - x : 0; });
    } else {
      begin_panel(panel, [&](int x, int k) { return x < width ? depth - k : 0; });
    }
    from_ += next_;
  }

  __device__ __forceinline__ void finish(QuadPanel &panel) const {
#if __CUDA_ARCH__ < 800
    if (quads_) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) panel[k_ + e / 4 * kQuadStepK][x_ + e % 4] = staged_[e];
    } else if (along_x_) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) panel[k_ + e * kStepK][x_] = staged_[e];
    } else {
#pragma unroll
      for (int e = 0; e < kCount; ++e) panel[k_ + e % 2 * 8][x_ + e / 2 * kTransposedStepX] = staged_[e];
    }
#else
    static_cast<void>(panel);
#endif
  }

 private:
  static constexpr int kCount = kQuadTile * kQuadDepth / kQuadThreads;
  static constexpr int kQuadStepK = 4 * kQuadThreads / kQuadTile, kStepK = kQuadThreads / kQuadTile;
  static constexpr int kTransposedStepX = kQuadThreads / 8;

  // left(x, k) elements exist from there on in the contiguous direction.
  template <class Left>
  __device__ __forceinline__ void begin_panel(QuadPanel &panel, Left &&left) {
    if (quads_) {
#pragma unroll
      for (int v = 0; v < kCount / 4; ++v) {
        const int k = k_ + v * kQuadStepK;
        copy<4>(&panel[k][x_], from_ + v * step_, left(x_, k), v * 4);
      }
    } else if (along_x_) {
#pragma unroll
      for (int e = 0; e < kCount; ++e) {
        const int k = k_ + e * kStepK;
        copy<1>(&panel[k][x_], from_ + e * step_, left(x_, k), e);
      }
    } else {
#pragma unroll
      for (int e = 0; e < kCount; ++e) {
        const int x = x_ + e / 2 * kTransposedStepX, k = k_ + e % 2 * 8;
        copy<1>(&panel[k][x], from_ + e / 2 * step_ + e % 2 * half_, left(x, k), e);
      }
    }
  }

  // kWords words, of which the first left exist.
  template <int kWords>
  __device__ __forceinline__ void copy(float *to, const float *from, int left, int slot) {
#if __CUDA_ARCH__ >= 800
    static_cast<void>(slot);
    if (left >= kWords) {
      __pipeline_memcpy_async(to, from, kWords * sizeof(float));
    } else {
#pragma unroll
      for (int e = 0; e < kWords; ++e) to[e] = e < left ? from[e] : 0.0f;
    }
#else
    static_cast<void>(to);
#pragma unroll
    for (int e = 0; e < kWords; ++e) staged_[slot + e] = e < left ? from[e] : 0.0f;
#endif
  }

  const float *from_;           // this thread's first element of the next panel
  int64_t step_, half_, next_;  // to its next element, 8 steps of k on (transposed panels), to the next panel
  int x_, k_;
  bool along_x_, quads_;
#if __CUDA_ARCH__ < 800
  float staged_[kCount];
#endif
};

__global__ void __launch_bounds__(kQuadThreads, 2)
    gemm_async_stages_kernel(const __grid_constant__ PlainGemm<float> gemm) {
  extern __shared__ __align__(16) float ring[];
  auto panel_a = [&](int stage) -> QuadPanel & { return *reinterpret_cast<QuadPanel *>(ring + stage * kStageFloats); };
  auto panel_b = [&](int stage) -> QuadPanel & {
    return *reinterpret_cast<QuadPanel *>(ring + stage * kStageFloats + kStageFloats / 2);
  };
  const QuadThread thread;

  for (int64_t t = blockIdx.x; t < gemm.tiles.total; t += gridDim.x) {
    const TileSpace::Tile tile = gemm.tiles.tile(t);
    const int64_t row = tile.row * kQuadTile, col = tile.col * kQuadTile;
    const int rows = tile_extent(gemm.m, row, kQuadTile), cols = tile_extent(gemm.n, col, kQuadTile);
    StageCopy a(gemm.a, Side::kRowsOfA, gemm.quads_a, tile.p, row);
    StageCopy b(gemm.b, Side::kColsOfB, gemm.quads_b, tile.p, col);

    // A group is committed for every tile, empty past the end, so that waiting for all but one group always means that
    // the tile whose turn it is has arrived.
    auto begin = [&](int64_t s, int stage) {
      const int depth = tile_extent(gemm.k, s, kQuadDepth);
      if (depth > 0) {
        a.begin(panel_a(stage), rows, depth);
        b.begin(panel_b(stage), cols, depth);
      }
      __pipeline_commit();
    };
    auto finish = [&](int64_t s, int stage) {
      if (s < gemm.k) {
        a.finish(panel_a(stage));
        b.finish(panel_b(stage));
      }
    };
#pragma unroll 1
    for (int stage = 0; stage < kStages - 1; ++stage) {
      begin(stage * kQuadDepth, stage);
      finish(stage * kQuadDepth, stage);
    }

    float acc[8][8] = {};
    int now = 0;
    for (int64_t s = 0; s < gemm.k; s += kQuadDepth) {
      __pipeline_wait_prior(kStages - 2);
      __syncthreads();  // this tile is there for all, and the product before it is done: its stage is free
      const int64_t ahead = s + (kStages - 1) * kQuadDepth;
      const int free = now == 0 ? kStages - 1 : now - 1;
      begin(ahead, free);
      multiply_quads(panel_a(now), panel_b(now), thread, acc);
      finish(ahead, free);
      now = now == kStages - 1 ? 0 : now + 1;
    }
    store_quads(gemm, tile.p, row, col, thread, acc);
    __syncthreads();
  }
}

namespace {

struct AsyncStages {
  static constexpr const char *kName = "gemm_async_stages_3";
  static constexpr const char *kSummary = "gemm_vec4 with three stages filled by cp.async (below sm_80: by registers)";
  static constexpr int kTileM = kQuadTile, kTileN = kQuadTile, kStripe = 8;
  static constexpr int kThreads = kQuadThreads, kDynamicSmem = kStagesBytes;
  static SimtGemmSpeed speed() { return GPUOPT_LADDER_SPEED(async_stages, 2); }
  static constexpr auto kKernel = gemm_async_stages_kernel;
};

constexpr gpuopt_kernel kKernels[] = {plain_gemm_kernel<AsyncStages>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
