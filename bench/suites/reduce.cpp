// Reductions against CUB and the read ceiling of the same bytes; and, as a part of its own in the record, sums over all
// of every type from 1 K to 1 G elements against CUB alone, in single calls.
#include <algorithm>
#include <iterator>

#include "../core/read.h"
#include "../peers/cub_reduce.h"
#include "plans.h"
#include "problems.h"

namespace gpuopt_bench {
namespace {

constexpr int32_t kAll = GPUOPT_ALL, kRow = GPUOPT_EACH_ROW, kCol = GPUOPT_EACH_COL;
constexpr ReduceShape kShapes[] = {
    {1, 1024, GPUOPT_REDUCE_SUM, kAll, GPUOPT_F32, false},
    {1, 65536, GPUOPT_REDUCE_SUM, kAll, GPUOPT_F32, true},
    {1, 1 << 20, GPUOPT_REDUCE_SUM, kAll, GPUOPT_F32, true},
    {1, 1 << 24, GPUOPT_REDUCE_SUM, kAll, GPUOPT_F32, false},
    {1, (1 << 24) + 1, GPUOPT_REDUCE_SUM, kAll, GPUOPT_F32, false},
    {1, 1 << 28, GPUOPT_REDUCE_SUM, kAll, GPUOPT_F32, true},
    {1, 1 << 20, GPUOPT_REDUCE_SUM, kAll, GPUOPT_BF16, false},
    {1, 1 << 28, GPUOPT_REDUCE_SUM, kAll, GPUOPT_BF16, true},
    {1, 1 << 28, GPUOPT_REDUCE_SUM, kAll, GPUOPT_F64, false},
    {1, 1 << 28, GPUOPT_REDUCE_MAX, kAll, GPUOPT_F32, false},
    {1, 1 << 28, GPUOPT_REDUCE_SUMSQ, kAll, GPUOPT_F32, false},
    {1, 1 << 24, GPUOPT_REDUCE_ARGMAX, kAll, GPUOPT_F32, false},
    {1, 1 << 28, GPUOPT_REDUCE_ARGMAX, kAll, GPUOPT_F32, false},
    {4097, 4099, GPUOPT_REDUCE_SUM, kAll, GPUOPT_F32, false},
    {8192, 8192, GPUOPT_REDUCE_SUM, kRow, GPUOPT_F32, true},
    {8192, 8192, GPUOPT_REDUCE_SUM, kRow, GPUOPT_BF16, false},
    {1 << 20, 64, GPUOPT_REDUCE_SUM, kRow, GPUOPT_F32, false},
    {64, 1 << 20, GPUOPT_REDUCE_SUM, kRow, GPUOPT_F32, false},
    {32, 4096, GPUOPT_REDUCE_SUM, kRow, GPUOPT_F32, false},
    {8192, 8192, GPUOPT_REDUCE_ARGMAX, kRow, GPUOPT_F32, false},
    {8192, 8192, GPUOPT_REDUCE_SUM, kCol, GPUOPT_F32, true},
    {8192, 8192, GPUOPT_REDUCE_SUM, kCol, GPUOPT_BF16, false},
    {1 << 20, 64, GPUOPT_REDUCE_SUM, kCol, GPUOPT_F32, false},
    {64, 1 << 20, GPUOPT_REDUCE_SUM, kCol, GPUOPT_F32, false},
};

constexpr int64_t kSizes[] = {1 << 10, 1 << 13, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30};
constexpr int64_t kQuickSizes[] = {1 << 10, 1 << 20, 1 << 28};

void build(const ReduceShape &s, bool with_read, Context &context, Case *c) {
  const int64_t outs = reduce_outputs(s);
  const gpuopt_dtype out = reduce_output(s);
  const int64_t bytes = s.rows * s.cols * gpuopt_dtype_size(s.type);
  c->bytes_per_call = bytes + outs * gpuopt_dtype_size(out);
  c->work = static_cast<double>(c->bytes_per_call);
  const int sets = sets_past_l2(context.session.device(), c->bytes_per_call);
  c->operands = std::make_shared<OperandSets>(std::vector<OperandShape>{{s.type, s.rows * s.cols}, {out, outs}}, sets,
                                              context.session.stream());
  std::vector<gpuopt_reduce_args> calls;
  for (int set = 0; set < sets; ++set)
    calls.push_back(reduce_args(s, c->operands->at(0, set), c->operands->at(1, set)));
  c->add_library(context, library_call(std::move(calls)));
  const CubReduction cub = {s.reduce, s.axis, s.type, s.rows, s.cols};
  if (context.options.peers && cub_takes(cub))
    c->add(Role::peer, cub_contender(*c->operands, cub, context.session.stream()));
  if (with_read) c->add(Role::ceiling, read_contenders(context.session, *c->operands, 0, static_cast<size_t>(bytes)));
}

Plan plan(const std::string &suite, const ReduceShape &s, bool with_read) {
  Plan p;
  const char *axis = s.axis == kAll ? " all" : s.axis == kRow ? " each row" : " each col";
  p.names = named_case(suite, shape_text(s.rows, s.cols), gpuopt_dtype_name(s.type),
                       std::string(gpuopt_reduce_name(s.reduce)) + axis);
  p.quick = s.quick;
  p.single_only = !with_read;
  p.build = [s, with_read](Context &context, Case *c) { build(s, with_read, context, c); };
  return p;
}

}  // namespace

Plan plan_reduce(const std::string &suite, const std::string &shape) {
  return plan(suite, read_reduce_shape(shape), true);
}
Plan plan_reduce_sizes(const std::string &suite, const std::string &shape) {
  return plan(suite, read_reduce_shape(shape), false);
}

void check_reduce_shape(const std::string &text) { read_reduce_shape(text); }

void run_reduce(Context &context) {
  const std::vector<ReduceShape> asked = asked_shapes(context.options, read_reduce_shape);
  for (const ReduceShape &s : asked) run_plan(context, plan("reduce", s, true));
  if (!asked.empty()) return;
  for (const ReduceShape &s : kShapes) run_plan(context, plan("reduce", s, true));
  for (gpuopt_dtype type : {GPUOPT_F32, GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16, GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_I8,
                            GPUOPT_U8, GPUOPT_I32, GPUOPT_I64})
    for (int64_t size : kSizes) {
      const bool quick = std::find(std::begin(kQuickSizes), std::end(kQuickSizes), size) != std::end(kQuickSizes);
      run_plan(context, plan("reduce_sizes", {1, size, GPUOPT_REDUCE_SUM, kAll, type, quick}, false));
    }
}

}  // namespace gpuopt_bench
