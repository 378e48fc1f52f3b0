/* A consumer in C: prints the kernels' names; fails unless there are as many as its argument says and results are right. With
 * a second argument the build has not every kernel, and says that in these words. */
#include "use.h"

int main(int argc, char **argv) {
  use_list();
  return argc == 2 || argc == 3 ? use_gpuopt(argv[1], argc == 3 ? argv[2] : NULL) : 2;
}
