// Figures of the links between ranks, for predictions. nvlink: two H200, NV18, without multicast; blocks are NCCL's, fitted to the
// plain sequences of bench/results; peers the copy engines'. ib400: one adapter of 400 Gb/s a GPU, assumed from its data sheet, not
// measured. memory: processes of one CPU machine under MPI.
#pragma once
#include "plan.h"

namespace gpuopt::dist {

struct LinkFigures {
  Link blocks, peers;  // peers.gbs = 0: memory of peers cannot be mapped
};
constexpr LinkFigures kLinks[] = {
    {{"nvlink", 28, 225, 3.0}, {"nvlink", 24, 340, 1.00}},
    {{"ib400", 30, 45, 1.50}, {"ib400", 0, 0, 1}},
    {{"memory", 30, 4, 1.00}, {"memory", 0, 0, 1}},
};
constexpr double kTailShown = 0.5;
constexpr double kLaunchUs = 2.5;  // between the end of one kernel on a lane and the next one's work

}  // namespace gpuopt::dist
