// Problems of fused_act and norm.
#include <iterator>

#include "problems.h"

namespace gpuopt_bench {
namespace {

struct ChainWords {
  Chain chain;
  const char *name, *detail;  // name: as --shape spells it
};
constexpr ChainWords kChains[] = {
    {Chain::relu_bias_scale, "relu_bias_scale", "relu, add per_col, mul scalar"},
    {Chain::relu, "relu", "relu"},
    {Chain::bias_gelu_tanh, "bias_gelu_tanh", "add per_col, gelu_tanh"},
    {Chain::bias_gelu, "bias_gelu", "add per_col, gelu"},
    {Chain::silu_mul, "silu_mul", "silu, mul matrix"},
    {Chain::bias_gelu_residual, "bias_gelu_residual", "add per_col, gelu, add matrix"},
    {Chain::five_relu, "five_relu", "add per_col, relu, mul per_col, add, clamp"},
    {Chain::five_gelu, "five_gelu", "add per_col, gelu, mul per_row, add, clamp"},
};

// Stages that have no operand, with values for those that take some.
struct StageWords {
  const char *name;
  int32_t stage;
};
constexpr StageWords kStages[] = {
#define GPUOPT_X_(name, value, operands, values, what) {operands == 0 ? #name : "", value},
    GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
};
gpuopt_stage one_stage(int32_t stage) {
  if (stage == GPUOPT_STAGE_LEAKY_RELU) return gpuopt_act(stage, 0.01, 0);
  return stage == GPUOPT_STAGE_CLAMP ? gpuopt_act(stage, -1, 1) : gpuopt_act(stage, 0, 0);
}

std::vector<gpuopt_stage> stages_of(const FusedShape &s, const FusedMemory &m) {
  const auto vector = [&](void *data, int64_t rows, int64_t cols) { return gpuopt_mat(data, rows, cols, s.type); };
  const auto with = [](int32_t stage, int32_t form, const gpuopt_matrix &operand) {
    return gpuopt_act_with(stage, form, operand);
  };
  const gpuopt_stage add_bias = with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, vector(m.bias, 1, s.cols)),
                     shift = gpuopt_act(GPUOPT_STAGE_ADD, 0.5, 0), clamp = one_stage(GPUOPT_STAGE_CLAMP),
                     relu = one_stage(GPUOPT_STAGE_RELU), gelu = one_stage(GPUOPT_STAGE_GELU);
  const gpuopt_matrix matrix = vector(m.matrix, s.rows, s.cols);
  switch (s.chain) {
    case Chain::one_stage:
      return {one_stage(s.stage)};
    case Chain::relu:
      return {relu};
    case Chain::relu_bias_scale:
      return {relu, add_bias, gpuopt_act(GPUOPT_STAGE_MUL, kFusedScale, 0)};
    case Chain::bias_gelu_tanh:
      return {add_bias, one_stage(GPUOPT_STAGE_GELU_TANH)};
    case Chain::bias_gelu:
      return {add_bias, gelu};
    case Chain::silu_mul:
      return {one_stage(GPUOPT_STAGE_SILU), with(GPUOPT_STAGE_MUL, GPUOPT_MATRIX, matrix)};
    case Chain::bias_gelu_residual:
      return {add_bias, gelu, with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, matrix)};
    case Chain::five_relu:
      return {add_bias, relu, with(GPUOPT_STAGE_MUL, GPUOPT_PER_COL, vector(m.factors, 1, s.cols)), shift, clamp};
    default:
      return {add_bias, gelu, with(GPUOPT_STAGE_MUL, GPUOPT_PER_ROW, vector(m.factors, s.rows, 1)), shift, clamp};
  }
}

constexpr NormKind kKinds[] = {
    {"layernorm", "LAYERNORM", GPUOPT_NORM_LAYERNORM, false, 0},
    {"rmsnorm", "RMSNORM", GPUOPT_NORM_RMSNORM, false, 0},
    {"softmax", "SOFTMAX", GPUOPT_NORM_SOFTMAX, false, 0},
    {"log_softmax", "LOG_SOFTMAX", GPUOPT_NORM_LOG_SOFTMAX, false, 0},
    {"add_layernorm", "residual, sum, LAYERNORM", GPUOPT_NORM_LAYERNORM, true, 0},
    {"add_rmsnorm", "residual, sum, RMSNORM", GPUOPT_NORM_RMSNORM, true, 0},
    {"layernorm_gelu", "LAYERNORM, gelu", GPUOPT_NORM_LAYERNORM, false, GPUOPT_STAGE_GELU},
    {"rmsnorm_silu", "RMSNORM, silu", GPUOPT_NORM_RMSNORM, false, GPUOPT_STAGE_SILU},
};
static_assert(std::size(kKinds) == kNormKinds, "a kind without its row");

}  // namespace

