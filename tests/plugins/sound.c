/* A sound plugin in C99 that includes kernel.h and nothing else of the library: f32 transposes by a plain loop, and a second
 * kernel that teaches the same. */
#include <gpuopt/kernel.h>

static gpuopt_status launch(const gpuopt_problem *p, const gpuopt_launch *l) {
  const gpuopt_matrix *src = &p->operand[GPUOPT_OPERAND_SRC].m, *dst = &p->operand[GPUOPT_OPERAND_DST].m;
  int64_t b, i, j;
  (void)l;
  for (b = 0; b < p->batch; ++b)
    for (i = 0; i < p->m; ++i)
      for (j = 0; j < p->n; ++j)
        ((float *)dst->data)[b * dst->batch_stride + j * dst->ld + i] =
            ((const float *)src->data)[b * src->batch_stride + i * src->ld + j];
  return GPUOPT_OK;
}

static double predict_us(const gpuopt_problem *p) { return 1e-3 * (double)(p->batch * p->m * p->n); }

static const gpuopt_signature signatures[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};

static const gpuopt_kernel kernels[] = {{.struct_size = sizeof(gpuopt_kernel),
                                         .name = "transpose_plain",
                                         .summary = "a plain loop; f32; of a plugin",
                                         .op = GPUOPT_OP_TRANSPOSE,
                                         .version = 1,
                                         .flags = GPUOPT_KERNEL_HOST,
                                         .understands = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST,
                                         .signatures = signatures,
                                         .signature_count = 1,
                                         .predict_us = predict_us,
                                         .launch = launch,
                                         .aliases = "transpose_loop,transpose_first"},
                                        {.struct_size = sizeof(gpuopt_kernel),
                                         .name = "transpose_taught",
                                         .summary = "a plain loop; f32; of a plugin, only when forced",
                                         .op = GPUOPT_OP_TRANSPOSE,
                                         .version = 1,
                                         .flags = GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING,
                                         .signatures = signatures,
                                         .signature_count = 1,
                                         .launch = launch}};

static const gpuopt_plugin plugin = {sizeof(gpuopt_plugin),
                                     GPUOPT_PLUGIN_ABI_MAJOR,
                                     GPUOPT_PLUGIN_ABI_MINOR,
                                     "sound",
                                     "1.2",
                                     kernels,
                                     sizeof kernels / sizeof kernels[0],
                                     sizeof(gpuopt_kernel)};

GPUOPT_PLUGIN_EXPORT const gpuopt_plugin *gpuopt_plugin_query_v1(const gpuopt_host *host) {
  return host->abi_major == GPUOPT_PLUGIN_ABI_MAJOR ? &plugin : NULL;
}
