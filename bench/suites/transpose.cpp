// Transpose against cuBLAS geam (f32, f64 only) and the copy of the same bytes.
#include "../core/copy.h"
#include "../peers/geam.h"
#include "plans.h"
#include "problems.h"

namespace gpuopt_bench {
namespace {

constexpr TransposeShape kShapes[] = {
    {256, 256, 1, GPUOPT_F32, false},    {1024, 1024, 1, GPUOPT_F32, true},   {2048, 2048, 1, GPUOPT_F32, false},
    {4096, 4096, 1, GPUOPT_F32, true},   {8192, 8192, 1, GPUOPT_F32, false},  {16384, 16384, 1, GPUOPT_F32, false},
    {4097, 4099, 1, GPUOPT_F32, true},   {4096, 16384, 1, GPUOPT_F32, false}, {1000, 3, 1, GPUOPT_F32, false},
    {4194304, 3, 1, GPUOPT_F32, false},  {1048576, 64, 1, GPUOPT_F32, false}, {64, 1048576, 1, GPUOPT_F32, false},
    {512, 512, 64, GPUOPT_F32, false},   {8192, 8192, 1, GPUOPT_F64, false},  {4097, 4099, 1, GPUOPT_F64, false},
    {1024, 1024, 1, GPUOPT_BF16, false}, {8192, 8192, 1, GPUOPT_BF16, true},  {4097, 4099, 1, GPUOPT_BF16, false},
    {8192, 8192, 1, GPUOPT_I8, false},   {16384, 16384, 1, GPUOPT_I8, false}, {4096, 4096, 1, GPUOPT_B128, false},
};

void build(const TransposeShape &s, Context &context, Case *c) {
  const int64_t count = s.rows * s.cols * s.batch, bytes = count * gpuopt_dtype_size(s.type);
  c->bytes_per_call = 2 * bytes;
  c->work = static_cast<double>(c->bytes_per_call);
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  c->operands = std::make_shared<OperandSets>(std::vector<OperandShape>{{s.type, count}, {s.type, count}}, sets,
                                              context.session.stream());
  std::vector<gpuopt_transpose_args> calls;
  for (int set = 0; set < sets; ++set)
    calls.push_back(transpose_args(s, c->operands->at(0, set), c->operands->at(1, set)));
  c->add_library(context, library_call(std::move(calls)));
  const bool geam_takes = (s.type == GPUOPT_F32 || s.type == GPUOPT_F64) && s.batch == 1 && !s.in_place;
  if (context.options.peers && geam_takes)
    c->add(Role::peer, geam_contender(*c->operands, 0, 1, s.rows, s.cols, s.type, context.session.stream()));
  c->add(Role::ceiling, copy_contenders(context.session, *c->operands, 0, 1, static_cast<size_t>(bytes)));
}

Plan plan(const std::string &suite, const TransposeShape &s) {
  Plan p;
  std::string detail = s.batch > 1 ? "batch " + std::to_string(s.batch) : "";
  if (s.in_place) detail += s.batch > 1 ? ", in place" : "in place";
  p.names = named_case(suite, shape_text(s.rows, s.cols), gpuopt_dtype_name(s.type), detail);
  p.quick = s.quick;
  p.build = [s](Context &context, Case *c) { build(s, context, c); };
  return p;
}

}  // namespace

Plan plan_transpose(const std::string &suite, const std::string &shape) {
  return plan(suite, read_transpose_shape(shape));
}

void check_transpose_shape(const std::string &text) { read_transpose_shape(text); }

void run_transpose(Context &context) { run_shapes(context, "transpose", read_transpose_shape, kShapes, plan); }

}  // namespace gpuopt_bench
