// The words of a key's text that are names of bits and of small values; tables.h has the others.
#pragma once
#include <cstdint>

#include "tuning/tune_key.h"

namespace gpuopt {

struct NamedBit {
  uint32_t bit;
  const char *name;
};

constexpr NamedBit kFlagWords[] = {{GPUOPT_ALLOW_NONDETERMINISTIC, "nondeterministic"},
                                   {GPUOPT_ALLOW_INTERMEDIATE_ROUNDING, "intermediate_rounding"},
                                   {GPUOPT_REQUIRE_BATCH_INVARIANT, "batch_invariant"}};
constexpr NamedBit kFeatureWords[] = {
#define GPUOPT_X_(name, bit, what) {1u << bit, #name},
    GPUOPT_FEATURE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
constexpr NamedBit kMarkWords[] = {{TuneOperand::kPadded, "padded"},
                                   {TuneOperand::kShared, "shared"},
                                   {TuneOperand::kSpaced, "spaced"},
                                   {TuneOperand::kScaled, "scaled"},
                                   {TuneOperand::kScaled1x128, "scaled1x128"},
                                   {TuneOperand::kScaled128x1, "scaled128x1"},
                                   {TuneOperand::kScaled128x128, "scaled128x128"}};

constexpr const char *kAxisWords[] = {"", "row", "col", "all"};                   // GPUOPT_EACH_ROW ...
constexpr const char *kFormWords[] = {"scalar", "per_row", "per_col", "matrix"};  // GPUOPT_SCALAR ...
constexpr const char *kKindWords[] = {"", "exact", "class", "measured"};  // GPUOPT_TUNE_EXACT ..., kTuneMeasured
constexpr const char *kLayoutWords[] = {"row", "col"};                    // GPUOPT_ROW ...

}  // namespace gpuopt
