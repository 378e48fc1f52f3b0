/* Every gemm kernel at one shape: forces each in turn, checks its result, times it; a kernel that cannot run says why.
 *   gemm_table [M N K]      float32, row-major; default 512 512 512
 * A kernel that runs on the CPU is asked on a CPU handle, any other on the default device. The time is the median of
 * whole calls with synchronisation, so a GPU kernel's includes its launch. */
#define _POSIX_C_SOURCE 199309L
#include <gpuopt/gpuopt.h>
#include <gpuopt/kernel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_CALLS = 51, CHECKED_ROWS = 7 };
static const double kSeconds = 0.5; /* for each kernel */

struct side { /* one device with the operands on it */
  gpuopt_handle *handle;
  void *a, *b, *d;
};

static void die(const char *what) {
  fprintf(stderr, "gemm_table: %s: %s\n", what, gpuopt_last_error());
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *x, const void *y) {
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static float *random_values(size_t count, unsigned seed) {
  float *x = malloc(count * sizeof *x);
  uint32_t state = seed;
  size_t i;
  if (!x) exit(1);
  for (i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float)((double)(state >> 8) / (1 << 23) - 1);
  }
  return x;
}

static struct side open_side(int32_t device, const float *a, size_t a_bytes, const float *b, size_t b_bytes,
                             size_t d_bytes) {
  struct side s;
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  options.device = device;
  options.verbose = "error";
  if (gpuopt_create(&s.handle, &options) != GPUOPT_OK) die("gpuopt_create");
  if (gpuopt_malloc(s.handle, &s.a, a_bytes) != GPUOPT_OK || gpuopt_malloc(s.handle, &s.b, b_bytes) != GPUOPT_OK ||
      gpuopt_malloc(s.handle, &s.d, d_bytes) != GPUOPT_OK)
    die("gpuopt_malloc");
  if (gpuopt_copy(s.handle, s.a, a, a_bytes) != GPUOPT_OK || gpuopt_copy(s.handle, s.b, b, b_bytes) != GPUOPT_OK)
    die("gpuopt_copy");
  return s;
}

static void close_side(struct side *s) {
  gpuopt_free(s->handle, s->a);
  gpuopt_free(s->handle, s->b);
  gpuopt_free(s->handle, s->d);
  gpuopt_destroy(s->handle);
}

