// Tensor maps: what the tensor memory accelerator (sm_90) must know of a matrix, encoded on the host for each call.
#pragma once

#include <cuda.h>

#include "gpuopt/kernel.h"

namespace gpuopt {

using TensorMapEncoder = decltype(&cuTensorMapEncodeTiled);

// The driver's encoder, looked up once; NULL where the driver has none.
TensorMapEncoder tensor_map_encoder();

// as_tf32: words are fp32 and arrive rounded to tf32. read_once: by one multiprocessor, line after line along a row, so that what
// bounds is memory: L2 then brings a box's 128 bytes and not 256, of which it forgets or brings twice the other half.
enum class TensorMapUse { words, as_tf32, read_once };

// A batch of matrices of `size`-byte words, `cols` contiguous ones a row, pitches in bytes (multiples of 16), read or
// written in boxes of 128 bytes by box_rows, which lie in shared memory with the 128-byte swizzle. The pitch of a
// single row may be anything. A batch pitch of 0: all coordinates but the first are out of bounds, so the caller asks
// for matrix 0.
bool encode_tensor_map(CUtensorMap *map, const void *data, int size, int64_t cols, int64_t rows, int64_t pitch,
                       int64_t batch, int64_t batch_pitch, int box_rows, TensorMapUse use = TensorMapUse::words);

// For launch() and prepare(): the driver cannot encode tensor maps, or did not.
gpuopt_status no_tensor_map(const gpuopt_launch *launch, const char *kernel_name);

}  // namespace gpuopt
