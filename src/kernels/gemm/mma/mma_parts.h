// What a kernel on operands in parts (mma_parts.cuh) is on the host; common/mma_parts.cu does the rest.
#pragma once

#include "gemm/common/f32_split_scaling.h"
#include "gemm/mma/mma_plan.h"

namespace gpuopt {

struct MmaGemm;

struct MmaPartsHost {
  const char *name;
  MmaTileFacts tile;
  void (*function)(MmaGemm, F32SplitScaling);
};
int mma_parts_can_run(const MmaTileFacts &tile, const gpuopt_problem *problem, gpuopt_reject *reject);
void mma_parts_workspace(const MmaTileFacts &tile, const gpuopt_problem *problem, size_t *scratch, size_t *zeroed);
double mma_parts_us(const MmaTileFacts &tile, const gpuopt_problem *problem);
gpuopt_status mma_parts_prepare(const MmaPartsHost &kernel, const gpuopt_launch *launch);
gpuopt_status mma_parts_launch(const MmaPartsHost &kernel, const gpuopt_problem *problem, const gpuopt_launch *launch);

}  // namespace gpuopt
