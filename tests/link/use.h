/* What every consumer of the package does, in C and in C++: list the kernels, count them against the build tree's count,
 * multiply two matrices whose product is known, and transpose one. The product's memory is the handle's own, so on a GPU the
 * GPU computes it. */
#ifndef LINK_USE_H
#define LINK_USE_H

#include <gpuopt/gpuopt.h>
#include <gpuopt/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void use_list(void) {
  size_t i;
  for (i = 0; i < gpuopt_kernel_count(); ++i) puts(gpuopt_kernel_get(i)->name);
}

static int use_fail(const char *what, gpuopt_status status) {
  fprintf(stderr, "link test: %s: %s: %s\n", what, gpuopt_status_name(status), gpuopt_last_error());
  return 1;
}

static int use_gemm(void) {
  enum { M = 3, N = 2, K = 4 };
  static const float a[M * K] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const float b[K * N] = {1, -1, 2, 0.5f, 3, -2, 4, 0.25f};
  static const float right[M * N] = {30, -5, 70, -14, 110, -23};
  float d[M * N] = {0};
  void *da = NULL, *db = NULL, *dd = NULL;
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_handle *handle = NULL;
  gpuopt_status status = gpuopt_create(&handle, NULL);
  int i;
  if (status != GPUOPT_OK) return use_fail("gpuopt_create", status);
  if ((status = gpuopt_malloc(handle, &da, sizeof a)) != GPUOPT_OK ||
      (status = gpuopt_malloc(handle, &db, sizeof b)) != GPUOPT_OK ||
      (status = gpuopt_malloc(handle, &dd, sizeof d)) != GPUOPT_OK)
    return use_fail("gpuopt_malloc", status);
  if ((status = gpuopt_copy(handle, da, a, sizeof a)) != GPUOPT_OK ||
      (status = gpuopt_copy(handle, db, b, sizeof b)) != GPUOPT_OK)
    return use_fail("gpuopt_copy", status);
  args.a = gpuopt_mat(da, M, K, GPUOPT_F32);
  args.b = gpuopt_mat(db, K, N, GPUOPT_F32);
  args.d = gpuopt_mat(dd, M, N, GPUOPT_F32);
  if ((status = gpuopt_gemm(handle, &args)) != GPUOPT_OK) return use_fail("gpuopt_gemm", status);
  if ((status = gpuopt_copy(handle, d, dd, sizeof d)) != GPUOPT_OK ||
      (status = gpuopt_synchronize(handle)) != GPUOPT_OK)
    return use_fail("gpuopt_copy", status);
  for (i = 0; i < M * N; ++i) {
    if (d[i] != right[i]) {
      fprintf(stderr, "link test: gemm: element %d is %g, not %g\n", i, (double)d[i], (double)right[i]);
      return 1;
    }
  }
  gpuopt_free(handle, da);
  gpuopt_free(handle, db);
  gpuopt_free(handle, dd);
  gpuopt_destroy(handle);
  return 0;
}

/* By a kernel with code for each instruction set. */
static int use_transpose(void) {
  enum { R = 40, C = 24 };
  static float src[R * C], dst[C * R];
  gpuopt_transpose_args args = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  gpuopt_handle *handle = NULL;
  gpuopt_status status;
  int i;
  options.device = GPUOPT_DEVICE_CPU;
  if ((status = gpuopt_create(&handle, &options)) != GPUOPT_OK) return use_fail("gpuopt_create", status);
  for (i = 0; i < R * C; ++i) src[i] = (float)i;
  args.src = gpuopt_mat(src, R, C, GPUOPT_F32);
  args.dst = gpuopt_mat(dst, C, R, GPUOPT_F32);
  if ((status = gpuopt_transpose(handle, &args)) != GPUOPT_OK) return use_fail("gpuopt_transpose", status);
  for (i = 0; i < R * C; ++i) {
    if (dst[i % C * R + i / C] != src[i]) {
      fprintf(stderr, "link test: transpose: element %d is wrong\n", i);
      return 1;
    }
  }
  gpuopt_destroy(handle);
  return 0;
}

/* In a build without kernels of reduce: the call says so, and which setting left them out. */
static int use_left_out(const char *selection) {
  static float x[4];
  gpuopt_reduce_args args = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_handle *handle = NULL;
  char words[400];
  if (gpuopt_create(&handle, NULL) != GPUOPT_OK) return use_fail("gpuopt_create", GPUOPT_INTERNAL);
  args.x = gpuopt_mat(x, 2, 2, GPUOPT_F32);
  args.out = gpuopt_mat(x, 1, 1, GPUOPT_F32);
  args.out.data = x + 3;
  args.x.cols = 1;
  snprintf(words, sizeof words, "this build has no kernels of reduce (%s)", selection);
  if (gpuopt_reduce(handle, &args) != GPUOPT_NOT_SUPPORTED || !strstr(gpuopt_last_error(), words) ||
      !strstr(gpuopt_build_info(), selection)) {
    fprintf(stderr, "link test: not '%s': %s; %s\n", words, gpuopt_last_error(), gpuopt_build_info());
    return 1;
  }
  gpuopt_destroy(handle);
  return 0;
}

/* expected: the build tree's count, as text. selection: what was left out, or NULL. */
static int use_gpuopt(const char *expected, const char *selection) {
  unsigned long want = strtoul(expected, NULL, 10);
  if (want == 0 || gpuopt_kernel_count() != want) {
    fprintf(stderr, "link test: %lu kernels, the build tree has %lu\n", (unsigned long)gpuopt_kernel_count(), want);
    return 1;
  }
  if (gpuopt_version() != GPUOPT_VERSION_NUMBER) {
    fprintf(stderr, "link test: library %d, header %d\n", (int)gpuopt_version(), GPUOPT_VERSION_NUMBER);
    return 1;
  }
  if (selection && use_left_out(selection) != 0) return 1;
  if ((!selection || strstr(selection, "transpose")) && use_transpose() != 0) return 1;
  return use_gemm();
}

#endif
