// Reductions against CUB and the read ceiling of the same bytes; and, as a part of its own in the record, sums over all
// of every type from 1 K to 1 G elements against CUB alone, in single calls.
#include <algorithm>
#include <iterator>

#include "../core/error.h"
#include "../core/read.h"
#include "../peers/cub_reduce.h"
#include "suite.h"

namespace gpuopt_bench {
namespace {

struct Shape {
  int64_t rows, cols;
  int32_t reduce, axis;
  gpuopt_dtype type;
  bool quick;
};
constexpr int32_t kAll = GPUOPT_ALL, kRow = GPUOPT_EACH_ROW, kCol = GPUOPT_EACH_COL;
constexpr Shape kShapes[] = {
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

Shape read_case(const std::string &text) {
  const ShapeText t = read_shape(text, 2, 2, 3);
  Shape s = {t.extents[0], t.extents[1], reduce_field(t, 1, GPUOPT_REDUCE_SUM), kAll, dtype_field(t, 0, GPUOPT_F32),
             true};
  const std::string axis = t.field(2);
  if (axis == "row")
    s.axis = kRow;
  else if (axis == "col")
    s.axis = kCol;
  else if (!axis.empty() && axis != "all")
    t.reject("'" + axis + "' must be one of: all, row, col");
  if (s.reduce == GPUOPT_REDUCE_DOT) t.reject("this suite has no second operand");
  return s;
}

gpuopt_dtype out_type(const Shape &s) {
  const bool index = s.reduce == GPUOPT_REDUCE_ARGMAX || s.reduce == GPUOPT_REDUCE_ARGMIN,
             integer = s.type >= GPUOPT_I8 && s.type <= GPUOPT_I64,
             fraction = s.reduce == GPUOPT_REDUCE_MEAN || s.reduce == GPUOPT_REDUCE_NRM2;
  if (index || (integer && !fraction)) return GPUOPT_I64;
  return s.type == GPUOPT_F64 ? GPUOPT_F64 : GPUOPT_F32;
}

// Sizes of the sums of every type.
constexpr int64_t kSizes[] = {1 << 10, 1 << 13, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28, 1 << 30};
constexpr int64_t kQuickSizes[] = {1 << 10, 1 << 20, 1 << 28};

void reduce_case(Context &context, const Shape &s, bool of_sizes = false) {
  Case c;
  c.suite = of_sizes ? "reduce_sizes" : "reduce";
  c.shape = shape_text(s.rows, s.cols);
  c.type = gpuopt_dtype_name(s.type);
  c.detail = std::string(gpuopt_reduce_name(s.reduce)) + (s.axis == kAll   ? " all"
                                                          : s.axis == kRow ? " each row"
                                                                           : " each col");
  if (left_out(context, c, s.quick)) return;
  try {
    const int64_t outs = s.axis == kAll ? 1 : s.axis == kRow ? s.rows : s.cols;
    const gpuopt_dtype out = out_type(s);
    const int64_t bytes = s.rows * s.cols * gpuopt_dtype_size(s.type);
    c.bytes_per_call = bytes + outs * gpuopt_dtype_size(out);
    c.work = static_cast<double>(c.bytes_per_call);
    const int sets = sets_past_l2(context.session.device(), c.bytes_per_call);
    c.operands = std::make_shared<OperandSets>(std::vector<OperandShape>{{s.type, s.rows * s.cols}, {out, outs}}, sets,
                                               context.session.stream());
    std::vector<gpuopt_reduce_args> calls;
    for (int set = 0; set < sets; ++set) {
      gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
      r.reduce = s.reduce;
      r.axis = s.axis;
      r.x = gpuopt_mat(c.operands->at(0, set), s.rows, s.cols, s.type);
      r.out = gpuopt_mat(c.operands->at(1, set), s.axis == kRow ? s.rows : 1, s.axis == kCol ? s.cols : 1, out);
      calls.push_back(r);
    }
    c.add_library(context, library_call(std::move(calls)));
    const CubReduction cub = {s.reduce, s.axis, s.type, s.rows, s.cols};
    if (cub_takes(cub)) c.add(Role::peer, cub_contender(*c.operands, cub, context.session.stream()));
    if (of_sizes) return run_single(context, c);
    c.add(Role::ceiling, read_contenders(context.session, *c.operands, 0, static_cast<size_t>(bytes)));
    run_case(context, c);
  } catch (const Refused &refused) {
    report_left_out(c, refused.what());
  }
}

}  // namespace

void check_reduce_shape(const std::string &text) { read_case(text); }

void run_reduce(Context &context) {
  const std::vector<Shape> asked = asked_shapes(context.options, read_case);
  for (const Shape &s : asked) reduce_case(context, s);
  if (!asked.empty()) return;
  for (const Shape &s : kShapes) reduce_case(context, s);
  for (gpuopt_dtype type : {GPUOPT_F32, GPUOPT_F64, GPUOPT_F16, GPUOPT_BF16, GPUOPT_E4M3, GPUOPT_E5M2, GPUOPT_I8,
                            GPUOPT_U8, GPUOPT_I32, GPUOPT_I64})
    for (int64_t size : kSizes) {
      const bool quick = std::find(std::begin(kQuickSizes), std::end(kQuickSizes), size) != std::end(kQuickSizes);
      reduce_case(context, {1, size, GPUOPT_REDUCE_SUM, kAll, type, quick}, true);
    }
}

}  // namespace gpuopt_bench
