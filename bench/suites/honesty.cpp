// The harness tests itself: against a plain event loop that shares nothing with it, against itself a second time, its copy
// against cudaMemcpy, and the roofline's ceilings against its own. Limits: docs/measuring.md.
#include <algorithm>
#include <cmath>

#include "../core/ceilings.h"
#include "../core/copy.h"
#include "../core/error.h"
#include "../core/read.h"
#include "../core/stats.h"
#include "../peers/cublaslt.h"
#include "gemm_case.h"

namespace gpuopt_bench {
namespace {

constexpr GemmShape kLarge = {4096, 4096, 4096, GPUOPT_BF16, GPUOPT_BF16, GPUOPT_COMPUTE_F32, "nn", true};

// Calls back to back, an event between each two, no spin, no graph. The first call waits for the host and is left out.
std::vector<double> plain_loop(const Contender &contender, cudaStream_t stream, int sets, int calls) {
  std::vector<cudaEvent_t> events(static_cast<size_t>(calls) + 1);
  for (cudaEvent_t &e : events) BENCH_CUDA(cudaEventCreate(&e));
  BENCH_CUDA(cudaEventRecord(events[0], stream));
  for (int i = 0; i < calls; ++i) {
    contender.call(stream, i % sets);
    BENCH_CUDA(cudaEventRecord(events[static_cast<size_t>(i) + 1], stream));
  }
  BENCH_CUDA(cudaEventSynchronize(events.back()));
  std::vector<double> us;
  for (size_t i = 1; i + 1 < events.size(); ++i) {
    float ms = 0;
    BENCH_CUDA(cudaEventElapsedTime(&ms, events[i], events[i + 1]));
    us.push_back(1000.0 * ms);
  }
  for (cudaEvent_t e : events) BENCH_CUDA(cudaEventDestroy(e));
  return us;
}

double percent_apart(double a, double b) { return 100 * std::fabs(a - b) / std::min(a, b); }

// Both ways in turn, in short blocks, because a long product is limited by power and so by what ran just before.
void check_plain_loop(Context &context) {
  Case c = gemm_case("honesty", kLarge);
  gemm_operands(context, kLarge, &c);
  const auto lt = std::make_shared<const CublasLt>(problem_of(kLarge), false);
  c.add(Role::peer, cublaslt_contender("cublaslt_first", lt, 0, *c.operands));
  MeasureOptions o;
  o.sets = c.operands->sets();
  o.bytes_per_set = c.bytes_per_call;
  o.least = o.most = 8;
  plain_loop(c.contenders[0], context.session.stream(), o.sets, 200);  // until power and clocks have settled
  std::vector<double> plain, timer;
  for (int block = 0; block < 24; ++block) {
    const std::vector<double> us = plain_loop(c.contenders[0], context.session.stream(), o.sets, 9);
    plain.insert(plain.end(), us.begin(), us.end());
    timer.push_back(context.session.measure(c.contenders, o)[0].median_us);
  }
  const double a = spread_of(plain).median, b = spread_of(timer).median;
  std::printf("cuBLASLt bf16 4096x4096x4096: plain event loop %.2f us, mode S %.2f us\n", a, b);
  add_check(context, "cuBLASLt bf16 4096^3, mode S against a plain event loop", percent_apart(a, b), 2, "%");
}

void check_copy(Context &context) {
  for (const int64_t mib : {64, 256, 1024, 4096}) {
    const std::string size = mib < 1024 ? std::to_string(mib) + " MiB" : std::to_string(mib / 1024) + " GiB";
    try {
      const int64_t bytes = mib << 20;
      Case c;
      c.bytes_per_call = 2 * bytes;
      const int sets = sets_past_l2(context.session.device(), 2 * bytes);
      const OperandShape buffer = {GPUOPT_F32, bytes / 4};
      c.operands =
          std::make_shared<OperandSets>(std::vector<OperandShape>{buffer, buffer}, sets, context.session.stream());
      c.add(Role::ceiling, copy_contenders(context.session, *c.operands, 0, 1, static_cast<size_t>(bytes)));
      const std::vector<Timing> t = measure_case(context, c, Mode::single);
      std::printf("copy %s: cudaMemcpy %.2f us, %s %.2f us\n", size.c_str(), t[0].median_us,
                  c.contenders[1].name.c_str(), t[1].median_us);
      add_check(context, "our copy of " + size + " over cudaMemcpy (" + c.contenders[1].name + ")",
                100 * (t[1].median_us / t[0].median_us - 1), 1, "%");
    } catch (const Refused &refused) {
      std::printf("copy %s left out: %s\n", size.c_str(), refused.what());
    }
  }
}

// A run over contenders of each kind that take over 50 us; done twice, medians compared.
struct Named {
  std::string name;
  double us;
};
std::vector<Named> one_run(Context &context) {
  std::vector<Named> results;
  const auto take = [&](const Case &c, const std::string &what) {
    const std::vector<Timing> t = measure_case(context, c, Mode::single);
    for (size_t i = 0; i < t.size(); ++i)
      results.push_back({what + " " + c.contenders[i].name, t[i].ok() ? t[i].median_us : 0});
  };
  {
    Case c = gemm_case("honesty", kLarge);
    const LibraryCall call = gemm_operands(context, kLarge, &c);
    const auto lt = std::make_shared<const CublasLt>(problem_of(kLarge), false);
    plain_loop(cublaslt_contender("", lt, 0, *c.operands), context.session.stream(), c.operands->sets(),
               3000);  // 0.6 s: until power has settled
    c.add(Role::peer, cublaslt_contender("cublaslt_first", lt, 0, *c.operands));
    c.add(Role::automatic, context.library.automatic(call));
    take(c, "bf16 4096^3");
  }
  {
    Case c;
    const int64_t words = int64_t{64} << 20;
    c.bytes_per_call = 8 * words;
    c.operands = std::make_shared<OperandSets>(std::vector<OperandShape>{{GPUOPT_F32, words}, {GPUOPT_F32, words}}, 2,
                                               context.session.stream());
    c.add(Role::ceiling, copy_contenders(context.session, *c.operands, 0, 1, static_cast<size_t>(4 * words)));
    take(c, "256 MiB copy");
    c.contenders.clear();
    c.roles.clear();
    c.kernels.clear();
    c.bytes_per_call = 4 * words;
    c.add(Role::ceiling, read_contenders(context.session, *c.operands, 0, static_cast<size_t>(4 * words)));
    take(c, "256 MiB read");
  }
  return results;
}

// What `gpuopt roofline` takes for the memory's ceilings, beside the fastest of a run.
void check_ceilings(Context &context, const std::vector<Named> &run) {
  for (const Rate &rate : measure_rates(context.session)) {
    if (rate.name != "copy" && rate.name != "read") continue;
    const double bytes = (rate.name == "copy" ? 2.0 : 1.0) * static_cast<double>(int64_t{256} << 20);
    double best = 0;
    for (const Named &n : run)
      if (n.us > 0 && n.name.rfind("256 MiB " + rate.name, 0) == 0) best = std::max(best, bytes / n.us * 1e-3);
    add_check(context, "the roofline's " + rate.name + ", beside the bench's", percent_apart(rate.value, best), 2, "%");
  }
}

void check_repeats(Context &context) {
  const std::vector<Named> first = one_run(context), second = one_run(context);
  for (size_t i = 0; i < first.size(); ++i)
    if (first[i].us > 50)
      add_check(context, "two runs: " + first[i].name, percent_apart(first[i].us, second[i].us), 3, "%");
  check_ceilings(context, second);
}

}  // namespace

void run_honesty(Context &context) {
  context.session.warm_up(300);
  try {
    check_plain_loop(context);
    check_copy(context);
    check_repeats(context);
  } catch (const Refused &refused) {
    add_check(context, std::string("honesty: ") + refused.what(), NAN, 0, "");
  }
}

}  // namespace gpuopt_bench
