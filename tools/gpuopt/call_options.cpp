#include "call_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "gpuopt_call/place.h"
#include "gpuopt_call/text.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

using gpuopt_call::Call;

gpuopt_matrix matrix(int64_t rows, int64_t cols, gpuopt_dtype type, int32_t layout, int64_t ld) {
  gpuopt_matrix m = gpuopt_mat(nullptr, rows, cols, type);
  m.layout = layout;
  m.ld = ld;
  return m;
}

gpuopt_dtype type_or(const std::string &argument, const std::string &word, gpuopt_dtype otherwise) {
  return word.empty() ? otherwise : parse_dtype(argument, word);
}

gpuopt_matrix input(const CallOptions &o) {
  return matrix(o.rows, o.cols, parse_dtype("--type", o.type),
                parse_layout("--layout", o.layout.empty() ? "row" : o.layout), o.lda);
}

gpuopt_matrix output(const CallOptions &o, int64_t rows, int64_t cols, gpuopt_dtype type) {
  return matrix(rows, cols, type_or("--out-type", o.out_type, type), parse_layout("--out-layout", o.out_layout), o.ldd);
}

// The output types a gemm has for these inputs: of the first row of the table that fits what was stated.
template <class Args>
void default_gemm_types(const CallOptions &o, Args *g) {
  const gpuopt_dtype c = type_or("--c-type", o.c_type, 0), d = type_or("--d-type", o.d_type, 0);
  g->c.dtype = c;
  g->d.dtype = d;
  bool found = false;
#define GPUOPT_X_(A, B, C, D, comp)                                                                               \
  if (!found && g->a.dtype == GPUOPT_##A && g->b.dtype == GPUOPT_##B && (!c || c == GPUOPT_##C) &&                \
      (!d || d == GPUOPT_##D) && (g->compute == GPUOPT_COMPUTE_DEFAULT || g->compute == GPUOPT_COMPUTE_##comp)) { \
    g->c.dtype = GPUOPT_##C;                                                                                      \
    g->d.dtype = GPUOPT_##D;                                                                                      \
    found = true;                                                                                                 \
  }
  GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  if (g->c.dtype == 0) g->c.dtype = g->a.dtype;  // no row: the library refuses it and says why
  if (g->d.dtype == 0) g->d.dtype = g->a.dtype;
}

void make_gemm(const CallOptions &o, Call *call) {
  gpuopt_gemm_args &g = call->gemm;
  const std::string layout = o.layout.empty() ? "nn" : lowered(o.layout);
  if (layout.size() != 2 || layout.find_first_not_of("nt") != std::string::npos)
    reject_word("--layout", o.layout, "must be one of: nn, nt, tn, tt");
  g.compute = parse_compute("--compute", o.compute);
  g.a = matrix(o.m, o.k, parse_dtype("--type", o.a_type.empty() ? o.type : o.a_type),
               layout[0] == 'n' ? GPUOPT_ROW : GPUOPT_COL, o.lda);
  g.b = matrix(o.k, o.n, parse_dtype("--type", o.b_type.empty() ? o.type : o.b_type),
               layout[1] == 'n' ? GPUOPT_ROW : GPUOPT_COL, o.ldb);
  g.c = matrix(o.m, o.n, 0, parse_layout("--c-layout", o.c_layout), o.ldc);
  g.d = matrix(o.m, o.n, 0, parse_layout("--d-layout", o.d_layout), o.ldd);
  default_gemm_types(o, &g);
  g.alpha = o.alpha;
  g.beta = o.beta;
  if (o.scalar_pointers) g.alpha_ptr = gpuopt_call::nowhere(1, 256);
  if (o.beta == 0) g.c = gpuopt_mat(nullptr, 0, 0, 0);
  if (o.scaled) g.a.scale = g.b.scale = static_cast<const float *>(gpuopt_call::nowhere(2, 256));
  if (o.shared) g.b.batch_stride = 0;
}

// Offsets are the device's, which bench and run divide evenly, or even ones of the host.
void make_gemm_grouped(const CallOptions &o, Call *call) {
  gpuopt_gemm_grouped_args &g = call->gemm_grouped;
  g.compute = parse_compute("--compute", o.compute);
  g.groups = o.batch;
  g.a = matrix(o.m, o.k, parse_dtype("--type", o.a_type.empty() ? o.type : o.a_type), GPUOPT_ROW, o.lda);
  g.b = matrix(o.k, o.n, parse_dtype("--type", o.b_type.empty() ? o.type : o.b_type),
               parse_layout("--b-layout", o.b_layout), o.ldb);
  g.c = matrix(o.m, o.n, 0, GPUOPT_ROW, o.ldc);
  g.d = matrix(o.m, o.n, 0, GPUOPT_ROW, o.ldd);
  default_gemm_types(o, &g);
  g.alpha = o.alpha;
  g.beta = o.beta;
  if (o.scalar_pointers) g.alpha_ptr = gpuopt_call::nowhere(1, 256);
  if (o.beta == 0) g.c = gpuopt_mat(nullptr, 0, 0, 0);
  if (o.host_offsets)
    call->host_offsets = gpuopt_call::even_offsets(g);
  else
    g.offsets = gpuopt_mat(nullptr, 1, o.batch + 1, GPUOPT_I64);
}

void make_transpose(const CallOptions &o, Call *call) {
  gpuopt_transpose_args &t = call->transpose;
  t.src = input(o);
  t.dst = output(o, o.cols, o.rows, t.src.dtype);
  if (!o.in_place) return;
  t.src.data = gpuopt_call::nowhere(0, 256);
  t.dst = t.src;
  t.dst.rows = o.cols;
  t.dst.cols = o.rows;
}

void make_reduce(const CallOptions &o, Call *call) {
  gpuopt_reduce_args &r = call->reduce;
  r.x = input(o);
  r.reduce = parse_reduce("--reduce", o.reduce);
  r.axis = parse_axis("--axis", o.axis);
  if (r.reduce == GPUOPT_REDUCE_DOT) r.y = r.x;
  const gpuopt_dtype type = r.x.dtype;
  const bool index = r.reduce == GPUOPT_REDUCE_ARGMIN || r.reduce == GPUOPT_REDUCE_ARGMAX;
  const bool integer = type == GPUOPT_I8 || type == GPUOPT_U8 || type == GPUOPT_I32 || type == GPUOPT_I64;
  const bool quotient = r.reduce == GPUOPT_REDUCE_MEAN || r.reduce == GPUOPT_REDUCE_NRM2;
  const gpuopt_dtype natural = index || (integer && !quotient) ? GPUOPT_I64
                               : type == GPUOPT_F64            ? GPUOPT_F64
                                                               : GPUOPT_F32;
  const int64_t rows = r.axis == GPUOPT_EACH_ROW ? o.rows : 1, cols = r.axis == GPUOPT_EACH_COL ? o.cols : 1;
  r.out = matrix(rows, cols, type_or("--out-type", o.out_type, natural), GPUOPT_ROW, 0);
  if (o.value) r.value = matrix(rows, cols, type, GPUOPT_ROW, 0);
}

void make_fused_act(const CallOptions &o, Call *call) {
  call->fused_act.x = input(o);
  call->fused_act.out = output(o, o.rows, o.cols, call->fused_act.x.dtype);
}

void make_norm(const CallOptions &o, Call *call) {
  gpuopt_norm_args &n = call->norm;
  n.norm = parse_norm("--norm", o.norm);
  n.x = input(o);
  n.out = output(o, o.rows, o.cols, n.x.dtype);
  if (o.gamma || o.weights) n.gamma = matrix(1, o.cols, n.x.dtype, GPUOPT_ROW, 0);
  if (o.beta_vector || (o.weights && n.norm == GPUOPT_NORM_LAYERNORM))
    n.beta = matrix(1, o.cols, n.x.dtype, GPUOPT_ROW, 0);
  if (o.residual || o.sum) n.residual = n.x;
  if (o.sum) n.sum = matrix(o.rows, o.cols, n.x.dtype, GPUOPT_ROW, 0);
  const bool wide = n.x.dtype == GPUOPT_F64 || n.out.dtype == GPUOPT_F64;
  if (o.statistics) n.statistics = matrix(o.rows, 2, wide ? GPUOPT_F64 : GPUOPT_F32, GPUOPT_ROW, 0);
}

// Addresses that are multiples of what is stated, or of an element, and of no more; what shares memory goes on sharing it.
void state_alignment(const CallOptions &o, Call *call) {
  uintptr_t index = 16;
  std::map<const void *, void *> moved;
  for (const Call::Operand &operand : call->operands()) {
    gpuopt_matrix &m = *operand.matrix;
    const bool of_stage = operand.name.rfind("stages[", 0) == 0;
    const int32_t stated = of_stage && o.stage_align ? o.stage_align : o.align;
    if (stated == 0) continue;
    void *&data = moved[m.data ? m.data : &m];
    if (data == nullptr) data = gpuopt_call::nowhere(index++, std::max<int64_t>(stated, gpuopt_dtype_size(m.dtype)));
    m.data = data;
  }
}

}  // namespace