FusedShape read_fused_shape(const std::string &text) {
  const ShapeText t = read_shape(text, 2, 2, 4);
  FusedShape s = {t.extents[0], t.extents[1], Chain::relu_bias_scale, dtype_field(t, 0, GPUOPT_F32), true};
  s.out = dtype_field(t, 3, s.type);
  if (t.field(2) == "col")
    s.columns = true;
  else if (!t.field(2).empty() && t.field(2) != "row")
    t.reject("'" + t.field(2) + "' must be one of: row, col");
  const std::string name = t.field(1);
  std::string all;
  for (const ChainWords &c : kChains) {
    s.chain = c.chain;
    if (name.empty() || name == c.name) return s;
    all += (all.empty() ? "" : ", ") + std::string(c.name);
  }
  s.chain = Chain::one_stage;
  for (const StageWords &w : kStages)
    if (*w.name != '\0') {
      s.stage = w.stage;
      if (lowered(name) == lowered(w.name)) return s;
      if (s.stage != GPUOPT_STAGE_RELU) all += ", " + lowered(w.name);
    }
  t.reject("'" + name + "' must be one of: " + all);
}

std::string detail_of(const FusedShape &s) {
  std::string detail;
  for (const ChainWords &c : kChains)
    if (c.chain == s.chain) detail = c.detail;
  if (s.chain == Chain::one_stage) detail = lowered(gpuopt_stage_name(s.stage));
  return detail + (s.columns ? ", x in columns" : "");
}

bool reads_bias(Chain chain) { return chain != Chain::relu && chain != Chain::silu_mul && chain != Chain::one_stage; }
bool reads_matrix(Chain chain) { return chain == Chain::silu_mul || chain == Chain::bias_gelu_residual; }
int64_t factors_of(const FusedShape &s) {
  return s.chain == Chain::five_relu ? s.cols : s.chain == Chain::five_gelu ? s.rows : 0;
}

gpuopt_fused_act_args fused_act_args(const FusedShape &s, const FusedMemory &m, std::vector<gpuopt_stage> *stages) {
  *stages = stages_of(s, m);
  gpuopt_fused_act_args f = GPUOPT_FUSED_ACT_ARGS_INIT;
  f.x = s.columns ? gpuopt_t(gpuopt_mat(m.x, s.cols, s.rows, s.type)) : gpuopt_mat(m.x, s.rows, s.cols, s.type);
  f.out = gpuopt_mat(m.out, s.rows, s.cols, s.out);
  f.stages = stages->data();
  f.stage_count = static_cast<int32_t>(stages->size());
  return f;
}

const NormKind &norm_kind(int kind) { return kKinds[kind]; }

NormShape read_norm_shape(const std::string &text) {
  const ShapeText t = read_shape(text, 2, 2, 2);
  std::string all;
  for (int kind = 0; kind < kNormKinds; ++kind) {
    if (t.field(1).empty() || t.field(1) == kKinds[kind].name)
      return {t.extents[0], t.extents[1], dtype_field(t, 0, GPUOPT_F32), kind, true};
    all += (all.empty() ? "" : ", ") + std::string(kKinds[kind].name);
  }
  t.reject("'" + t.field(1) + "' must be one of: " + all);
}

gpuopt_norm_args norm_args(const NormShape &s, const NormMemory &m, gpuopt_stage *stage) {
  const NormKind &kind = kKinds[s.kind];
  const auto matrix = [&](void *data, int64_t rows) { return gpuopt_mat(data, rows, s.cols, s.type); };
  gpuopt_norm_args n = GPUOPT_NORM_ARGS_INIT;
  n.norm = kind.norm;
  n.x = matrix(m.x, s.rows);
  n.out = matrix(m.out, s.rows);
  if (kind.weights()) n.gamma = matrix(m.gamma, 1);
  if (kind.centres()) n.beta = matrix(m.beta, 1);
  if (kind.adds) {
    n.residual = matrix(m.residual, s.rows);
    n.sum = matrix(m.sum, s.rows);
  }
  if (kind.stage != 0) {
    *stage = gpuopt_act(kind.stage, 0, 0);
    n.stages = stage;
    n.stage_count = 1;
  }
  return n;
}

}  // namespace gpuopt_bench
