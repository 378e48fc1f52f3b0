#include "roofline_measure.h"

#if GPUOPT_CLI_HAVE_BENCH_CORE
#include "core/ceilings.h"

namespace gpuopt_cli {

std::vector<gpuopt_roofline::Ceiling> device_ceilings(int32_t ordinal) {
  gpuopt_bench::Session session(ordinal);
  std::vector<gpuopt_roofline::Ceiling> all;
  for (const gpuopt_bench::Rate &r : gpuopt_bench::measure_rates(session))
    all.push_back({r.name, r.flops, r.flops ? 1000 * r.value : r.value, r.method});
  return all;
}

}  // namespace gpuopt_cli
#else

namespace gpuopt_cli {
std::vector<gpuopt_roofline::Ceiling> device_ceilings(int32_t) { return {}; }
}  // namespace gpuopt_cli
#endif
