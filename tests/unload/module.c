/* A shared object that embeds the archive, as a plugin would. unload_use: one call on two threads, and whether its result
 * is right; the handle is gone when it returns, the workers are not. */
#include <gpuopt/gpuopt.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int unload_use(void);

int unload_use(void) {
  enum { kExtent = 96 };
  static float a[kExtent * kExtent], b[kExtent * kExtent], d[kExtent * kExtent];
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_handle *h = NULL;
  int i, wrong = 0;
  o.device = GPUOPT_DEVICE_CPU;
  o.num_threads = 4;
  if (gpuopt_create(&h, &o) != GPUOPT_OK) return 1;
  for (i = 0; i < kExtent * kExtent; ++i) {
    a[i] = 1;
    b[i] = (float)(i % kExtent);
  }
  memset(d, 0, sizeof d);
  g.a = gpuopt_mat(a, kExtent, kExtent, GPUOPT_F32);
  g.b = gpuopt_mat(b, kExtent, kExtent, GPUOPT_F32);
  g.d = gpuopt_mat(d, kExtent, kExtent, GPUOPT_F32);
  if (gpuopt_gemm(h, &g) != GPUOPT_OK) wrong = 1;
  for (i = 0; i < kExtent * kExtent; ++i)
    if (d[i] != (float)(kExtent * (i % kExtent))) wrong = 1;
  gpuopt_destroy(h);
  return wrong;
}
