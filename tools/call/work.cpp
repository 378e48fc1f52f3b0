#include "gpuopt_call/work.h"

#include <algorithm>

namespace gpuopt_call {

int64_t span_bytes(const gpuopt_matrix &m, int64_t batch) {
  const int64_t line = m.layout == GPUOPT_ROW ? m.cols : m.rows, lines = m.layout == GPUOPT_ROW ? m.rows : m.cols;
  if (line <= 0 || lines <= 0 || batch <= 0) return 0;
  const int64_t ld = m.ld == 0 ? line : m.ld;
  int64_t stride = m.batch_stride, matrices = 0, span = 0;
  if (batch > 1 && stride == GPUOPT_PACKED && __builtin_mul_overflow(ld, lines, &stride)) return -1;
  const bool fits = (batch == 1 || !__builtin_mul_overflow(batch - 1, stride, &matrices)) &&
                    !__builtin_mul_overflow(lines - 1, ld, &span) && !__builtin_add_overflow(span, matrices, &span) &&
                    !__builtin_add_overflow(span, line, &span) &&
                    !__builtin_mul_overflow(span, gpuopt_dtype_size(m.dtype), &span);
  return fits && span >= 0 ? span : -1;
}

gpuopt_matrix scales_of(const gpuopt_matrix &m) {
  gpuopt_matrix s = GPUOPT_MATRIX_INIT;
  const int32_t block = m.scales.block;
  if (block == GPUOPT_SCALE_ONE) return s;
  s.data = const_cast<float *>(m.scale);
  s.rows = block == GPUOPT_SCALE_1X128 ? m.rows : m.rows / 128 + (m.rows % 128 != 0 ? 1 : 0);
  s.cols = block == GPUOPT_SCALE_128X1 ? m.cols : m.cols / 128 + (m.cols % 128 != 0 ? 1 : 0);
  s.ld = m.scales.ld;
  s.layout = m.scales.layout;
  s.dtype = GPUOPT_F32;
  if (m.batch_stride == 0) s.batch_stride = 0;
  return s;
}

int64_t scale_bytes(const gpuopt_matrix &m, int64_t batch) {
  if (m.scale == nullptr) return 0;
  return m.scales.block == GPUOPT_SCALE_ONE ? int64_t{sizeof(float)} : span_bytes(scales_of(m), batch);
}

namespace {

// Elements that the products of a list have of an operand; of others 0.
double elements_of_list(const Call &call, const std::string &operand) {
  double all = 0;
  for (int64_t i = 0; i < call.batch(); ++i) {
    const ProductShape s = call.shape(i);
    const double m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    all += operand == "a" ? m * k : operand == "b" ? k * n : m * n;
  }
  return all;
}

bool is_of_product(const std::string &operand) { return operand.size() == 1; }

}  // namespace

int64_t touched_bytes(Call *call) {
  int64_t bytes = 0;
  std::vector<gpuopt_matrix> all;
  for (const Call::Operand &o : call->operands()) {
    if (call->list != List::none && is_of_product(o.name)) {
      const double own = elements_of_list(*call, o.name) * static_cast<double>(gpuopt_dtype_size(o.matrix->dtype));
      if (own > 4e18 || __builtin_add_overflow(bytes, static_cast<int64_t>(own), &bytes)) return INT64_MAX;
      continue;
    }
    all.push_back(*o.matrix);
    if (o.matrix->scales.block != GPUOPT_SCALE_ONE) all.push_back(scales_of(*o.matrix));
  }
  for (const gpuopt_matrix &m : all) {
    const bool shared = call->batch() > 1 && m.batch_stride == 0;
    int64_t own = 0;
    if (__builtin_mul_overflow(m.rows, m.cols, &own) || __builtin_mul_overflow(own, gpuopt_dtype_size(m.dtype), &own) ||
        __builtin_mul_overflow(own, shared ? 1 : call->batch(), &own) || __builtin_add_overflow(bytes, own, &bytes))
      return INT64_MAX;
  }
  return bytes;
}

double flops_of(const Call &call) {
  if (call.op() == GPUOPT_OP_GEMM_GROUPED) {
    const gpuopt_gemm_grouped_args &g = call.gemm_grouped;
    double flops = 0;
    for (int64_t i = 0; call.list != List::none && i < g.groups; ++i) {
      const ProductShape s = call.shape(i);
      flops += 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    }
    if (call.list != List::none) return flops;
    return 2.0 * static_cast<double>(g.d.rows) * static_cast<double>(g.d.cols) * static_cast<double>(g.a.cols);
  }
  if (call.op() != GPUOPT_OP_GEMM) return 0;
  const gpuopt_gemm_args &g = call.gemm;
  return 2.0 * static_cast<double>(g.d.rows) * static_cast<double>(g.d.cols) * static_cast<double>(g.a.cols) *
         static_cast<double>(g.batch);
}

}  // namespace gpuopt_call
