#include "needs.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "compiled_code.h"
#include "problem.h"

namespace gpuopt {
namespace {

int no(gpuopt_reject *reject, int32_t code, int32_t operand, int64_t have, int64_t need, const char *what = nullptr) {
  *reject = {code, operand, have, need, what};
  return 0;
}

// Masks end where their type does; no bit stands for what lies beyond.
bool has_bit(uint64_t mask, int32_t bit) { return bit >= 0 && bit < 64 && (mask >> bit & 1) != 0; }

Lanes lanes(const int32_t (&values)[4]) {
  Lanes out;
  std::memcpy(&out, values, sizeof out);
  return out;
}

bool any(Lanes mask) {
  int64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

bool signature_matches(const gpuopt_signature &s, const AskedOperands &asked) {
  if (s.compute != GPUOPT_ANY && s.compute != asked.compute) return false;
  const Lanes dtype = lanes(s.dtype);
  return !any((dtype != int32_t{GPUOPT_ANY}) & asked.present & (dtype != asked.dtype));
}

// Whether every operand has the layout and the alignment that the kernel declares, as nearly always.
bool operands_fit(const gpuopt_kernel &k, const AskedOperands &asked) {
  for (int i = 0; i < 4; ++i)
    if (k.layouts[i] != 0 && (k.layouts[i] & asked.layouts[i]) == 0) return false;
  return !any((lanes(k.align) > asked.align) | (lanes(k.ld_align) > asked.ld_align));
}

constexpr size_t kMostWorkspace = SIZE_MAX / 4;  // above it sums and roundings of sizes could wrap around

int64_t in_int64(size_t bytes) { return bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes); }

constexpr const char *kFeatureNames[] = {
#define X(name, bit, what) #name,
    GPUOPT_FEATURE_TABLE(X)
#undef X
};

// Where the problem runs decides which kernels are asked at all.
int check_device(const gpuopt_kernel &k, const gpuopt_problem &p, gpuopt_reject *r) {
  const gpuopt_device_facts &d = *p.device;
  if (k.flags & GPUOPT_KERNEL_HOST) {
    if (p.space == GPUOPT_SPACE_DEVICE) return no(r, GPUOPT_REJECT_DEVICE_DATA, GPUOPT_OPERAND_NONE, 0, 0);
    if (d.cpu_isa < k.isa_min)
      return no(r, GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, d.cpu_isa, k.isa_min, "instruction set");
    return 1;
  }
  if (d.cc == 0) return no(r, GPUOPT_REJECT_NO_DEVICE, GPUOPT_OPERAND_NONE, 0, 0);
  if (p.space == GPUOPT_SPACE_HOST) return no(r, GPUOPT_REJECT_HOST_DATA, GPUOPT_OPERAND_NONE, 0, 0);
  if (k.cc_exact != 0 && d.cc != k.cc_exact)
    return no(r, GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, d.cc, k.cc_exact, "exactly");
  if (d.cc < k.cc_min) return no(r, GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, d.cc, k.cc_min, "at least");
  if (k.cc_max != 0 && d.cc > k.cc_max)
    return no(r, GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, d.cc, k.cc_max, "at most");
  return 1;
}

const gpuopt_operand &operand_of(const gpuopt_problem &p, int i) { return i < 4 ? p.operand[i] : p.extra[i - 4]; }

// Of which a kernel that does not look at ld takes no other.
int check_packed(const gpuopt_problem &p, int i, gpuopt_reject *r) {
  const gpuopt_matrix &m = operand_of(p, i).m;
  // A vector of the normal form has its elements ld apart, each a line of its own.
  const int64_t line = m.layout == GPUOPT_ROW ? m.cols : m.rows, lines = m.layout == GPUOPT_ROW ? m.rows : m.cols;
  if (lines > 1 && m.ld != line) return no(r, GPUOPT_REJECT_LAYOUT, i, m.ld, line, "packed ld");
  if (p.batch > 1 && m.batch_stride != line * lines)
    return no(r, GPUOPT_REJECT_LAYOUT, i, m.batch_stride, line * lines, "packed batch_stride");
  return 1;
}

int check_operands(const gpuopt_kernel &k, const gpuopt_problem &p, gpuopt_reject *r) {
  for (int i = 0; i < 7; ++i) {
    const uint32_t bit = 1u << i;
    const gpuopt_operand &o = operand_of(p, i);
    const bool present = o.m.dtype != 0;
    if ((present ? k.operands_refused : k.operands_needed) & bit)
      return no(r, GPUOPT_REJECT_FEATURE, i, present, !present, "operand");
    const int32_t type = i < 4 ? 0 : k.extra_dtype[i - 4];
    if (present && type != 0 && type != GPUOPT_ANY && o.m.dtype != type)
      return no(r, GPUOPT_REJECT_DTYPE, i, o.m.dtype, type, "operand");
    if (present && (k.operands_packed & bit) && !check_packed(p, i, r)) return 0;
  }
  return 1;
}

// The chain of the call must be the one that is built in.
int check_chain(const gpuopt_kernel &k, const gpuopt_problem &p, gpuopt_reject *r) {
  if (p.stage_count != k.max_stages)
    return no(r, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, p.stage_count, k.max_stages, "built in");
  for (int32_t i = 0; i < p.stage_count; ++i) {
    const gpuopt_problem_stage &s = p.stage[i];
    const gpuopt_built_in_stage &need = k.chain[i];
    const int32_t operand = GPUOPT_OPERAND_STAGE + i;
    if (s.kind != need.kind || s.form != need.form)
      return no(r, GPUOPT_REJECT_STAGE, operand, s.kind, need.kind, "another stage is built in");
    const auto fits = [](int32_t type, const gpuopt_operand &o) {
      return o.m.dtype == 0 || type == GPUOPT_ANY || type == o.m.dtype;
    };
    if (!fits(need.dtype[0], s.a) || !fits(need.dtype[1], s.b))
      return no(r, GPUOPT_REJECT_STAGE, operand, s.a.m.dtype, need.dtype[0], "another type is built in");
    const bool is_factor = s.a.m.dtype != 0 && (s.kind == GPUOPT_STAGE_ADD || s.kind == GPUOPT_STAGE_SUB ||
                                                s.kind == GPUOPT_STAGE_MUL || s.kind == GPUOPT_STAGE_ADD_OUTER);
    if (is_factor && !need.any_factor && s.value[0] != 1)
      return no(r, GPUOPT_REJECT_STAGE, operand, 0, 0, "a factor other than 1 is not taken");
  }
  return 1;
}

// Hands what the descriptor declares and the problem does not have to take, until that returns false; then false.
template <class Take>
inline bool visit_unmet(const gpuopt_kernel &k, const gpuopt_problem &p, const AskedOperands &asked, const Take &take) {
  const auto lacks = [&take](int32_t code, int32_t operand, int64_t have, int64_t need, const char *what = nullptr) {
    return !take(gpuopt_reject{code, operand, have, need, what});
  };
  gpuopt_reject device;
  if (!check_device(k, p, &device) && !take(device)) return false;
  bool typed = false;
  for (size_t i = 0; i < k.signature_count && !typed; ++i) typed = signature_matches(k.signatures[i], asked);
  if (!typed && lacks(GPUOPT_REJECT_DTYPE, GPUOPT_OPERAND_NONE, 0, 0)) return false;
  if (p.variant != 0 && !has_bit(k.variants, p.variant) &&
      lacks(GPUOPT_REJECT_VARIANT, GPUOPT_OPERAND_NONE, p.variant, 0,
            p.op == GPUOPT_OP_NORM ? gpuopt_norm_name(p.variant) : gpuopt_reduce_name(p.variant)))
    return false;
  if (p.op == GPUOPT_OP_REDUCE && !has_bit(k.axes, p.axis) &&
      lacks(GPUOPT_REJECT_VARIANT, GPUOPT_OPERAND_NONE, p.axis, 0, "axis"))
    return false;
  // A kernel is never asked about something it does not know: old kernels cannot give wrong numbers to new
  // calls.
  for (uint32_t unknown = p.features & ~k.understands; unknown != 0; unknown &= unknown - 1) {
    const int bit = __builtin_ctz(unknown);
    if (lacks(GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_NONE, bit, 0,
              bit < static_cast<int>(sizeof kFeatureNames / sizeof *kFeatureNames) ? kFeatureNames[bit]
                                                                                   : "a newer feature"))
      return false;
  }
  for (int i = 0; i < 4 && !operands_fit(k, asked); ++i) {
    const gpuopt_operand &o = p.operand[i];
    if (o.m.dtype == 0) continue;
    if (k.layouts[i] != 0 && !(k.layouts[i] >> o.m.layout & 1) && lacks(GPUOPT_REJECT_LAYOUT, i, o.m.layout, 0))
      return false;
    if (k.align[i] > o.align && lacks(GPUOPT_REJECT_ALIGN, i, o.align, k.align[i])) return false;
    if (k.ld_align[i] > o.ld_align && lacks(GPUOPT_REJECT_LD_MULTIPLE, i, o.ld_align, k.ld_align[i], "ld"))
      return false;
    if (k.ld_align[i] > o.stride_align &&
        lacks(GPUOPT_REJECT_LD_MULTIPLE, i, o.stride_align, k.ld_align[i], "batch_stride"))
      return false;
  }
  const int64_t extents[3] = {p.m, p.n, p.k};
  static constexpr const char *kExtents[3] = {"m", "n", "k"};
  for (int i = 0; i < 3; ++i)
    if (k.multiple[i] > 1 && extents[i] % k.multiple[i] != 0 &&
        lacks(GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, extents[i], k.multiple[i], kExtents[i]))
      return false;
  // Stages come last but for can_run, so that "fails on a stage alone" can be told: a two-step candidate is
  // made of it.
  for (int32_t i = 0; i < p.stage_count; ++i)
    if (!has_bit(k.stage_kinds, p.stage[i].kind) &&
        lacks(GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, i, k.max_stages, gpuopt_stage_name(p.stage[i].kind)))
      return false;
  if (p.stage_count > k.max_stages && lacks(GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, p.stage_count, k.max_stages))
    return false;
  gpuopt_reject built_in;
  if ((k.operands_needed | k.operands_refused | k.operands_packed) != 0 && !check_operands(k, p, &built_in) &&
      !take(built_in))
    return false;
  return k.chain == nullptr || check_chain(k, p, &built_in) || take(built_in);
}

}  // namespace

gpuopt_reject no_machine_code(const gpuopt_device_facts &d) {
  return {GPUOPT_REJECT_ARCH, GPUOPT_OPERAND_NONE, d.cc, 0, kCompiledArchs};
}

int check_code(const gpuopt_kernel &k, const gpuopt_problem &p, int32_t arch, gpuopt_reject *r) {
  if (!check_device(k, p, r)) return 0;
  // What was compiled for less than the kernel needs is an empty body.
  if (arch != 0 && arch >= std::max(k.cc_min, k.cc_exact)) return 1;
  *r = no_machine_code(*p.device);
  return 0;
}

std::vector<gpuopt_reject> unmet_needs(const gpuopt_kernel &k, const gpuopt_problem &p) {
  std::vector<gpuopt_reject> all;
  visit_unmet(k, p, AskedOperands(p), [&all](const gpuopt_reject &unmet) {
    all.push_back(unmet);
    return true;
  });
  return all;
}

size_t zeroed_offset(size_t scratch) { return (scratch + 255) / 256 * 256; }

size_t workspace_bytes(size_t scratch, size_t zeroed) {
  if (zeroed == 0) return scratch;
  size_t bytes;
  return scratch > SIZE_MAX - 255 || __builtin_add_overflow(zeroed_offset(scratch), zeroed, &bytes) ? SIZE_MAX : bytes;
}

AskedOperands::AskedOperands(const gpuopt_problem &p) : compute(p.compute) {
  for (int i = 0; i < 4; ++i) {
    const gpuopt_operand &o = p.operand[i];
    const bool is_present = o.m.dtype != 0;
    dtype[i] = o.m.dtype;
    present[i] = is_present ? -1 : 0;
    align[i] = is_present ? o.align : INT32_MAX;
    ld_align[i] = is_present ? std::min(o.ld_align, o.stride_align) : INT32_MAX;
    layouts[i] = is_present ? 1 << o.m.layout : ~0;
  }
}

int check_needs(const gpuopt_kernel &k, const gpuopt_problem &p, const AskedOperands &asked, gpuopt_reject *r,
                size_t *scratch, size_t *zeroed) {
  const auto first = [r](const gpuopt_reject &unmet) {
    *r = unmet;
    return false;
  };
  if (!visit_unmet(k, p, asked, first)) return 0;
  if (k.can_run) {
    *r = {GPUOPT_REJECT_NONE, GPUOPT_OPERAND_NONE, 0, 0, nullptr};
    if (!k.can_run(&p, r)) return 0;
  }
  if (k.workspace && !is_empty(p)) {
    k.workspace(&p, scratch, zeroed);
    const size_t bytes = workspace_bytes(*scratch, *zeroed);
    if (bytes > p.workspace_limit || bytes > kMostWorkspace)
      return no(r, GPUOPT_REJECT_WORKSPACE, GPUOPT_OPERAND_NONE, in_int64(p.workspace_limit), in_int64(bytes));
  }
  return 1;
}

}  // namespace gpuopt
