#include "tuning/tune_key.h"

#include <algorithm>
#include <cstring>

#include "problem.h"
#include "word_hash.h"

namespace gpuopt {
namespace {

uint8_t log2_of(int32_t power) { return static_cast<uint8_t>(__builtin_ctz(static_cast<unsigned>(power))); }

TuneOperand operand_of(const gpuopt_operand &o, int64_t batch) {
  TuneOperand out = {};
  const gpuopt_matrix &m = o.m;
  if (m.dtype == 0) return out;
  out.dtype = static_cast<uint8_t>(m.dtype);
  out.layout = static_cast<uint8_t>(m.layout);
  out.align = std::min(log2_of(o.align), kLog2Widest);
  out.ld_align = log2_of(o.ld_align);
  out.stride_align = log2_of(o.stride_align);
  const int64_t lines = line_count(m);
  if (lines > 1 && m.ld != contiguous_extent(m)) out.marks |= TuneOperand::kPadded;
  if (batch > 1 && m.batch_stride == 0) out.marks |= TuneOperand::kShared;
  if (batch > 1 && m.batch_stride != 0 && m.batch_stride != m.ld * lines) out.marks |= TuneOperand::kSpaced;
  constexpr uint8_t kScales[] = {TuneOperand::kScaled, TuneOperand::kScaled1x128, TuneOperand::kScaled128x1,
                                 TuneOperand::kScaled128x128};
  if (m.scale != nullptr) out.marks |= kScales[m.scales.block];
  return out;
}

void widen(TuneOperand *o) {
  o->ld_align = std::min(o->ld_align, kLog2Widest);
  o->stride_align = std::min(o->stride_align, kLog2Widest);
}

}  // namespace

int64_t nearest_power_of_two(int64_t extent) {
  if (extent <= 1) return extent;
  const int floor = 63 - __builtin_clzll(static_cast<unsigned long long>(extent));
  // Above the geometric mean of its neighbours: x^2 > 2^floor * 2^(floor + 1), which no x meets exactly.
  __extension__ typedef unsigned __int128 Wide;
  const bool up = static_cast<Wide>(extent) * static_cast<Wide>(extent) > Wide{1} << (2 * floor + 1);
  return INT64_C(1) << std::min(floor + (up ? 1 : 0), 62);
}

TuneKey exact_key(const gpuopt_problem &p) {
  TuneKey key = {};
  key.kind = GPUOPT_TUNE_EXACT;
  key.op = static_cast<uint8_t>(p.op);
  key.compute = static_cast<uint8_t>(p.compute);
  key.variant = static_cast<uint8_t>(p.variant);
  key.axis = static_cast<uint8_t>(p.axis);
  key.stage_count = static_cast<uint8_t>(p.stage_count);
  key.features = p.features;
  key.flags = p.flags;
  key.m = p.m;
  key.n = p.n;
  key.k = p.k;
  key.batch = p.batch;
  for (int i = 0; i < 4; ++i) key.operand[i] = operand_of(p.operand[i], p.batch);
  if (p.op == GPUOPT_OP_NORM || p.op == GPUOPT_OP_GEMM_GROUPED)
    for (int i = 0; i < 3; ++i) key.operand[4 + i] = operand_of(p.extra[i], p.batch);
  for (int32_t i = 0; i < p.stage_count; ++i) {
    const gpuopt_problem_stage &s = p.stage[i];
    key.stage[i].kind = static_cast<uint8_t>(s.kind);
    key.stage[i].form = static_cast<uint8_t>(s.form);
    key.stage[i].a = operand_of(s.a, p.batch);
    key.stage[i].b = operand_of(s.b, p.batch);
  }
  return key;
}

TuneKey class_of(const TuneKey &exact) {
  TuneKey key = exact;
  key.kind = GPUOPT_TUNE_CLASS;
  for (int64_t *extent : {&key.m, &key.n, &key.k, &key.batch}) *extent = nearest_power_of_two(*extent);
  for (TuneOperand &o : key.operand) widen(&o);
  for (int i = 0; i < key.stage_count; ++i) {
    widen(&key.stage[i].a);
    widen(&key.stage[i].b);
  }
  return key;
}

size_t TuneKey::words() const { return (offsetof(TuneKey, stage) + sizeof(TuneStage) * stage_count) / 8; }

uint64_t TuneKey::hash() const {
  WordHash hash;
  const char *at = reinterpret_cast<const char *>(this);
  for (size_t i = 0; i < words(); ++i) {
    uint64_t word;
    std::memcpy(&word, at + 8 * i, 8);
    hash.add(word);
  }
  return hash.value();
}

bool operator==(const TuneKey &a, const TuneKey &b) {
  return a.stage_count == b.stage_count && std::memcmp(&a, &b, 8 * a.words()) == 0;
}

}  // namespace gpuopt
