/* Loads a shared object that embeds the archive, uses it and unloads it right after, again and again: no crash, and no
 * thread, mapping or memory is left. With a library that is never unloaded the test would say nothing, so it looks for
 * that too, and for another that the module brings.
 *   load_cycles <module.so> <cycles> [<part of the other's name>] */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitized.h"

enum { kSanitized = GPUOPT_ADDRESS_SANITIZED || GPUOPT_THREAD_SANITIZED };

typedef int (*use_fn)(void);

/* A number of /proc/self/status: VmSize in KiB, Threads. */
static long status_of(const char *name) {
  char line[256];
  long value = -1;
  FILE *file = fopen("/proc/self/status", "r");
  if (!file) return -1;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') value = atol(line + strlen(name) + 1);
  fclose(file);
  return value;
}

static int is_mapped(const char *name) {
  char line[4096];
  int found = 0;
  FILE *file = fopen("/proc/self/maps", "r");
  if (!file) return 1;
  while (fgets(line, sizeof line, file)) found |= strstr(line, name) != NULL;
  fclose(file);
  return found;
}

static int cycle(const char *path, const char *other) {
  use_fn use;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *p = library ? dlsym(library, "unload_use") : NULL;
  if (!p) {
    fprintf(stderr, "load_cycles: %s\n", dlerror());
    return 1;
  }
  memcpy(&use, &p, sizeof p);
  if (use() != 0) {
    fprintf(stderr, "load_cycles: wrong result\n");
    return 1;
  }
  if (other && !is_mapped(other)) {
    fprintf(stderr, "load_cycles: %s was not loaded with it\n", other);
    return 1;
  }
  dlclose(library);
  if (is_mapped(path) || (other && is_mapped(other))) {
    fprintf(stderr, "load_cycles: %s is still mapped\n", is_mapped(path) ? path : other);
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  long threads, size = 0, resident = 0;
  int i, cycles = argc == 3 || argc == 4 ? atoi(argv[2]) : 0;
  if (cycles < 20) return 2;
  for (i = 0; i < cycles; ++i) {
    if (cycle(argv[1], argc == 4 ? argv[3] : NULL) != 0) return 1;
    /* The first cycles fill the caches of the allocator, the loader and the thread library. */
    if (i == 9) size = status_of("VmSize"), resident = status_of("VmRSS");
  }
  threads = status_of("Threads");
  size = status_of("VmSize") - size;
  resident = status_of("VmRSS") - resident;
  printf("%d cycles: %ld threads, %ld KiB more in size and %ld KiB more resident after the first ten\n", cycles,
         threads, size, resident);
  /* Sanitizers have a thread of their own, and keep memory for every thread and object that there was. */
  if (kSanitized) return threads <= 2 ? 0 : 1;
  return threads == 1 && size <= 4096 && resident <= 4096 ? 0 : 1;
}
