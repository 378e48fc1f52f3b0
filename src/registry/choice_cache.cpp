#include "choice_cache.h"

#include <cstring>

namespace gpuopt {
namespace {

uint64_t pack(int32_t high, int32_t low) {
  return static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low);
}

uint64_t bits(double value) {
  uint64_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

}  // namespace

void ProblemKey::put(const gpuopt_operand &o) {
  // Alignments are powers of two up to 256, so 9 bits each hold them.
  put(static_cast<uint64_t>(o.m.dtype) | static_cast<uint64_t>(o.m.layout) << 8 | static_cast<uint64_t>(o.align) << 16 |
      static_cast<uint64_t>(o.ld_align) << 28 | static_cast<uint64_t>(o.stride_align) << 40 |
      static_cast<uint64_t>(o.m.scale != nullptr) << 52 | static_cast<uint64_t>(o.m.scales.block) << 53 |
      static_cast<uint64_t>(o.m.scales.layout) << 55);
  put(static_cast<uint64_t>(o.m.ld));
  put(static_cast<uint64_t>(o.m.batch_stride));
  if (o.m.scales.block != GPUOPT_SCALE_ONE) put(static_cast<uint64_t>(o.m.scales.ld));
}

ProblemKey::ProblemKey(const gpuopt_problem &p) {
  put(pack(p.op, p.compute));
  put(pack(p.variant, p.axis));
  // Of alpha and beta what a kernel may look at (kernel.h). Whether alpha is 0 is a feature.
  const bool alpha_is_one = p.compute == GPUOPT_COMPUTE_I32 && p.alpha_ptr == nullptr && p.alpha == 1;
  const int32_t factors = (alpha_is_one ? 2 : 0) | (p.alpha_ptr != nullptr ? 4 : 0) | (p.beta_ptr != nullptr ? 8 : 0);
  put(pack(p.swapped | factors | static_cast<int32_t>(p.relaid << 8), p.space));
  put(pack(static_cast<int32_t>(p.features), static_cast<int32_t>(p.flags)));
  put(static_cast<uint64_t>(p.stage_count));
  put(static_cast<uint64_t>(p.m));
  put(static_cast<uint64_t>(p.n));
  put(static_cast<uint64_t>(p.k));
  put(static_cast<uint64_t>(p.batch));
  for (const gpuopt_operand &o : p.operand) {
    if (o.m.dtype != 0)
      put(o);
    else
      put(0);
  }
  if (p.op == GPUOPT_OP_NORM) put(bits(p.eps));
  if (p.op == GPUOPT_OP_NORM || p.op == GPUOPT_OP_GEMM_GROUPED) {
    for (const gpuopt_operand &o : p.extra) {
      if (o.m.dtype != 0)
        put(o);
      else
        put(0);
    }
  }
  // beta * C may become a stage of the second of two steps, and kernels may look at stages' values.
  if (p.op == GPUOPT_OP_GEMM && p.stage_count > 0 && (p.features & GPUOPT_FEATURE_BETA) != 0) put(bits(p.beta));
  for (int32_t i = 0; i < p.stage_count; ++i) {
    const gpuopt_problem_stage &s = p.stage[i];
    put(pack(s.kind, s.form));
    put(bits(s.value[0]));
    put(bits(s.value[1]));
    if (s.a.m.dtype != 0)
      put(s.a);
    else
      put(0);
    if (s.b.m.dtype != 0)
      put(s.b);
    else
      put(0);
  }
}

bool ProblemKey::operator==(const ProblemKey &other) const {
  return hash() == other.hash() && count_ == other.count_ &&
         std::memcmp(words_, other.words_, sizeof(uint64_t) * static_cast<size_t>(count_)) == 0;
}

ChoiceCache::Entry *ChoiceCache::find(const ProblemKey &key) {
  if (sets_.empty()) return nullptr;
  for (Entry &e : sets_[set_of(key)].ways)
    if (e.key == key) return &e;
  return nullptr;
}

ChoiceCache::Entry *ChoiceCache::insert(const ProblemKey &key, Selection choice) {
  if (sets_.empty()) sets_.resize(kSets);
  Set &s = sets_[set_of(key)];
  if (s.ways.size() < kWays) {
    s.ways.push_back({key, std::move(choice), false, {}});
    return &s.ways.back();
  }
  Entry &slot = s.ways[s.next++ % kWays];
  slot = {key, std::move(choice), false, {}};
  return &slot;
}

}  // namespace gpuopt
