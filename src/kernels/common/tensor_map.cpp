#include "common/tensor_map.h"

#include <cstdio>

#include "common/driver_entry.h"

namespace gpuopt {

TensorMapEncoder tensor_map_encoder() {
  static const auto entry = driver_entry<TensorMapEncoder>("cuTensorMapEncodeTiled");
  return entry;
}

bool encode_tensor_map(CUtensorMap *map, const void *data, int size, int64_t cols, int64_t rows, int64_t pitch,
                       int64_t batch, int64_t batch_pitch, int box_rows, TensorMapUse use) {
  const bool as_tf32 = use == TensorMapUse::as_tf32, read_once = use == TensorMapUse::read_once;
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
                              read_once ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B : CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

gpuopt_status no_tensor_map(const gpuopt_launch *launch, const char *kernel_name) {
  if (launch->error != nullptr && launch->error_bytes > 0)
    std::snprintf(launch->error, launch->error_bytes, "%s: the driver did not encode a tensor map", kernel_name);
  return GPUOPT_NOT_SUPPORTED;
}

}  // namespace gpuopt
