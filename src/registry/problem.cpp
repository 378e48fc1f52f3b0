#include "problem.h"

#include <cinttypes>
#include <cstring>

#include "error.h"

namespace gpuopt {
namespace {

constexpr int64_t kMost = INT64_MAX;

// The largest power of two that divides value, at most 256; 256 for 0.
int32_t power_of_two_in(uint64_t value) {
  const uint64_t low = value & (~value + 1);
  return low == 0 || low > 256 ? 256 : static_cast<int32_t>(low);
}

int64_t contiguous_extent(const gpuopt_matrix &m) { return m.layout == GPUOPT_ROW ? m.cols : m.rows; }
int64_t line_count(const gpuopt_matrix &m) { return m.layout == GPUOPT_ROW ? m.rows : m.cols; }

// Elements from the first to one past the last of one matrix; 0 when it is empty.
bool span_of_one(const gpuopt_matrix &m, int64_t *span) {
  const int64_t lines = line_count(m), extent = contiguous_extent(m);
  *span = 0;
  if (lines == 0 || extent == 0) return true;
  int64_t offset;
  return !__builtin_mul_overflow(lines - 1, m.ld, &offset) && !__builtin_add_overflow(offset, extent, span);
}

void set_facts(const build_options &options, int64_t batch, gpuopt_operand *o) {
  const int64_t size = gpuopt_dtype_size(o->m.dtype);
  const auto base = reinterpret_cast<uintptr_t>(o->m.data);
  o->align = power_of_two_in(base);
  if (options.explain) {
    const int32_t slot = o->user_operand >= GPUOPT_OPERAND_STAGE ? 7 : o->user_operand;
    const int32_t stated = options.explain->align[slot];
    if (stated > 0) o->align = power_of_two_in(static_cast<uint64_t>(stated));
  }
  // A pitch that no access ever uses constrains nothing.
  o->ld_align =
      line_count(o->m) <= 1 ? 256 : power_of_two_in(static_cast<uint64_t>(o->m.ld) * static_cast<uint64_t>(size));
  o->stride_align =
      batch <= 1 ? 256 : power_of_two_in(static_cast<uint64_t>(o->m.batch_stride) * static_cast<uint64_t>(size));
}

// Do two batches of an output share an element? Only what is proven counts; the search is bounded.
bool output_batches_overlap(const gpuopt_matrix &m, int64_t batch, int64_t span) {
  const int64_t stride = m.batch_stride, lines = line_count(m), extent = contiguous_extent(m);
  if (span == 0 || batch <= 1 || stride >= span) return false;
  if (stride >= extent && stride <= m.ld && (batch - 1) <= (m.ld - extent) / stride)
    return false;  // side by side in a line
  if (stride == 0) return true;
  // Batches d apart overlap when d * stride = x * ld + y with |x| < lines and |y| < extent.
  const int64_t most = batch - 1 < 4096 ? batch - 1 : 4096;
  for (int64_t d = 1; d <= most && d <= (span - 1) / stride; ++d) {
    const int64_t distance = d * stride, x = distance / m.ld, y = distance % m.ld;
    if ((x < lines && y < extent) || (x + 1 < lines && m.ld - y < extent)) return true;
  }
  return false;
}

}  // namespace

std::string shape_text(const gpuopt_matrix &m) { return std::to_string(m.rows) + "x" + std::to_string(m.cols); }

bool is_zero_matrix(const gpuopt_matrix &m) {
  return m.data == nullptr && m.rows == 0 && m.cols == 0 && m.ld == 0 && m.dtype == 0 && m.scale == nullptr;
}

gpuopt_status check_batch(const build_options &options, int64_t batch) {
  if (batch < 0) return fail(GPUOPT_INVALID_ARGUMENT, "%s: batch=%" PRId64 " is negative", options.function, batch);
  return GPUOPT_OK;
}

gpuopt_status take_matrix(const build_options &options, const char *field, const gpuopt_matrix &matrix, int64_t batch,
                          role use, int32_t user_operand, gpuopt_operand *out) {
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
  if (size == 0) return bad(".dtype=%d is not a data type (GPUOPT_F32 ...; 0 means it was not set)", m.dtype);
  if (m.layout != GPUOPT_ROW && m.layout != GPUOPT_COL)
    return bad(".layout=%d is not GPUOPT_ROW or GPUOPT_COL", m.layout);
  if (m.rows < 0) return bad(".rows=%lld is negative", static_cast<long long>(m.rows));
  if (m.cols < 0) return bad(".cols=%lld is negative", static_cast<long long>(m.cols));
  if (m.reserved[0] != 0 || m.reserved[1] != 0)
    return bad("%s", ".reserved is not zero (start from GPUOPT_MATRIX_INIT or gpuopt_mat())");
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
  if (use == role::output && batch > 1 && span > 0) {
    if (m.batch_stride == 0)
      return bad(".batch_stride=0 with batch=%lld: an output cannot be shared by the batch",
                 static_cast<long long>(batch));
    if (output_batches_overlap(m, batch, span))
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
  set_facts(options, batch, out);
  return GPUOPT_OK;
}

gpuopt_status require_shape(const build_options &options, const char *field, const gpuopt_matrix &m, int64_t rows,
                            int64_t cols, const char *why) {
  if (m.rows == rows && m.cols == cols) return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s is %s and must be %" PRId64 "x%" PRId64 " (%s)", options.function, field,
              shape_text(m).c_str(), rows, cols, why);
}

gpuopt_status take_vector(const build_options &options, const char *field, const gpuopt_matrix &matrix, int64_t rows,
                          int64_t cols, int64_t batch, role use, int32_t user_operand, gpuopt_operand *out) {
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

bool same_elements(const gpuopt_operand &a, const gpuopt_operand &b) {
  return a.m.data == b.m.data && a.m.rows == b.m.rows && a.m.cols == b.m.cols && a.m.ld == b.m.ld &&
         a.m.layout == b.m.layout && a.m.batch_stride == b.m.batch_stride &&
         gpuopt_dtype_size(a.m.dtype) == gpuopt_dtype_size(b.m.dtype);
}

namespace {

struct byte_lines {  // the byte intervals of a batched matrix, line by line
  uintptr_t base;
  int64_t length, pitch, lines, stride, batch;
  uintptr_t end() const { return base + static_cast<uintptr_t>((lines - 1) * pitch + (batch - 1) * stride + length); }
  bool sorted() const { return batch == 1 || stride >= (lines - 1) * pitch + length; }
  uintptr_t start_of(int64_t i) const {
    return base + static_cast<uintptr_t>((i % lines) * pitch + (i / lines) * stride);
  }
};

// A step that no element takes may be as large as it likes, so it is left out rather than multiplied.
byte_lines lines_of(const gpuopt_operand &o, int64_t batch) {
  const int64_t size = gpuopt_dtype_size(o.m.dtype), lines = line_count(o.m);
  if (lines == 0 || contiguous_extent(o.m) == 0) return {};
  return {reinterpret_cast<uintptr_t>(o.m.data),    contiguous_extent(o.m) * size,
          lines <= 1 ? 0 : o.m.ld * size,           lines,
          batch <= 1 ? 0 : o.m.batch_stride * size, o.m.batch_stride == 0 ? 1 : batch};
}

// Is a common byte proven? Unsorted or very long lists are not searched and count as disjoint.
bool proven_overlap(const byte_lines &a, const byte_lines &b) {
  if (!a.sorted() || !b.sorted() || a.lines * a.batch > 1000000 || b.lines * b.batch > 1000000) return false;
  int64_t i = 0, j = 0;
  while (i < a.lines * a.batch && j < b.lines * b.batch) {
    const uintptr_t x = a.start_of(i), y = b.start_of(j);
    if (x < y + static_cast<uintptr_t>(b.length) && y < x + static_cast<uintptr_t>(a.length)) return true;
    if (x < y)
      ++i;
    else
      ++j;
  }
  return false;
}

}  // namespace

gpuopt_status check_overlap(const build_options &options, const char *written_field, const gpuopt_operand &written,
                            const char *other_field, const gpuopt_operand &other, int64_t batch, bool exact_ok) {
  if (written.m.data == nullptr || other.m.data == nullptr || written.m.dtype == 0 || other.m.dtype == 0 || batch <= 0)
    return GPUOPT_OK;
  const byte_lines a = lines_of(written, batch), b = lines_of(other, batch);
  if (a.lines == 0 || b.lines == 0 || a.length == 0 || b.length == 0) return GPUOPT_OK;
  if (a.end() <= b.base || b.end() <= a.base) return GPUOPT_OK;
  if (exact_ok && same_elements(written, other)) return GPUOPT_OK;
  if (!proven_overlap(a, b)) return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s (%s at %p) overlaps %s (%s at %p)%s", options.function, written_field,
              shape_text(written.m).c_str(), written.m.data, other_field, shape_text(other.m).c_str(), other.m.data,
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

std::string operand_name(int32_t op, int32_t user_operand) {
  if (user_operand < 0) return "";
  if (user_operand >= GPUOPT_OPERAND_STAGE) {
    const int32_t i = user_operand - GPUOPT_OPERAND_STAGE;
    return "stages[" + std::to_string(i % GPUOPT_MAX_STAGES) + (i < GPUOPT_MAX_STAGES ? "].a" : "].b");
  }
  static constexpr const char *kNames[GPUOPT_OP_COUNT_][7] = {
      {"", "", "", "", "", "", ""},       {"a", "b", "c", "d", "", "", ""},
      {"src", "dst", "", "", "", "", ""}, {"x", "y", "out", "value", "", "", ""},
      {"x", "", "out", "", "", "", ""},   {"x", "residual", "out", "sum", "gamma", "beta", "statistics"}};
  return op > 0 && op < GPUOPT_OP_COUNT_ && user_operand < 7 ? kNames[op][user_operand] : "";
}

}  // namespace gpuopt
