/* Any part of a gemm operand as rows of the compute type. */
#pragma once

#include <string.h>

#include "../views.h"
#include "rows.h"
#include "transpose.h"

namespace gpuopt {
namespace cpu {

constexpr int64_t kPackRows = 16; /* rows converted at a time before they are transposed */

struct Packer {
  const RowsIsa *rows;
  const TransposeIsa *transposer;

  void convert(float *dst, const void *src, int32_t dtype, int64_t count) const { rows->load(dst, src, dtype, count); }
  void convert(double *dst, const void *src, int32_t, int64_t count) const {
    memcpy(dst, src, static_cast<size_t>(count) * sizeof(double));
  }

  /* dst[r * dst_ld + c] = operand(row + r, col + c) of matrix p, for r < row_count, c < col_count.
   * temp: kPackRows * row_count elements, used when the operand is column-major and of another type than T. */
  template <class T>
  void pack(const gpuopt_operand &operand, int64_t p, int64_t row, int64_t row_count, int64_t col, int64_t col_count,
            T *dst, int64_t dst_ld, T *temp) const {
    const View view = view_of(operand);
    const int64_t bytes = dtype_size(view.dtype);
    const char *src = static_cast<const char *>(view.data) + index_of(view, row, col, p) * bytes;
    if (view.col_step == 1) {
      for (int64_t r = 0; r < row_count; ++r)
        convert(dst + r * dst_ld, src + r * view.row_step * bytes, view.dtype, col_count);
      return;
    }
    const TransposeBlock transpose = transposer->block[sizeof(T) == 4 ? 2 : 3];
    if (bytes == static_cast<int64_t>(sizeof(T))) {
      transpose(dst, dst_ld, src, view.col_step, col_count, row_count, false);
      return;
    }
    for (int64_t first = 0; first < col_count; first += kPackRows) {
      const int64_t some = col_count - first < kPackRows ? col_count - first : kPackRows;
      for (int64_t c = 0; c < some; ++c)
        convert(temp + c * row_count, src + (first + c) * view.col_step * bytes, view.dtype, row_count);
      transpose(dst + first, dst_ld, temp, row_count, some, row_count, false);
    }
  }
};

}  // namespace cpu
}  // namespace gpuopt
