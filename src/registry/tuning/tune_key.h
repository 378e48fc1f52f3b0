// The facts of a call by which a tuned entry knows it. A key is a record of small fields that compares and hashes as words;
// tune_text.h writes it as words for people and reads it back.
//
// It is made of the problem in normal form, so a call and its transpose share one. In it: operation, types, compute type,
// layouts, variant and axis, the stages' kinds and forms, features and flags, extents, alignments, and whether lines and
// matrices follow each other without a gap. Not in it: pointers, leading dimensions and strides as numbers, scalars, the
// stream and its capture, and the workspace. Whatever a kernel needs of these is asked of the call itself, at each call.
#pragma once
#include <cstdint>

#include "gpuopt/kernel.h"

namespace gpuopt {

// The kind of a key beside GPUOPT_TUNE_EXACT and GPUOPT_TUNE_CLASS: a problem with the times of kernels. As exact, otherwise.
constexpr uint8_t kTuneMeasured = 3;

// One operand; all zero: absent. Alignments are log2 of bytes.
struct TuneOperand {
  enum : uint8_t {
    kPadded = 1,
    kShared = 2,
    kSpaced = 4,
    kScaled = 8,
    kScaled1x128 = 16,
    kScaled128x1 = 32,
    kScaled128x128 = 64,
    kScaledByBlocks = kScaled1x128 | kScaled128x1 | kScaled128x128
  };  // lines apart; stride 0; matrices apart; scale; of blocks
  uint8_t dtype, layout, align, ld_align, stride_align, marks, unused[2];
};

struct TuneStage {
  uint8_t kind, form, unused[6];
  TuneOperand a, b;
};

struct TuneKey {
  static constexpr int kOperands = 7;  // by GPUOPT_OPERAND_*
  uint8_t kind;                        // GPUOPT_TUNE_EXACT or GPUOPT_TUNE_CLASS
  uint8_t op, compute, variant, axis, stage_count, unused[2];
  uint32_t features, flags;
  int64_t m, n, k, batch;
  TuneOperand operand[kOperands];
  TuneStage stage[GPUOPT_MAX_STAGES];

  // The words that count: those of stages that are not there are zero in every key.
  size_t words() const;
  uint64_t hash() const;
};
static_assert(sizeof(TuneOperand) == 8 && sizeof(TuneStage) == 24 &&
                  sizeof(TuneKey) == 48 + 8 * TuneKey::kOperands + 24 * GPUOPT_MAX_STAGES,
              "keys are compared and hashed as words and must have no padding");

// Base addresses that are multiples of 16 bytes, the widest access of a kernel, are alike; in a class leading dimensions and
// batch strides are, too.
constexpr uint8_t kLog2Widest = 4, kLog2Unconstrained = 8;

TuneKey exact_key(const gpuopt_problem &problem);
// The class that an exact key lies in: extents and batch become the nearest power of two by ratio.
TuneKey class_of(const TuneKey &exact);

int64_t nearest_power_of_two(int64_t extent);  // 0 stays 0

bool operator==(const TuneKey &a, const TuneKey &b);

}  // namespace gpuopt
