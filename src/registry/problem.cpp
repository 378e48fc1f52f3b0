#include "problem.h"

#include <cinttypes>
#include <cstring>
#include <initializer_list>

#include "error.h"
#include "overlap.h"

namespace gpuopt {

int32_t power_of_two_in(uint64_t value) {
  const uint64_t low = value & (~value + 1);
  return low == 0 || low > 256 ? 256 : static_cast<int32_t>(low);
}

namespace {

constexpr int64_t kMost = INT64_MAX;

// Elements from the first to one past the last of one matrix; 0 when it is empty.
bool span_of_one(const gpuopt_matrix &m, int64_t *span) {
  const int64_t lines = line_count(m), extent = contiguous_extent(m);
  *span = 0;
  if (lines == 0 || extent == 0) return true;
  int64_t offset;
  return !__builtin_mul_overflow(lines - 1, m.ld, &offset) && !__builtin_add_overflow(offset, extent, span);
}

// A step that no element takes may be as large as it likes, so it is left out rather than multiplied.
ByteLines lines_of(const gpuopt_matrix &m, int64_t batch) {
  const int64_t size = gpuopt_dtype_size(m.dtype), lines = line_count(m), matrices = m.batch_stride == 0 ? 1 : batch;
  return {reinterpret_cast<uintptr_t>(m.data),
          contiguous_extent(m) * size,
          lines <= 1 ? 0 : m.ld * size,
          lines,
          matrices <= 1 ? 0 : m.batch_stride * size,
          matrices};
}

void set_facts(const BuildOptions &options, int64_t batch, gpuopt_operand *o) {
  const int64_t size = gpuopt_dtype_size(o->m.dtype);
  const auto base = reinterpret_cast<uintptr_t>(o->m.data);
  o->align = power_of_two_in(base);
  if (options.explain && o->user_operand >= 0) {  // NONE: what lies between two steps
    const int32_t slot = o->user_operand >= GPUOPT_OPERAND_STAGE ? 7 : o->user_operand;
    const int32_t Stated = options.explain->align[slot];
    if (Stated > 0) o->align = power_of_two_in(static_cast<uint64_t>(Stated));
  }
  // A pitch that no access ever uses constrains nothing.
  o->ld_align =
      line_count(o->m) <= 1 ? 256 : power_of_two_in(static_cast<uint64_t>(o->m.ld) * static_cast<uint64_t>(size));
  o->stride_align =
      batch <= 1 ? 256 : power_of_two_in(static_cast<uint64_t>(o->m.batch_stride) * static_cast<uint64_t>(size));
}

}  // namespace

std::string shape_text(const gpuopt_matrix &m) { return std::to_string(m.rows) + "x" + std::to_string(m.cols); }

bool is_zero_matrix(const gpuopt_matrix &m) {
  return m.data == nullptr && m.rows == 0 && m.cols == 0 && m.ld == 0 && m.dtype == 0 && m.scale == nullptr;
}

namespace {

gpuopt_status cleared_args(const BuildOptions &options) {
  return fail(
      GPUOPT_INVALID_ARGUMENT,
      "%s: batch=0 and a batch_stride of 0: these args were cleared rather than started from their _INIT macro, "
      "which sets batch = 1",
      options.function);
}

}  // namespace

gpuopt_status check_reserved(const BuildOptions &options, const char *field, const gpuopt_matrix &m) {
  if (m.scales.block == 0 && m.scales.layout == 0 && m.scales.ld == 0) return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT,
              "%s: %s.scales is not zero: scales of blocks are those of an fp8 a or b of gemm (start from "
              "GPUOPT_MATRIX_INIT or gpuopt_mat())",
              options.function, field);
}

gpuopt_status check_common(const BuildOptions &options, int64_t batch, NamedMatrices optional) {
  if (batch < 0) return fail(GPUOPT_INVALID_ARGUMENT, "%s: batch=%" PRId64 " is negative", options.function, batch);
  for (const auto &m : optional) {
    if (const gpuopt_status s = check_reserved(options, m.first, *m.second)) return s;
    // An _INIT macro leaves a batch stride in every matrix that is not used.
    if (batch == 0 && m.second->batch_stride == 0 && is_zero_matrix(*m.second)) return cleared_args(options);
  }
  return GPUOPT_OK;
}

gpuopt_status check_scalar(const BuildOptions &options, const char *field, const void *pointer, size_t size) {
  if (reinterpret_cast<uintptr_t>(pointer) % size == 0) return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s=%p is not aligned to one %s (%zu bytes)", options.function, field,
              pointer, size == sizeof(float) ? "float" : "double", size);
}

