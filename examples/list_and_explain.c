/* Which kernels does this library hold, which of them could run a product of 1024 x 1024 bf16 matrices with a GELU
 * epilogue on a device, which one would, and why not the others? Needs neither that device nor any data.
 *
 *     list_and_explain [device]     "none" for the CPU, "sm_75" ... "sm_120"; default sm_90 */
#include <gpuopt/gpuopt.h>
#include <gpuopt/kernel.h>
#include <stdio.h>

static void list(void) {
  const struct gpuopt_kernel *kernel;
  for (size_t i = 0; (kernel = gpuopt_kernel_get(i)) != NULL; i++)
    printf("%-10s %-36s %s\n", gpuopt_op_name(kernel->op), kernel->name, kernel->summary);
}

static void print_candidate(void *user, const gpuopt_candidate *c) {
  static const char *const verdicts[] = {"rejected", "accepted", "CHOSEN"};
  size_t *seen = user;
  ++*seen;
  printf("%-8s %-46s ", verdicts[c->verdict], c->kernel);
  if (c->verdict == GPUOPT_VERDICT_REJECTED)
    puts(c->text);
  else if (c->predicted_us > 0)
    printf("predicted %.1f us\n", c->predicted_us);
  else
    printf("runs only when forced\n");
}

static int explain(const char *device) {
  gpuopt_handle *h = NULL;
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  size_t seen = 0;

  options.device = GPUOPT_DEVICE_CPU;
  gpuopt_status status = gpuopt_pretend_device(device, &facts);
  if (status == GPUOPT_OK) status = gpuopt_create(&h, &options);
  if (status == GPUOPT_OK) {
    const gpuopt_stage gelu = gpuopt_act(GPUOPT_STAGE_GELU, 0, 0);
    gpuopt_explain_options explain_options = GPUOPT_EXPLAIN_OPTIONS_INIT;
    explain_options.pretend = &facts;
    gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
    args.a = gpuopt_mat(NULL, 1024, 1024, GPUOPT_BF16);
    args.b = gpuopt_t(gpuopt_mat(NULL, 1024, 1024, GPUOPT_BF16));
    args.d = gpuopt_mat(NULL, 1024, 1024, GPUOPT_BF16);
    args.stages = &gelu;
    args.stage_count = 1;
    printf("\ngelu(A * transpose(B)), 1024 x 1024 x 1024, bf16, on %s (%s)\n", facts.name, device);
    status = gpuopt_explain(h, &args, &explain_options, print_candidate, &seen);
    printf("%zu candidates\n", seen);
  }
  /* That no kernel can run it is an answer too, once the candidates have said why. */
  if (status != GPUOPT_OK) fprintf(seen ? stdout : stderr, "%s\n", gpuopt_last_error());
  gpuopt_destroy(h);
  return seen == 0;
}

int main(int argc, char **argv) {
  list();
  return explain(argc > 1 ? argv[1] : "sm_90");
}
