#include "bench_call.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

class Builder {
 public:
  Builder(const BenchOptions &options, const BenchMemory &memory, BenchCall *call)
      : o_(options), memory_(memory), call_(call) {}

  void gemm() {
    const std::string layout = o_.layout.empty() ? "nn" : lowered(o_.layout);
    if (layout.size() != 2 || layout.find_first_not_of("nt") != std::string::npos)
      reject_word("--layout", o_.layout, "must be one of: nn, nt, tn, tt");
    gpuopt_gemm_args &g = call_->gemm;
    const gpuopt_dtype type = parse_dtype("--type", o_.type);
    g.compute = parse_compute("--compute", o_.compute);
    g.a = matrix(o_.m, o_.k, type, layout[0] == 't');
    g.b = matrix(o_.k, o_.n, type, layout[1] == 't');
    g.d = matrix(o_.m, o_.n, output_of_gemm(type, g.compute), false);
    g.batch = o_.batch;
    stages(o_.m, o_.n, &g.stages, &g.stage_count);
    call_->args = &g;
    call_->flops = 2.0 * double(o_.m) * double(o_.n) * double(o_.k) * double(o_.batch);
  }

  void transpose() {
    gpuopt_transpose_args &t = call_->transpose;
    const gpuopt_dtype type = parse_dtype("--type", o_.type);
    t.src = matrix(o_.rows, o_.cols, type, is_col());
    t.dst = matrix(o_.cols, o_.rows, type, false);
    t.batch = o_.batch;
    call_->args = &t;
  }

  void reduce() {
    gpuopt_reduce_args &r = call_->reduce;
    const gpuopt_dtype type = parse_dtype("--type", o_.type);
    r.reduce = parse_reduce("--reduce", o_.reduce);
    r.axis = parse_axis("--axis", o_.axis);
    r.x = matrix(o_.rows, o_.cols, type, is_col());
    if (r.reduce == GPUOPT_REDUCE_DOT) r.y = matrix(o_.rows, o_.cols, type, is_col());
    const bool index = r.reduce == GPUOPT_REDUCE_ARGMIN || r.reduce == GPUOPT_REDUCE_ARGMAX;
    const bool integer = type == GPUOPT_I8 || type == GPUOPT_U8 || type == GPUOPT_I32 || type == GPUOPT_I64;
    const bool quotient = r.reduce == GPUOPT_REDUCE_MEAN || r.reduce == GPUOPT_REDUCE_NRM2;
    const gpuopt_dtype usual = index || (integer && !quotient) ? GPUOPT_I64
                               : type == GPUOPT_F64            ? GPUOPT_F64
                                                               : GPUOPT_F32;
    const gpuopt_dtype out = o_.out_type.empty() ? usual : parse_dtype("--out-type", o_.out_type);
    r.out = matrix(r.axis == GPUOPT_EACH_ROW ? o_.rows : 1, r.axis == GPUOPT_EACH_COL ? o_.cols : 1, out, false);
    r.batch = o_.batch;
    call_->args = &r;
  }

  void fused_act() {
    gpuopt_fused_act_args &f = call_->fused_act;
    const gpuopt_dtype type = parse_dtype("--type", o_.type);
    f.x = matrix(o_.rows, o_.cols, type, is_col());
    f.out = matrix(o_.rows, o_.cols, o_.out_type.empty() ? type : parse_dtype("--out-type", o_.out_type), false);
    f.batch = o_.batch;
    stages(o_.rows, o_.cols, &f.stages, &f.stage_count);
    call_->args = &f;
  }

  void norm() {
    gpuopt_norm_args &n = call_->norm;
    const gpuopt_dtype type = parse_dtype("--type", o_.type);
    n.norm = parse_norm("--norm", o_.norm);
    n.x = matrix(o_.rows, o_.cols, type, is_col());
    n.out = matrix(o_.rows, o_.cols, o_.out_type.empty() ? type : parse_dtype("--out-type", o_.out_type), false);
    if (o_.weights) n.gamma = matrix(1, o_.cols, type, false);
    if (o_.weights && n.norm == GPUOPT_NORM_LAYERNORM) n.beta = matrix(1, o_.cols, type, false);
    if (o_.residual) {
      n.residual = matrix(o_.rows, o_.cols, type, is_col());
      n.sum = matrix(o_.rows, o_.cols, type, false);
    }
    n.batch = o_.batch;
    stages(o_.rows, o_.cols, &n.stages, &n.stage_count);
    call_->args = &n;
  }

