/* A communicator of one rank, and the kernels as the other consumers list them. */
#include <gpuopt/dist.h>
#include <stdio.h>

#include "use.h"

int main(int argc, char **argv) {
  float a[4] = {1, 2, 3, 4}, d[4] = {0, 0, 0, 0};
  gpuopt_handle *handle = NULL;
  gpuopt_comm *comm = NULL;
  gpuopt_unique_id id;
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  options.device = GPUOPT_DEVICE_CPU;
  g.a = g.b = gpuopt_mat(a, 2, 2, GPUOPT_F32);
  g.d = gpuopt_mat(d, 2, 2, GPUOPT_F32);
  if (gpuopt_create(&handle, &options) != GPUOPT_OK || gpuopt_get_unique_id(handle, &id) != GPUOPT_OK ||
      gpuopt_comm_create(&comm, handle, &id, 0, 1, NULL) != GPUOPT_OK ||
      gpuopt_gemm_all_reduce(comm, &g) != GPUOPT_OK || d[0] != 7) {
    fprintf(stderr, "%s\n", gpuopt_last_error());
    return 1;
  }
  gpuopt_comm_destroy(comm);
  gpuopt_destroy(handle);
  use_list();
  return argc == 2 || argc == 3 ? use_gpuopt(argv[1], argc == 3 ? argv[2] : NULL) : 2;
}
