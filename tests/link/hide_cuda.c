/* LD_PRELOADed: makes every CUDA library unfindable, as on a machine that has none, and says which were asked for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *dlopen(const char *name, int mode) {
  static void *(*next)(const char *, int);
  const char *file = name ? strrchr(name, '/') : NULL;
  file = file ? file + 1 : name;
  if (file &&
      (strncmp(file, "libcuda", 7) == 0 || strncmp(file, "libcublas", 9) == 0 || strncmp(file, "libnv", 5) == 0)) {
    fprintf(stderr, "hide_cuda: refused %s\n", file);
    file = NULL;
    name = "libgpuopt-test-hides-this.so"; /* so that dlerror() speaks of a missing file */
  }
  if (!next) {
    void *p = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &p, sizeof p);
  }
  return next(name, mode);
}
