#include "call_text.h"

#include <algorithm>

#include "text.h"

namespace gpuopt {
namespace {

// What lies where: one operand of the call, with everything that it leaves to defaults filled in.
struct Placed {
  int32_t operand;   // GPUOPT_OPERAND_*
  std::string name;  // "a", "stages[1].b"
  gpuopt_matrix m;
  int64_t packed_ld, packed_stride;
  int64_t align;   // stated, or 0
  uintptr_t data;  // first byte
  uintptr_t end;   // one past the last; data where there is no element
  size_t first;    // the operand that it is placed by: of all whose memory hangs together, the first
};

Placed placed(const gpuopt_matrix &given, int64_t batch, int64_t align) {
  Placed p = {};
  p.m = given;
  gpuopt_matrix &m = p.m;
  const int64_t line = m.layout == GPUOPT_ROW ? m.cols : m.rows, lines = m.layout == GPUOPT_ROW ? m.rows : m.cols;
  p.packed_ld = std::max<int64_t>(line, 1);
  if (m.ld == 0) m.ld = p.packed_ld;
  p.packed_stride = m.ld * lines;
  if (m.batch_stride == GPUOPT_PACKED || batch <= 1) m.batch_stride = p.packed_stride;
  p.align = align;
  p.data = p.end = reinterpret_cast<uintptr_t>(m.data);
  if (m.data != nullptr && line > 0 && lines > 0 && batch > 0)
    p.end += static_cast<uintptr_t>(((batch - 1) * (batch > 1 ? m.batch_stride : 0) + (lines - 1) * m.ld + line) *
                                    gpuopt_dtype_size(m.dtype));
  return p;
}

bool share(const Placed &a, const Placed &b) {
  if (a.data == 0 || b.data == 0) return false;
  return a.data == b.data || (a.data < b.end && b.data < a.end);
}

// Operands that share memory, or do so with others that do, keep their distances.
void join(std::vector<Placed> *all) {
  for (size_t i = 0; i < all->size(); ++i) (*all)[i].first = i;
  for (size_t i = 1; i < all->size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!share((*all)[i], (*all)[j])) continue;
      const size_t joined = (*all)[i].first, kept = (*all)[j].first;
      if (joined == kept) continue;
      for (Placed &p : *all)
        if (p.first == joined || p.first == kept) p.first = std::min(joined, kept);
    }
}

// Where an operand lies, as far as it matters: the power of two that its address is a multiple of. Where others lie at a
// distance from it their alignment is to follow, and its address modulo 256 is written.
std::string address_text(const std::vector<Placed> &all, size_t index) {
  const Placed &p = all[index];
  const Placed &first = all[p.first];
  if (p.first != index) {
    for (size_t i = 0; i < index; ++i)
      if (all[i].data == p.data) return ":at=" + all[i].name;
    const bool behind = p.data > first.data;
    return ":at=" + first.name + (behind ? "+" : "-") +
           std::to_string(behind ? p.data - first.data : first.data - p.data);
  }
  const bool at_a_distance =
      std::any_of(all.begin(), all.end(), [&](const Placed &o) { return o.first == index && o.data != p.data; });
  const int by = p.align > 0     ? power_of_two_in(static_cast<uint64_t>(p.align)) % 256
                 : at_a_distance ? static_cast<int>(p.data % 256)
                                 : power_of_two_in(p.data) % 256;
  return by == 0 ? "" : ":by=" + std::to_string(by);
}

// Behind ":scale": of which blocks, and how they lie.
std::string scales_text(const gpuopt_matrix &m) {
  static constexpr const char *kBlocks[] = {"", "=1x128", "=128x1", "=128x128"};
  const gpuopt_scales &s = m.scales;
  if (s.block == GPUOPT_SCALE_ONE) return "";
  const bool row = s.layout == GPUOPT_ROW;
  const int64_t extent = row ? m.cols : m.rows,
                block = s.block == (row ? GPUOPT_SCALE_128X1 : GPUOPT_SCALE_1X128) ? 1 : 128;
  const int64_t packed = std::max<int64_t>(extent / block + (extent % block != 0 ? 1 : 0), 1);
  return std::string(kBlocks[s.block]) + (row ? "" : ":scale_col") +
         (s.ld == 0 || s.ld == packed ? "" : ":scale_ld=" + std::to_string(s.ld));
}

void append_operand(const std::vector<Placed> &all, size_t index, int64_t batch, std::string *text) {
  const Placed &p = all[index];
  const gpuopt_matrix &m = p.m;
  const bool of_stage = p.operand >= GPUOPT_OPERAND_STAGE;  // written as "sa", "sb" behind the stage
  *text += " " + (of_stage ? std::string("s") + p.name.back() : p.name) + "=" + std::to_string(m.rows) + "x" +
           std::to_string(m.cols) + ":" + gpuopt_dtype_name(m.dtype);
  if (m.layout == GPUOPT_COL) *text += ":col";
  if (m.ld != p.packed_ld) *text += ":ld=" + std::to_string(m.ld);
  if (batch > 1 && m.batch_stride != p.packed_stride) *text += ":bs=" + std::to_string(m.batch_stride);
  if (m.scale != nullptr) *text += ":scale" + scales_text(m);
  *text += address_text(all, index);
}

int32_t stage_of(const Placed &p) {  // -1: the call's own operand
  return p.operand < GPUOPT_OPERAND_STAGE ? -1 : (p.operand - GPUOPT_OPERAND_STAGE) % GPUOPT_MAX_STAGES;
}

// What the six args structs have alike.
struct Common {
  int64_t batch;
  uint32_t flags;
  const gpuopt_stage *stages = nullptr;
  int32_t stage_count = 0;
};

Common common_of(const AnyArgs &args) {
  switch (args.head.op) {
    case GPUOPT_OP_GEMM:
      return {args.gemm.batch, args.gemm.flags, args.gemm.stages, args.gemm.stage_count};
    case GPUOPT_OP_TRANSPOSE:
      return {args.transpose.batch, args.transpose.flags};
    case GPUOPT_OP_REDUCE:
      return {args.reduce.batch, args.reduce.flags};
    case GPUOPT_OP_FUSED_ACT:
      return {args.fused_act.batch, args.fused_act.flags, args.fused_act.stages, args.fused_act.stage_count};
    case GPUOPT_OP_GEMM_GROUPED:
      return {args.gemm_grouped.groups, args.gemm_grouped.flags, args.gemm_grouped.stages,
              args.gemm_grouped.stage_count};
  }
  return {args.norm.batch, args.norm.flags, args.norm.stages, args.norm.stage_count};
}

bool reads_c(const AnyArgs &args) {
  if (args.head.op == GPUOPT_OP_GEMM_GROUPED)
    return args.gemm_grouped.beta != 0 || args.gemm_grouped.beta_ptr != nullptr;
  return args.gemm.beta != 0 || args.gemm.beta_ptr != nullptr;
}

bool is_list(const AnyArgs &args) {
  return args.head.op == GPUOPT_OP_GEMM_GROUPED &&
         (args.gemm_grouped.list != nullptr || args.gemm_grouped.host_list != nullptr);
}

// A grouped product has a matrix a group of b, of a PER_COL vector and of ADD_OUTER's b; all else is one of all rows.
int64_t batch_of(const AnyArgs &args, const Common &common, int32_t operand) {
  if (is_list(args)) return operand >= GPUOPT_OPERAND_STAGE ? common.batch : 1;
  if (args.head.op != GPUOPT_OP_GEMM_GROUPED || operand == GPUOPT_OPERAND_B) return common.batch;
  const int32_t stage = operand - GPUOPT_OPERAND_STAGE;
  const bool of_columns = stage >= GPUOPT_MAX_STAGES || (stage >= 0 && common.stages[stage].form == GPUOPT_PER_COL);
  return of_columns ? common.batch : std::min<int64_t>(common.batch, 1);
}

// Every product of the list writes over its c.
bool writes_over_c(const gpuopt_gemm_grouped_args &g) {
  if (g.host_list == nullptr || g.c.dtype != g.d.dtype || g.c.layout != g.d.layout) return false;
  return std::all_of(g.host_list, g.host_list + g.groups,
                     [](const gpuopt_gemm_group &x) { return x.c == x.d && x.ldc == x.ldd; });
}

// An operand of a list, which lies in as many places as there are products: what all are aligned to is known of it.
void place_of_list(const gpuopt_gemm_grouped_args &g, const gpuopt_problem &problem, Placed *p) {
  for (const gpuopt_operand &o : problem.operand)
    if (o.m.dtype != 0 && o.user_operand == p->operand) p->align = o.align;
  if ((p->operand == GPUOPT_OPERAND_D || p->operand == GPUOPT_OPERAND_C) && writes_over_c(g)) p->data = p->end = 256;
}

// Those that the call uses, in the order of the text: an output before the inputs that may lie where it lies.
std::vector<Placed> operands_of(const AnyArgs &args, const gpuopt_problem &problem, const Common &common,
                                const gpuopt_explain_options &assumed) {
  std::vector<Placed> all;
  const int32_t op = args.head.op;
  const bool gemm = op == GPUOPT_OP_GEMM || op == GPUOPT_OP_GEMM_GROUPED;
  const auto add = [&](int32_t operand) {
    const gpuopt_matrix *m = user_matrix(&args, operand);
    if (m == nullptr || m->dtype == 0) return;
    if (gemm && operand == GPUOPT_OPERAND_C && !reads_c(args)) return;
    Placed p = placed(*m, batch_of(args, common, operand), assumed.align[std::min<int32_t>(operand, 7)]);
    p.operand = operand;
    p.name = operand_name(op, operand);
    if (is_list(args) && operand < GPUOPT_OPERAND_STAGE) place_of_list(args.gemm_grouped, problem, &p);
    all.push_back(std::move(p));
  };
  for (int32_t i = 0; i < 7; ++i)
    if (!(gemm && i == GPUOPT_OPERAND_C)) add(i);
  if (gemm) add(GPUOPT_OPERAND_C);  // it may be D
  for (int32_t i = 0; i < common.stage_count; ++i) {
    add(GPUOPT_OPERAND_STAGE + i);
    add(GPUOPT_OPERAND_STAGE + GPUOPT_MAX_STAGES + i);
  }
  join(&all);
  return all;
}

int scalars_of(int32_t kind) {
  switch (kind) {
#define GPUOPT_X_(name, value, operands, scalars, what) \
  case value:                                           \
    return scalars;
    GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  }
  return 0;
}

void append_stage(const gpuopt_stage &s, std::string *text) {
  static constexpr const char *kForms[] = {"", ":per_row", ":per_col", ":matrix"};
  *text += std::string(" stage=") + gpuopt_stage_name(s.kind) + kForms[s.form];
  for (int i = 0; i < scalars_of(s.kind); ++i) *text += ":" + shortest(s.value[i]);
}

void append_flags(uint32_t flags, std::string *text) {
  if (flags == 0) return;
  const char *separator = " flags=";
  const auto put = [&](uint32_t bit, const char *name) {
    if ((flags & bit) == 0) return;
    *text += std::string(separator) + name;
    separator = "+";
  };
  put(GPUOPT_ALLOW_NONDETERMINISTIC, "nondeterministic");
  put(GPUOPT_ALLOW_INTERMEDIATE_ROUNDING, "intermediate_rounding");
  put(GPUOPT_REQUIRE_BATCH_INVARIANT, "batch_invariant");
}

// " host_list=16x64x32+8x64x32": m, n and k of each product, or of all where they are alike, or of as many as there is room for,
// which are then read as if they began again from the first.
void append_products(const gpuopt_gemm_grouped_args &g, std::string *text) {
  constexpr size_t kRoom = 640;
  const auto shape = [&](int64_t i) {
    const gpuopt_gemm_group &x = g.host_list[i];
    return std::to_string(x.m) + "x" + std::to_string(x.n) + "x" + std::to_string(x.k);
  };
  const gpuopt_gemm_group *const end = g.host_list + g.groups;
  const bool alike = std::all_of(g.host_list, end, [&](const gpuopt_gemm_group &x) {
    return x.m == g.host_list->m && x.n == g.host_list->n && x.k == g.host_list->k;
  });
  std::string all;
  for (int64_t i = 0; i < (alike ? std::min<int64_t>(g.groups, 1) : g.groups); ++i) {
    const std::string one = (i == 0 ? "=" : "+") + shape(i);
    if (all.size() + one.size() > kRoom) break;
    all += one;
  }
  *text += " host_list" + all;
}

// What the op takes beside matrices.
void append_scalars(const AnyArgs &args, int32_t compute, std::string *text) {
  const auto put = [&](const char *name, const std::string &value) { *text += std::string(" ") + name + "=" + value; };
  static constexpr const char *kAxes[] = {"?", "row", "col", "all"};
  const auto put_factors = [&](const auto &g) {
    if (g.alpha_ptr != nullptr)
      put("alpha", "pointer");
    else if (g.alpha != 1)
      put("alpha", shortest(g.alpha));
    if (g.beta_ptr != nullptr)
      put("beta", "pointer");
    else if (g.beta != 0)
      put("beta", shortest(g.beta));
  };
  if (args.head.op == GPUOPT_OP_GEMM) {
    put("compute", gpuopt_compute_name(compute));
    put_factors(args.gemm);
  } else if (args.head.op == GPUOPT_OP_GEMM_GROUPED) {
    const gpuopt_gemm_grouped_args &g = args.gemm_grouped;
    put("compute", gpuopt_compute_name(compute));
    put_factors(g);
    put("groups", std::to_string(g.groups));
    if (g.host_offsets != nullptr) *text += " host_offsets";
    if (g.list != nullptr) *text += " list";
    if (g.host_list != nullptr) append_products(g, text);
  } else if (args.head.op == GPUOPT_OP_REDUCE) {
    put("reduce", gpuopt_reduce_name(args.reduce.reduce));
    put("axis", kAxes[args.reduce.axis]);
  } else if (args.head.op == GPUOPT_OP_NORM) {
    const gpuopt_norm_args &n = args.norm;
    put("norm", gpuopt_norm_name(n.norm));
    const bool weighted = n.norm == GPUOPT_NORM_LAYERNORM || n.norm == GPUOPT_NORM_RMSNORM;
    if (weighted && n.eps != 1e-5) put("eps", shortest(n.eps));
  }
}

}  // namespace

void append_call_text(const AnyArgs &args, const gpuopt_problem &problem, const gpuopt_explain_options &assumed,
                      std::string *text) {
  const Common common = common_of(args);
  const std::vector<Placed> operands = operands_of(args, problem, common, assumed);
  *text += gpuopt_op_name(args.head.op);
  append_scalars(args, problem.compute, text);
  if (common.batch != 1 && args.head.op != GPUOPT_OP_GEMM_GROUPED) *text += " batch=" + std::to_string(common.batch);
  append_flags(common.flags, text);
  if (assumed.space != GPUOPT_SPACE_QUERY)
    *text += assumed.space == GPUOPT_SPACE_HOST ? " space=host" : " space=device";
  if (assumed.capturing != 0) *text += " captured";
  size_t next = 0;
  const auto append_operands_below = [&](int32_t most) {
    for (; next < operands.size() && stage_of(operands[next]) < most; ++next)
      append_operand(operands, next, common.batch, text);
  };
  append_operands_below(0);
  for (int32_t i = 0; i < common.stage_count; ++i) {
    append_stage(common.stages[i], text);
    append_operands_below(i + 1);
  }
}

}  // namespace gpuopt