gpuopt_status take_matrix(const BuildOptions &options, const char *field, const gpuopt_matrix &matrix, int64_t batch,
                          Role use, int32_t user_operand, gpuopt_operand *out) {
  const char *fn = options.function;
  const auto bad = [&](const char *format, auto... values) {
    char text[512];
    std::snprintf(text, sizeof text, format, values...);
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s%s", fn, field, text);
  };
  out->m = matrix;
  out->user_operand = user_operand;
  gpuopt_matrix &m = out->m;
  const int64_t size = gpuopt_dtype_size(m.dtype);
  if (const gpuopt_status s = check_reserved(options, field, m)) return s;
  if (size == 0) return bad(".dtype=%d is not a data type (GPUOPT_F32 ...; 0 means it was not set)", m.dtype);
  if (m.layout != GPUOPT_ROW && m.layout != GPUOPT_COL)
    return bad(".layout=%d is not GPUOPT_ROW or GPUOPT_COL", m.layout);
  if (m.rows < 0) return bad(".rows=%lld is negative", static_cast<long long>(m.rows));
  if (m.cols < 0) return bad(".cols=%lld is negative", static_cast<long long>(m.cols));
  const int64_t extent = contiguous_extent(m);
  if (m.ld == 0) m.ld = extent > 0 ? extent : 1;
  if (m.ld < extent)
    return bad(".ld=%lld < %s.%s=%lld (%s-major: ld counts the elements between %s; 0 means packed)",
               static_cast<long long>(m.ld), field, m.layout == GPUOPT_ROW ? "cols" : "rows",
               static_cast<long long>(extent), m.layout == GPUOPT_ROW ? "row" : "column",
               m.layout == GPUOPT_ROW ? "rows" : "columns");
  int64_t span = 0, stride = 0, last = 0, bytes = 0;
  if (!span_of_one(m, &span) || __builtin_mul_overflow(m.ld, line_count(m), &stride))
    return bad(": %s with ld=%lld does not fit 64-bit offsets", shape_text(m).c_str(), static_cast<long long>(m.ld));
  if (m.batch_stride == GPUOPT_PACKED) m.batch_stride = stride;
  if (m.batch_stride < 0)
    return bad(".batch_stride=%lld is negative (GPUOPT_PACKED is -1)", static_cast<long long>(m.batch_stride));
  if (batch <= 1) m.batch_stride = 0;
  if (__builtin_mul_overflow(batch > 1 ? batch - 1 : 0, m.batch_stride, &last) ||
      __builtin_add_overflow(last, span, &last) || __builtin_mul_overflow(last, size, &bytes) || bytes > kMost / 2)
    return bad(": %s, ld=%lld, batch_stride=%lld, batch=%lld does not fit 64-bit offsets", shape_text(m).c_str(),
               static_cast<long long>(m.ld), static_cast<long long>(m.batch_stride), static_cast<long long>(batch));
  if (use == Role::output && batch == 0 && span > 0 && matrix.batch_stride == 0) return cleared_args(options);
  if (use == Role::output && batch > 1 && span > 0) {
    if (m.batch_stride == 0)
      return bad(".batch_stride=0 with batch=%lld: an output cannot be shared by the batch",
                 static_cast<long long>(batch));
    if (batches_share_a_byte(lines_of(m, batch)))
      return bad(".batch_stride=%lld: the output's matrices overlap (%s, ld=%lld)",
                 static_cast<long long>(m.batch_stride), shape_text(m).c_str(), static_cast<long long>(m.ld));
  }
  if (m.data == nullptr && span > 0 && batch > 0 && !options.explain)
    return bad(".data is NULL and the matrix is %s", shape_text(m).c_str());
  if (reinterpret_cast<uintptr_t>(m.data) % static_cast<uintptr_t>(size) != 0)
    return bad(".data=%p is not aligned to one %s element (%lld bytes)", m.data, gpuopt_dtype_name(m.dtype),
               static_cast<long long>(size));
  if (reinterpret_cast<uintptr_t>(m.data) > UINTPTR_MAX - static_cast<uintptr_t>(bytes))
    return bad(".data=%p with %lld bytes runs past the address space", m.data, static_cast<long long>(bytes));
  if (m.scale != nullptr && m.dtype != GPUOPT_E4M3 && m.dtype != GPUOPT_E5M2)
    return bad(".scale is set and the type is %s: only fp8 matrices have a scale", gpuopt_dtype_name(m.dtype));
  if (reinterpret_cast<uintptr_t>(m.scale) % sizeof(float) != 0)
    return bad(".scale=%p is not aligned to one float (%zu bytes)", static_cast<const void *>(m.scale), sizeof(float));
  set_facts(options, batch, out);
  return GPUOPT_OK;
}

