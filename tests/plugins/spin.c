/* A plugin whose kernel takes 40 us of the clock, whatever the problem: what a timer adds to it is the timer's. */
#define _POSIX_C_SOURCE 199309L
#include <gpuopt/kernel.h>
#include <time.h>

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static gpuopt_status launch(const gpuopt_problem *p, const gpuopt_launch *l) {
  const double start = now_us();
  (void)p;
  (void)l;
  while (now_us() < start + 40) {
  }
  return GPUOPT_OK;
}

static double predict_us(const gpuopt_problem *p) {
  (void)p;
  return 1e-3;
}

static const gpuopt_signature signatures[] = {{{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};

static const gpuopt_kernel kernels[] = {{.struct_size = sizeof(gpuopt_kernel),
                                         .name = "transpose_spin",
                                         .summary = "takes 40 us and does nothing; of a plugin",
                                         .op = GPUOPT_OP_TRANSPOSE,
                                         .version = 1,
                                         .flags = GPUOPT_KERNEL_HOST,
                                         .signatures = signatures,
                                         .signature_count = 1,
                                         .predict_us = predict_us,
                                         .launch = launch}};

static const gpuopt_plugin plugin = {sizeof(gpuopt_plugin),
                                     GPUOPT_PLUGIN_ABI_MAJOR,
                                     GPUOPT_PLUGIN_ABI_MINOR,
                                     "spin",
                                     "1",
                                     kernels,
                                     sizeof kernels / sizeof kernels[0],
                                     sizeof(gpuopt_kernel)};

GPUOPT_PLUGIN_EXPORT const gpuopt_plugin *gpuopt_plugin_query_v1(const gpuopt_host *host) {
  return host->abi_major == GPUOPT_PLUGIN_ABI_MAJOR ? &plugin : NULL;
}
