#include "tuning/measured.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problem.h"

namespace gpuopt {
namespace {

// Of 16-bit and of 8-bit floats the one is as fast as the other.
uint8_t kind_of_type(uint8_t dtype) {
  return dtype == GPUOPT_BF16 ? uint8_t{GPUOPT_F16} : dtype == GPUOPT_E5M2 ? uint8_t{GPUOPT_E4M3} : dtype;
}

float log2_of(int64_t extent) { return std::log2(static_cast<float>(std::max<int64_t>(extent, 1))); }

float square(float x) { return x * x; }

// What a step of each costs, in squares of doublings of an extent.
constexpr float kBatch2 = 0.1f, kType2 = 1, kVariant2 = 1, kLayout2 = 0.5f, kAlign2 = 0.25f, kStages2 = 1;

}  // namespace

TunePoint point_of(const TuneKey &key, uint32_t device) {
  TunePoint p = {};
  const int64_t extents[] = {key.m, key.n, key.k, key.batch};
  for (int i = 0; i < 4; ++i) p.extent[i] = log2_of(extents[i]);
  p.op = key.op;
  p.compute = key.compute;
  p.variant = key.variant;
  p.axis = key.axis;
  for (int i = 0; i < 4; ++i) {
    const TuneOperand &o = key.operand[i];
    p.type[i] = kind_of_type(o.dtype);
    p.place[i] = static_cast<uint8_t>(o.layout << 4 | std::min({o.align, o.ld_align, kLog2Widest}));
  }
  p.stages = key.stage_count > 0;
  p.device = static_cast<uint16_t>(device);
  return p;
}

float distance2(const TunePoint &a, const TunePoint &b) {
  if (a.device != b.device || a.op != b.op || a.axis != b.axis) return std::numeric_limits<float>::infinity();
  float sum = kBatch2 * square(a.extent[3] - b.extent[3]);
  for (int i = 0; i < 3; ++i) sum += square(a.extent[i] - b.extent[i]);
  if (a.compute != b.compute) sum += kType2;
  if (a.variant != b.variant) sum += kVariant2;
  if (a.stages != b.stages) sum += kStages2;
  for (int i = 0; i < 4; ++i) {
    if (a.type[i] != b.type[i]) sum += kType2;
    if (a.type[i] == 0 || b.type[i] == 0) continue;
    if ((a.place[i] ^ b.place[i]) >> 4) sum += kLayout2;
    sum += kAlign2 * square(static_cast<float>(a.place[i] & 15) - static_cast<float>(b.place[i] & 15));
  }
  return sum;
}

namespace {

constexpr float kSomeScale = 1;
constexpr size_t kUsualWorkspace = size_t{256} << 20;  // of options that do not state one

gpuopt_operand operand_of(const TuneOperand &o, int64_t rows, int64_t cols, int64_t batch, int32_t user_operand) {
  gpuopt_operand out = {};
  if (o.dtype == 0) return out;
  const int64_t size = gpuopt_dtype_size(o.dtype);
  out.m = gpuopt_mat(nullptr, rows, cols, o.dtype);
  out.m.layout = o.layout;
  const int64_t lines = line_count(out.m), extent = std::max<int64_t>(contiguous_extent(out.m), 1);
  const int64_t step = std::max<int64_t>((int64_t{1} << o.ld_align) / size, 1);
  out.m.ld = o.marks & TuneOperand::kPadded ? (extent / step + 1) * step : extent;
  const int64_t packed = lines * out.m.ld;
  out.m.batch_stride = batch <= 1 || (o.marks & TuneOperand::kShared) ? 0
                       : o.marks & TuneOperand::kSpaced
                           ? packed + std::max<int64_t>((int64_t{1} << o.stride_align) / size, 1)
                           : packed;
  if (o.marks & (TuneOperand::kScaled | TuneOperand::kScaledByBlocks)) out.m.scale = &kSomeScale;
  if (o.marks & TuneOperand::kScaledByBlocks) {  // packed, however they lay
    const bool by_row = o.marks & TuneOperand::kScaled1x128, by_col = o.marks & TuneOperand::kScaled128x1;
    out.m.scales.block = by_row ? GPUOPT_SCALE_1X128 : by_col ? GPUOPT_SCALE_128X1 : GPUOPT_SCALE_128X128;
    out.m.scales.layout = GPUOPT_ROW;
    out.m.scales.ld = std::max<int64_t>(by_col ? cols : cols / 128 + (cols % 128 != 0), 1);
  }
  out.align = 1 << (o.align == kLog2Widest ? kLog2Unconstrained : o.align);
  out.ld_align = 1 << o.ld_align;
  out.stride_align = 1 << o.stride_align;
  out.user_operand = user_operand;
  return out;
}

// In normal form vectors are n x 1.
gpuopt_operand operand_of(const TuneKey &key, int i) {
  const auto made = [&](int64_t rows, int64_t cols) { return operand_of(key.operand[i], rows, cols, key.batch, i); };
  switch (key.op) {
    case GPUOPT_OP_GEMM:
      return i == GPUOPT_OPERAND_A   ? made(key.m, key.k)
             : i == GPUOPT_OPERAND_B ? made(key.k, key.n)
                                     : made(key.m, key.n);
    case GPUOPT_OP_TRANSPOSE:
      return i == GPUOPT_OPERAND_SRC || (key.features & GPUOPT_FEATURE_COPY) ? made(key.m, key.n) : made(key.n, key.m);
    case GPUOPT_OP_REDUCE:
      return i < GPUOPT_OPERAND_OUT ? made(key.m, key.n)
                                    : made(key.axis == GPUOPT_EACH_ROW   ? key.m
                                           : key.axis == GPUOPT_EACH_COL ? key.n
                                                                         : 1,
                                           1);
    case GPUOPT_OP_NORM:
      return i < GPUOPT_OPERAND_GAMMA         ? made(key.m, key.n)
             : i == GPUOPT_OPERAND_STATISTICS ? made(key.m, 2)
                                              : made(key.n, 1);
    default:
      return made(key.m, key.n);
  }
}

gpuopt_problem_stage stage_of(const TuneKey &key, const TuneStage &s, int i) {
  gpuopt_problem_stage out = {};
  out.kind = s.kind;
  out.form = s.form;
  out.value[0] = out.value[1] = 1;
  const bool outer = s.kind == GPUOPT_STAGE_ADD_OUTER, per_row = outer || s.form == GPUOPT_PER_ROW,
             per_col = s.form == GPUOPT_PER_COL;
  out.a = operand_of(s.a, per_col ? key.n : key.m, per_row || per_col ? 1 : key.n, key.batch, GPUOPT_OPERAND_STAGE + i);
  out.b = operand_of(s.b, key.n, 1, key.batch, GPUOPT_OPERAND_STAGE + GPUOPT_MAX_STAGES + i);
  return out;
}

}  // namespace

gpuopt_problem problem_of_key(const TuneKey &key, const gpuopt_problem &other) {
  gpuopt_problem p = {};
  p.struct_size = sizeof p;
  p.op = key.op;
  p.compute = key.compute;
  p.variant = key.variant;
  p.axis = key.axis;
  p.space = other.space;
  p.features = key.features;
  p.flags = key.flags;
  p.m = key.m;
  p.n = key.n;
  p.k = key.k;
  p.batch = key.batch;
  for (int i = 0; i < 4; ++i) p.operand[i] = operand_of(key, i);
  for (int i = 4; i < TuneKey::kOperands; ++i) p.extra[i - 4] = operand_of(key, i);
  p.stage_count = key.stage_count;
  for (int i = 0; i < p.stage_count; ++i) p.stage[i] = stage_of(key, key.stage[i], i);
  p.alpha = key.features & GPUOPT_FEATURE_ALPHA_ZERO ? 0 : 1;
  p.beta = key.features & GPUOPT_FEATURE_BETA ? 1 : 0;
  p.workspace_limit = kUsualWorkspace;
  p.device = other.device;
  p.eps = other.eps;
  return p;
}

}  // namespace gpuopt
