#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#ifndef DIGITS_CSV
#define DIGITS_CSV "digits.csv"
#endif

static const char usage[] =
    "usage: digits [file.csv] [--epochs N] [--hidden N] [--seed N] [--device cpu|N] [--require PERCENT]\n"
    "Trains a 64-hidden-10 perceptron on handwritten digits with gpuopt and prints which kernels ran.\n"
    "  --epochs N         times through the training images (default 60)\n"
    "  --hidden N         units of the hidden layer (default 128)\n"
    "  --seed N           of the split, the first weights and the order (default 1)\n"
    "  --device cpu|N     the CPU, or CUDA device N (default: the first CUDA device, else the CPU)\n"
    "  --require PERCENT  exit with 1 when fewer held-out images are recognised (default 96.5)\n";

static int64_t whole_number(const char *option, const char *text, int64_t least, int64_t most) {
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end || errno || value < least || value > most)
    die("%s %s: needs a whole number %lld to %lld", option, text, (long long)least, (long long)most);
  return value;
}

static double percentage(const char *option, const char *text) {
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end || !(value >= 0 && value <= 100)) die("%s %s: needs a number 0 to 100", option, text);
  return value;
}

struct options options_parse(int argc, char **argv) {
  struct options o = {NULL, 60, 128, 1, GPUOPT_DEVICE_AUTO, 96.5};
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(name, "--help") == 0) {
      fputs(usage, stdout);
      exit(EXIT_SUCCESS);
    }
    if (strncmp(name, "--", 2) != 0) {
      if (o.file) die("%s: only one file can be given, and %s was", name, o.file);
      o.file = name;
      continue;
    }
    const int known = strcmp(name, "--epochs") == 0 || strcmp(name, "--hidden") == 0 || strcmp(name, "--seed") == 0 ||
                      strcmp(name, "--device") == 0 || strcmp(name, "--require") == 0;
    if (!known) die("unknown option %s\n%s", name, usage);
    if (!value) die("%s: needs a value", name);
    i++;
    if (strcmp(name, "--epochs") == 0)
      o.epochs = whole_number(name, value, 1, 100000);
    else if (strcmp(name, "--hidden") == 0)
      o.hidden = whole_number(name, value, 1, 65536);
    else if (strcmp(name, "--seed") == 0)
      o.seed = whole_number(name, value, 0, INT64_MAX);
    else if (strcmp(name, "--require") == 0)
      o.require = percentage(name, value);
    else if (strcmp(value, "cpu") == 0)
      o.device = GPUOPT_DEVICE_CPU;
    else
      o.device = (int32_t)whole_number("--device takes cpu or a CUDA device:", value, 0, 1023);
  }
  if (!o.file) o.file = DIGITS_CSV;
  return o;
}
