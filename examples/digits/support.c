#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void must(gpuopt_status status) {
  if (status != GPUOPT_OK) die("%s: %s", gpuopt_status_name(status), gpuopt_last_error());
}

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fputs("digits: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(EXIT_TROUBLE);
}

static size_t bytes_of(gpuopt_matrix m) { return (size_t)(m.rows * m.cols * gpuopt_dtype_size(m.dtype)); }

gpuopt_matrix new_matrix(gpuopt_handle *h, int64_t rows, int64_t cols, gpuopt_dtype dtype, const void *host) {
  gpuopt_matrix m = gpuopt_mat(NULL, rows, cols, dtype);
  must(gpuopt_malloc(h, &m.data, bytes_of(m)));
  if (host)
    must(gpuopt_copy(h, m.data, host, bytes_of(m)));
  else
    must(gpuopt_fill(h, m.data, 0, bytes_of(m)));
  return m;
}

void free_matrix(gpuopt_handle *h, gpuopt_matrix *m) {
  must(gpuopt_free(h, m->data));
  m->data = NULL;
}

void download(gpuopt_handle *h, void *host, gpuopt_matrix m) {
  must(gpuopt_copy(h, host, m.data, bytes_of(m)));
  must(gpuopt_synchronize(h));
}

gpuopt_matrix rows_of(gpuopt_matrix m, int64_t first, int64_t count) {
  m.data = (char *)m.data + first * m.cols * gpuopt_dtype_size(m.dtype);
  m.rows = count;
  return m;
}

void fused_act(gpuopt_handle *h, gpuopt_matrix x, gpuopt_matrix out, const gpuopt_stage *stages, int32_t count) {
  gpuopt_fused_act_args args = GPUOPT_FUSED_ACT_ARGS_INIT;
  args.x = x;
  args.out = out;
  args.stages = stages;
  args.stage_count = count;
  must(gpuopt_fused_act(h, &args));
}

void reduce(gpuopt_handle *h, int32_t reduction, int32_t axis, gpuopt_matrix x, gpuopt_matrix out) {
  gpuopt_reduce_args args = GPUOPT_REDUCE_ARGS_INIT;
  args.reduce = reduction;
  args.axis = axis;
  args.x = x;
  args.out = out;
  must(gpuopt_reduce(h, &args));
}

gpuopt_stage with_scalar(int32_t kind, double value) { return gpuopt_act(kind, value, 0); }

gpuopt_stage with_matrix(int32_t kind, double factor, gpuopt_matrix m) {
  gpuopt_stage stage = gpuopt_act_with(kind, GPUOPT_MATRIX, m);
  stage.value[0] = factor;
  return stage;
}
