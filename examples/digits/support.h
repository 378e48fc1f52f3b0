/* What every part of the program needs of the library: a checked call, memory, views of rows, one-line operations. */
#ifndef DIGITS_SUPPORT_H
#define DIGITS_SUPPORT_H

#include <gpuopt/gpuopt.h>

enum { EXIT_INACCURATE = 1, EXIT_TROUBLE = 2 };

/* Ends the program with the library's message when a call fails. */
void must(gpuopt_status status);
/* The same for the program's own trouble. */
void die(const char *format, ...);

/* rows x cols of zeros in the handle's memory; uploaded from host data of the same size when that is not NULL. */
gpuopt_matrix new_matrix(gpuopt_handle *h, int64_t rows, int64_t cols, gpuopt_dtype dtype, const void *host);
void free_matrix(gpuopt_handle *h, gpuopt_matrix *m);
/* Copies a packed matrix to host memory and waits for it. */
void download(gpuopt_handle *h, void *host, gpuopt_matrix m);
/* Rows first to first + count - 1 of a packed row-major matrix: no data moves. */
gpuopt_matrix rows_of(gpuopt_matrix m, int64_t first, int64_t count);

void fused_act(gpuopt_handle *h, gpuopt_matrix x, gpuopt_matrix out, const gpuopt_stage *stages, int32_t count);
void reduce(gpuopt_handle *h, int32_t reduction, int32_t axis, gpuopt_matrix x, gpuopt_matrix out);

/* ADD, SUB or MUL with a number. */
gpuopt_stage with_scalar(int32_t kind, double value);
/* ADD, SUB or MUL with factor * m, element by element. */
gpuopt_stage with_matrix(int32_t kind, double factor, gpuopt_matrix m);

#endif
