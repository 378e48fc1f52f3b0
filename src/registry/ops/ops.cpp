#include "ops.h"

#include "../error.h"

namespace gpuopt {

const op_definition *find_op(int32_t op) {
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
  }
  return nullptr;
}

gpuopt_status check_flags(const build_options &options, uint32_t flags) {
  constexpr uint32_t known =
      GPUOPT_ALLOW_NONDETERMINISTIC | GPUOPT_ALLOW_INTERMEDIATE_ROUNDING | GPUOPT_REQUIRE_BATCH_INVARIANT;
  if ((flags & ~known) == 0) return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: flags=0x%x has bits that are no GPUOPT_ALLOW_* or GPUOPT_REQUIRE_* value",
              options.function, flags);
}

gpuopt_status check_stage_overlap(const build_options &options, const gpuopt_problem &p, const char *output_field,
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

gpuopt_status check_stores(const build_options &options, const gpuopt_problem &p,
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

}  // namespace gpuopt
