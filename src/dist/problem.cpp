#include "problem.h"

#include <cstdio>
#include <cstring>

#include "decide.h"
#include "error.h"
#include "ops/ops.h"

namespace gpuopt::dist {
namespace {

// The type in which the products of these types are summed.
gpuopt_dtype accumulator(const gpuopt_gemm_args &g) {
  struct Row {
    int32_t a, b, d, compute;
  };
  static constexpr Row rows[] = {
#define GPUOPT_X_(A, B, C, D, COMPUTE) {GPUOPT_##A, GPUOPT_##B, GPUOPT_##D, GPUOPT_COMPUTE_##COMPUTE},
      GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  };
  int32_t compute = g.compute;
  for (const Row &r : rows)
    if (compute == GPUOPT_COMPUTE_DEFAULT && r.a == g.a.dtype && r.b == g.b.dtype && r.d == g.d.dtype)
      compute = r.compute;
  const gpuopt_dtype wide = compute == GPUOPT_COMPUTE_F64   ? GPUOPT_F64
                            : compute == GPUOPT_COMPUTE_I32 ? GPUOPT_I32
                                                            : GPUOPT_F32;
  for (const Row &r : rows)
    if (r.a == g.a.dtype && r.b == g.b.dtype && r.d == wide && r.compute == compute) return wide;
  return g.d.dtype;  // fp16 sums
}

void write_out(gpuopt_matrix *m) {
  if (m->ld == 0) m->ld = m->layout == GPUOPT_ROW ? m->cols : m->rows;
  if (m->batch_stride == GPUOPT_PACKED) m->batch_stride = m->ld * (m->layout == GPUOPT_ROW ? m->rows : m->cols);
}

// The checks of the core. A of all ranks is nowhere, so a matrix without an address stands for it, and A itself is
// looked at alone.
gpuopt_status check_operands(const char *function, const gpuopt_gemm_args &args, bool needs_data) {
  const gpuopt_explain_options anywhere = GPUOPT_EXPLAIN_OPTIONS_INIT;
  AnyArgs any;
  gpuopt_status s = take_args(function, &args, GPUOPT_OP_GEMM, &any);
  if (s != GPUOPT_OK) return s;
  const BuildOptions own = {function, needs_data ? nullptr : &anywhere, &args};
  gpuopt_operand a, d;
  s = take_matrix(own, "a", args.a, args.batch, Role::input, GPUOPT_OPERAND_A, &a);
  if (s != GPUOPT_OK) return s;
  any.gemm.a = gpuopt_mat(nullptr, args.d.rows, args.a.cols, args.a.dtype);
  if (args.a.batch_stride == 0) any.gemm.a.batch_stride = 0;
  gpuopt_problem whole;
  if ((s = validate(any, {function, &anywhere}, &whole)) != GPUOPT_OK) return s;
  const gpuopt_operand *missing = nullptr;
  for_each_operand(whole, [&](const gpuopt_operand &o) {
    const bool is_a = o.user_operand == GPUOPT_OPERAND_A;
    if (needs_data && !is_a && !o.m.data && o.m.rows > 0 && o.m.cols > 0) missing = &o;
  });
  if (missing)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.data is NULL and the matrix is %s", function,
                operand_name(GPUOPT_OP_GEMM, missing->user_operand).c_str(),
                shape_text(*user_matrix(&args, missing->user_operand)).c_str());
  s = take_matrix(own, "d", args.d, args.batch, Role::output, GPUOPT_OPERAND_D, &d);
  if (s == GPUOPT_OK) s = check_overlap(own, "d", d, "a", a, args.batch, false);
  return s != GPUOPT_OK ? s : check_stores(own, whole, {{"a", &a}});
}

// Blocks of all ranks, rounded up as they are, fit 64-bit offsets in any type.
gpuopt_status check_blocks(const char *function, const char *what, int64_t rows, int64_t cols, int64_t batch,
                           int32_t size) {
  int64_t elements, bytes;
  if (!__builtin_add_overflow(rows, size, &rows) && !__builtin_mul_overflow(rows, cols, &elements) &&
      !__builtin_mul_overflow(elements, batch, &elements) && !__builtin_mul_overflow(elements, 32, &bytes))
    return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s over %d ranks with batch=%lld do not fit 64-bit offsets", function, what,
              size, static_cast<long long>(batch));
}

}  // namespace

