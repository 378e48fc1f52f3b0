// What dispatch costs on the host: the whole call of a kernel that does nothing, for a repeated problem and for a new one.
// The library's own kernels are registered, and synthetic ones on top up to 40 and to 200; pointer and capture queries are
// timed apart (they exist on a GPU handle only); so is what 10,000 tuned entries add to a new problem that none is of.
//   selection             prints medians in microseconds
//   selection --check     exits 1 above the limits of docs/dispatch.md. Whatever else runs on the machine only ever adds to a
//                         time, so the least of many short bursts counts, and what is above a limit is measured again, for
//                         half a minute. A machine that is slower than the one that the limits are for gets as much more as
//                         sorting some numbers takes it longer
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/host_cost.h"
#include "gpuopt/kernel.h"

namespace {

using namespace gpuopt_bench;

constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_F16, GPUOPT_F16, GPUOPT_F16, GPUOPT_F16}, GPUOPT_COMPUTE_F32},
                                            {{GPUOPT_F32, GPUOPT_F32, GPUOPT_F32, GPUOPT_F32}, GPUOPT_COMPUTE_F32}};

// Does nothing, so that a call's time is the dispatcher's.
gpuopt_status nothing(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_OK; }

double predict(const gpuopt_problem *p) { return 1e-3 + 1e-12 * static_cast<double>(p->m); }