Call make_call(const CallOptions &o) {
  Call call(o.op);
  switch (o.op) {
    case GPUOPT_OP_GEMM:
      make_gemm(o, &call);
      break;
    case GPUOPT_OP_GEMM_GROUPED:
      make_gemm_grouped(o, &call);
      break;
    case GPUOPT_OP_TRANSPOSE:
      make_transpose(o, &call);
      break;
    case GPUOPT_OP_REDUCE:
      make_reduce(o, &call);
      break;
    case GPUOPT_OP_FUSED_ACT:
      make_fused_act(o, &call);
      break;
    default:
      make_norm(o, &call);
      break;
  }
  const bool product = o.op == GPUOPT_OP_GEMM || o.op == GPUOPT_OP_GEMM_GROUPED;
  const int64_t rows = product ? o.m : o.rows, cols = product ? o.n : o.cols;
  for (const std::string &stage : o.stages) call.stages.push_back(parse_stage("--stage", stage, rows, cols));
  call.batch() = o.batch;
  if (o.align || o.stage_align) state_alignment(o, &call);
  if (o.nondeterministic) call.flags() |= GPUOPT_ALLOW_NONDETERMINISTIC;
  if (o.intermediate_rounding) call.flags() |= GPUOPT_ALLOW_INTERMEDIATE_ROUNDING;
  if (o.batch_invariant) call.flags() |= GPUOPT_REQUIRE_BATCH_INVARIANT;
  return call;
}

Call parse_call(const std::string &argument, const std::string &text, const std::string &where) {
  try {
    return gpuopt_call::read_call(text);
  } catch (const gpuopt_call::BadCallText &bad) {
    throw CLI::ValidationError(argument, where + bad.what());
  }
}

}  // namespace gpuopt_cli
