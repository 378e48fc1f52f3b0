#include "needs.h"

#include "problem.h"

namespace gpuopt {
namespace {

int no(gpuopt_reject *reject, int32_t code, int32_t operand, int64_t have, int64_t need, const char *what = nullptr) {
  *reject = {code, operand, have, need, what};
  return 0;
}

bool signature_matches(const gpuopt_signature &s, const gpuopt_problem &p) {
  if (s.compute != GPUOPT_ANY && s.compute != p.compute) return false;
  for (int i = 0; i < 4; ++i)
    if (s.dtype[i] != GPUOPT_ANY && p.operand[i].m.dtype != 0 && s.dtype[i] != p.operand[i].m.dtype) return false;
  return true;
}

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

constexpr const char *kFeatureNames[] = {
#define X(name, bit, what) #name,
    GPUOPT_FEATURE_TABLE(X)
#undef X
};

}  // namespace

int check_needs(const gpuopt_kernel &k, const gpuopt_problem &p, gpuopt_reject *r, size_t *scratch, size_t *zeroed) {
  if (!check_device(k, p, r)) return 0;
  bool typed = false;
  for (size_t i = 0; i < k.signature_count && !typed; ++i) typed = signature_matches(k.signatures[i], p);
  if (!typed) return no(r, GPUOPT_REJECT_DTYPE, GPUOPT_OPERAND_NONE, 0, 0);
  if (p.variant != 0 && !(k.variants >> p.variant & 1))
    return no(r, GPUOPT_REJECT_VARIANT, GPUOPT_OPERAND_NONE, p.variant, 0,
              p.op == GPUOPT_OP_NORM ? gpuopt_norm_name(p.variant) : gpuopt_reduce_name(p.variant));
  if (p.op == GPUOPT_OP_REDUCE) {
    if (!(k.axes >> p.axis & 1)) return no(r, GPUOPT_REJECT_VARIANT, GPUOPT_OPERAND_NONE, p.axis, 0, "axis");
  }
  // A kernel is never asked about something it does not know: old kernels cannot give wrong numbers to new
  // calls.
  if (const uint32_t unknown = p.features & ~k.understands) {
    const int bit = __builtin_ctz(unknown);
    return no(
        r, GPUOPT_REJECT_FEATURE, GPUOPT_OPERAND_NONE, bit, 0,
        bit < static_cast<int>(sizeof kFeatureNames / sizeof *kFeatureNames) ? kFeatureNames[bit] : "a newer feature");
  }
  for (int i = 0; i < 4; ++i) {
    const gpuopt_operand &o = p.operand[i];
    if (o.m.dtype == 0) continue;
    if (k.layouts[i] != 0 && !(k.layouts[i] >> o.m.layout & 1)) return no(r, GPUOPT_REJECT_LAYOUT, i, o.m.layout, 0);
    if (k.align[i] > o.align) return no(r, GPUOPT_REJECT_ALIGN, i, o.align, k.align[i]);
    if (k.ld_align[i] > o.ld_align) return no(r, GPUOPT_REJECT_LD_MULTIPLE, i, o.ld_align, k.ld_align[i], "ld");
    if (k.ld_align[i] > o.stride_align)
      return no(r, GPUOPT_REJECT_LD_MULTIPLE, i, o.stride_align, k.ld_align[i], "batch_stride");
  }
  const int64_t extents[3] = {p.m, p.n, p.k};
  for (int i = 0; i < 3; ++i)
    if (k.multiple[i] > 1 && extents[i] % k.multiple[i] != 0)
      return no(r, GPUOPT_REJECT_DIM_MULTIPLE, GPUOPT_OPERAND_NONE, extents[i], k.multiple[i],
                i == 0   ? "m"
                : i == 1 ? "n"
                         : "k");
  // Stages come last but for can_run, so that "fails on a stage alone" can be told: a two-step candidate is
  // made of it.
  for (int32_t i = 0; i < p.stage_count; ++i)
    if (!(k.stage_kinds >> p.stage[i].kind & 1))
      return no(r, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, i, k.max_stages, gpuopt_stage_name(p.stage[i].kind));
  if (p.stage_count > k.max_stages) return no(r, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, p.stage_count, k.max_stages);
  if (k.can_run) {
    *r = {GPUOPT_REJECT_NONE, GPUOPT_OPERAND_NONE, 0, 0, nullptr};
    if (!k.can_run(&p, r)) return 0;
  }
  if (k.workspace && !is_empty(p)) {
    k.workspace(&p, scratch, zeroed);
    if (*scratch + *zeroed > p.workspace_limit)
      return no(r, GPUOPT_REJECT_WORKSPACE, GPUOPT_OPERAND_NONE, static_cast<int64_t>(p.workspace_limit),
                static_cast<int64_t>(*scratch + *zeroed));
  }
  return 1;
}

int32_t user_operand(const gpuopt_problem &p, const gpuopt_reject &r) {
  if (r.operand >= GPUOPT_OPERAND_STAGE) {
    // Swapping exchanged the two operands of ADD_OUTER; their user_operand remembers where they came from.
    const int32_t i = r.operand - GPUOPT_OPERAND_STAGE;
    const gpuopt_problem_stage &s = p.stage[i % GPUOPT_MAX_STAGES];
    return (i < GPUOPT_MAX_STAGES ? s.a : s.b).user_operand;
  }
  if (r.operand >= 4 && r.operand < 7) return p.extra[r.operand - 4].user_operand;
  return r.operand >= 0 && r.operand < 4 ? p.operand[r.operand].user_operand : GPUOPT_OPERAND_NONE;
}

std::string reject_text(const gpuopt_problem &p, const gpuopt_reject &r) {
  const std::string have = std::to_string(r.have), need = std::to_string(r.need), what = r.what ? r.what : "";
  const std::string name = operand_name(p.op, user_operand(p, r)),
                    code = std::string(gpuopt_reject_name(r.code)) + ": ";
  const auto dot = [&](const char *field) { return name.empty() ? std::string(field) : name + "." + field; };
  switch (r.code) {
    case GPUOPT_REJECT_ARCH:
      if (what == "instruction set") return code + "the CPU offers instruction set level " + have + ", needs " + need;
      return code + "the device is sm_" + have + ", needs " + (what.empty() ? "" : what + " ") + "sm_" + need;
    case GPUOPT_REJECT_DTYPE: {
      std::string types;
      for (int i = 0; i < 4; ++i)
        if (p.operand[i].m.dtype != 0)
          types += (types.empty() ? "" : " ") + operand_name(p.op, p.operand[i].user_operand) + "=" +
                   gpuopt_dtype_name(p.operand[i].m.dtype);
      if (p.op == GPUOPT_OP_GEMM) types += std::string(" compute=") + gpuopt_compute_name(p.compute);
      return code + "no code for " + types + (what.empty() ? "" : " (" + what + ")");
    }
    case GPUOPT_REJECT_LAYOUT: {
      const int32_t user_layout = p.swapped ? 1 - static_cast<int32_t>(r.have) : static_cast<int32_t>(r.have);
      return code + dot("layout") + " is " + layout_text(user_layout) + "-major" + (what.empty() ? "" : "; " + what);
    }
    case GPUOPT_REJECT_ALIGN:
      return code + dot("data") + " is aligned to " + have + " bytes, needs " + need;
    case GPUOPT_REJECT_LD_MULTIPLE:
      return code + dot(what.empty() ? "ld" : what.c_str()) + " is a multiple of " + have + " bytes, needs " + need;
    case GPUOPT_REJECT_DIM_MULTIPLE: {
      // Normal form exchanged m and n; the user reads his own.
      const std::string extent = what == "k" || !p.swapped ? what : what == "m" ? "n" : "m";
      return code + extent + "=" + have + " is not a multiple of " + need;
    }
    case GPUOPT_REJECT_SIZE_LIMIT:
      return code + (what.empty() ? "an extent" : what) + " is " + have + ", the limit is " + need;
    case GPUOPT_REJECT_STAGE:
      if (r.operand >= GPUOPT_OPERAND_STAGE)
        return code + "stages[" + std::to_string((r.operand - GPUOPT_OPERAND_STAGE) % GPUOPT_MAX_STAGES) + "]: " + what;
      if (what.empty()) return code + "the chain has " + have + " stages, at most " + need;
      return code + "stages[" + have + "]: " + what + " is not understood";
    case GPUOPT_REJECT_FEATURE:
      return code + (what.empty() ? "feature bit " + have : what) + " is not understood";
    case GPUOPT_REJECT_WORKSPACE:
      return code + "needs " + need + " bytes, the call may use " + have;
    case GPUOPT_REJECT_VARIANT:
      if (what == "axis") return code + "this axis is not handled";
      return code + what + " is not handled";
    default:
      break;
  }
  static constexpr const char *kWhat[GPUOPT_REJECT_COUNT_] = {
#define X(reject, value, text) text,
      GPUOPT_REJECT_TABLE(X)
#undef X
  };
  const bool known = r.code >= 0 && r.code < GPUOPT_REJECT_COUNT_;
  return code + (known ? kWhat[r.code] : "unknown reason") + (what.empty() ? "" : " (" + what + ")");
}

}  // namespace gpuopt
