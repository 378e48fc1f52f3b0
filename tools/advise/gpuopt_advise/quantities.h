// What the rules speak of, and which metrics of a report say it: today's names (checked against `ncu --query-metrics --chip
// gh100` and the sections of Nsight Compute), those of its details page, and what stands for them where they are missing.
#pragma once
#include <string>
#include <vector>

#include "gpuopt_advise/report.h"

namespace gpuopt_advise {

// X(name, unit, what it is). Those from `busiest` on are derived from the others: derived.cpp.
#define GPUOPT_ADVISE_QUANTITIES(X)                                                     \
  X(duration, "us", "duration")                                                         \
  X(sm, "%", "throughput of the multiprocessors, the busiest part of them")             \
  X(memory, "%", "throughput of memory, the busiest part of it")                        \
  X(dram, "%", "DRAM throughput")                                                       \
  X(l2, "%", "L2 throughput")                                                           \
  X(l1, "%", "throughput of L1 and shared memory")                                      \
  X(lsu, "%", "load and store instructions")                                            \
  X(l2_hit, "%", "hits in L2")                                                          \
  X(fma, "%", "fp32 pipe")                                                              \
  X(fp64, "%", "fp64 pipe")                                                             \
  X(alu, "%", "integer and logic pipe")                                                 \
  X(xu, "%", "special functions pipe")                                                  \
  X(tensor, "%", "tensor pipe")                                                         \
  X(issue, "%", "issue slots in use")                                                   \
  X(load_sectors, "", "sectors a global load of a warp")                                \
  X(store_sectors, "", "sectors a global store of a warp")                              \
  X(load_excess, "x", "sectors moved over sectors needed, global loads")                \
  X(store_excess, "x", "sectors moved over sectors needed, global stores")              \
  X(load_sum, "", "sectors of global loads")                                            \
  X(store_sum, "", "sectors of global stores")                                          \
  X(access_bytes, "B", "bytes an access of a thread")                                   \
  X(conflicts, "%", "bank conflicts, of the passes of shared memory")                   \
  X(shared_busy, "%", "passes of shared memory, of the most it could do")               \
  X(shared_part, "%", "shared memory's part of the passes of L1")                       \
  X(threads, "", "threads that work, of the 32 of a warp's instruction")                \
  X(occupancy, "%", "achieved occupancy")                                               \
  X(theoretical, "%", "theoretical occupancy")                                          \
  X(limit_registers, "", "blocks that registers allow a multiprocessor")                \
  X(limit_shared, "", "blocks that shared memory allows a multiprocessor")              \
  X(limit_warps, "", "blocks that warps allow a multiprocessor")                        \
  X(limit_blocks, "", "blocks that a multiprocessor holds at the most")                 \
  X(registers, "", "registers a thread")                                                \
  X(waves, "", "waves of blocks")                                                       \
  X(grid, "", "blocks")                                                                 \
  X(multiprocessors, "", "multiprocessors")                                             \
  X(local_requests, "", "loads and stores of local memory")                             \
  X(global_requests, "", "loads and stores of global memory")                           \
  X(atomic_requests, "", "atomics and reductions in global memory")                     \
  X(instructions, "", "instructions of warps")                                          \
  X(l2_sectors, "", "sectors of L2")                                                    \
  X(balance, "%", "the multiprocessors' active time, of the kernel's")                  \
  X(busiest, "%", "the busiest unit, of the kernel's whole time")                       \
  X(accesses, "%", "L1 or the load and store pipe, the busier; 0 where untold")         \
  X(filled, "%", "blocks, of one for every multiprocessor")                             \
  X(waste, "%", "sectors of global memory that carry nothing asked for")                \
  X(global_busy, "%", "memory's busiest part, loads and stores of global memory in it") \
  X(local_part, "%", "local memory's part of loads and stores")                         \
  X(atomic_part, "%", "atomics' part of the requests to global memory")                 \
  X(local_rate, "%", "loads and stores of local memory, of all instructions")           \
  X(atomic_rate, "%", "atomics, of all instructions")                                   \
  X(wave_loss, "%", "idle time in a last wave that is not full")                        \
  X(gain_coalesced, "x", "gain from coalesced access")                                  \
  X(gain_conflicts, "x", "gain without bank conflicts")                                 \
  X(gain_divergence, "x", "gain with all threads at work")                              \
  X(gain_local, "x", "gain without local memory")                                       \
  X(gain_atomics, "x", "gain without atomics")                                          \
  X(gain_waves, "x", "gain with multiprocessors busy to the end")

enum class Quantity {
#define GPUOPT_ADVISE_X(NAME, UNIT, WHAT) NAME,
  GPUOPT_ADVISE_QUANTITIES(GPUOPT_ADVISE_X)
#undef GPUOPT_ADVISE_X
};
constexpr Quantity kFirstDerived = Quantity::busiest;

const char *name_of(Quantity q);
const char *unit_of(Quantity q);
const char *description_of(Quantity q);
size_t quantity_count();

struct Reading {
  double value = 0;
  bool known = false;
  std::string from;  // the metrics, or how it was derived
};

class Readings {
 public:
  explicit Readings(const Kernel &kernel);
  const Reading &operator[](Quantity q) const { return all_[static_cast<size_t>(q)]; }
  bool known(Quantity q) const { return (*this)[q].known; }
  double value(Quantity q, double otherwise = 0) const { return known(q) ? (*this)[q].value : otherwise; }
  void set(Quantity q, double value, const std::string &from);

 private:
  std::vector<Reading> all_;
};

// Works out those from `busiest` on, and what stands for others that are missing. In derived.cpp.
void derive(const Kernel &kernel, Readings *readings);

// Does a rule, or the table of stalls, read a metric of this name?
bool is_read(const std::string &metric);
// What to ask ncu for so that every rule has what it reads: names for --metrics.
std::vector<std::string> wanted_metrics();

}  // namespace gpuopt_advise
