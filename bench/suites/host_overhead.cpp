// What gpuopt adds on the host to a cuBLASLt call: gpuopt_gemm with gemm_cublaslt forced, against cublasLtMatmul with the
// same kind of algorithm cached. Calls are queued behind a spin, so that nothing but queueing is timed, in bursts that fit
// the launch queue. The GPU time of both must agree too.
#include <algorithm>
#include <cmath>

#include "../core/error.h"
#include "../core/spin.h"
#include "../core/stats.h"
#include "../peers/cublaslt.h"
#include "gemm_case.h"

namespace gpuopt_bench {
namespace {

constexpr int kBurst = 64, kRounds = 201;
constexpr double kHostLimitUs = 1.5, kDeviceLimitPercent = 1;
constexpr const char *kKernel = "gemm_cublaslt";

// Host time a call, from bursts of each contender in turn.
std::vector<double> host_us(Session &session, const std::vector<Contender> &contenders) {
  std::vector<std::vector<double>> samples(contenders.size());
  const long long cycles = 2000LL * session.device().max_sm_mhz;  // 2 ms
  for (int round = 0; round < kRounds; ++round)
    for (size_t turn = 0; turn < contenders.size(); ++turn) {
      const size_t i = (turn + static_cast<size_t>(round)) % contenders.size();
      launch_spin(cycles, session.stream());
      const double us = wall_us([&] {
        for (int call = 0; call < kBurst; ++call) contenders[i].call(session.stream(), 0);
      });
      BENCH_CUDA(cudaStreamSynchronize(session.stream()));
      samples[i].push_back(us / kBurst);
    }
  std::vector<double> medians;
  for (const auto &s : samples) medians.push_back(spread_of(s).median);
  return medians;
}

void overhead_case(Context &context, const GemmShape &s, bool host) {
  Case c = gemm_case("host_overhead", s);
  if (left_out(context, c, s.quick)) return;
  try {
    const LibraryCall call = gemm_operands(context, s, &c);
    const auto lt = std::make_shared<const CublasLt>(problem_of(s), true);
    c.add(Role::peer, cublaslt_contender("cublasLtMatmul", lt, 0, *c.operands));
    c.add(Role::kernel, context.library.forced(call, kKernel), kKernel);
    // Short calls in a graph: alone behind a spin, one of 5 to 9 us moves by tenths of a microsecond from run to run.
    const bool brief = s.m <= 1024;
    const std::vector<Timing> device = measure_case(context, c, brief ? Mode::graph : Mode::single);
    if (!device[1].ok()) throw Refused(device[1].failure);
    std::printf("%-52s GPU time: direct %.2f us, through gpuopt %.2f us\n", c.label().c_str(), device[0].median_us,
                device[1].median_us);
    add_check(context, "GPU time of " + c.shape + " " + c.type + " through gpuopt over cublasLtMatmul",
              100 * (device[1].median_us / device[0].median_us - 1), kDeviceLimitPercent, "%");
    if (!host) return;
    const std::vector<double> us = host_us(context.session, c.contenders);
    std::printf("%-52s host time: direct %.2f us, through gpuopt %.2f us\n", c.label().c_str(), us[0], us[1]);
    add_check(context, "host time of a " + c.shape + " " + c.type + " call through gpuopt less cublasLtMatmul's",
              us[1] - us[0], kHostLimitUs, "us");
  } catch (const Refused &refused) {
    add_check(context, c.label() + ": " + refused.what(), NAN, 0, "");
  }
}

}  // namespace

void run_host_overhead(Context &context) {
  constexpr gpuopt_dtype kBf16 = GPUOPT_BF16, kF32 = GPUOPT_F32;
  constexpr int32_t kAsF32 = GPUOPT_COMPUTE_F32;
  overhead_case(context, {128, 128, 128, kBf16, kBf16, kAsF32, "nn", true}, true);
  overhead_case(context, {256, 256, 256, kF32, kF32, kAsF32, "nn", true}, true);
  overhead_case(context, {1024, 1024, 1024, kBf16, kBf16, kAsF32, "nn", true}, false);
  overhead_case(context, {4096, 4096, 4096, kBf16, kBf16, kAsF32, "nn", true}, false);
}

}  // namespace gpuopt_bench
