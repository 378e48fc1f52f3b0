#ifndef DIGITS_OPTIONS_H
#define DIGITS_OPTIONS_H

#include <stdint.h>

struct options {
  const char *file;
  int64_t epochs, hidden, seed;
  int32_t device; /* as gpuopt_options.device */
  double require; /* least accuracy in percent for exit status 0 */
};

/* Fills in the defaults and reads the command line; ends the program on --help and on a bad argument. */
struct options options_parse(int argc, char **argv);

#endif