gpuopt_status take_factor(const BuildOptions &options, const char *field, const gpuopt_matrix &matrix, int64_t batch,
                          int32_t user_operand, gpuopt_operand *out, gpuopt_operand *scales) {
  const char *fn = options.function;
  const int32_t block = matrix.scales.block;
  gpuopt_matrix plain = matrix;
  if (block != GPUOPT_SCALE_ONE) plain.scales = {};
  gpuopt_status status = take_matrix(options, field, plain, batch, Role::input, user_operand, out);
  if (status != GPUOPT_OK) return status;
  *scales = {};
  if (block == GPUOPT_SCALE_ONE) return GPUOPT_OK;
  static constexpr const char *kNames[] = {"ONE", "1X128", "128X1", "128X128"};
  if (block < 0 || block > GPUOPT_SCALE_128X128)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.scales.block=%d is not a GPUOPT_SCALE_* value", fn, field, block);
  const bool is_a = user_operand == GPUOPT_OPERAND_A;
  if (block == (is_a ? GPUOPT_SCALE_128X1 : GPUOPT_SCALE_1X128))
    return fail(GPUOPT_INVALID_ARGUMENT,
                "%s: %s.scales.block=%s: a block is 128 long along k, so that of %s is %s or 128X128", fn, field,
                kNames[block], field, kNames[is_a ? GPUOPT_SCALE_1X128 : GPUOPT_SCALE_128X1]);
  if (matrix.dtype != GPUOPT_E4M3 && matrix.dtype != GPUOPT_E5M2)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.scales.block=%s and the type is %s: only fp8 matrices have scales", fn,
                field, kNames[block], gpuopt_dtype_name(matrix.dtype));
  if (matrix.scale == nullptr)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s.scale is NULL and %s.scales.block=%s: it points to the first scale",
                fn, field, field, kNames[block]);
  gpuopt_matrix s = GPUOPT_MATRIX_INIT;
  s.data = const_cast<float *>(matrix.scale);
  s.rows = block == GPUOPT_SCALE_1X128 ? matrix.rows : matrix.rows / 128 + (matrix.rows % 128 != 0 ? 1 : 0);
  s.cols = block == GPUOPT_SCALE_128X1 ? matrix.cols : matrix.cols / 128 + (matrix.cols % 128 != 0 ? 1 : 0);
  s.ld = matrix.scales.ld;
  s.batch_stride = matrix.batch_stride == 0 ? 0 : GPUOPT_PACKED;
  s.dtype = GPUOPT_F32;
  s.layout = matrix.scales.layout;
  const std::string name = std::string(field) + ".scales";
  status = take_matrix(options, name.c_str(), s, batch, Role::input, GPUOPT_OPERAND_NONE, scales);
  if (status != GPUOPT_OK) return status;
  out->m.scales = {block, scales->m.layout, scales->m.ld};
  return GPUOPT_OK;
}

gpuopt_status require_shape(const BuildOptions &options, const char *field, const gpuopt_matrix &m, int64_t rows,
                            int64_t cols, const char *why) {
  if (m.rows == rows && m.cols == cols) return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s is %s and must be %" PRId64 "x%" PRId64 " (%s)", options.function, field,
              shape_text(m).c_str(), rows, cols, why);
}

gpuopt_status take_vector(const BuildOptions &options, const char *field, const gpuopt_matrix &matrix, int64_t rows,
                          int64_t cols, int64_t batch, Role use, int32_t user_operand, gpuopt_operand *out) {
  gpuopt_status s = take_matrix(options, field, matrix, batch, use, user_operand, out);
  if (s != GPUOPT_OK) return s;
  s = require_shape(options, field, matrix, rows, cols, cols == 1 ? "one value per row" : "one value per column");
  if (s != GPUOPT_OK) return s;
  gpuopt_matrix &m = out->m;
  const bool contiguous = (cols == 1) == (m.layout == GPUOPT_COL);
  m.rows = cols == 1 ? rows : cols;
  m.cols = 1;
  m.ld = contiguous ? 1 : m.ld;
  m.layout = GPUOPT_ROW;
  set_facts(options, batch, out);
  return GPUOPT_OK;
}

void transpose_operand(gpuopt_operand *o) {
  if (o->m.dtype != 0) o->m = gpuopt_t(o->m);
}

bool can_be_one_line(const gpuopt_matrix &m) { return line_count(m) <= 1 || (contiguous_extent(m) == 1 && m.ld == 1); }

bool make_one_line(const BuildOptions &options, int64_t batch, gpuopt_operand *o) {
  gpuopt_matrix &m = o->m;
  if (m.dtype == 0 || !can_be_one_line(m)) return false;
  const bool single = m.rows == 1 && m.cols == 1;
  if (single ? m.layout == GPUOPT_ROW : line_count(m) <= 1) return false;
  m.ld = line_count(m);
  m.layout = GPUOPT_ROW + GPUOPT_COL - m.layout;
  set_facts(options, batch, o);
  return true;
}

