/* A plugin whose one kernel offers algorithms: f32 transposes by a loop that is done twenty times, or, as the algorithm "once", one
 * time. A third one, "never", is offered, and refused when it is asked for. */
#include <gpuopt/kernel.h>
#include <stdio.h>
#include <string.h>

static int times_of(const gpuopt_problem *p) {
  return p->algorithm == NULL || strcmp(p->algorithm, "many") == 0 ? 20 : strcmp(p->algorithm, "once") == 0 ? 1 : 0;
}

static gpuopt_status prepare(const gpuopt_problem *p, const gpuopt_launch *l) {
  if (times_of(p) > 0) return GPUOPT_OK;
  snprintf(l->error, l->error_bytes, "there is no algorithm %s", p->algorithm);
  return GPUOPT_NOT_SUPPORTED;
}

static gpuopt_status launch(const gpuopt_problem *p, const gpuopt_launch *l) {
  const gpuopt_matrix *src = &p->operand[GPUOPT_OPERAND_SRC].m, *dst = &p->operand[GPUOPT_OPERAND_DST].m;
  int64_t i, j;
  int left;
  (void)l;
  for (left = times_of(p); left > 0; --left)
    for (i = 0; i < p->m; ++i)
      for (j = 0; j < p->n; ++j)
        ((volatile float *)dst->data)[j * dst->ld + i] = ((const float *)src->data)[i * src->ld + j];
  return GPUOPT_OK;
}

static gpuopt_status algorithms(const gpuopt_problem *p, const gpuopt_launch *l, char *text) {
  (void)p;
  (void)l;
  strcpy(text, "many once never");
  return GPUOPT_OK;
}

static double predict_us(const gpuopt_problem *p) {
  (void)p;
  return 1e-3;
}

static const gpuopt_signature signatures[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};

static const gpuopt_kernel kernels[] = {{.struct_size = sizeof(gpuopt_kernel),
                                         .name = "transpose_loops",
                                         .summary = "plain loops; f32; of a plugin",
                                         .op = GPUOPT_OP_TRANSPOSE,
                                         .version = 7,
                                         .flags = GPUOPT_KERNEL_HOST,
                                         .signatures = signatures,
                                         .signature_count = 1,
                                         .predict_us = predict_us,
                                         .prepare = prepare,
                                         .launch = launch,
                                         .algorithms = algorithms}};

static const gpuopt_plugin plugin = {sizeof(gpuopt_plugin),
                                     GPUOPT_PLUGIN_ABI_MAJOR,
                                     GPUOPT_PLUGIN_ABI_MINOR,
                                     "algorithms",
                                     "1",
                                     kernels,
                                     sizeof kernels / sizeof kernels[0],
                                     sizeof(gpuopt_kernel)};

GPUOPT_PLUGIN_EXPORT const gpuopt_plugin *gpuopt_plugin_query_v1(const gpuopt_host *host) {
  return host->abi_major == GPUOPT_PLUGIN_ABI_MAJOR ? &plugin : NULL;
}
