#include "spec.h"

#include <algorithm>

#include "values.h"

namespace gpuopt_check {
namespace {

int64_t rounded_up(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

bool understands(const Needs &n, uint32_t feature) { return (n.features & feature) != 0; }

bool takes_lists_alone(const Needs &n) {
  return n.op == GPUOPT_OP_GEMM_GROUPED && has_operand(n.operands_refused, GPUOPT_OPERAND_OFFSETS);
}

int64_t random_extent(Rng &rng, Size size, int32_t multiple) {
  int64_t x;
  const double p = rng.uniform();
  if (size == Size::tiny)
    x = p < 0.2 ? 1 : rng.between(1, 24);
  else if (size == Size::large)
    x = p < 0.1 ? rng.between(1, 8) : rng.between(200, 1100);
  else if (p < 0.02)
    x = 0;
  else if (p < 0.10)
    x = 1;
  else if (p < 0.75)
    x = rng.between(2, 70);
  else if (p < 0.90)
    x = rng.pick<int64_t>({8, 16, 32, 64, 96, 128});
  else
    x = rng.between(71, 200);
  return rounded_up(x, multiple);
}

Placement random_placement(const Needs &n, Rng &rng, bool input) {
  Placement place;
  place.layout = rng.chance(0.5) ? GPUOPT_ROW : GPUOPT_COL;
  if (n.any_address && rng.chance(0.3)) place.offset = rng.between(1, 9);
  if (rng.chance(0.4)) place.pad = rng.between(1, 9);
  if (rng.chance(0.3)) place.gap = rng.between(1, 20);
  place.shared = input && understands(n, GPUOPT_FEATURE_BROADCAST) && rng.chance(0.25);
  place.state_defaults = rng.chance(0.5);
  return place;
}

double random_scalar(Rng &rng) { return rng.pick({1.0, 1.0, 0.5, -1.25, rng.normal(), rng.normal()}); }

// Scales of blocks, most often as activations and weights have them, now and then of one operand alone.
void choose_blocks(Rng &rng, Spec *s) {
  if (rng.chance(0.4)) return;
  if (rng.chance(0.85)) s->blocks[0].block = rng.chance(0.7) ? GPUOPT_SCALE_1X128 : GPUOPT_SCALE_128X128;
  if (rng.chance(0.85)) s->blocks[1].block = rng.chance(0.7) ? GPUOPT_SCALE_128X128 : GPUOPT_SCALE_128X1;
  for (Spec::Scales &b : s->blocks) {
    b.layout = rng.chance(0.5) ? GPUOPT_ROW : GPUOPT_COL;
    if (rng.chance(0.4)) b.pad = rng.between(1, 9);
  }
}

void choose_gemm(const Needs &n, Rng &rng, Spec *s) {
  s->alpha = rng.chance(0.1) ? 0 : random_scalar(rng);
  if (understands(n, GPUOPT_FEATURE_BETA) && s->row.optional_operand && rng.chance(0.5)) {
    s->beta = random_scalar(rng);
    if (understands(n, GPUOPT_FEATURE_SCALAR_POINTERS) && rng.chance(0.2)) {
      s->beta_pointer = true;
      if (rng.chance(0.2)) s->beta = 0;
    }
  } else {
    s->garbage_c = rng.chance(0.3);
  }
  s->alpha_pointer = understands(n, GPUOPT_FEATURE_SCALAR_POINTERS) && rng.chance(0.15);
  const bool reads_c = s->beta != 0 || s->beta_pointer;
  if (reads_c && s->row.dtype[2] == s->row.dtype[3] && takes_layout(n, 2, GPUOPT_ROW)) s->in_place = rng.chance(0.3);
  if (understands(n, GPUOPT_FEATURE_SCALE))
    for (int i : {0, 1, 3}) s->scaled[i] = is_fp8(s->row.dtype[i]) && rng.chance(0.4);
  if (understands(n, GPUOPT_FEATURE_BLOCK_SCALES) && is_fp8(s->row.dtype[0])) choose_blocks(rng, s);
  s->default_compute = rng.chance(0.3);
  if (rng.chance(0.1)) s->flags |= GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  if (s->op == GPUOPT_OP_GEMM && understands(n, GPUOPT_FEATURE_BATCH_INVARIANT) && rng.chance(0.15))
    s->flags |= GPUOPT_REQUIRE_BATCH_INVARIANT;
}

// Groups as they fall, more than a batch would have.
void choose_gemm_grouped(const Needs &n, Rng &rng, Spec *s) {
  choose_gemm(n, rng, s);
  if (understands(n, GPUOPT_FEATURE_BATCH)) s->batch = rng.pick<int64_t>({1, 2, 3, 5, 9, 20});
  if (rng.chance(0.02)) s->batch = 0;
  if (takes_lists_alone(n) || (understands(n, GPUOPT_FEATURE_GROUP_LIST) && rng.chance(0.3))) {
    s->promises = rng.chance(0.8);
    choose_list(understands(n, GPUOPT_FEATURE_HOST_LIST) && rng.chance(0.4) ? List::host : List::device, s);
    return;
  }
  s->host_offsets = understands(n, GPUOPT_FEATURE_HOST_OFFSETS) && rng.chance(0.25);
  s->extra[GPUOPT_OPERAND_OFFSETS] = s->host_offsets ? 0 : rng.chance(0.5) ? GPUOPT_I32 : GPUOPT_I64;
}

void choose_reduce(const Needs &n, Rng &rng, Spec *s) {
  std::vector<int32_t> axes;
  for (int32_t axis : {GPUOPT_EACH_ROW, GPUOPT_EACH_COL, GPUOPT_ALL})
    if (n.axes >> axis & 1) axes.push_back(axis);
  if (!axes.empty()) s->axis = rng.one_of(axes);
  const bool index = s->row.variant == GPUOPT_REDUCE_ARGMIN || s->row.variant == GPUOPT_REDUCE_ARGMAX;
  s->value_out = index && s->row.optional_operand && understands(n, GPUOPT_FEATURE_VALUE_OUT) && rng.chance(0.5);
  if (s->row.variant == GPUOPT_REDUCE_PROD)
    s->values = Values::near_one;
  else if (rng.chance(index ? 0.5 : 0.1))
    s->values = Values::ties;
  const bool needs_elements = index || s->row.variant == GPUOPT_REDUCE_MIN || s->row.variant == GPUOPT_REDUCE_MAX;
  if (needs_elements)
    for (int64_t &e : s->extent) e = std::max<int64_t>(e, 1);
  if (understands(n, GPUOPT_FEATURE_BATCH_INVARIANT) && rng.chance(0.15)) s->flags |= GPUOPT_REQUIRE_BATCH_INVARIANT;
  if (index && s->axis == GPUOPT_ALL && !understands(n, GPUOPT_FEATURE_COLUMN_INDEX)) s->transposed = false;
}

void choose_norm(Rng &rng, Spec *s) {
  const bool weighted = s->row.variant == GPUOPT_NORM_LAYERNORM || s->row.variant == GPUOPT_NORM_RMSNORM;
  const bool wide = s->row.compute == GPUOPT_COMPUTE_F64;
  const auto type = [&] {
    return rng.chance(0.6) ? s->row.dtype[0] : rng.pick({GPUOPT_F32, GPUOPT_BF16, GPUOPT_F16, GPUOPT_I8});
  };
  if (weighted && rng.chance(0.7)) s->extra[GPUOPT_OPERAND_GAMMA] = type();
  if (weighted && rng.chance(0.5)) s->extra[GPUOPT_OPERAND_BETA] = type();
  if (rng.chance(0.3)) s->extra[GPUOPT_OPERAND_STATISTICS] = wide ? GPUOPT_F64 : GPUOPT_F32;
  s->eps = weighted ? rng.pick({1e-5, 1e-5, 1e-6, 1e-3}) : 0;
}

// What a linear layer adds: a packed vector along the rows, of D's type, without C or batch. A library's epilogue may take
// nothing else, and of draws that know nothing of each other hardly one in a thousand would be it.
void choose_bias(const Needs &n, Rng &rng, Spec *s) {
  StageSpec bias = random_stage(n, GPUOPT_STAGE_ADD, rng);
  bias.form = GPUOPT_PER_COL;
  bias.value[0] = 1;
  bias.type_a = is_fp8(s->row.dtype[0]) ? GPUOPT_BF16 : s->row.dtype[3];
  bias.a = Placement();
  s->stages = {bias};
  s->batch = std::min<int64_t>(s->batch, 1);
  s->beta = 0;
  s->beta_pointer = s->in_place = false;
}

// The chain that is built into the kernel.
std::vector<StageSpec> built_in_stages(const Needs &n, Rng &rng) {
  std::vector<StageSpec> stages;
  for (int32_t i = 0; i < n.max_stages; ++i) {
    const gpuopt_built_in_stage &need = n.chain[i];
    StageSpec s = random_stage(n, need.kind, rng);
    const bool formed = need.kind == GPUOPT_STAGE_ADD || need.kind == GPUOPT_STAGE_SUB || need.kind == GPUOPT_STAGE_MUL;
    const bool has_operand_a = formed ? need.form != GPUOPT_SCALAR : s.type_a != 0;
    s.form = need.form;
    s.type_a = !has_operand_a ? 0 : need.dtype[0] != GPUOPT_ANY ? need.dtype[0] : s.type_a ? s.type_a : GPUOPT_F32;
    if (s.type_b != 0 && need.dtype[1] != GPUOPT_ANY) s.type_b = need.dtype[1];
    if (has_operand_a && (formed || need.kind == GPUOPT_STAGE_ADD_OUTER) && !need.any_factor) s.value[0] = 1;
    stages.push_back(s);
  }
  return stages;
}

// Operands beside the four that signatures speak of, and leading dimensions, as the kernel's needs have them.
void respect_operands(const Needs &n, Spec *s) {
  for (int i = 4; i < kOperands; ++i) {
    gpuopt_dtype &type = s->extra[i];
    const gpuopt_dtype built_in = n.extra_dtype[i - 4];
    if (has_operand(n.operands_refused, i)) type = 0;
    if (has_operand(n.operands_needed, i) && type == 0)
      type = i != GPUOPT_OPERAND_STATISTICS         ? s->row.dtype[0]
             : s->row.compute == GPUOPT_COMPUTE_F64 ? GPUOPT_F64
                                                    : GPUOPT_F32;
    if (type != 0 && built_in != 0) type = built_in;
  }
  for (int i = 0; i < kOperands; ++i)
    if (has_operand(n.operands_packed, i)) {
      s->place[i].pad = s->place[i].gap = 0;
      s->place[i].shared = false;
    }
}

void choose_stages(const Needs &n, Rng &rng, Spec *s) {
  if (n.chain) {
    s->stages = built_in_stages(n, rng);
    return;
  }
  const bool adds = n.max_stages > 0 && (n.stage_kinds >> GPUOPT_STAGE_ADD & 1) != 0;
  if (s->op == GPUOPT_OP_GEMM && adds && rng.chance(0.15)) return choose_bias(n, rng, s);
  std::vector<int32_t> kinds;
  for (int32_t kind = 1; kind < GPUOPT_STAGE_COUNT_; ++kind)
    if (n.stage_kinds >> kind & 1) kinds.push_back(kind);
  if (kinds.empty() || n.max_stages == 0 || rng.chance(s->op == GPUOPT_OP_FUSED_ACT ? 0.1 : 0.5)) return;
  const int32_t count = int32_t(rng.between(1, rng.chance(0.8) ? std::min(3, n.max_stages) : n.max_stages));
  while (int32_t(s->stages.size()) < count) {
    StageSpec stage = random_stage(n, rng.one_of(kinds), rng);
    // A logarithm or root of what is mostly negative would be mostly NaN.
    const bool positive = stage.kind == GPUOPT_STAGE_LOG || stage.kind == GPUOPT_STAGE_SQRT;
    if (positive && (n.stage_kinds >> GPUOPT_STAGE_ABS & 1) && int32_t(s->stages.size()) + 2 <= n.max_stages &&
        rng.chance(0.8))
      s->stages.push_back(random_stage(n, GPUOPT_STAGE_ABS, rng));
    s->stages.push_back(stage);
  }
}

}  // namespace

bool choose_list(List list, Spec *s) {
  s->list = list;
  s->host_offsets = false;
  s->extra[GPUOPT_OPERAND_OFFSETS] = 0;
  s->extra[GPUOPT_OPERAND_LIST] = list == List::device ? GPUOPT_I64 : 0;
  for (Spec::Scales &b : s->blocks) b = {};
  return true;
}

StageSpec random_stage(const Needs &n, int32_t kind, Rng &rng) {
  StageSpec s;
  s.kind = kind;
  const auto type = [&rng] {
    return rng.pick({GPUOPT_F32, GPUOPT_F32, GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_E4M3, GPUOPT_E5M2,
                     GPUOPT_I8, GPUOPT_U8, GPUOPT_I32});
  };
  switch (kind) {
    case GPUOPT_STAGE_LEAKY_RELU:
      s.value[0] = rng.pick({0.01, 0.2, -0.5, 0.0});
      break;
    case GPUOPT_STAGE_CLAMP:
      s.value[0] = -std::fabs(rng.normal());
      s.value[1] = rng.chance(0.1) ? s.value[0] : std::fabs(rng.normal());
      break;
    case GPUOPT_STAGE_ADD:
    case GPUOPT_STAGE_SUB:
    case GPUOPT_STAGE_MUL:
      s.form = int32_t(rng.between(GPUOPT_SCALAR, GPUOPT_MATRIX));
      s.value[0] = s.form != GPUOPT_SCALAR && rng.chance(0.6) ? 1 : rng.normal();
      if (s.form != GPUOPT_SCALAR) s.type_a = type();
      break;
    case GPUOPT_STAGE_ADD_OUTER:
      s.value[0] = rng.chance(0.5) ? 1 : rng.normal();
      s.type_a = type();
      s.type_b = type();
      break;
    case GPUOPT_STAGE_STORE:
    case GPUOPT_STAGE_RELU_GRAD:
    case GPUOPT_STAGE_GELU_GRAD:
    case GPUOPT_STAGE_SILU_GRAD:
      s.type_a = type();
      break;
    default:
      break;
  }
  s.a = random_placement(n, rng, kind != GPUOPT_STAGE_STORE);
  s.b = random_placement(n, rng, true);
  return s;
}

Spec plain_spec(const Needs &n, const TypeRow &row) {
  Spec s;
  s.op = n.op;
  s.row = row;
  for (int i = 0; i < 4; ++i) {
    s.align[i] = n.align[i];
    s.ld_align[i] = n.ld_align[i];
    s.place[i].layout = takes_layout(n, i, GPUOPT_ROW) ? GPUOPT_ROW : GPUOPT_COL;
  }
  for (int i = 0; i < 3; ++i) s.extent[i] = rounded_up(33, n.multiple[i]);
  s.axis = n.op != GPUOPT_OP_REDUCE        ? 0
           : n.axes >> GPUOPT_EACH_ROW & 1 ? GPUOPT_EACH_ROW
           : n.axes >> GPUOPT_EACH_COL & 1 ? GPUOPT_EACH_COL
                                           : GPUOPT_ALL;
  if (n.op == GPUOPT_OP_NORM) s.eps = 1e-5;
  if (n.op == GPUOPT_OP_GEMM_GROUPED) s.extra[GPUOPT_OPERAND_OFFSETS] = GPUOPT_I64;
  if (takes_lists_alone(n)) choose_list(List::device, &s);
  if (n.op == GPUOPT_OP_REDUCE && row.variant == GPUOPT_REDUCE_PROD) s.values = Values::near_one;
  s.flags = n.flags;
  if (n.chain) {
    Rng fixed(1);
    s.stages = built_in_stages(n, fixed);
    for (StageSpec &stage : s.stages) stage.a = stage.b = Placement();
  }
  respect_operands(n, &s);
  return s;
}

Spec random_spec(const Needs &n, Rng &rng, Size size) {
  Spec s = plain_spec(n, rng.one_of(n.rows));
  for (int i = 0; i < 3; ++i) s.extent[i] = random_extent(rng, size, n.multiple[i]);
  for (int i = 4; i < kOperands; ++i) s.place[i] = random_placement(n, rng, i != GPUOPT_OPERAND_STATISTICS);
  for (int i = 0; i < 4; ++i) {
    const bool input = is_product(n.op) ? i != GPUOPT_OPERAND_D : n.op == GPUOPT_OP_TRANSPOSE ? i == 0 : i < 2;
    s.place[i] = random_placement(n, rng, input);
    if (!takes_layout(n, i, s.place[i].layout)) s.place[i].layout = GPUOPT_ROW + GPUOPT_COL - s.place[i].layout;
  }
  if (understands(n, GPUOPT_FEATURE_BATCH) && rng.chance(0.35)) s.batch = rng.pick<int64_t>({2, 3, 3, 5});
  if (rng.chance(0.02)) s.batch = 0;
  s.transposed = rng.chance(0.4);
  s.specials = rng.chance(0.1);
  if (rng.chance(0.05)) s.flags |= GPUOPT_ALLOW_NONDETERMINISTIC;
  switch (n.op) {
    case GPUOPT_OP_GEMM:
      choose_gemm(n, rng, &s);
      break;
    case GPUOPT_OP_GEMM_GROUPED:
      choose_gemm_grouped(n, rng, &s);
      break;
    case GPUOPT_OP_TRANSPOSE:
      s.copy = understands(n, GPUOPT_FEATURE_COPY) && rng.chance(0.2);
      s.in_place = !s.copy && understands(n, GPUOPT_FEATURE_IN_PLACE) && rng.chance(0.2);
      break;
    case GPUOPT_OP_REDUCE:
      choose_reduce(n, rng, &s);
      break;
    case GPUOPT_OP_NORM:
      choose_norm(rng, &s);
      s.in_place = gpuopt_dtype_size(s.row.dtype[0]) == gpuopt_dtype_size(s.row.dtype[2]) && rng.chance(0.2);
      break;
    default:
      s.in_place = takes_layout(n, GPUOPT_OPERAND_X, GPUOPT_ROW) &&
                   gpuopt_dtype_size(s.row.dtype[0]) == gpuopt_dtype_size(s.row.dtype[2]) && rng.chance(0.2);
  }
  if (n.op != GPUOPT_OP_TRANSPOSE && n.op != GPUOPT_OP_REDUCE) choose_stages(n, rng, &s);
  if (n.op == GPUOPT_OP_FUSED_ACT && !s.in_place)
    for (StageSpec &stage : s.stages) {
      const bool matrix = stage.form == GPUOPT_MATRIX || stage.kind >= GPUOPT_STAGE_RELU_GRAD;
      if (!matrix || !rng.chance(0.1)) continue;
      stage.reads_out = true;
      stage.type_a = s.row.dtype[GPUOPT_OPERAND_OUT];
      break;
    }
  respect_operands(n, &s);
  return s;
}

}  // namespace gpuopt_check
