#include "hard_rows.h"

#include "spec.h"
#include "values.h"

namespace gpuopt_check {
namespace {

constexpr double kShareOfProblems = 0.25;

}  // namespace

std::string hard_rows_text(uint32_t rows) {
  std::string text;
  const auto add = [&](uint32_t bit, const char *words) {
    if (rows & bit) text += (text.empty() ? "" : ", ") + std::string(words);
  };
  add(kFarRows, "rows far from 0");
  add(kLargestRows, "rows near the largest number");
  add(kLargeIntegers, "large integers");
  return text;
}

uint32_t hard_rows_of(const Spec &s) {
  const gpuopt_dtype x = s.row.dtype[0];
  if (s.op == GPUOPT_OP_NORM && s.row.variant == GPUOPT_NORM_LAYERNORM) {
    const bool reaches = x == GPUOPT_F32 || x == GPUOPT_F64 || x == GPUOPT_BF16;  // the end of what it is computed in
    return kFarRows | (reaches ? kLargestRows : 0u);
  }
  if (s.op != GPUOPT_OP_REDUCE) return 0;
  const bool root = s.row.variant == GPUOPT_REDUCE_NRM2 && (x == GPUOPT_I32 || x == GPUOPT_I64);
  return root || (s.row.variant == GPUOPT_REDUCE_MEAN && x == GPUOPT_I64) ? kLargeIntegers : 0u;
}

void make_hard(uint32_t rows, Spec *s) {
  s->hard_rows = rows;
  s->values = Values::normal;
  s->specials = false;
}

void choose_hard_rows(uint32_t allowed, Rng &rng, Spec *s) {
  const uint32_t fit = allowed & hard_rows_of(*s);
  if (fit == 0 || !rng.chance(kShareOfProblems)) return;
  uint32_t one = 0;
  while ((one & fit) == 0) one = rng.pick<uint32_t>({kFarRows, kLargestRows, kLargeIntegers});
  make_hard(one, s);
}

void HardValues::start_row() {
  kind_ = int(rng_->between(0, 2));
  sign_ = rng_->chance(0.5) ? 1 : -1;
}

double HardValues::number() {
  if (rows_ == kLargestRows) return sign_ * 0.9 * (type_ == GPUOPT_F64 ? 1e300 : largest_finite(type_));
  const bool wide = type_ == GPUOPT_F64;
  if (wide || type_ == GPUOPT_F32) switch (kind_) {
      case 0:  // mean +- 4, the elements a step or so of the type apart
        return sign_ * (wide ? 1e16 + 8 * double(rng_->between(0, 1)) : 1e8 + 8 * double(rng_->between(0, 1)));
      case 1:
        return sign_ * (wide ? 1e12 + 0.01 * rng_->uniform() : 1e4 + 0.01 * rng_->uniform());
      default:
        return sign_ * ((wide ? 0x1p53 : 0x1p24) + 2 * double(rng_->between(0, 3)));
    }
  const double base = type_ == GPUOPT_F16 ? 1024 : type_ == GPUOPT_BF16 ? 256 : 64;
  const double step = type_ == GPUOPT_F16 ? 1 : type_ == GPUOPT_BF16 ? 2 : type_ == GPUOPT_E4M3 ? 8 : 16;
  return sign_ * (base + step * double(rng_->between(0, 3)));
}

int64_t HardValues::integer() {
  const int64_t most = type_ == GPUOPT_I32 ? INT32_MAX : INT64_MAX;
  const int64_t x = most - rng_->between(0, most / 16);
  return (rng_->chance(0.1) ? -sign_ : sign_) * x;
}

}  // namespace gpuopt_check
