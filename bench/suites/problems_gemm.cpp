// Problems of gemm, transpose and reduce.
#include "problems.h"

namespace gpuopt_bench {
namespace {

constexpr int32_t kAll = GPUOPT_ALL, kRow = GPUOPT_EACH_ROW, kCol = GPUOPT_EACH_COL;

bool is_fp8(gpuopt_dtype type) { return type == GPUOPT_E4M3 || type == GPUOPT_E5M2; }

// A row-major matrix, or the transposed view of one.
gpuopt_matrix view(void *data, int64_t rows, int64_t cols, gpuopt_dtype type, bool transposed) {
  return transposed ? gpuopt_t(gpuopt_mat(data, cols, rows, type)) : gpuopt_mat(data, rows, cols, type);
}

constexpr const char *kEnds[] = {"", "bias", "bias_gelu", "bias_gelu_tanh", "bias_silu", "residual"};  // of GemmEnd

}  // namespace

int32_t usual_compute(gpuopt_dtype type) {
  return type == GPUOPT_F64 ? GPUOPT_COMPUTE_F64 : type == GPUOPT_I8 ? GPUOPT_COMPUTE_I32 : GPUOPT_COMPUTE_F32;
}

gpuopt_dtype usual_output(gpuopt_dtype type) {
  return is_fp8(type) ? GPUOPT_BF16 : type == GPUOPT_I8 ? GPUOPT_I32 : type;
}

GemmShape read_gemm_shape(const std::string &text) {
  ShapeText t = read_shape(text, 3, 3, 5);
  GemmShape s = {t.extents[0], t.extents[1], t.extents[2], 0, 0, 0, nullptr, true};
  const std::vector<std::string> in = split(t.field(0), '+');
  if (in.size() > 1) {
    if (in.size() > 2) t.reject("'" + t.field(0) + "' must be one type, or two with + between them");
    t.fields[0] = in[1];
    s.b_type = dtype_field(t, 0, GPUOPT_F32);
    t.fields[0] = in[0];
  }
  s.type = dtype_field(t, 0, GPUOPT_F32);
  if (s.b_type == s.type) s.b_type = 0;
  s.d_type = dtype_field(t, 1, usual_output(s.type));
  s.compute = compute_field(t, 2, usual_compute(s.type));
  for (const char *layout : {"nn", "nt", "tn", "tt"})
    if (t.field(3) == layout || (t.field(3).empty() && s.layout == nullptr)) s.layout = layout;
  if (s.layout == nullptr) t.reject("'" + t.field(3) + "' must be one of: nn, nt, tn, tt");
  std::string all;
  for (size_t i = 1; i < std::size(kEnds); ++i) {
    if (t.field(4) == kEnds[i]) s.end = static_cast<GemmEnd>(i);
    all += (all.empty() ? "" : ", ") + std::string(kEnds[i]);
  }
  if (s.end == GemmEnd::none && !t.field(4).empty()) t.reject("'" + t.field(4) + "' must be one of: " + all);
  return s;
}

std::string text_of(const GemmShape &s) {
  std::string text =
      std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) + ":" + gpuopt_dtype_name(s.type);
  if (s.b_type != 0) text += std::string("+") + gpuopt_dtype_name(s.b_type);
  return text + ":" + gpuopt_dtype_name(s.d_type) + ":" + gpuopt_compute_name(s.compute) + ":" + s.layout +
         (s.end == GemmEnd::none ? "" : std::string(":") + name_of(s.end));
}

const char *name_of(GemmEnd end) { return kEnds[static_cast<size_t>(end)]; }

gpuopt_gemm_args gemm_args(const GemmShape &s, const GemmMemory &x, std::vector<gpuopt_stage> *stages) {
  stages->clear();
  if (s.end == GemmEnd::residual)
    stages->push_back(gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_MATRIX, gpuopt_mat(x.more, s.m, s.n, s.d_type)));
  else if (s.end != GemmEnd::none)
    stages->push_back(gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(x.more, 1, s.n, s.d_type)));
  if (s.end == GemmEnd::bias_gelu) stages->push_back(gpuopt_act(GPUOPT_STAGE_GELU, 0, 0));
  if (s.end == GemmEnd::bias_gelu_tanh) stages->push_back(gpuopt_act(GPUOPT_STAGE_GELU_TANH, 0, 0));
  if (s.end == GemmEnd::bias_silu) stages->push_back(gpuopt_act(GPUOPT_STAGE_SILU, 0, 0));
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.compute = s.compute;
  g.a = view(x.a, s.m, s.k, s.type, s.layout[0] == 't');
  g.b = view(x.b, s.k, s.n, s.b_type != 0 ? s.b_type : s.type, s.layout[1] == 't');
  g.d = gpuopt_mat(x.d, s.m, s.n, s.d_type);
  g.stages = stages->data();
  g.stage_count = static_cast<int32_t>(stages->size());
  return g;
}

TransposeShape read_transpose_shape(const std::string &text) {
  const ShapeText t = read_shape(text, 2, 3, 2);
  TransposeShape s = {t.extents[0], t.extents[1], t.extents.size() > 2 ? t.extents[2] : 1,
                      dtype_field(t, 0, GPUOPT_F32), true};
  s.in_place = t.field(1) == "in_place";
  if (!s.in_place && !t.field(1).empty()) t.reject("'" + t.field(1) + "' must be: in_place");
  if (s.in_place && s.rows != s.cols) t.reject("only a square matrix is transposed in place");
  return s;
}

gpuopt_transpose_args transpose_args(const TransposeShape &s, void *src, void *dst) {
  gpuopt_transpose_args t = GPUOPT_TRANSPOSE_ARGS_INIT;
  t.src = gpuopt_mat(src, s.rows, s.cols, s.type);
  t.dst = gpuopt_mat(s.in_place ? src : dst, s.cols, s.rows, s.type);
  t.batch = s.batch;
  return t;
}

ReduceShape read_reduce_shape(const std::string &text) {
  const ShapeText t = read_shape(text, 2, 2, 3);
  ReduceShape s = {
      t.extents[0], t.extents[1], reduce_field(t, 1, GPUOPT_REDUCE_SUM), kAll, dtype_field(t, 0, GPUOPT_F32), true};
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

gpuopt_dtype reduce_output(const ReduceShape &s) {
  const bool index = s.reduce == GPUOPT_REDUCE_ARGMAX || s.reduce == GPUOPT_REDUCE_ARGMIN,
             integer = s.type >= GPUOPT_I8 && s.type <= GPUOPT_I64,
             fraction = s.reduce == GPUOPT_REDUCE_MEAN || s.reduce == GPUOPT_REDUCE_NRM2;
  if (index || (integer && !fraction)) return GPUOPT_I64;
  return s.type == GPUOPT_F64 ? GPUOPT_F64 : GPUOPT_F32;
}

int64_t reduce_outputs(const ReduceShape &s) { return s.axis == kAll ? 1 : s.axis == kRow ? s.rows : s.cols; }

gpuopt_reduce_args reduce_args(const ReduceShape &s, void *x, void *out) {
  gpuopt_reduce_args r = GPUOPT_REDUCE_ARGS_INIT;
  r.reduce = s.reduce;
  r.axis = s.axis;
  r.x = gpuopt_mat(x, s.rows, s.cols, s.type);
  r.out = gpuopt_mat(out, s.axis == kRow ? s.rows : 1, s.axis == kCol ? s.cols : 1, reduce_output(s));
  return r;
}

}  // namespace gpuopt_bench
