// Times single-precision gemm on the CPU through the public API against OpenBLAS, if it is there, in one process:
// contenders take turns round by round, one warm-up call a visit, medians. Random data, C row-major, alpha 1, beta 0.
//   cpu_gemm [threads ...]      default: 1 2
// OPENBLAS_CORETYPE=SkylakeX makes an OpenBLAS that does not know the processor use its AVX-512 kernels.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "core/counts.h"
#include "gpuopt/gpuopt.h"

namespace {

// The part of the CBLAS interface used here.
enum { kCblasRowMajor = 101, kCblasNoTrans = 111 };
using cblas_sgemm_fn = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a,
                                int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct open_blas {
  cblas_sgemm_fn sgemm = nullptr;
  void (*set_threads)(int) = nullptr;
  const char *core = "?";

  open_blas() {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    sgemm = reinterpret_cast<cblas_sgemm_fn>(dlsym(library, "cblas_sgemm"));
    set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
    if (auto name = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_corename"))) core = name();
    if (!set_threads) sgemm = nullptr;
  }
};

struct shape {
  int m, n, k;
};
constexpr shape kShapes[] = {{64, 64, 64},    {128, 128, 128}, {256, 256, 256}, {512, 512, 512},  {1024, 1024, 1024},
                             {1, 4096, 4096}, {4096, 1, 4096}, {37, 1001, 513}, {4096, 64, 4096}, {64, 4096, 1024}};

// Rests first: the other contender's threads spin for a while after its last call and would hold a processor.
double seconds(const std::function<void()> &call, int calls) {
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  call();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

std::vector<float> random_matrix(int rows, int cols) {
  static std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(rows) * static_cast<size_t>(cols));
  for (float &v : values) v = normal(random);
  return values;
}

bool measure(gpuopt_handle *handle, const open_blas &blas, int threads, const shape &s) {
  const std::vector<float> a = random_matrix(s.m, s.k), b = random_matrix(s.k, s.n);
  std::vector<float> d(static_cast<size_t>(s.m) * static_cast<size_t>(s.n)), peer(d);
  gpuopt_gemm_args args = GPUOPT_GEMM_ARGS_INIT;
  args.a = gpuopt_mat(a.data(), s.m, s.k, GPUOPT_F32);
  args.b = gpuopt_mat(b.data(), s.k, s.n, GPUOPT_F32);
  args.d = gpuopt_mat(d.data(), s.m, s.n, GPUOPT_F32);
  if (gpuopt_gemm(handle, &args) != GPUOPT_OK) {
    std::fprintf(stderr, "%s\n", gpuopt_last_error());
    return false;
  }
  const double flops = 2.0 * s.m * s.n * s.k;
  const int calls = static_cast<int>(std::clamp(2e9 / flops, 4.0, 1000.0));
  std::vector<double> own, other;
  for (int round = 0; round < 15; ++round) {
    own.push_back(seconds([&] { gpuopt_gemm(handle, &args); }, calls));
    if (blas.sgemm)
      other.push_back(seconds(
          [&] {
            blas.sgemm(kCblasRowMajor, kCblasNoTrans, kCblasNoTrans, s.m, s.n, s.k, 1, a.data(), s.k, b.data(), s.n, 0,
                       peer.data(), s.n);
          },
          calls));
  }
  gpuopt_run_info info = GPUOPT_RUN_INFO_INIT;
  gpuopt_last_kernel(handle, &info);
  const double own_rate = flops / median(own) / 1e9;
  std::printf("%d,%d,%d,%d,%s,%.1f", threads, s.m, s.n, s.k, info.kernel ? info.kernel : "?", own_rate);
  if (!blas.sgemm) {
    std::printf(",,,\n");
    return true;
  }
  double difference = 0;
  for (size_t i = 0; i < d.size(); ++i) difference = std::max(difference, std::fabs(double(d[i]) - double(peer[i])));
  const double rate = flops / median(other) / 1e9;
  std::printf(",%.1f,%.2f,%.1e\n", rate, own_rate / rate, difference);
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<int> thread_counts;
  for (int i = 1; i < argc; ++i) {
    thread_counts.push_back(0);
    if (gpuopt_bench::read_count(argv[i], 1, 1024, &thread_counts.back())) continue;
    std::fprintf(stderr, "cpu_gemm [THREADS ...]: '%s' must be 1 to 1024\n", argv[i]);
    return 2;
  }
  if (thread_counts.empty()) thread_counts = {1, 2};
  const open_blas blas;
  std::printf("# OpenBLAS: %s\n", blas.sgemm ? blas.core : "not there");
  std::printf("threads,m,n,k,kernel,gflops,openblas_gflops,ratio,largest_difference\n");
  for (const int threads : thread_counts) {
    gpuopt_options options = GPUOPT_OPTIONS_INIT;
    options.device = GPUOPT_DEVICE_CPU;
    options.num_threads = threads;
    gpuopt_handle *handle = nullptr;
    if (gpuopt_create(&handle, &options) != GPUOPT_OK) {
      std::fprintf(stderr, "%s\n", gpuopt_last_error());
      return 1;
    }
    if (blas.sgemm) blas.set_threads(threads);
    bool ok = true;
    for (const shape &s : kShapes) ok = ok && measure(handle, blas, threads, s);
    gpuopt_destroy(handle);
    if (!ok) return 1;
  }
  return 0;
}