 private:
  bool is_col() const { return parse_layout("--layout", o_.layout.empty() ? "row" : o_.layout) == GPUOPT_COL; }

  void *fresh(gpuopt_dtype type, int64_t rows, int64_t cols) {
    constexpr int64_t most = int64_t(1) << 40;
    int64_t count, bytes;
    if (__builtin_mul_overflow(rows, cols, &count) || __builtin_mul_overflow(count, o_.batch, &count) ||
        __builtin_mul_overflow(count, std::max<int64_t>(gpuopt_dtype_size(type), 4), &bytes) || bytes > most)
      throw CLI::ValidationError("an operand", std::to_string(rows) + "x" + std::to_string(cols) + " of " +
                                                   gpuopt_dtype_name(type) + " with --batch " +
                                                   std::to_string(o_.batch) + " must be within 2^40 bytes");
    call_->bytes += count * gpuopt_dtype_size(type);
    return memory_(type, count);
  }
  gpuopt_matrix matrix(int64_t rows, int64_t cols, gpuopt_dtype type, bool col) {
    gpuopt_matrix m = gpuopt_mat(fresh(type, rows, cols), rows, cols, type);
    if (col) m.layout = GPUOPT_COL;
    return m;
  }
  void stages(int64_t rows, int64_t cols, const gpuopt_stage **first, int32_t *count) {
    for (const std::string &text : o_.stages) {
      gpuopt_stage s = parse_stage("--stage", text, rows, cols);
      for (gpuopt_matrix *m : {&s.a, &s.b})
        if (m->dtype) m->data = fresh(m->dtype, m->rows, m->cols);
      call_->stages.push_back(s);
    }
    *first = call_->stages.empty() ? nullptr : call_->stages.data();
    *count = int32_t(call_->stages.size());
  }
  // Of the first row of the table that fits what was stated.
  gpuopt_dtype output_of_gemm(gpuopt_dtype type, int32_t compute) const {
    const gpuopt_dtype stated = o_.d_type.empty() ? 0 : parse_dtype("--d-type", o_.d_type);
#define GPUOPT_X_(A, B, C, D, comp)                                                        \
  if (type == GPUOPT_##A && type == GPUOPT_##B && (stated == 0 || stated == GPUOPT_##D) && \
      (compute == GPUOPT_COMPUTE_DEFAULT || compute == GPUOPT_COMPUTE_##comp))             \
    return GPUOPT_##D;
    GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
    return stated ? stated : type;  // no row: the library refuses it and says why
  }

  const BenchOptions &o_;
  const BenchMemory &memory_;
  BenchCall *call_;
};

}  // namespace

std::unique_ptr<BenchCall> make_bench_call(const BenchOptions &options, const BenchMemory &memory) {
  auto call = std::make_unique<BenchCall>();
  Builder builder(options, memory, call.get());
  switch (options.op) {
    case GPUOPT_OP_GEMM:
      builder.gemm();
      break;
    case GPUOPT_OP_TRANSPOSE:
      builder.transpose();
      break;
    case GPUOPT_OP_REDUCE:
      builder.reduce();
      break;
    case GPUOPT_OP_NORM:
      builder.norm();
      break;
    default:
      builder.fused_act();
      break;
  }
  return call;
}

gpuopt_status run_bench_call(gpuopt_handle *handle, const BenchCall &call) {
  switch (static_cast<const gpuopt_args *>(call.args)->op) {
    case GPUOPT_OP_GEMM:
      return gpuopt_gemm(handle, &call.gemm);
    case GPUOPT_OP_TRANSPOSE:
      return gpuopt_transpose(handle, &call.transpose);
    case GPUOPT_OP_REDUCE:
      return gpuopt_reduce(handle, &call.reduce);
    case GPUOPT_OP_NORM:
      return gpuopt_norm(handle, &call.norm);
    default:
      return gpuopt_fused_act(handle, &call.fused_act);
  }
}

}  // namespace gpuopt_cli
