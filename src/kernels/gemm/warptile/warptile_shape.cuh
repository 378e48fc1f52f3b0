// What the warptile kernels are told of a product, and what is fixed of a shape of tiles when it is compiled.
#pragma once

#include "gemm/common/plain_output.cuh"
#include "gemm/warptile/warptile_async.cuh"
#include "gemm/warptile/warptile_work.cuh"

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

// kParts16, kParts4: where not 0, copies are endless (warptile_copy.cuh), and these the most parts that an operand's
// copies of a tile by 16 and by 4 bytes are spread over the steps of k in. That is worth 2 to 10 % where a thread has
// six copies of a tile or more, and loses with three or four.
template <int kM_, int kN_, int kDepthOfWarp_, int kWarpsM_, int kWarpsN_, int kWarpsK_, int kLanesM_, int kStages_,
          int kBlocks_, int kParts16_ = 0, int kParts4_ = 0>
struct WarpTileShape {
  static constexpr int kM = kM_, kN = kN_, kStages = kStages_;
  static constexpr int kWarpsM = kWarpsM_, kWarpsN = kWarpsN_, kWarpsK = kWarpsK_;
  static constexpr int kLanesM = kLanesM_, kLanesN = 32 / kLanesM_;
  static constexpr int kDepthOfWarp = kDepthOfWarp_, kDepth = kDepthOfWarp_ * kWarpsK_;
  static constexpr int kThreads = 32 * kWarpsM * kWarpsN * kWarpsK;
  static constexpr int kBlocks = kBlocks_;  // an SM must have registers for
  static constexpr int kParts16 = kParts16_, kParts4 = kParts4_;
  static constexpr bool kEndless = kParts16 > 0 && !GPUOPT_WARPTILE_STAGED;
  static constexpr int kThreadM = kM / kWarpsM / kLanesM, kThreadN = kN / kWarpsN / kLanesN;
  static constexpr int kRowsKept = kThreadM / kWarpsK;  // rows of a thread's sums that it stores itself
  static constexpr int kStageFloats = kDepth * (kM + 4 + kN + 4);
  static constexpr int kExchangeFloats = kWarpsK == 1 ? 0 : kWarpsK * kM * kN;
  static constexpr int smem_bytes(int stages) {
    return 4 * (stages * kStageFloats > kExchangeFloats ? stages * kStageFloats : kExchangeFloats);
  }
  static_assert(kThreadM % 4 == 0 && kThreadN % 4 == 0 && kRowsKept % 4 == 0, "fragments are float4");
};

template <class Shape>
using WarptileSums = float[Shape::kThreadM][Shape::kThreadN];

}  // namespace gpuopt
