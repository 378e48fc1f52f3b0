/* No line of this program names a kernel: the environment does.
 *
 *     force_by_env                                     the library's choice
 *     GPUOPT_KERNEL=gemm_cpu_reference force_by_env    that kernel, or the reason why it cannot run
 *     GPUOPT_KERNEL=gemm_cpu_refrence force_by_env     an error with the nearest names
 *
 * Exit status 0 when the product ran, 1 when it did not. */
#include <gpuopt/gpuopt.h>
#include <stdio.h>
#include <stdlib.h>

static gpuopt_status multiply(gpuopt_handle *h, float *memory) {
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  args.a = gpuopt_mat(memory, 64, 64, GPUOPT_F32);
  args.b = gpuopt_mat(memory + 64 * 64, 64, 64, GPUOPT_F32);
  args.d = gpuopt_mat(memory + 2 * 64 * 64, 64, 64, GPUOPT_F32);
  return gpuopt_gemm(h, &args);
}

int main(void) {
  static const char *const how[] = {"?", "forced", "tuned", "predicted to be the fastest", "CPU fallback"};
  const char *name = getenv("GPUOPT_KERNEL");
  const size_t bytes = 3 * 64 * 64 * sizeof(float);
  gpuopt_handle *h = NULL;
  void *memory = NULL;
  gpuopt_run_info ran = GPUOPT_RUN_INFO_INIT;

  gpuopt_status status = gpuopt_create(&h, NULL);
  if (status == GPUOPT_OK) status = gpuopt_malloc(h, &memory, bytes);
  if (status == GPUOPT_OK) status = gpuopt_fill(h, memory, 0, bytes);
  if (status == GPUOPT_OK) status = multiply(h, memory);
  if (status == GPUOPT_OK) status = gpuopt_last_kernel(h, &ran);

  printf("GPUOPT_KERNEL=%s\n", name ? name : "");
  if (status == GPUOPT_OK)
    printf("ran %s (%s)\n", ran.kernel, how[ran.how]);
  else
    printf("%s\n%s\n", gpuopt_status_name(status), gpuopt_last_error());
  if (h) gpuopt_free(h, memory);
  gpuopt_destroy(h);
  return status != GPUOPT_OK;
}