const char *dist_op_name(int32_t op) {
  return op == GPUOPT_DIST_ALL_GATHER_GEMM       ? "all_gather_gemm"
         : op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? "gemm_reduce_scatter"
         : op == GPUOPT_DIST_GEMM_ALL_REDUCE     ? "gemm_all_reduce"
                                                 : "?";
}

Rows Problem::rows(int32_t of_rank) const {
  Rows r;
  gpuopt_dist_rows(m, of_rank, size, &r.begin, &r.count);
  return r;
}

Rows Problem::chunk(int32_t of_rank, int32_t index, int32_t chunks) const {
  const Rows all = rows(of_rank);
  Rows r;
  gpuopt_dist_rows(all.count, index, chunks, &r.begin, &r.count);
  r.begin += all.begin;
  return r;
}

size_t Problem::a_row_bytes() const { return static_cast<size_t>(k * a_batch * gpuopt_dtype_size(args.a.dtype)); }
size_t Problem::partial_row_bytes() const { return static_cast<size_t>(n * args.batch * gpuopt_dtype_size(partial)); }
size_t Problem::d_row_bytes() const { return static_cast<size_t>(n * args.batch * gpuopt_dtype_size(args.d.dtype)); }
int64_t Problem::d_row(int64_t row) const {
  return op == GPUOPT_DIST_GEMM_REDUCE_SCATTER ? row - rows(rank).begin : row;
}

gpuopt_matrix row_view(const gpuopt_matrix &matrix, int64_t first, int64_t count) {
  gpuopt_matrix v = matrix;
  const int64_t step = v.layout == GPUOPT_ROW ? v.ld : 1;
  if (v.data) v.data = static_cast<char *>(v.data) + first * step * gpuopt_dtype_size(v.dtype);
  v.rows = count;
  return v;
}

gpuopt_matrix packed_block(const void *data, int64_t rows, int64_t cols, gpuopt_dtype dtype) {
  return gpuopt_mat(data, rows, cols, dtype);
}

std::vector<gpuopt_stage> stage_rows(const Problem &p, int64_t first, int64_t count) {
  std::vector<gpuopt_stage> stages(p.args.stages, p.args.stages + p.args.stage_count);
  for (gpuopt_stage &s : stages) {
    if (s.a.dtype == 0 || s.form == GPUOPT_PER_COL) continue;
    write_out(&s.a);
    s.a = row_view(s.a, first, count);
  }
  return stages;
}

