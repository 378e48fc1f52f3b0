/* out = relu(x) of f32, as a plugin: what the kernels need, and the table that gpuopt asks for. */
#include <gpuopt/kernel.h>

#include "relu.h"

static gpuopt_status launch_host(const gpuopt_problem *p, const gpuopt_launch *launch) {
  const float *x = p->operand[GPUOPT_OPERAND_X].m.data;
  float *out = p->operand[GPUOPT_OPERAND_OUT].m.data;
  int64_t i;
  (void)launch;
  for (i = 0; i < p->m * p->n; ++i) out[i] = x[i] < 0 ? 0 : x[i]; /* a NaN stays one */
  return GPUOPT_OK;
}

/* Microseconds. A nanosecond an element; on the GPU a launch, and 8 bytes an element over what its memory gives. */
static double predict_host_us(const gpuopt_problem *p) { return 1e-3 * (double)(p->m * p->n); }
#ifdef HAVE_CUDA
static double predict_cuda_us(const gpuopt_problem *p) {
  return 3 + 8.0 * (double)(p->m * p->n) / (p->device->memory_gbs * 1e3);
}
#endif

static const gpuopt_signature types[] = {{{GPUOPT_F32, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_ANY}};
static const gpuopt_built_in_stage chain[] = {{.kind = GPUOPT_STAGE_RELU}};

/* What both need: one matrix without gaps, and no chain but this. What is left zero they do not understand. */
#define RELU_NEEDS                                                                                                  \
  .struct_size = sizeof(gpuopt_kernel), .op = GPUOPT_OP_FUSED_ACT, .version = 1,                                    \
  .stage_kinds = UINT64_C(1) << GPUOPT_STAGE_RELU, .max_stages = 1, .chain = chain, .layouts = {GPUOPT_LAYOUT_ROW}, \
  .signatures = types, .signature_count = 1, .operands_packed = 1u << GPUOPT_OPERAND_X | 1u << GPUOPT_OPERAND_OUT

static const gpuopt_kernel kernels[] = {
    {RELU_NEEDS, .name = "fused_act_relu_loop", .summary = "relu by a plain loop; f32, packed",
     .flags = GPUOPT_KERNEL_HOST, .predict_us = predict_host_us, .launch = launch_host},
#ifdef HAVE_CUDA
    {RELU_NEEDS, .name = "fused_act_relu_cuda", .summary = "relu, a thread an element; f32, packed", .cc_min = 75,
     .predict_us = predict_cuda_us, .launch = relu_launch_cuda},
#endif
};

static const gpuopt_plugin plugin = {.struct_size = sizeof(gpuopt_plugin),
                                     .abi_major = GPUOPT_PLUGIN_ABI_MAJOR,
                                     .abi_minor = GPUOPT_PLUGIN_ABI_MINOR,
                                     .name = "relu",
                                     .version = "1.0",
                                     .kernels = kernels,
                                     .kernel_count = sizeof kernels / sizeof kernels[0],
                                     .kernel_stride = sizeof(gpuopt_kernel)};

GPUOPT_PLUGIN_EXPORT const gpuopt_plugin *gpuopt_plugin_query_v1(const gpuopt_host *host) {
  (void)host;
  return &plugin;
}
