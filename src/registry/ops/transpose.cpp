// gpuopt_transpose: validation and normal form.
#include "ops.h"

#include "../error.h"

namespace gpuopt {
namespace {

gpuopt_status build_transpose(const void *args, const BuildOptions &options, gpuopt_problem *p) {
  const auto &t = *static_cast<const gpuopt_transpose_args *>(args);
  const char *fn = options.function;
  GPUOPT_TRY(check_flags(options, t.flags, true));
  GPUOPT_TRY(check_common(options, t.batch, {}));
  gpuopt_operand &src = p->operand[GPUOPT_OPERAND_SRC], &dst = p->operand[GPUOPT_OPERAND_DST];
  GPUOPT_TRY(take_matrix(options, "src", t.src, t.batch, Role::input, GPUOPT_OPERAND_SRC, &src));
  GPUOPT_TRY(take_matrix(options, "dst", t.dst, t.batch, Role::output, GPUOPT_OPERAND_DST, &dst));
  if (t.src.scale || t.dst.scale)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.scale is set: only gemm takes scales", fn,
                t.src.scale ? "src" : "dst");
  if (t.src.dtype != t.dst.dtype)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: src.dtype=%s and dst.dtype=%s must be equal", fn,
                gpuopt_dtype_name(t.src.dtype), gpuopt_dtype_name(t.dst.dtype));
  if (t.dst.rows != t.src.cols || t.dst.cols != t.src.rows)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: src is %s and dst is %s: dst must be %lldx%lld", fn,
                shape_text(t.src).c_str(), shape_text(t.dst).c_str(), static_cast<long long>(t.src.cols),
                static_cast<long long>(t.src.rows));
  const bool in_place = src.m.data != nullptr && same_elements(src, dst);
  GPUOPT_TRY(check_overlap(options, "dst", dst, "src", src, t.batch, true));
  if (src.m.layout == GPUOPT_COL) {
    p->swapped = 1;
    transpose_operand(&src);
    transpose_operand(&dst);
  }
  const bool copy = dst.m.layout == GPUOPT_COL;
  if (copy) transpose_operand(&dst);
  p->m = src.m.rows;
  p->n = src.m.cols;
  p->batch = t.batch;
  p->flags = t.flags;
  p->compute = GPUOPT_COMPUTE_F32;
  p->features = common_features(*p) | (copy ? GPUOPT_FEATURE_COPY : 0) | (in_place ? GPUOPT_FEATURE_IN_PLACE : 0);
  return GPUOPT_OK;
}

}  // namespace

const OpDefinition kTransposeOp = {"gpuopt_transpose", sizeof(gpuopt_transpose_args), build_transpose};

}  // namespace gpuopt
