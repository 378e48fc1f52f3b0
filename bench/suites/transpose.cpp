// Transpose against cuBLAS geam (f32, f64 only) and the copy of the same bytes.
#include "../core/copy.h"
#include "../core/error.h"
#include "../peers/geam.h"
#include "suite.h"

namespace gpuopt_bench {
namespace {

struct Shape {
  int64_t rows, cols, batch;
  gpuopt_dtype type;
  bool quick;
};
constexpr Shape kShapes[] = {
    {256, 256, 1, GPUOPT_F32, false},    {1024, 1024, 1, GPUOPT_F32, true},   {2048, 2048, 1, GPUOPT_F32, false},
    {4096, 4096, 1, GPUOPT_F32, true},   {8192, 8192, 1, GPUOPT_F32, false},  {16384, 16384, 1, GPUOPT_F32, false},
    {4097, 4099, 1, GPUOPT_F32, true},   {4096, 16384, 1, GPUOPT_F32, false}, {1000, 3, 1, GPUOPT_F32, false},
    {4194304, 3, 1, GPUOPT_F32, false},  {1048576, 64, 1, GPUOPT_F32, false}, {64, 1048576, 1, GPUOPT_F32, false},
    {512, 512, 64, GPUOPT_F32, false},   {8192, 8192, 1, GPUOPT_F64, false},  {4097, 4099, 1, GPUOPT_F64, false},
    {1024, 1024, 1, GPUOPT_BF16, false}, {8192, 8192, 1, GPUOPT_BF16, true},  {4097, 4099, 1, GPUOPT_BF16, false},
    {8192, 8192, 1, GPUOPT_I8, false},   {16384, 16384, 1, GPUOPT_I8, false}, {4096, 4096, 1, GPUOPT_B128, false},
};

Shape read_case(const std::string &text) {
  const ShapeText t = read_shape(text, 2, 3, 1);
  return {t.extents[0], t.extents[1], t.extents.size() > 2 ? t.extents[2] : 1, dtype_field(t, 0, GPUOPT_F32), true};
}

void transpose_case(Context &context, const Shape &s) {
  Case c;
  c.suite = "transpose";
  c.shape = shape_text(s.rows, s.cols);
  c.type = gpuopt_dtype_name(s.type);
  if (s.batch > 1) c.detail = "batch " + std::to_string(s.batch);
  if (left_out(context, c, s.quick)) return;
  try {
    const int64_t count = s.rows * s.cols * s.batch, bytes = count * gpuopt_dtype_size(s.type);
    c.bytes_per_call = 2 * bytes;
    c.work = static_cast<double>(c.bytes_per_call);
    const int sets = sets_past_l2(context.session.device(), c.bytes_per_call);
    c.operands = std::make_shared<OperandSets>(std::vector<OperandShape>{{s.type, count}, {s.type, count}}, sets,
                                               context.session.stream());
    std::vector<gpuopt_transpose_args> calls;
    for (int set = 0; set < sets; ++set) {
      gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
      t.src = gpuopt_mat(c.operands->at(0, set), s.rows, s.cols, s.type);
      t.dst = gpuopt_mat(c.operands->at(1, set), s.cols, s.rows, s.type);
      t.batch = s.batch;
      calls.push_back(t);
    }
    c.add_library(context, library_call(std::move(calls)));
    const bool geam_takes = (s.type == GPUOPT_F32 || s.type == GPUOPT_F64) && s.batch == 1;
    if (geam_takes)
      c.add(Role::peer, geam_contender(*c.operands, 0, 1, s.rows, s.cols, s.type, context.session.stream()));
    c.add(Role::ceiling, copy_contenders(context.session, *c.operands, 0, 1, static_cast<size_t>(bytes)));
    run_case(context, c);
  } catch (const Refused &refused) {
    report_left_out(c, refused.what());
  }
}

}  // namespace

void check_transpose_shape(const std::string &text) { read_case(text); }

void run_transpose(Context &context) {
  std::vector<Shape> shapes = asked_shapes(context.options, read_case);
  if (shapes.empty()) shapes.assign(std::begin(kShapes), std::end(kShapes));
  for (const Shape &s : shapes) transpose_case(context, s);
}

}  // namespace gpuopt_bench
