// matrix.hpp - the part of gpuopt.hpp that needs no handle: errors, element types, matrix views, stages.
#ifndef GPUOPT_MATRIX_HPP
#define GPUOPT_MATRIX_HPP

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "gpuopt/gpuopt.h"

// The inline namespace keeps these names apart from the library's own, and what is compiled with exceptions apart from what is
// compiled without.
#if defined(__cpp_exceptions)
#define GPUOPT_FACE_ face
#else
#define GPUOPT_FACE_ face_without_exceptions
#endif

namespace gpuopt {
inline namespace GPUOPT_FACE_ {

// Errors.

class error : public std::runtime_error {
 public:
  error(gpuopt_status status, const char *message) : std::runtime_error(message), status_(status) {}
  gpuopt_status status() const noexcept { return status_; }
  explicit operator bool() const noexcept { return status_ != GPUOPT_OK; }

 private:
  gpuopt_status status_;
};

#if defined(__cpp_exceptions)
[[noreturn]] inline void report(gpuopt_status status, const char *message) { throw error(status, message); }
#else
inline error &kept_error() {
  static thread_local error kept(GPUOPT_OK, "");
  return kept;
}
inline void report(gpuopt_status status, const char *message) {
  if (!kept_error()) kept_error() = error(status, message);
}
// This thread's first failure since the last time; false where there was none.
inline error take_error() {
  const error first = kept_error();
  kept_error() = error(GPUOPT_OK, "");
  return first;
}
#endif

// True, or a failure.
inline bool check(gpuopt_status status) {
  if (status != GPUOPT_OK) report(status, gpuopt_last_error());
  return status == GPUOPT_OK;
}

// Element types.

// Bits of the types that C++17 has no name for.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};
struct e4m3 {
  std::uint8_t bits;
};
struct e5m2 {
  std::uint8_t bits;
};
struct alignas(16) b128 {
  std::uint64_t bits[2];
};

// dtype_of<T>::value is T's GPUOPT_* data type. Specialise it for a type of your own with the same representation.
template <class T>
struct dtype_of;
template <class T>
struct dtype_of<const T> : dtype_of<T> {};
// clang-format off
#define GPUOPT_X_(T, name) template <> struct dtype_of<T> : std::integral_constant<gpuopt_dtype, GPUOPT_##name> {};
// clang-format on
GPUOPT_X_(float, F32)
GPUOPT_X_(double, F64)
GPUOPT_X_(f16, F16)
GPUOPT_X_(bf16, BF16)
GPUOPT_X_(e4m3, E4M3)
GPUOPT_X_(e5m2, E5M2)
GPUOPT_X_(std::int8_t, I8)
GPUOPT_X_(std::uint8_t, U8)
GPUOPT_X_(std::int32_t, I32)
GPUOPT_X_(std::int64_t, I64)
GPUOPT_X_(b128, B128)
#ifdef __CUDA_FP16_H__
GPUOPT_X_(__half, F16)
#endif
#ifdef __CUDA_BF16_H__
GPUOPT_X_(__nv_bfloat16, BF16)
#endif
#ifdef __CUDA_FP8_H__
GPUOPT_X_(__nv_fp8_e4m3, E4M3)
GPUOPT_X_(__nv_fp8_e5m2, E5M2)
#endif
#undef GPUOPT_X_

// Whether GPUOPT_GEMM_TABLE has a row with these types of A, B and D (C is of D's type or, for fp8 D, of bf16).
template <class A, class B, class D>
constexpr bool is_gemm_types() {
  bool found = false;
#define GPUOPT_X_(a, b, c, d, compute) \
  found = found ||                     \
          (dtype_of<A>::value == GPUOPT_##a && dtype_of<B>::value == GPUOPT_##b && dtype_of<D>::value == GPUOPT_##d);
  GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  return found;
}

// Matrices.

template <class T>
class matrix {
 public:
  // Row-major, packed or with rows ld elements apart. data may be null where only the problem matters (explain).
  matrix(T *data, std::int64_t rows, std::int64_t cols, std::int64_t ld = 0)
      : raw_(gpuopt_mat_ld(data, rows, cols, ld, dtype_of<T>::value)) {}
  // Of a gpuopt_matrix of the same data type.
  explicit matrix(const gpuopt_matrix &raw) : raw_(raw) {
    if (raw.dtype == dtype_of<T>::value) return;
    raw_ = GPUOPT_MATRIX_INIT;
    report(GPUOPT_INVALID_ARGUMENT, "matrix: dtype is not that of T");
  }
  // A matrix<float> is a matrix<const float> where one is asked for.
  template <class U, class = std::enable_if_t<std::is_same<const U, T>::value>>
  matrix(const matrix<U> &other) : raw_(other) {}
  static matrix col_major(T *data, std::int64_t rows, std::int64_t cols, std::int64_t ld = 0) {
    return matrix(data, cols, rows, ld).t();
  }
  operator gpuopt_matrix() const { return raw_; }

  T *data() const { return static_cast<T *>(raw_.data); }
  std::int64_t rows() const { return raw_.rows; }
  std::int64_t cols() const { return raw_.cols; }
  std::int64_t ld() const { return raw_.ld ? raw_.ld : raw_.layout == GPUOPT_ROW ? raw_.cols : raw_.rows; }

  // Views of the same data: transposed; rows x cols from (row, col) on; with the distance from one matrix of a batch to
  // the next (0: an input that the whole batch shares); with the scale of an fp8 matrix.
  matrix t() const { return matrix(gpuopt_t(raw_)); }
  matrix block(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) const {
    if (row < 0 || col < 0 || rows < 0 || cols < 0 || row > raw_.rows - rows || col > raw_.cols - cols) {
      report(GPUOPT_INVALID_ARGUMENT, "matrix::block: not inside the matrix");
      return matrix(nullptr, 0, 0);
    }
    matrix view = *this;
    view.raw_.ld = ld();
    if (raw_.data)
      view.raw_.data = const_cast<std::remove_const_t<T> *>(data()) +
                       (raw_.layout == GPUOPT_ROW ? row * ld() + col : col * ld() + row);
    if (raw_.batch_stride == GPUOPT_PACKED)
      view.raw_.batch_stride = ld() * (raw_.layout == GPUOPT_ROW ? raw_.rows : raw_.cols);
    view.raw_.rows = rows;
    view.raw_.cols = cols;
    return view;
  }
  matrix batch_stride(std::int64_t elements) const {
    matrix view = *this;
    view.raw_.batch_stride = elements;
    return view;
  }
  // The same with a scale for each block, packed in its layout: GPUOPT_SCALE_1X128 ...
  matrix scaled(const float *scales, int32_t block) const {
    matrix view = *this;
    view.raw_ = gpuopt_mat_scales(view.raw_, scales, block);
    return view;
  }
  matrix scaled(const float *scale) const {
    matrix view = *this;
    view.raw_.scale = scale;
    return view;
  }

 private:
  gpuopt_matrix raw_;
};

// Stages.

// The element-wise steps after a gemm or of a fused_act, in order: {add(per_col(bias)), relu(), mul(0.5)}.
using stages = std::vector<gpuopt_stage>;

inline gpuopt_stage relu() { return gpuopt_act(GPUOPT_STAGE_RELU, 0, 0); }
inline gpuopt_stage leaky_relu(double slope) { return gpuopt_act(GPUOPT_STAGE_LEAKY_RELU, slope, 0); }
inline gpuopt_stage gelu() { return gpuopt_act(GPUOPT_STAGE_GELU, 0, 0); }
inline gpuopt_stage gelu_tanh() { return gpuopt_act(GPUOPT_STAGE_GELU_TANH, 0, 0); }
inline gpuopt_stage silu() { return gpuopt_act(GPUOPT_STAGE_SILU, 0, 0); }
inline gpuopt_stage sigmoid() { return gpuopt_act(GPUOPT_STAGE_SIGMOID, 0, 0); }
inline gpuopt_stage tanh() { return gpuopt_act(GPUOPT_STAGE_TANH, 0, 0); }
inline gpuopt_stage clamp(double low, double high) { return gpuopt_act(GPUOPT_STAGE_CLAMP, low, high); }
inline gpuopt_stage exp() { return gpuopt_act(GPUOPT_STAGE_EXP, 0, 0); }
inline gpuopt_stage log() { return gpuopt_act(GPUOPT_STAGE_LOG, 0, 0); }
inline gpuopt_stage sqrt() { return gpuopt_act(GPUOPT_STAGE_SQRT, 0, 0); }
inline gpuopt_stage square() { return gpuopt_act(GPUOPT_STAGE_SQUARE, 0, 0); }
inline gpuopt_stage abs() { return gpuopt_act(GPUOPT_STAGE_ABS, 0, 0); }
inline gpuopt_stage neg() { return gpuopt_act(GPUOPT_STAGE_NEG, 0, 0); }
inline gpuopt_stage reciprocal() { return gpuopt_act(GPUOPT_STAGE_RECIPROCAL, 0, 0); }
inline gpuopt_stage step() { return gpuopt_act(GPUOPT_STAGE_STEP, 0, 0); }

// What ADD, SUB and MUL take: a number, a vector for every row or column, or a matrix; all but the number times factor.
struct stage_operand {
  std::int32_t form;
  double value;
  gpuopt_matrix a;
  stage_operand(double number) : form(GPUOPT_SCALAR), value(number), a(GPUOPT_MATRIX_INIT) {}
  template <class T>
  stage_operand(matrix<T> whole) : stage_operand(GPUOPT_MATRIX, whole, 1) {}
  stage_operand(std::int32_t operand_form, const gpuopt_matrix &m, double factor)
      : form(operand_form), value(factor), a(m) {}
};
// v is rows x 1 and v(i) meets x(i, j)
inline stage_operand per_row(const gpuopt_matrix &v, double factor = 1) { return {GPUOPT_PER_ROW, v, factor}; }
// v is 1 x cols and v(j) meets x(i, j)
inline stage_operand per_col(const gpuopt_matrix &v, double factor = 1) { return {GPUOPT_PER_COL, v, factor}; }
inline stage_operand times(double factor, const gpuopt_matrix &m) { return {GPUOPT_MATRIX, m, factor}; }

inline gpuopt_stage stage_with(std::int32_t kind, const stage_operand &operand) {
  gpuopt_stage stage = gpuopt_act(kind, operand.value, 0);
  stage.form = operand.form;
  stage.a = operand.a;
  return stage;
}
inline gpuopt_stage add(const stage_operand &operand) { return stage_with(GPUOPT_STAGE_ADD, operand); }
inline gpuopt_stage sub(const stage_operand &operand) { return stage_with(GPUOPT_STAGE_SUB, operand); }
inline gpuopt_stage mul(const stage_operand &operand) { return stage_with(GPUOPT_STAGE_MUL, operand); }
inline gpuopt_stage add_outer(const gpuopt_matrix &u, const gpuopt_matrix &v, double factor = 1) {
  return gpuopt_act_outer(factor, u, v);
}
// Writes the running value to out and passes it on.
template <class T>
gpuopt_stage store(matrix<T> out) {
  static_assert(!std::is_const<T>::value, "store writes to its matrix");
  return gpuopt_act_with(GPUOPT_STAGE_STORE, 0, out);
}
inline gpuopt_stage relu_grad(const gpuopt_matrix &saved) { return gpuopt_act_with(GPUOPT_STAGE_RELU_GRAD, 0, saved); }
inline gpuopt_stage gelu_grad(const gpuopt_matrix &saved) { return gpuopt_act_with(GPUOPT_STAGE_GELU_GRAD, 0, saved); }
inline gpuopt_stage silu_grad(const gpuopt_matrix &saved) { return gpuopt_act_with(GPUOPT_STAGE_SILU_GRAD, 0, saved); }

}  // namespace GPUOPT_FACE_
}  // namespace gpuopt
#endif