bool same_elements(const gpuopt_operand &a, const gpuopt_operand &b) {
  return a.m.data == b.m.data && a.m.rows == b.m.rows && a.m.cols == b.m.cols && a.m.ld == b.m.ld &&
         a.m.layout == b.m.layout && a.m.batch_stride == b.m.batch_stride &&
         gpuopt_dtype_size(a.m.dtype) == gpuopt_dtype_size(b.m.dtype);
}

namespace {

uint64_t end_of(const ByteLines &m) {
  return m.base + static_cast<uint64_t>((m.lines - 1) * m.pitch + (m.batch - 1) * m.stride + m.length);
}

}  // namespace

bool byte_range(const gpuopt_operand &o, int64_t batch, uint64_t *begin, uint64_t *end) {
  if (o.m.dtype == 0 || o.m.data == nullptr || o.m.rows == 0 || o.m.cols == 0 || batch <= 0) return false;
  const ByteLines bytes = lines_of(o.m, batch);
  *begin = bytes.base;
  *end = end_of(bytes);
  return true;
}

gpuopt_status check_overlap(const BuildOptions &options, const char *written_field, const gpuopt_operand &written,
                            const char *other_field, const gpuopt_operand &other, int64_t batch, bool exact_ok) {
  if (written.m.data == nullptr || other.m.data == nullptr || written.m.dtype == 0 || other.m.dtype == 0 || batch <= 0)
    return GPUOPT_OK;
  for (const gpuopt_matrix *m : {&written.m, &other.m})
    if (m->rows == 0 || m->cols == 0) return GPUOPT_OK;  // the other extent may be any number
  const ByteLines a = lines_of(written.m, batch), b = lines_of(other.m, batch);
  if (end_of(a) <= b.base || end_of(b) <= a.base) return GPUOPT_OK;
  if (exact_ok && same_elements(written, other)) return GPUOPT_OK;
  if (!share_a_byte(a, b)) return GPUOPT_OK;
  const auto shape = [&](const gpuopt_operand &o) {  // the normal form of a vector is n x 1, whatever the user's is
    const gpuopt_matrix *given = options.args ? user_matrix(options.args, o.user_operand) : nullptr;
    return shape_text(given ? *given : o.m);
  };
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s (%s at %p) overlaps %s (%s at %p)%s", options.function, written_field,
              shape(written).c_str(), written.m.data, other_field, shape(other).c_str(), other.m.data,
              exact_ok ? "; only the very same elements may coincide"
                       : "; what is written must not be read or written elsewhere");
}

uint32_t common_features(const gpuopt_problem &p) {
  uint32_t features = p.batch > 1 ? GPUOPT_FEATURE_BATCH : 0;
  constexpr int64_t limit = INT64_C(1) << 31;
  bool large = p.m >= limit || p.n >= limit || p.k >= limit || p.batch >= limit;
  for_each_operand(p, [&](const gpuopt_operand &o) {
    if (p.batch > 1 && o.m.batch_stride == 0) features |= GPUOPT_FEATURE_BROADCAST;
    int64_t span = 0;
    span_of_one(o.m, &span);
    large = large || span + (p.batch > 1 ? p.batch - 1 : 0) * o.m.batch_stride >= limit;
  });
  return features | (large ? GPUOPT_FEATURE_LARGE : 0);
}

bool is_empty(const gpuopt_problem &p) {
  if (p.batch == 0) return true;
  if (p.op == GPUOPT_OP_REDUCE) return p.operand[GPUOPT_OPERAND_OUT].m.rows == 0;
  return p.m == 0 || p.n == 0;
}

bool has_empty_statistics(const gpuopt_problem &p) {
  const gpuopt_matrix &m = p.extra[GPUOPT_OPERAND_STATISTICS - 4].m;
  return p.op == GPUOPT_OP_NORM && m.dtype != 0 && m.rows != 0 && p.batch != 0;
}

std::string operand_name(int32_t op, int32_t user_operand) {
  if (user_operand < 0) return "";
  if (user_operand >= GPUOPT_OPERAND_STAGE) {
    const int32_t i = user_operand - GPUOPT_OPERAND_STAGE;
    return "stages[" + std::to_string(i % GPUOPT_MAX_STAGES) + (i < GPUOPT_MAX_STAGES ? "].a" : "].b");
  }
  static constexpr const char *kNames[GPUOPT_OP_COUNT_][7] = {
      {"", "", "", "", "", "", ""},
      {"a", "b", "c", "d", "", "", ""},
      {"src", "dst", "", "", "", "", ""},
      {"x", "y", "out", "value", "", "", ""},
      {"x", "", "out", "", "", "", ""},
      {"x", "residual", "out", "sum", "gamma", "beta", "statistics"},
      {"a", "b", "c", "d", "offsets", "list", ""}};
  return op > 0 && op < GPUOPT_OP_COUNT_ && user_operand < 7 ? kNames[op][user_operand] : "";
}

}  // namespace gpuopt
