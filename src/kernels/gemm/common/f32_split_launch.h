// The launches beside the product of operands in parts: what splits them, and the product for operands that do not fit.
#pragma once

#include "gemm/common/f32_split.h"
#include "gemm/common/plain_output.cuh"

namespace gpuopt {

// Of a step of packed_steps(): how the operands are split. kept: PackedScratch::split().
F32Split f32_split_of(const gpuopt_problem &problem, char *kept, const gpuopt_launch *launch, bool packs_a,
                      bool packs_b, const PackedOperands &to, GemmSpan m, GemmSpan n, GemmSpan batch);
// The step's product without parts, by multiply-adds, where the device has found that they do not fit: *path says so.
gpuopt_status f32_split_strict(const gpuopt_problem &problem, const gpuopt_launch *launch, const char *name,
                               const PlainOutput<float> &out, const uint32_t *path, GemmSpan m, GemmSpan n,
                               GemmSpan batch);

// Whether both can run, for can_run().
bool f32_split_can_run(const gpuopt_problem &problem, gpuopt_reject *reject);
// For prepare().
gpuopt_status load_f32_split_launch(const gpuopt_launch *launch, const char *name);

}  // namespace gpuopt
