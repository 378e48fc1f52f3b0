#include "ops.h"

#include <algorithm>

#include "../error.h"

namespace gpuopt {

bool is_float(int32_t dtype) {
  switch (dtype) {
#define X(name, value, bytes, text, cls, what) \
  case value:                                  \
    return cls == 'f';
    GPUOPT_DTYPE_TABLE(X)
#undef X
  }
  return false;
}

const OpDefinition *find_op(int32_t op) {
  switch (op) {
    case GPUOPT_OP_GEMM:
      return &kGemmOp;
    case GPUOPT_OP_TRANSPOSE:
      return &kTransposeOp;
    case GPUOPT_OP_REDUCE:
      return &kReduceOp;
    case GPUOPT_OP_FUSED_ACT:
      return &kFusedActOp;
    case GPUOPT_OP_NORM:
      return &kNormOp;
    case GPUOPT_OP_GEMM_GROUPED:
      return &kGemmGroupedOp;
  }
  return nullptr;
}

const gpuopt_matrix *user_matrix(const void *args, int32_t user_operand) {
  const gpuopt_stage *stages = nullptr;
  const gpuopt_matrix *own[7] = {};
  const auto set = [&](std::initializer_list<const gpuopt_matrix *> all) { std::copy(all.begin(), all.end(), own); };
  switch (static_cast<const gpuopt_args *>(args)->op) {
    case GPUOPT_OP_GEMM: {
      const auto &g = *static_cast<const gpuopt_gemm_args *>(args);
      set({&g.a, &g.b, &g.c, &g.d});
      stages = g.stages;
      break;
    }
    case GPUOPT_OP_TRANSPOSE: {
      const auto &t = *static_cast<const gpuopt_transpose_args *>(args);
      set({&t.src, &t.dst});
      break;
    }
    case GPUOPT_OP_REDUCE: {
      const auto &r = *static_cast<const gpuopt_reduce_args *>(args);
      set({&r.x, &r.y, &r.out, &r.value});
      break;
    }
    case GPUOPT_OP_FUSED_ACT: {
      const auto &f = *static_cast<const gpuopt_fused_act_args *>(args);
      set({&f.x, nullptr, &f.out});
      stages = f.stages;
      break;
    }
    case GPUOPT_OP_NORM: {
      const auto &n = *static_cast<const gpuopt_norm_args *>(args);
      set({&n.x, &n.residual, &n.out, &n.sum, &n.gamma, &n.beta, &n.statistics});
      stages = n.stages;
      break;
    }
    case GPUOPT_OP_GEMM_GROUPED: {
      const auto &g = *static_cast<const gpuopt_gemm_grouped_args *>(args);
      set({&g.a, &g.b, &g.c, &g.d, &g.offsets});
      stages = g.stages;
      break;
    }
  }
  if (user_operand < GPUOPT_OPERAND_STAGE) return user_operand >= 0 && user_operand < 7 ? own[user_operand] : nullptr;
  const int32_t i = user_operand - GPUOPT_OPERAND_STAGE;
  if (!stages) return nullptr;
  return i < GPUOPT_MAX_STAGES ? &stages[i].a : &stages[i - GPUOPT_MAX_STAGES].b;
}

gpuopt_status check_flags(const BuildOptions &options, uint32_t flags, bool batch_invariant) {
  constexpr uint32_t known =
      GPUOPT_ALLOW_NONDETERMINISTIC | GPUOPT_ALLOW_INTERMEDIATE_ROUNDING | GPUOPT_REQUIRE_BATCH_INVARIANT;
  if (flags & ~known)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: flags=0x%x has bits that are no GPUOPT_ALLOW_* or GPUOPT_REQUIRE_* value",
                options.function, flags);
  if ((flags & GPUOPT_REQUIRE_BATCH_INVARIANT) && !batch_invariant)
    return fail(GPUOPT_INVALID_ARGUMENT,
                "%s: flags has GPUOPT_REQUIRE_BATCH_INVARIANT, which this operation does not promise",
                options.function);
  return GPUOPT_OK;
}

gpuopt_status check_stage_overlap(const BuildOptions &options, const gpuopt_problem &p, const char *output_field,
                                  const gpuopt_operand &output, bool exact_ok) {
  for (int32_t i = 0; i < p.stage_count; ++i) {
    const bool store = p.stage[i].kind == GPUOPT_STAGE_STORE;
    for (const gpuopt_operand *o : {&p.stage[i].a, &p.stage[i].b})
      if (o->m.dtype != 0)
        GPUOPT_TRY(check_overlap(options, output_field, output, operand_name(p.op, o->user_operand).c_str(), *o,
                                 p.batch, exact_ok && !store));
  }
  return GPUOPT_OK;
}

gpuopt_status check_stores(const BuildOptions &options, const gpuopt_problem &p,
                           std::initializer_list<std::pair<const char *, const gpuopt_operand *>> inputs) {
  for (int32_t i = 0; i < p.stage_count; ++i) {
    if (p.stage[i].kind != GPUOPT_STAGE_STORE) continue;
    const gpuopt_operand &stored = p.stage[i].a;
    const std::string field = operand_name(p.op, stored.user_operand);
    for (const auto &input : inputs)
      GPUOPT_TRY(check_overlap(options, field.c_str(), stored, input.first, *input.second, p.batch, false));
    for (int32_t j = 0; j < p.stage_count; ++j)
      for (const gpuopt_operand *o : {&p.stage[j].a, &p.stage[j].b})
        if (j != i && o->m.dtype != 0)
          GPUOPT_TRY(check_overlap(options, field.c_str(), stored, operand_name(p.op, o->user_operand).c_str(), *o,
                                   p.batch, false));
  }
  return GPUOPT_OK;
}

gpuopt_status check_scalar_overlap(const BuildOptions &options, const gpuopt_problem &p, const char *written_field,
                                   const gpuopt_operand &written) {
  const auto check = [&](const char *field, const void *pointer, int32_t dtype) {
    if (pointer == nullptr) return gpuopt_status{GPUOPT_OK};
    gpuopt_operand scalar = {};
    scalar.m = gpuopt_mat(pointer, 1, 1, dtype);
    scalar.m.batch_stride = 0;
    scalar.user_operand = GPUOPT_OPERAND_NONE;
    return check_overlap(options, written_field, written, field, scalar, p.batch, false);
  };
  const bool doubles = p.compute == GPUOPT_COMPUTE_F64 || p.compute == GPUOPT_COMPUTE_I32;
  GPUOPT_TRY(check("alpha_ptr", p.alpha_ptr, doubles ? GPUOPT_F64 : GPUOPT_F32));
  GPUOPT_TRY(check("beta_ptr", p.beta_ptr, doubles ? GPUOPT_F64 : GPUOPT_F32));
  for (const gpuopt_operand &o : p.operand)
    if (const float *const scale = whole_scale(o.m))
      GPUOPT_TRY(check((operand_name(p.op, o.user_operand) + ".scale").c_str(), scale, GPUOPT_F32));
  return GPUOPT_OK;
}

gpuopt_status check_scalar_overlaps(const BuildOptions &options, const gpuopt_problem &p) {
  GPUOPT_TRY(check_scalar_overlap(options, p, "d", p.operand[GPUOPT_OPERAND_D]));
  for (int32_t i = 0; i < p.stage_count; ++i)
    if (p.stage[i].kind == GPUOPT_STAGE_STORE)
      GPUOPT_TRY(check_scalar_overlap(options, p, operand_name(p.op, p.stage[i].a.user_operand).c_str(), p.stage[i].a));
  return GPUOPT_OK;
}

}  // namespace gpuopt
