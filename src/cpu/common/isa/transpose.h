/* Transposition of blocks through registers, compiled once per instruction set. */
#pragma once

#include <stdint.h>

namespace gpuopt {
namespace cpu {

/* dst[j * dst_ld + i] = src[i * src_ld + j] for i < rows, j < cols; leading dimensions in elements.
 * Streaming needs src rows in multiples of a cache line's elements to pay off; it is dropped where dst's rows do not
 * begin on cache lines. */
typedef void (*TransposeBlock)(void *dst, int64_t dst_ld, const void *src, int64_t src_ld, int64_t rows, int64_t cols,
                               bool stream);

struct TransposeIsa {
  TransposeBlock block[5]; /* by log2 of the element size */
};

extern const TransposeIsa transpose_baseline, transpose_avx2, transpose_avx512;
const TransposeIsa &transpose_isa(int isa); /* as in gpuopt_device_facts.cpu_isa */

}  // namespace cpu
}  // namespace gpuopt
