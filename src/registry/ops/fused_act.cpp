// gpuopt_fused_act: validation and normal form.
#include "ops.h"

#include "../error.h"

namespace gpuopt {
namespace {

gpuopt_status build_fused_act(const void *args, const BuildOptions &options, gpuopt_problem *p) {
  const auto &f = *static_cast<const gpuopt_fused_act_args *>(args);
  const char *fn = options.function;
  GPUOPT_TRY(check_flags(options, f.flags, true));
  GPUOPT_TRY(check_common(options, f.batch, {}));
  if (f.reserved0 != 0) return fail(GPUOPT_INVALID_ARGUMENT, "%s: reserved0 is not zero", fn);
  gpuopt_operand &x = p->operand[GPUOPT_OPERAND_X], &out = p->operand[GPUOPT_OPERAND_OUT];
  p->batch = f.batch;
  GPUOPT_TRY(take_matrix(options, "x", f.x, f.batch, Role::input, GPUOPT_OPERAND_X, &x));
  GPUOPT_TRY(take_matrix(options, "out", f.out, f.batch, Role::output, GPUOPT_OPERAND_OUT, &out));
  for (const auto &field : {std::make_pair("x", &f.x), std::make_pair("out", &f.out)}) {
    if (field.second->dtype == GPUOPT_I64 || field.second->dtype == GPUOPT_B128)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.dtype=%s: fused_act takes any type but i64 and b128", fn,
                  field.first, gpuopt_dtype_name(field.second->dtype));
    if (field.second->scale)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.scale is set: only gemm takes scales", fn, field.first);
  }
  if (f.out.rows != f.x.rows || f.out.cols != f.x.cols)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: x is %s and out is %s: their shapes must be equal", fn,
                shape_text(f.x).c_str(), shape_text(f.out).c_str());
  p->m = f.x.rows;
  p->n = f.x.cols;
  GPUOPT_TRY(take_stages(options, f.stages, f.stage_count, p->m, p->n, p));
  GPUOPT_TRY(check_overlap(options, "out", out, "x", x, f.batch, true));
  GPUOPT_TRY(check_stage_overlap(options, *p, "out", out, true));
  GPUOPT_TRY(check_stores(options, *p, {{"x", &x}}));
  if (out.m.layout == GPUOPT_COL) {
    p->swapped = 1;
    transpose_operand(&x);
    transpose_operand(&out);
    transpose_stages(p);
    std::swap(p->m, p->n);
  }
  p->flags = f.flags;
  const auto wide = [](int32_t dtype) { return dtype == GPUOPT_F64 || dtype == GPUOPT_I32; };
  p->compute = wide(x.m.dtype) || wide(out.m.dtype) ? GPUOPT_COMPUTE_F64 : GPUOPT_COMPUTE_F32;
  p->features = common_features(*p);
  return GPUOPT_OK;
}

}  // namespace

const OpDefinition kFusedActOp = {"gpuopt_fused_act", sizeof(gpuopt_fused_act_args), build_fused_act};

}  // namespace gpuopt
