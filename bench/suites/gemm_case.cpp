#include "gemm_case.h"

namespace gpuopt_bench {
namespace {

int32_t usual_compute(gpuopt_dtype type) {
  return type == GPUOPT_F64 ? GPUOPT_COMPUTE_F64 : type == GPUOPT_I8 ? GPUOPT_COMPUTE_I32 : GPUOPT_COMPUTE_F32;
}

}  // namespace

GemmShape read_gemm_shape(const std::string &text) {
  const ShapeText t = read_shape(text, 3, 3, 4);
  GemmShape s = {t.extents[0], t.extents[1], t.extents[2], 0, 0, 0, nullptr, true};
  s.type = dtype_field(t, 0, GPUOPT_F32);
  const bool fp8 = s.type == GPUOPT_E4M3 || s.type == GPUOPT_E5M2;
  s.d_type = dtype_field(t, 1, fp8 ? GPUOPT_BF16 : s.type == GPUOPT_I8 ? GPUOPT_I32 : s.type);
  s.compute = compute_field(t, 2, usual_compute(s.type));
  for (const char *layout : {"nn", "nt", "tn", "tt"})
    if (t.field(3) == layout || (t.field(3).empty() && s.layout == nullptr)) s.layout = layout;
  if (s.layout == nullptr) t.reject("'" + t.field(3) + "' must be one of: nn, nt, tn, tt");
  return s;
}

GemmProblem problem_of(const GemmShape &s) {
  return {s.m, s.n, s.k, s.type, s.d_type, s.compute, s.layout[0] == 't', s.layout[1] == 't'};
}

Case gemm_case(const char *suite, const GemmShape &s) {
  Case c;
  c.suite = suite;
  c.shape = shape_text(s.m, s.n, s.k);
  c.type = gpuopt_dtype_name(s.type);
  if (s.d_type != s.type) c.type += std::string(">") + gpuopt_dtype_name(s.d_type);
  c.detail = s.layout;
  if (s.compute != usual_compute(s.type)) c.detail += std::string(" ") + gpuopt_compute_name(s.compute);
  c.work = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  c.is_flops = true;
  c.bytes_per_call = (s.m * s.k + s.k * s.n) * gpuopt_dtype_size(s.type) + s.m * s.n * gpuopt_dtype_size(s.d_type);
  return c;
}

LibraryCall gemm_operands(Context &context, const GemmShape &s, Case *c) {
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  c->operands = std::make_shared<OperandSets>(
      std::vector<OperandShape>{{s.type, s.m * s.k}, {s.type, s.k * s.n}, {s.d_type, s.m * s.n}}, sets,
      context.session.stream());
  const auto view = [&](size_t operand, int set, int64_t rows, int64_t cols, bool transposed) {
    void *data = c->operands->at(operand, set);
    return transposed ? gpuopt_t(gpuopt_mat(data, cols, rows, s.type)) : gpuopt_mat(data, rows, cols, s.type);
  };
  std::vector<gpuopt_gemm_args> calls;
  for (int set = 0; set < sets; ++set) {
    gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
    g.compute = s.compute;
    g.a = view(0, set, s.m, s.k, s.layout[0] == 't');
    g.b = view(1, set, s.k, s.n, s.layout[1] == 't');
    g.d = gpuopt_mat(c->operands->at(2, set), s.m, s.n, s.d_type);
    calls.push_back(g);
  }
  return library_call(std::move(calls));
}

}  // namespace gpuopt_bench
