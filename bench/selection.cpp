// What dispatch costs on the host: selection for a repeated problem and for a new one, with synthetic kernels added up to
// a given count; pointer and capture queries are timed apart (they exist on a GPU handle only).
//   selection [kernels]     prints medians in microseconds; exits 1 above the limits of docs/dispatch.md when --check
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gpuopt/kernel.h"

namespace {

constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
                                            {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32}};

// Does nothing, so that a call's time is the dispatcher's.
gpuopt_status nothing(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_OK; }

double predict(const gpuopt_problem *p) { return 1e-3 + 1e-12 * static_cast<double>(p->m); }

void add_kernels(size_t wanted, uint32_t flags) {
  while (gpuopt_kernel_count() < wanted) {
    auto *k = new gpuopt_kernel();
    k->struct_size = sizeof *k;
    k->name = strdup(("gemm_synthetic_" + std::to_string(gpuopt_kernel_count())).c_str());
    k->summary = "does nothing";
    k->op = GPUOPT_OP_GEMM;
    k->flags = flags;
    k->understands = ~0u;
    k->stage_kinds = ~0ull;
    k->max_stages = GPUOPT_MAX_STAGES;
    k->align[0] = k->align[1] = 4;
    k->signatures = kSignatures;
    k->signature_count = 2;
    k->predict_us = predict;
    k->launch = nothing;
    if (gpuopt_register_kernel(k) != GPUOPT_OK) {
      std::fprintf(stderr, "%s\n", gpuopt_last_error());
      std::exit(1);
    }
  }
}

template <class Function>
double median_us(int rounds, int calls, Function &&call) {
  std::vector<double> times;
  for (int r = 0; r < rounds; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call(r * calls + i);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    times.push_back(spent.count() / calls);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[static_cast<size_t>(rounds / 2)];
}

struct result {
  double repeated, fresh;
};

result measure(gpuopt_handle *h, float *memory) {
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(memory, 2, 2, GPUOPT_F32);
  g.b = gpuopt_mat(memory + 4, 2, 2, GPUOPT_F32);
  g.d = gpuopt_mat(memory + 8, 2, 2, GPUOPT_F32);
  const auto run = [&] {
    if (gpuopt_gemm(h, &g) != GPUOPT_OK) std::fprintf(stderr, "%s\n", gpuopt_last_error()), std::exit(1);
  };
  run();
  result r;
  r.repeated = median_us(101, 1000, [&](int) { run(); });
  // A new leading dimension is a new problem: nothing is remembered of it.
  r.fresh = median_us(101, 100, [&](int i) {
    g.a.ld = 100 + i;
    run();
  });
  return r;
}

// On a GPU handle a call also asks the stream whether it is captured and where its three pointers are; both apart.
void report_gpu() {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.cpu_fallback = GPUOPT_FALLBACK_NEVER;
  gpuopt_handle *promised = nullptr, *asking = nullptr;
  o.space = GPUOPT_SPACE_DEVICE;
  if (gpuopt_create(&promised, &o) != GPUOPT_OK) {
    std::printf("no GPU: pointer and capture queries are not measured\n");
    return;
  }
  o.space = GPUOPT_SPACE_QUERY;
  void *memory = nullptr;
  if (gpuopt_create(&asking, &o) == GPUOPT_OK && gpuopt_malloc(promised, &memory, 64) == GPUOPT_OK) {
    add_kernels(240, 0);
    const result without = measure(promised, static_cast<float *>(memory)),
                 with = measure(asking, static_cast<float *>(memory));
    std::printf(
        "on the GPU, repeated problem: %.3f us with the space promised (the capture query is in it), %.3f us more for "
        "the pointers of three operands\n",
        without.repeated, with.repeated - without.repeated);
  }
  gpuopt_free(promised, memory);
  gpuopt_destroy(asking);
  gpuopt_destroy(promised);
}

}  // namespace

int main(int argc, char **argv) {
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *h = nullptr;
  if (gpuopt_create(&h, &o) != GPUOPT_OK) return std::fprintf(stderr, "%s\n", gpuopt_last_error()), 1;
  static float memory[16];
  add_kernels(40, GPUOPT_KERNEL_HOST);
  const result with_40 = measure(h, memory);
  add_kernels(200, GPUOPT_KERNEL_HOST);
  const result with_200 = measure(h, memory);
  std::printf("kernels  whole call, repeated problem  whole call, new problem   (us, medians)\n");
  std::printf("%7d  %29.3f  %23.3f\n", 40, with_40.repeated, with_40.fresh);
  std::printf("%7d  %29.3f  %23.3f\n", 200, with_200.repeated, with_200.fresh);
  gpuopt_destroy(h);
  report_gpu();
  if (check && (with_40.repeated > 0.5 || with_200.fresh > 5.0)) {
    std::printf("above the limit: repeated <= 0.5 us with 40 kernels, new <= 5 us with 200\n");
    return 1;
  }
  return 0;
}
