// What `gpuopt lab` asks of a GPU beside calls.
#include "lab_run.h"

#if GPUOPT_CLI_HAVE_BENCH_CORE
#include <algorithm>
#include <cstdio>

#include "core/ceilings.h"
#include "core/copy.h"
#include "core/error.h"

namespace gpuopt_cli {

using namespace gpuopt_bench;

std::vector<LabLine> lab_latencies(int32_t ordinal) {
  Session session(ordinal);
  session.warm_up(200);
  std::vector<LabLine> lines;
  for (const Latency &l : measure_latencies(session)) lines.push_back({l.name, {{"clocks", l.clocks}, {"ns", l.ns}}});
  return lines;
}

// The kernels vec16_<threads>x<loads>[_ctas<n>] of the copy suite: a thread has that many loads of 16 bytes under way, and of
// blocks as many run at once as fit, or n.
std::vector<LabLine> lab_bytes_in_flight(int32_t ordinal) {
  constexpr int64_t kBytes = int64_t{256} << 20;
  Session session(ordinal);
  session.warm_up(200);
  int threads_of_sm = 0;
  BENCH_CUDA(cudaDeviceGetAttribute(&threads_of_sm, cudaDevAttrMaxThreadsPerMultiProcessor, ordinal));
  MeasureOptions o;
  o.sets = sets_past_l2(session.device(), 2 * kBytes);
  o.bytes_per_set = 2 * kBytes;
  o.budget_ms = 20;
  const OperandSets sets({{GPUOPT_F32, kBytes / 4}, {GPUOPT_F32, kBytes / 4}}, o.sets, session.stream());
  std::vector<Contender> contenders;
  std::vector<double> kilobytes;
  for (const CopyShape &shape : copy_shapes(session.device())) {
    int threads = 0, loads = 0, ctas = 0;
    if (std::sscanf(shape.name.c_str(), "vec16_%dx%d_ctas%d", &threads, &loads, &ctas) < 2) continue;
    const int most = threads_of_sm / threads;
    kilobytes.push_back(16.0 * threads * loads * (ctas > 0 ? std::min(ctas, most) : most) / 1024);
    contenders.push_back({shape.name,
                          [&shape, &sets](cudaStream_t stream, int set) {
                            shape.launch(sets.at(1, set), sets.at(0, set), static_cast<size_t>(kBytes), stream);
                          },
                          nullptr});
  }
  const std::vector<Timing> timings = session.measure(contenders, o);
  std::vector<LabLine> lines;
  for (size_t i = 0; i < timings.size(); ++i)
    if (timings[i].ok())
      lines.push_back({contenders[i].name,
                       {{"KB in flight an SM", kilobytes[i]}, {"GB/s", 2e-3 * double(kBytes) / timings[i].median_us}}});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const LabLine &a, const LabLine &b) { return a.values[0].second < b.values[0].second; });
  return lines;
}

int lab_recommended_threads(const void *entry, int32_t dynamic_smem) {
  return gpuopt_bench::recommended_threads(entry, static_cast<size_t>(dynamic_smem));
}

}  // namespace gpuopt_cli
#else

namespace gpuopt_cli {
std::vector<LabLine> lab_bytes_in_flight(int32_t) { return {}; }
std::vector<LabLine> lab_latencies(int32_t) { return {}; }
int lab_recommended_threads(const void *, int32_t) { return 0; }
}  // namespace gpuopt_cli
#endif
