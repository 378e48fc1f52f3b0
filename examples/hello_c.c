/* The shortest useful program in C: D = relu(A * B + bias), on a GPU when there is one, else on the CPU. */
#include <gpuopt/gpuopt.h>
#include <stdio.h>

static int failed(gpuopt_status status) {
  if (status != GPUOPT_OK) fprintf(stderr, "hello_c: %s\n", gpuopt_last_error());
  return status != GPUOPT_OK;
}

int main(void) {
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, -3}, bias[] = {10, 0};
  float d[4];
  void *block;
  gpuopt_handle *h;

  if (failed(gpuopt_create(&h, NULL))) return 1;
  if (failed(gpuopt_malloc(h, &block, 18 * sizeof(float)))) return 1;
  float *memory = block; /* A, B, bias and D, one after the other */
  if (failed(gpuopt_copy(h, memory, a, sizeof a)) || failed(gpuopt_copy(h, memory + 6, b, sizeof b)) ||
      failed(gpuopt_copy(h, memory + 12, bias, sizeof bias)))
    return 1;

  const gpuopt_stage stages[] = {
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(memory + 12, 1, 2, GPUOPT_F32)),
      gpuopt_act(GPUOPT_STAGE_RELU, 0, 0)};
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  args.a = gpuopt_mat(memory, 2, 3, GPUOPT_F32);
  args.b = gpuopt_mat(memory + 6, 3, 2, GPUOPT_F32);
  args.d = gpuopt_mat(memory + 14, 2, 2, GPUOPT_F32);
  args.stages = stages;
  args.stage_count = 2;
  if (failed(gpuopt_gemm(h, &args))) return 1;

  gpuopt_run_info ran = GPUOPT_RUN_INFO_INIT;
  if (failed(gpuopt_copy(h, d, memory + 14, sizeof d)) || failed(gpuopt_synchronize(h)) ||
      failed(gpuopt_last_kernel(h, &ran)))
    return 1;
  printf("relu(A * B + bias) = [%g %g; %g %g] by %s\n", d[0], d[1], d[2], d[3], ran.kernel);
  gpuopt_free(h, memory);
  gpuopt_destroy(h);
  return 0;
}