gpuopt_status make_problem(const char *function, int32_t op, const gpuopt_gemm_args *args, int32_t rank, int32_t size,
                           bool needs_data, Problem *out) try {
  if (!args) return fail(GPUOPT_INVALID_ARGUMENT, "%s: args is NULL", function);
  gpuopt_status s = check_struct_size(function, "args", args, sizeof *args, "GPUOPT_GEMM_ARGS_INIT");
  if (s != GPUOPT_OK) return s;
  if (args->op != GPUOPT_OP_GEMM)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: args.op=%d is not GPUOPT_OP_GEMM", function, args->op);
  if (args->stage_count < 0 || args->stage_count > GPUOPT_MAX_STAGES || (args->stage_count > 0 && !args->stages))
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: args.stage_count=%d is not within 0 and %d, or args.stages is NULL",
                function, args->stage_count, GPUOPT_MAX_STAGES);
  if (args->batch < 1)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: args.batch=%lld is less than 1", function,
                static_cast<long long>(args->batch));
  if (args->a.scales.block != GPUOPT_SCALE_ONE || args->b.scales.block != GPUOPT_SCALE_ONE)
    return fail(GPUOPT_NOT_SUPPORTED, "%s: %s.scales: ranks take parts of the operands, and of no scales of blocks",
                function, args->a.scales.block != GPUOPT_SCALE_ONE ? "a" : "b");
  const bool gathers = op == GPUOPT_DIST_ALL_GATHER_GEMM, reduces_all = op == GPUOPT_DIST_GEMM_ALL_REDUCE;
  const bool reads_c = args->beta != 0 || args->beta_ptr;
  if (!gathers && size > 1) {
    if (args->beta_ptr)
      return fail(GPUOPT_NOT_SUPPORTED, "%s: beta_ptr: beta * C is added after the sum over the ranks, by value only",
                  function);
    if (args->d.scale)
      return fail(GPUOPT_NOT_SUPPORTED, "%s: d.scale: the sum over the ranks is rounded without a scale", function);
    if (reads_c && args->c.scale)
      return fail(GPUOPT_NOT_SUPPORTED, "%s: c.scale: beta * C is added after the sum over the ranks", function);
    for (int32_t i = 0; i < args->stage_count; ++i)
      if (reduces_all && args->stages[i].kind == GPUOPT_STAGE_STORE)
        return fail(GPUOPT_NOT_SUPPORTED, "%s: stages[%d] is STORE: a rank works out its own rows only", function, i);
  }
  if ((s = check_operands(function, *args, needs_data)) != GPUOPT_OK) return s;
  Problem p;
  p.op = op, p.rank = rank, p.size = size;
  p.args = *args;
  const bool shared_a = args->batch > 1 && args->a.batch_stride == 0;
  p.a_batch = shared_a ? 1 : args->batch;
  for (gpuopt_matrix *m : {&p.args.a, &p.args.b, &p.args.d}) write_out(m);
  if (reads_c) write_out(&p.args.c);
  p.m = gathers ? args->d.rows : args->a.rows;
  p.n = args->d.cols, p.k = args->a.cols;
  const int64_t own = p.rows(rank).count;
  const gpuopt_matrix &cut = gathers ? args->a : args->d;
  const long long m = p.m, has = cut.rows, needs = reduces_all ? p.m : own;
  if (has != needs)
    return fail(GPUOPT_INVALID_ARGUMENT,
                "%s: %s.rows=%lld of rank %d, and of m=%lld rows over %d ranks it must have %lld", function,
                gathers ? "a" : "d", has, rank, m, size, needs);
  s = check_blocks(function, "rows of A", p.m, p.k, p.a_batch, size);
  if (s == GPUOPT_OK) s = check_blocks(function, "rows of D", p.m, p.n, args->batch, size);
  if (s != GPUOPT_OK) return s;
  p.partial = args->flags & GPUOPT_ALLOW_INTERMEDIATE_ROUNDING ? args->d.dtype : accumulator(*args);
  if (gpuopt_dtype_size(p.partial) == 1 || (p.partial == GPUOPT_F32 && accumulator(*args) == GPUOPT_I32))
    p.partial = accumulator(*args);  // 8 bits are too few for a sum's parts, and integer sums stay exact
  *out = p;
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail_caught(function); }

Digest digest_of(const Problem &p, const std::string &forced_plan) {
  const gpuopt_gemm_args &g = p.args;
  Digest d = {};
  std::string stages;
  for (int32_t i = 0; i < g.stage_count; ++i) {
    stages += stages.empty() ? " stages=" : "+";
    stages += gpuopt_stage_name(g.stages[i].kind);
  }
  // n and the inner extent may differ between ranks where the op leaves each its own.
  std::string extents = "m=" + std::to_string(p.m);
  extents += p.gathers() ? " k=" + std::to_string(p.k) : " n=" + std::to_string(p.n);
  std::snprintf(d.text, sizeof d.text, "%s %s batch=%lld a=%s b=%s d=%s partial=%s compute=%s%s%s plan=%s",
                dist_op_name(p.op), extents.c_str(), static_cast<long long>(g.batch), gpuopt_dtype_name(g.a.dtype),
                gpuopt_dtype_name(g.b.dtype), gpuopt_dtype_name(g.d.dtype), gpuopt_dtype_name(p.partial),
                gpuopt_compute_name(g.compute), p.a_batch == g.batch ? "" : " a shared", stages.c_str(),
                forced_plan.empty() ? "auto" : forced_plan.c_str());
  return d;
}

}  // namespace gpuopt::dist
