#include "gpuopt_advise/rules.h"

namespace gpuopt_advise {
namespace {

using Q = Quantity;
constexpr bool kAtLeast = true, kBelow = false;
// Of a loss: what is not worth an eighth of the time is not what a kernel is bound by.
constexpr double kWorth = 1.15;
// Nsight Compute calls a unit busy from 60 %, and a kernel bound by latency where none is; from 80 % it calls it the limit.
constexpr double kBusy = 60, kLimit = 80;
// Issue slots serve. Where a third of them is free, hiding latency gains the 1.5 that fewer instructions promise at the most.
constexpr double kIssueBusy = 200.0 / 3;
// Of useful work before what serves it.
constexpr double kUseful = 15;

}  // namespace

// clang-format off
const Rule kRules[] = {
    {"launch-too-small", Part::launch,
     {{Q::filled, kBelow, 100}, {Q::busiest, kBelow, kBusy}}, {Q::grid, Q::multiprocessors, Q::waves}, 0, Q::duration,
     "a launch that is too small: multiprocessors have no block",
     "more blocks: smaller tiles, the long extent cut among blocks (split-K, split lines), several problems in one launch (batch)",
     "", "gemm_vec4 -> gemm_warptile_64x64, reduce_rows -> reduce_split_lines", "seed 002 experiment 2; ncu, launch statistics"},
    {"launch-too-small", Part::launch,
     {{Q::waves, kBelow, 0.5}, {Q::busiest, kBelow, kBusy}, {Q::occupancy, kBelow, 40}}, {Q::grid, Q::multiprocessors, Q::waves}, 0, Q::duration,
     "a launch that is too small: half of what fits the multiprocessors is not there",
     "more blocks: smaller tiles, the long extent cut among blocks (split-K, split lines), several problems in one launch (batch)",
     "", "gemm_vec4 -> gemm_warptile_64x64, reduce_rows -> reduce_split_lines", "seed 002 experiment 2; ncu, launch statistics"},

    {"uncoalesced", Part::loss,
     {{Q::waste, kAtLeast, 100.0 / 3}, {Q::gain_coalesced, kAtLeast, kWorth}}, {Q::load_sectors, Q::load_excess, Q::store_sectors, Q::store_excess}, 0, Q::gain_coalesced,
     "uncoalesced access: sectors of global memory are moved for a part of their bytes",
     "neighbouring threads on neighbouring addresses: exchanged indices, structures of arrays, or a tile turned in shared memory (corner turning)",
     "5 to 30 times", "gemm_uncoalesced -> gemm_naive, transpose_naive -> transpose_padded, fused_act_access_strided_64 -> fused_act_access_float, gemm_corner_turn",
     "seed 004.1: sectors moved over needed > 1.5; seed 001.6.1"},
    {"atomics", Part::loss,
     {{Q::atomic_part, kAtLeast, 10}, {Q::atomic_rate, kAtLeast, 1}, {Q::dram, kBelow, kBusy}, {Q::gain_atomics, kAtLeast, kWorth}}, {Q::atomic_requests, Q::global_requests}, 0, Q::gain_atomics,
     "atomics: threads queue for the same words in L2",
     "privatisation: sums in registers and shared memory, one atomic a block, or none (partials and a second pass)",
     "20 times", "reduce_atomic_each -> reduce_atomic, reduce_one_launch", "seed 004.3, reduction; seed 001.6.4, privatisation"},
    {"bank-conflicts", Part::loss,
     {{Q::conflicts, kAtLeast, 5}, {Q::gain_conflicts, kAtLeast, kWorth}}, {Q::shared_busy}, 0, Q::gain_conflicts,
     "bank conflicts: accesses to shared memory are taken apart",
     "a column of padding, an XOR swizzle, or neighbouring lanes on neighbouring words; within a warp shuffles instead",
     "1.5 to 3 times", "transpose_tiled -> transpose_padded, reduce_interleaved_strided -> reduce_sequential",
     "seed 004.8: conflicts > 5 % of the passes"},
    {"divergence", Part::loss,
     {{Q::threads, kBelow, 25.6}, {Q::issue, kAtLeast, 40}, {Q::gain_divergence, kAtLeast, kWorth}}, {}, 0, Q::gain_divergence,
     "divergence: instructions are issued for warps of which many threads do not work",
     "work on neighbouring threads, so that whole warps agree or retire; conditions on warps, not threads; selects for short sides",
     "1.5 to 3 times", "reduce_interleaved -> reduce_shuffle, fused_act_parity_mixed -> fused_act_parity_regrouped",
     "seed 004.9: below 80 % of 32 threads; seed 002 experiment 5: divergence > 20 %"},
    {"local-memory", Part::loss,
     {{Q::local_part, kAtLeast, 10}, {Q::local_rate, kAtLeast, 1}, {Q::gain_local, kAtLeast, kWorth}}, {Q::local_requests, Q::registers}, 0, Q::gain_local,
     "local memory: registers are spilled, or arrays are indexed at run time",
     "fewer values alive in a thread: smaller tiles, less unrolling, launch bounds that leave it its registers, indices known to the compiler",
     "", "gemm_spilled_8x8 -> gemm_regblock_8x8, gemm_warptile_128x128 (254 registers, none spilled)", "seed 000 L3; seed 004.5 and 6: register pressure"},
    {"tail", Part::loss,
     {{Q::waves, kAtLeast, 1}, {Q::wave_loss, kAtLeast, 15}, {Q::gain_waves, kAtLeast, kWorth}, {Q::busiest, kBelow, kLimit}}, {Q::balance, Q::grid}, 0, Q::gain_waves,
     "the tail: multiprocessors without work while the last blocks run",
     "tiles that fill whole waves, persistent blocks, the last wave cut along k (stream-K), even work a block",
     "", "gemm_warptile_128x128, gemm_wgmma_16bit_128x192", "ncu, launch statistics"},

    {"tensor", Part::ceiling, {{Q::tensor, kAtLeast, kLimit}}, {Q::l1, Q::issue}, kUseful, Q::duration,
     "the tensor pipe, at its limit", "nothing more to gain but by fewer operations or a narrower type", "",
     "gemm_wgmma_16bit_128x256", "seed 004.7"},
    {"tensor", Part::ceiling, {{Q::tensor, kAtLeast, kBusy}}, {Q::l1, Q::issue}, kUseful, Q::duration,
     "the tensor pipe", "operands fed without waiting: deeper rings, TMA, on sm_90 wgmma in place of mma.sync", "",
     "gemm_mma_16bit_128x128 -> gemm_wgmma_16bit_128x256", "seed 004.7: pipe below its limit"},
    {"fp32", Part::ceiling, {{Q::fma, kAtLeast, kLimit}}, {Q::issue, Q::tensor, Q::l1}, kUseful, Q::duration,
     "fp32 arithmetic, at its limit", "tensor cores, where the types allow it (TF32, 16 bits); else fewer operations", "5 to 20 times",
     "gemm_warptile_packed -> gemm_wgmma_tf32_128x256", "seed 004.7, summary"},
    {"fp32", Part::ceiling, {{Q::fma, kAtLeast, kBusy}}, {Q::issue, Q::tensor, Q::l1}, kUseful, Q::duration,
     "fp32 arithmetic, with instructions beside it", "fewer other instructions: larger blocks of sums a thread, 16-byte accesses, unrolling; or tensor cores", "1.2 to 1.5 times; tensor cores 5 to 20",
     "gemm_vec4 -> gemm_warptile_128x128 -> gemm_wgmma_tf32_128x256", "seed 004.6, 7"},
    {"fp64", Part::ceiling, {{Q::fp64, kAtLeast, kBusy}}, {}, kUseful, Q::duration,
     "fp64 arithmetic", "tensor cores in fp64 (sm_80, sm_90), fewer operations, fp32 where it is enough", "",
     "gemm_f64_simt_64x64 -> gemm_f64_dmma_ws_128x128", "seed 004.7"},
    {"dram", Part::ceiling, {{Q::dram, kAtLeast, kLimit}}, {Q::load_sectors, Q::store_sectors, Q::issue}, kUseful, Q::duration,
     "DRAM bandwidth, at its limit", "nothing more to gain but by fewer bytes: fuse neighbours, narrower types, data kept on chip", "fusion 3 to 10 times",
     "fused_act_unfused -> fused_act_columns", "seed 004.4; seed 002 experiment 5"},
    {"dram", Part::ceiling, {{Q::dram, kAtLeast, kBusy}}, {Q::load_sectors, Q::store_sectors, Q::issue}, kUseful, Q::duration,
     "DRAM bandwidth, not at its limit", "more bytes in flight: 16-byte accesses, several independent ones a thread", "1.5 to 2 times",
     "fused_act_scalar -> fused_act_vec16, reduce_ilp_4 -> reduce_one_launch", "seed 004.2: coalesced and below 90 %"},
    {"shared-memory", Part::ceiling, {{Q::l1, kAtLeast, kBusy}, {Q::shared_part, kAtLeast, 50}}, {Q::shared_busy, Q::conflicts, Q::fma, Q::tensor}, 0, Q::duration,
     "shared memory: its accesses a result", "more results a thread from what it has read (register blocks), 16-byte accesses", "1.3 to 2 times",
     "gemm_tiled_32 -> gemm_regblock_8x8 -> gemm_vec4", "seed 001.6.3, 6.6; seed 004.5"},
    {"caches", Part::ceiling, {{Q::l1, kAtLeast, kBusy}, {Q::shared_part, kBelow, 50}}, {Q::load_sectors, Q::l2_hit, Q::dram}, 0, Q::duration,
     "L1: the same global data is loaded again and again", "a tile in shared memory, read once a block and used by all its threads", "2 to 10 times",
     "gemm_naive -> gemm_tiled_32 -> gemm_regblock_8x8", "seed 004.3; seed 001.6.5"},
    {"shared-memory", Part::ceiling, {{Q::lsu, kAtLeast, kBusy}, {Q::shared_part, kAtLeast, 50}}, {Q::shared_busy, Q::conflicts, Q::fma, Q::tensor}, 0, Q::duration,
     "shared memory: its accesses a result", "more results a thread from what it has read (register blocks), 16-byte accesses", "1.3 to 2 times",
     "gemm_tiled_32 -> gemm_regblock_8x8 -> gemm_vec4", "seed 001.6.3, 6.6; seed 004.5"},
    {"caches", Part::ceiling, {{Q::lsu, kAtLeast, kBusy}, {Q::shared_part, kBelow, 50}}, {Q::load_sectors, Q::l2_hit, Q::dram}, 0, Q::duration,
     "L1: the same global data is loaded again and again", "a tile in shared memory, read once a block and used by all its threads", "2 to 10 times",
     "gemm_naive -> gemm_tiled_32 -> gemm_regblock_8x8", "seed 004.3; seed 001.6.5"},
    {"l1", Part::ceiling, {{Q::l1, kAtLeast, kBusy}}, {}, -1, Q::duration,
     "L1 and shared memory; the report does not say which", "wider accesses and more results a thread from what was read", "1.3 to 2 times",
     "gemm_tiled_32 -> gemm_vec4", "seed 001.6.3, 6.6"},
    {"caches", Part::ceiling, {{Q::l2, kAtLeast, kBusy}}, {Q::load_sectors, Q::l2_hit, Q::dram}, 0, Q::duration,
     "L2: blocks load the same data again and again", "larger tiles a block, so that each byte is asked for less often; blocks that share data side by side", "2 to 5 times",
     "gemm_naive -> gemm_tiled_32 -> gemm_tiled_64", "seed 004.3; seed 001.6.5"},
    {"issue", Part::ceiling, {{Q::issue, kAtLeast, kIssueBusy}, {Q::accesses, kBelow, kBusy}}, {Q::fma, Q::alu, Q::dram, Q::load_sectors}, 0, Q::duration,
     "instruction issue: instructions beside the useful ones", "fewer instructions a result: 16-byte accesses, several elements a thread, unrolled loops, divisions and choices out of the loop", "1.2 to 1.5 times",
     "fused_act_scalar -> fused_act_vec16, gemm_unrolled_1 -> gemm_unrolled", "seed 004.2, 6"},
    {"integer", Part::ceiling, {{Q::alu, kAtLeast, kBusy}, {Q::accesses, kBelow, kBusy}}, {Q::issue, Q::fma}, 0, Q::duration,
     "integer and logic instructions", "indices and divisions out of the loop, selects instead of comparisons, 32-bit indices", "1.2 to 1.5 times",
     "fused_act_scalar -> fused_act_vec16", "seed 004.6"},
    {"special-functions", Part::ceiling, {{Q::xu, kAtLeast, kBusy}}, {}, kUseful, Q::duration,
     "special functions: exponentials, roots, reciprocals", "fewer of them an element: one in place of two, polynomials", "",
     "fused_act_vec16 (GELU by one special function)", "ncu, pipe utilisation"},
    {"memory", Part::ceiling, {{Q::memory, kAtLeast, kBusy}}, {}, -30, Q::duration,
     "memory; the report does not say which part of it", "a report with more counters: gpuopt advise --run", "",
     "", "ncu, speed of light"},
    {"compute", Part::ceiling, {{Q::sm, kAtLeast, kIssueBusy}}, {}, -30, Q::duration,
     "the multiprocessors' pipes; the report does not say which", "a report with more counters: gpuopt advise --run", "",
     "", "ncu, speed of light"},

    {"occupancy", Part::latency, {{Q::busiest, kBelow, kIssueBusy}, {Q::occupancy, kBelow, 50}, {Q::theoretical, kBelow, 51}}, {Q::issue, Q::registers, Q::waves}, 0, Q::duration,
     "latency, with few warps to hide it", "more warps a multiprocessor, by less of what limits them; or more independent work a warp", "1.2 to 2 times",
     "fused_act_occupancy_shared_memory -> fused_act_occupancy_full, gemm_wmma_f16 -> gemm_mma_16bit_128x128", "seed 004.10, of which 50 % is an example; seed 001.6.5: reduce what limits occupancy"},
    {"latency", Part::latency, {{Q::busiest, kBelow, kIssueBusy}}, {Q::occupancy, Q::issue, Q::dram}, 0, Q::duration,
     "latency: no unit is at its limit, and warps wait", "more independent work in flight a thread", "1.3 to 2 times",
     "reduce_shuffle -> reduce_ilp_4 -> reduce_one_launch", "seed 004.5; ncu: no unit above 60 %, but issue slots"},

    {"no-tensor-cores", Part::remark, {{Q::fma, kAtLeast, kBusy}, {Q::tensor, kBelow, 1}}, {}, 0, Q::duration,
     "the tensor cores are idle", "where this is a matrix product: TF32 or 16-bit operands", "5 to 20 times",
     "gemm_wgmma_tf32_128x256", "seed 004.7: tensor instructions are 0"},
    {"bank-conflicts", Part::remark, {{Q::conflicts, kAtLeast, 5}, {Q::shared_busy, kAtLeast, 20}}, {}, 0, Q::gain_conflicts,
     "bank conflicts", "padding or a swizzle", "", "transpose_tiled -> transpose_padded", "seed 004.8"},
    {"tail", Part::remark, {{Q::waves, kAtLeast, 1}, {Q::gain_waves, kAtLeast, kWorth}}, {}, 0, Q::gain_waves,
     "multiprocessors are idle for a part of the time", "whole waves of tiles, persistent blocks, stream-K", "", "gemm_warptile_128x128", "ncu, launch statistics"},
};
// clang-format on
const size_t kRuleCount = sizeof kRules / sizeof kRules[0];

}  // namespace gpuopt_advise
