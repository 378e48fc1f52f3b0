// Warps: divergence and occupancy.
#include "gpuopt_lab/experiment.h"

namespace gpuopt_lab {
namespace {

constexpr const char *kGelus =
    "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=GELU stage=GELU stage=GELU stage=GELU";
constexpr const char *kChoices =
    "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=LEAKY_RELU:0.5 stage=TANH stage=ABS";

}  // namespace

std::vector<Experiment> warp_experiments() {
  return {
      {"001.4b",
       "occupancy, coalescing, branches, tiles, privatisation, coarsening: the check list",
       "six techniques",
       0,
       {{"branches: a warp takes both sides", "fused_act_parity_mixed", kGelus, "normal", 16},
        {"branches: threads regrouped", "fused_act_parity_regrouped", kGelus, "normal", 32}},
       0,
       1,
       Metric::threads,
       "The other five are 004.10, 004.1, 000.1, 001.4a and 001.3a; docs/seeds.md has them as one table."},
      {"004.9a",
       "even and odd elements in warps of their own",
       "2 times: 16 threads an instruction, then 32",
       2,
       {{"mixed", "fused_act_parity_mixed", kGelus, "normal", 16},
        {"regrouped", "fused_act_parity_regrouped", kGelus, "normal", 32}},
       0,
       1,
       Metric::threads,
       "Regrouped threads read every other element, so each half of the sectors is fetched twice: a part of the gain "
       "goes there."},
      {"004.9b",
       "the choice by warp",
       "2 times",
       2,
       {{"by thread", "fused_act_parity_mixed", kGelus, "normal", 16},
        {"by warp", "fused_act_parity_warps", kGelus, "normal", 32}},
       0,
       1,
       Metric::threads,
       "Both sides' common part is the same, so the gain is that of the sides."},
      {"004.9c",
       "predication of short sides",
       "1.5 to 3 times where divergence is severe",
       0,
       {{"branches", "fused_act_branchy", kChoices}, {"selects", "fused_act_predicated", kChoices, "normal", 32}},
       0,
       1,
       Metric::threads,
       "Sides of a few instructions cost little more than the branch itself."},
      {"004.9d",
       "a loop that the threads of a warp leave together",
       "1.5 to 3 times where divergence is severe",
       2,
       {{"1 to 63 trips", "fused_act_trips_uneven", kGelus, "normal", 16.25},
        {"32 trips", "fused_act_trips_even", kGelus, "normal", 32}},
       0,
       1,
       Metric::threads,
       "A warp stays for its last thread: 63 trips for a mean of 32."},
      {"004.10a",
       "occupancy: fewer registers",
       "25 % to 100 %; 1.2 to 2 times",
       1.6,
       {{"48 at once", "fused_act_occupancy_registers", kRelu},
        {"8 at once", "fused_act_occupancy_registers_few", kRelu}},
       0,
       1,
       Metric::occupancy,
       "Fewer warps have more bytes under way each: occupancy is not the aim."},
      {"004.10b",
       "occupancy: less shared memory",
       "12.5 % to full; 1.2 to 2 times",
       1.6,
       {{"63 KB a block", "fused_act_occupancy_shared_memory", kRelu}, {"none", "fused_act_occupancy_full", kRelu}},
       0,
       1,
       Metric::occupancy,
       "4 bytes a thread leave memory waiting where three quarters of the warps are missing."},
      {"004.10c",
       "occupancy: blocks of more than 32 threads",
       "50 % to 100 %; 1.2 to 2 times",
       1.6,
       {{"blocks of 32", "fused_act_occupancy_blocks_of_32", kRelu},
        {"blocks of 256", "fused_act_occupancy_full", kRelu}},
       0,
       1,
       Metric::occupancy,
       "Half of the warps; and eight times as many blocks have to be started."},
  };
}

}  // namespace gpuopt_lab
