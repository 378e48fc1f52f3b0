/* A shared object that is no plugin, and tells when its code has run. */
#define _GNU_SOURCE
#include <stdlib.h>

__attribute__((constructor)) static void at_start(void) { setenv("GPUOPT_TEST_NO_PLUGIN_RAN", "1", 1); }