// Adds kernels until there are so many; one at least, so that it is chosen and not a kernel that computes.
void add_kernels(size_t wanted, uint32_t flags) {
  for (bool added = false; !added || gpuopt_kernel_count() < wanted; added = true) {
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

constexpr double kMostRepeated = 0.5, kMostFresh = 5.0;  // docs/dispatch.md

struct result {
  times repeated, fresh;
  double slower;  // than the machine that the limits are for; at least 1
  bool within() const { return repeated.least <= slower * kMostRepeated && fresh.least <= slower * kMostFresh; }
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
  gpuopt_run_info ran = GPUOPT_RUN_INFO_INIT;
  if (gpuopt_last_kernel(h, &ran) != GPUOPT_OK || std::strncmp(ran.kernel, "gemm_synthetic_", 15) != 0) {
    std::fprintf(stderr, "a kernel that computes ran: %s\n", ran.kernel ? ran.kernel : "?");
    std::exit(1);
  }
  result r;
  r.slower = how_much_slower();
  r.repeated = measure_bursts(1001, 100, [&](int) { run(); });
  // A new leading dimension is a new problem: nothing is remembered of it.
  r.fresh = measure_bursts(501, 20, [&](int i) {
    g.a.ld = 100 + i;
    run();
  });
  return r;
}

// The least of several measurements where the first is above a limit.
result measure_again(gpuopt_handle *h, float *memory) {
  result least;
  bool any = false;
  measure_until([&] {
    const result r = measure(h, memory);
    if (!any) least = r;
    any = true;
    least.slower = std::max(least.slower, r.slower);
    least.repeated.least = std::min(least.repeated.least, r.repeated.least);
    least.fresh.least = std::min(least.fresh.least, r.fresh.least);
    return least.within();
  });
  return least;
}

// A tuned-choice file of 10,000 products, none of which is measured here.
constexpr int kTunedEntries = 10000;
std::string write_tuned_file(gpuopt_handle *h, float *memory) {
  char path[] = "/tmp/gpuopt_selection_XXXXXX", key[GPUOPT_TUNE_KEY_BYTES];
  const int descriptor = mkstemp(path);
  FILE *const file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
  if (file == nullptr) std::perror(path), std::exit(1);
  std::fputs("gpuopt tune 1\n", file);
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  size_t length = 0;
  for (int i = 0; i < kTunedEntries; ++i) {
    g.a = gpuopt_mat(nullptr, 1000 + i, 2, GPUOPT_F32);
    g.b = gpuopt_mat(memory + 4, 2, 2, GPUOPT_F32);
    g.d = gpuopt_mat(nullptr, 1000 + i, 2, GPUOPT_F32);
    if (gpuopt_tune_key(h, &g, nullptr, GPUOPT_TUNE_EXACT, key, sizeof key, &length) != GPUOPT_OK)
      std::fprintf(stderr, "%s\n", gpuopt_last_error()), std::exit(1);
    std::fprintf(file, "%s kernel=%s version=%d\n", key, gpuopt_kernel_get(0)->name, gpuopt_kernel_get(0)->version);
  }
  if (std::fclose(file) != 0) std::perror(path), std::exit(1);
  return path;
}

constexpr double kMostTuned = 0.2;  // docs/tuning.md

// Microseconds that the entries add: the least of a handle with them and the least of one without, in turns.
double measure_tuned(gpuopt_handle *plain, gpuopt_handle *tuned, float *memory) {
  gpuopt_gemm_args g = GPUOPT_GEMM_ARGS_INIT;
  g.a = gpuopt_mat(memory, 2, 2, GPUOPT_F32);
  g.b = gpuopt_mat(memory + 4, 2, 2, GPUOPT_F32);
  g.d = gpuopt_mat(memory + 8, 2, 2, GPUOPT_F32);
  double least[2] = {1e9, 1e9};
  for (int burst = 0; burst < 501; ++burst)
    for (gpuopt_handle *h : {plain, tuned})
      least[h == tuned] = std::min(least[h == tuned], measure_bursts(1, 20, [&](int i) {
                                                        g.a.ld = 100 + 20 * burst + i;
                                                        if (gpuopt_gemm(h, &g) != GPUOPT_OK) std::exit(1);
                                                      }).least);
  return least[1] - least[0];
}

bool report_tuned(gpuopt_handle *plain, float *memory, bool check) {
  const std::string path = write_tuned_file(plain, memory);
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  o.tune_cache = path.c_str();
  gpuopt_handle *tuned = nullptr;
  const auto start = std::chrono::steady_clock::now();
  const gpuopt_status status = gpuopt_create(&tuned, &o);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  std::remove(path.c_str());
  if (status != GPUOPT_OK) std::fprintf(stderr, "%s\n", gpuopt_last_error()), std::exit(1);
  const double slower = how_much_slower();
  double more = 1e9;
  const auto measure = [&] {
    more = std::min(more, measure_tuned(plain, tuned, memory));
    return more <= slower * kMostTuned;
  };
  if (check)
    measure_until(measure);
  else
    measure();
  gpuopt_destroy(tuned);
  std::printf("%d tuned entries: %.3f us more for a new problem; read in %.1f ms\n", kTunedEntries, more,
              spent.count());
  return more <= slower * kMostTuned;
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
        without.repeated.median, with.repeated.median - without.repeated.median);
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
  bool within = true;
  std::printf("kernels  whole call, repeated problem  whole call, new problem   (us, medians and least)\n");
  for (const size_t kernels : {40, 200}) {
    add_kernels(kernels, GPUOPT_KERNEL_HOST);
    const result r = check ? measure_again(h, memory) : measure(h, memory);
    std::printf("%7zu  %21.3f %7.3f  %15.3f %7.3f\n", gpuopt_kernel_count(), r.repeated.median, r.repeated.least,
                r.fresh.median, r.fresh.least);
    if (check && r.slower > 1) std::printf("         on a machine that takes %.2f times as long to sort\n", r.slower);
    within = within && r.within();
    if (kernels == 40) within = report_tuned(h, memory, check) && within;
  }
  gpuopt_destroy(h);
  report_gpu();
  if (check && !within) {
    std::printf("above the limit: repeated <= %.1f us, new <= %.1f us, tuned entries <= %.1f us more\n", kMostRepeated,
                kMostFresh, kMostTuned);
    return 1;
  }
  return 0;
}
