// Tensor maps: what the tensor memory accelerator (sm_90) must know of a matrix, encoded on the host for each call.
#pragma once

#include <cstdio>

#include "common/driver_entry.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

using TensorMapEncoder = decltype(&cuTensorMapEncodeTiled);

// The driver's encoder, looked up once; NULL where the driver has none.
inline TensorMapEncoder tensor_map_encoder() {
  static const auto entry = driver_entry<TensorMapEncoder>("cuTensorMapEncodeTiled");
  return entry;
}

// A batch of matrices of `size`-byte words, `cols` contiguous ones a row, pitches in bytes (multiples of 16), read or
// written in boxes of 128 bytes by box_rows, which lie in shared memory with the 128-byte swizzle. The pitch of a
// single row may be anything. A batch pitch of 0: all coordinates but the first are out of bounds, so the caller asks
// for matrix 0. as_tf32: words are fp32 and arrive rounded to tf32.
inline bool encode_tensor_map(CUtensorMap *map, const void *data, int size, int64_t cols, int64_t rows, int64_t pitch,
                              int64_t batch, int64_t batch_pitch, int box_rows, bool as_tf32 = false) {
  const CUtensorMapDataType type = as_tf32     ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
                                   : size == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                   : size == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                   : size == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                               : CU_TENSOR_MAP_DATA_TYPE_UINT64;
  if (rows <= 1) pitch = (cols * size + 15) / 16 * 16;
  const bool many = batch > 1 && batch_pitch != 0;
  const cuuint64_t extents[3] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows),
                                 static_cast<cuuint64_t>(many ? batch : 1)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(pitch), static_cast<cuuint64_t>(many ? batch_pitch : pitch)};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(128 / size), static_cast<cuuint32_t>(box_rows), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  return tensor_map_encoder()(map, type, 3, const_cast<void *>(data), extents, strides, box, steps,
                              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                              CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

// For launch() and prepare(): the driver cannot encode tensor maps, or did not.
inline gpuopt_status no_tensor_map(const gpuopt_launch *launch, const char *kernel_name) {
  if (launch->error != nullptr && launch->error_bytes > 0)
    std::snprintf(launch->error, launch->error_bytes, "%s: the driver did not encode a tensor map", kernel_name);
  return GPUOPT_NOT_SUPPORTED;
}

}  // namespace gpuopt
