/* A consumer in C: prints the kernels' names; fails unless there are as many as its argument says and gemm is right. */
#include "use.h"

int main(int argc, char **argv) {
  use_list();
  return argc == 2 ? use_gpuopt(argv[1]) : 2;
}