/* The largest error over some rows, relative to the sum of the products' magnitudes. */
static double error_of(const float *a, const float *b, const float *d, int64_t m, int64_t n, int64_t k) {
  double worst = 0;
  int r;
  for (r = 0; r < CHECKED_ROWS; ++r) {
    const int64_t i = (m - 1) * r / (CHECKED_ROWS - 1);
    int64_t j, l;
    for (j = 0; j < n; ++j) {
      double sum = 0, size = 1e-30, error;
      for (l = 0; l < k; ++l) {
        const double product = (double)a[i * k + l] * (double)b[l * n + j];
        sum += product;
        size += fabs(product);
      }
      error = fabs((double)d[i * n + j] - sum) / size;
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

/* One row of the table. Returns 1 when the kernel ran and was wrong. */
static int row(const gpuopt_kernel *kernel, struct side *s, gpuopt_gemm_args *args, const float *a, const float *b,
               float *d) {
  const int64_t m = args->d.rows, n = args->d.cols, k = args->a.cols;
  double times[MOST_CALLS], error, begin, started = now();
  int calls = 0;
  args->a.data = s->a;
  args->b.data = s->b;
  args->d.data = s->d;
  gpuopt_set_kernel(s->handle, kernel->name);
  gpuopt_fill(s->handle, s->d, 0xff, (size_t)(m * n) * sizeof *d); /* NaN: what is not written shows */
  if (gpuopt_gemm(s->handle, args) != GPUOPT_OK) {
    /* "gpuopt_gemm: forced kernel ... : why"; the table needs the why alone. */
    const char *message = gpuopt_last_error(), *why = strstr(message, "cannot run this call: ");
    printf("  %-34s cannot run: %s\n", kernel->name, why ? strchr(why, ':') + 2 : message);
    return 0;
  }
  if (gpuopt_copy(s->handle, d, s->d, (size_t)(m * n) * sizeof *d) != GPUOPT_OK ||
      gpuopt_synchronize(s->handle) != GPUOPT_OK)
    die(kernel->name);
  error = error_of(a, b, d, m, n, k);
  while (calls < MOST_CALLS && (calls == 0 || now() - started < kSeconds)) {
    begin = now();
    if (gpuopt_gemm(s->handle, args) != GPUOPT_OK || gpuopt_synchronize(s->handle) != GPUOPT_OK) die(kernel->name);
    times[calls++] = now() - begin;
  }
  qsort(times, (size_t)calls, sizeof *times, by_value);
  printf("  %-34s %10.3f ms %11.1f GFLOP/s   error %.0e%s\n", kernel->name, 1e3 * times[calls / 2],
         2e-9 * (double)m * (double)n * (double)k / times[calls / 2], error, error < 1e-5 ? "" : "  WRONG");
  return !(error < 1e-5);
}

int main(int argc, char **argv) {
  const int64_t m = argc == 4 ? atoll(argv[1]) : 512, n = argc == 4 ? atoll(argv[2]) : 512,
                k = argc == 4 ? atoll(argv[3]) : 512;
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_device_facts facts;
  gpuopt_run_info chosen;
  struct side sides[2]; /* the default device, the CPU */
  float *a, *b, *d;
  size_t i, ran = 0;
  int wrong = 0;
  if (m < CHECKED_ROWS || n < 1 || k < 1 || m > 1 << 15 || n > 1 << 15 || k > 1 << 15) {
    fprintf(stderr, "usage: gemm_table [M N K]   (M at least %d, each at most 32768)\n", CHECKED_ROWS);
    return 2;
  }
  a = random_values((size_t)(m * k), 1);
  b = random_values((size_t)(k * n), 2);
  d = random_values((size_t)(m * n), 3);
  for (i = 0; i < 2; ++i)
    sides[i] = open_side(i == 0 ? GPUOPT_DEVICE_AUTO : GPUOPT_DEVICE_CPU, a, (size_t)(m * k) * sizeof *a, b,
                         (size_t)(k * n) * sizeof *b, (size_t)(m * n) * sizeof *d);
  args.a = gpuopt_mat(sides[0].a, m, k, GPUOPT_F32);
  args.b = gpuopt_mat(sides[0].b, k, n, GPUOPT_F32);
  args.d = gpuopt_mat(sides[0].d, m, n, GPUOPT_F32);

  memset(&facts, 0, sizeof facts);
  facts.struct_size = sizeof facts;
  if (gpuopt_get_device(sides[0].handle, &facts) != GPUOPT_OK) die("gpuopt_get_device");
  printf("%s\nD = A * B, float32, M N K = %lld %lld %lld; %s%s\n\n", gpuopt_build_info(), (long long)m, (long long)n,
         (long long)k, facts.name, facts.cc ? "" : " (no GPU is used: the CPU computes)");
  for (i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel *kernel = gpuopt_kernel_get(i);
    if (kernel->op != GPUOPT_OP_GEMM) continue;
    ++ran;
    wrong += row(kernel, &sides[kernel->flags & GPUOPT_KERNEL_HOST ? 1 : 0], &args, a, b, d);
    fflush(stdout);
  }
  memset(&chosen, 0, sizeof chosen);
  chosen.struct_size = sizeof chosen;
  gpuopt_set_kernel(sides[0].handle, NULL);
  args.a.data = sides[0].a;
  args.b.data = sides[0].b;
  args.d.data = sides[0].d;
  if (gpuopt_gemm(sides[0].handle, &args) != GPUOPT_OK || gpuopt_synchronize(sides[0].handle) != GPUOPT_OK ||
      gpuopt_last_kernel(sides[0].handle, &chosen) != GPUOPT_OK)
    die("gpuopt_gemm");
  printf("\n  left to itself, gpuopt runs %s here\n", chosen.kernel);
  for (i = 0; i < 2; ++i) close_side(&sides[i]);
  free(a);
  free(b);
  free(d);
  return wrong || ran == 0;
}
