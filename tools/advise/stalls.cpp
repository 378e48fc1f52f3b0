#include "gpuopt_advise/stalls.h"

namespace gpuopt_advise {

#define STALL(NAME) "smsp__average_warps_issue_stalled_" NAME "_per_issue_active.ratio", NAME
const Stall kStalls[] = {
    {STALL("long_scoreboard"), "a value from global or local memory",
     "more loads in flight a thread: several independent elements, 16-byte loads, or copies ahead of their use "
     "(cp.async)"},
    {STALL("short_scoreboard"), "a value from shared memory or a special function",
     "fewer and wider accesses to shared memory, values of the next step read ahead, independent work between"},
    {STALL("mio_throttle"), "room in the queue of shared memory and special functions",
     "fewer and wider accesses to shared memory: more results a thread from what it has read"},
    {STALL("lg_throttle"), "room in the queue of global memory",
     "fewer and wider global accesses: 16 bytes a thread, or a tile in shared memory that is read once"},
    {STALL("barrier"), "other warps of the block at __syncthreads",
     "fewer barriers: shuffles within a warp, double buffers, smaller blocks, even work between barriers"},
    {STALL("wait"), "the fixed latency of an instruction before",
     "independent instructions: several accumulators a thread, unrolled loops"},
    {STALL("math_pipe_throttle"), "the arithmetic pipe",
     "instructions of other pipes, or fewer: the pipe is the limit"},
    {STALL("dispatch_stall"), "the dispatcher", "fewer conflicts of register banks and pipes"},
    {STALL("drain"), "stores at the end of a warp", "coalesced, wider stores; blocks that stay for several tiles"},
    {STALL("branch_resolving"), "the target of a branch", "fewer branches: unrolled loops, selects"},
    {STALL("no_instruction"), "instructions from the cache", "smaller code: less unrolling"},
    {STALL("imc_miss"), "constants that are in no cache", "fewer constants, or one address for the whole warp"},
    {STALL("membar"), "a memory barrier", "fewer fences, or of a smaller scope"},
    {STALL("sleeping"), "itself: it sleeps", "no nanosleep where others wait"},
    {STALL("tex_throttle"), "room in the queue of textures", "fewer accesses by textures and surfaces"},
    {STALL("gmma"), "warpgroup products",
     "more stages in flight: that the tensor pipe is busy shows whether it matters"},
    {STALL("misc"), "something else", "a look at the source page"},
    {STALL("not_selected"), "its turn: other warps were ready", ""},
    {STALL("selected"), "nothing: it issued", ""},
};
#undef STALL
const size_t kStallCount = sizeof kStalls / sizeof kStalls[0];

TopStall top_stall(const Kernel &kernel) {
  TopStall top;
  double sum = 0, most = 0;
  for (const Stall &s : kStalls) {
    const auto found = kernel.metrics.find(s.metric);
    if (found == kernel.metrics.end() || found->second < 0) continue;
    sum += found->second;
    if (*s.next && found->second > most) {
      most = found->second;
      top.stall = &s;
    }
  }
  if (sum > 0) top.percent = 100 * most / sum;
  return top;
}

}  // namespace gpuopt_advise
