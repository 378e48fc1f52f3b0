// How long a planned product takes.
#include "gemm/common/gemm_demand.h"
#include "gemm/warptile/warptile_launch.cuh"

namespace gpuopt {

double warptile_us(const gpuopt_problem &problem, const WarptileTimes &times) {
  const GemmWarptileFigures &g = gemm_warptile_figures;
  const gpuopt_device_facts &device = *problem.device;
  const GemmDemand x = gemm_demand(problem);
  const double sms = std::max(device.sm_count, 1), clock = device.clock_mhz > 0 ? device.clock_mhz : 1500;
  const bool plain = is_plain_gemm(problem), reads_c = plain && x.c_bytes > 0;
  const gpuopt_operand &c = problem.operand[GPUOPT_OPERAND_C], &d = problem.operand[GPUOPT_OPERAND_D];
  const bool packs = plain ? has_aligned_lines(d) && (!reads_c || has_aligned_lines(c)) : problem.n % 4 == 0;
  const double store_us = (times.streams ? g.stream_store_factor : 1) * x.elements / sms / clock *
                          ((packs ? g.pack_clocks : g.element_clocks) + (reads_c ? g.c_clocks : 0));
  const double memory_us = (x.a_bytes * (warptile_bytes_a(problem) == 4 ? g.by_4_bytes_factor : 1) +
                            x.b_bytes * (warptile_bytes_b(problem) == 4 ? g.by_4_bytes_factor : 1) + 4 * x.elements +
                            (plain ? x.c_bytes : 0)) /
                           (g.reached_share * warptile_bandwidth(device));
  const double blocks_us = times.blocks_us + g.wave_factor * times.waves_us;
  return times.start_us + (reads_c ? g.c_us : 0) + overlapped_us(blocks_us + store_us, memory_us, 0, g.sharpness) +
         (times.streams ? g.stream_join_factor : g.join_factor) * times.join_us + times.gather_us +
         warptile_finish_us(problem);
}

}  // namespace gpuopt
