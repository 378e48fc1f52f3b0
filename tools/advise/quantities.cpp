#include "gpuopt_advise/quantities.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "gpuopt_advise/stalls.h"

namespace gpuopt_advise {
namespace {

using Q = Quantity;

struct Info {
  const char *name, *unit, *description;
};
constexpr Info kInfo[] = {
#define GPUOPT_ADVISE_X(NAME, UNIT, WHAT) {#NAME, UNIT, WHAT},
    GPUOPT_ADVISE_QUANTITIES(GPUOPT_ADVISE_X)
#undef GPUOPT_ADVISE_X
};

// A quantity is factor * (sum of up to four metrics) / per; the first row of it whose metrics are all there says it.
struct Source {
  Q what;
  double factor;
  const char *metric[4];
  const char *per;  // nullptr: 1
  bool asked;       // a row that wanted_metrics() asks ncu for
};

#define OF_ELAPSED ".avg.pct_of_peak_sustained_elapsed"
#define OF_ACTIVE ".avg.pct_of_peak_sustained_active"
#define REQUESTS "l1tex__t_requests_pipe_lsu_mem_"
#define SECTORS "l1tex__t_sectors_pipe_lsu_mem_"
#define BYTES_PER_SECTOR "smsp__sass_average_data_bytes_per_sector_mem_global_op_"
#define WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts"
constexpr Source kSources[] = {
    {Q::duration, 1, {"gpu__time_duration.sum"}, nullptr, true},
    {Q::duration, 1, {"Duration"}, nullptr, false},
    {Q::sm, 1, {"sm__throughput" OF_ELAPSED}, nullptr, true},
    {Q::sm, 1, {"Compute (SM) Throughput [%]"}, nullptr, false},
    {Q::sm, 1, {"Compute (SM) [%] [%]"}, nullptr, false},
    {Q::sm, 1, {"SM [%] [%]"}, nullptr, false},
    {Q::memory, 1, {"gpu__compute_memory_throughput" OF_ELAPSED}, nullptr, true},
    {Q::memory, 1, {"Memory Throughput [%]"}, nullptr, false},
    {Q::memory, 1, {"Memory [%] [%]"}, nullptr, false},
    {Q::dram, 1, {"gpu__dram_throughput" OF_ELAPSED}, nullptr, true},
    {Q::dram, 1, {"dram__throughput" OF_ELAPSED}, nullptr, false},
    {Q::dram, 1, {"DRAM Throughput [%]"}, nullptr, false},
    {Q::l2, 1, {"lts__throughput" OF_ELAPSED}, nullptr, true},
    {Q::l2, 1, {"L2 Cache Throughput [%]"}, nullptr, false},
    {Q::l1, 1, {"l1tex__throughput" OF_ACTIVE}, nullptr, true},
    {Q::l1, 1, {"l1tex__throughput" OF_ELAPSED}, nullptr, false},
    {Q::l1, 1, {"L1/TEX Cache Throughput [%]"}, nullptr, false},
    {Q::lsu, 1, {"sm__inst_executed_pipe_lsu" OF_ACTIVE}, nullptr, true},
    {Q::l2_hit, 1, {"lts__t_sector_hit_rate.pct"}, nullptr, true},
    {Q::l2_hit, 1, {"L2 Hit Rate [%]"}, nullptr, false},
    {Q::fma, 1, {"sm__inst_executed_pipe_fma" OF_ACTIVE}, nullptr, true},
    {Q::fma, 1, {"sm__pipe_fma_cycles_active" OF_ACTIVE}, nullptr, false},
    {Q::fp64, 1, {"sm__inst_executed_pipe_fp64" OF_ACTIVE}, nullptr, true},
    {Q::fp64, 1, {"sm__pipe_fp64_cycles_active" OF_ACTIVE}, nullptr, false},
    {Q::alu, 1, {"sm__inst_executed_pipe_alu" OF_ACTIVE}, nullptr, true},
    {Q::alu, 1, {"sm__pipe_alu_cycles_active" OF_ACTIVE}, nullptr, false},
    {Q::xu, 1, {"sm__inst_executed_pipe_xu" OF_ACTIVE}, nullptr, true},
    {Q::tensor, 1, {"sm__pipe_tensor_cycles_active" OF_ACTIVE}, nullptr, true},
    {Q::tensor, 1, {"sm__pipe_tensor_cycles_active" OF_ELAPSED}, nullptr, false},
    {Q::tensor, 1, {"sm__pipe_tensor_op_hmma_cycles_active" OF_ACTIVE}, nullptr, false},
    {Q::issue, 1, {"smsp__issue_active" OF_ACTIVE}, nullptr, true},
    {Q::issue, 1, {"sm__inst_issued" OF_ACTIVE}, nullptr, false},
    {Q::issue, 100, {"smsp__issue_active.avg.per_cycle_active"}, nullptr, false},
    {Q::issue, 1, {"One or More Eligible [%]"}, nullptr, false},
    {Q::issue, 1, {"Issue Slots Busy [%]"}, nullptr, false},
    {Q::load_sectors, 1, {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"}, nullptr, true},
    {Q::load_sectors, 1, {SECTORS "global_op_ld.sum"}, REQUESTS "global_op_ld.sum", false},
    {Q::store_sectors, 1, {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"}, nullptr, true},
    {Q::store_sectors, 1, {SECTORS "global_op_st.sum"}, REQUESTS "global_op_st.sum", false},
    {Q::load_excess, 32, {}, BYTES_PER_SECTOR "ld.ratio", true},
    {Q::load_excess, 100, {}, BYTES_PER_SECTOR "ld.pct", false},
    {Q::store_excess, 32, {}, BYTES_PER_SECTOR "st.ratio", true},
    {Q::store_excess, 100, {}, BYTES_PER_SECTOR "st.pct", false},
    {Q::load_sum, 1, {SECTORS "global_op_ld.sum"}, nullptr, true},
    {Q::store_sum, 1, {SECTORS "global_op_st.sum"}, nullptr, true},
    {Q::conflicts, 100, {"derived__memory_l1_wavefronts_shared_excessive"}, "memory_l1_wavefronts_shared", false},
    {Q::conflicts, 100, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}, WAVEFRONTS "_mem_shared.sum", true},
    {Q::conflicts,
     100,
     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
     WAVEFRONTS "_mem_shared.sum",
     false},
    {Q::shared_busy, 1, {WAVEFRONTS "_mem_shared" OF_ELAPSED}, nullptr, true},
    {Q::shared_busy, 1, {WAVEFRONTS "_mem_shared.sum.pct_of_peak_sustained_elapsed"}, nullptr, false},
    {Q::shared_part, 100, {WAVEFRONTS "_mem_shared.sum"}, WAVEFRONTS ".sum", true},
    {Q::threads, 1, {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"}, nullptr, true},
    {Q::threads, 1, {"smsp__thread_inst_executed_per_inst_executed.ratio"}, nullptr, false},
    {Q::threads, 1, {"derived__avg_thread_executed_true"}, nullptr, false},
    {Q::threads, 1, {"Avg. Not Predicated Off Threads Per Warp"}, nullptr, false},
    {Q::threads, 1, {"Avg. Active Threads Per Warp"}, nullptr, false},
    {Q::occupancy, 1, {"sm__warps_active" OF_ACTIVE}, nullptr, true},
    {Q::occupancy, 1, {"smsp__warps_active" OF_ACTIVE}, nullptr, false},
    {Q::occupancy, 1, {"Achieved Occupancy [%]"}, nullptr, false},
    {Q::theoretical, 1, {"sm__maximum_warps_per_active_cycle_pct"}, nullptr, true},
    {Q::theoretical, 1, {"Theoretical Occupancy [%]"}, nullptr, false},
    {Q::limit_registers, 1, {"launch__occupancy_limit_registers"}, nullptr, true},
    {Q::limit_registers, 1, {"Block Limit Registers"}, nullptr, false},
    {Q::limit_shared, 1, {"launch__occupancy_limit_shared_mem"}, nullptr, true},
    {Q::limit_shared, 1, {"Block Limit Shared Mem"}, nullptr, false},
    {Q::limit_warps, 1, {"launch__occupancy_limit_warps"}, nullptr, true},
    {Q::limit_warps, 1, {"Block Limit Warps"}, nullptr, false},
    {Q::limit_blocks, 1, {"launch__occupancy_limit_blocks"}, nullptr, true},
    {Q::limit_blocks, 1, {"Block Limit SM"}, nullptr, false},
    {Q::registers, 1, {"launch__registers_per_thread"}, nullptr, true},
    {Q::registers, 1, {"Registers Per Thread"}, nullptr, false},
    {Q::waves, 1, {"launch__waves_per_multiprocessor"}, nullptr, true},
    {Q::waves, 1, {"Waves Per SM"}, nullptr, false},
    {Q::grid, 1, {"launch__grid_size"}, nullptr, true},
    {Q::grid, 1, {"Grid Size"}, nullptr, false},
    {Q::multiprocessors, 1, {"device__attribute_multiprocessor_count"}, nullptr, true},
    {Q::multiprocessors, 1, {"launch__sm_count"}, nullptr, false},
    {Q::multiprocessors, 1, {"# SMs"}, nullptr, false},
    {Q::local_requests, 1, {REQUESTS "local_op_ld.sum", REQUESTS "local_op_st.sum"}, nullptr, true},
    {Q::local_requests,
     1,
     {"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum"},
     nullptr,
     false},
    {Q::local_requests, 1, {"Local Memory Spilling Requests"}, nullptr, false},
    {Q::global_requests, 1, {REQUESTS "global_op_ld.sum", REQUESTS "global_op_st.sum"}, nullptr, true},
    {Q::global_requests,
     1,
     {"smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum"},
     nullptr,
     false},
    {Q::atomic_requests, 1, {REQUESTS "global_op_atom.sum", REQUESTS "global_op_red.sum"}, nullptr, true},
    {Q::instructions, 1, {"smsp__inst_executed.sum"}, nullptr, true},
    {Q::instructions, 1, {"sm__inst_executed.sum"}, nullptr, false},
    {Q::instructions, 1, {"Executed Instructions"}, nullptr, false},
    {Q::l2_sectors, 1, {"lts__t_sectors.sum"}, nullptr, true},
    {Q::l2_sectors, 1, {"lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"}, nullptr, false},
    {Q::balance, 100, {"sm__cycles_active.avg"}, "sm__cycles_elapsed.max", true},
    {Q::balance, 100, {"sm__cycles_active.avg"}, "sm__cycles_active.max", false},
    {Q::balance, 100, {"SM Active Cycles"}, "Elapsed Cycles", false},
};

// What the rules read beside the sources: widths of accesses, in derived.cpp.
constexpr const char *kWidths[] = {
    "smsp__sass_inst_executed_op_memory_8b.sum", "smsp__sass_inst_executed_op_memory_16b.sum",
    "smsp__sass_inst_executed_op_memory_32b.sum", "smsp__sass_inst_executed_op_memory_64b.sum",
    "smsp__sass_inst_executed_op_memory_128b.sum"};

// The value of a source in a kernel; false: a metric is missing, or it divides by nothing.
bool read(const Source &s, const Kernel &kernel, double *value, std::string *from) {
  double sum = s.metric[0] ? 0 : 1;
  for (const char *metric : s.metric) {
    if (!metric) break;
    const auto found = kernel.metrics.find(metric);
    if (found == kernel.metrics.end()) return false;
    sum += found->second;
    *from += (from->empty() ? "" : " + ") + std::string(metric);
  }
  if (s.per) {
    const auto found = kernel.metrics.find(s.per);
    if (found == kernel.metrics.end() || !(found->second > 0)) return false;
    sum /= found->second;
    *from = (from->empty() ? std::to_string(static_cast<int>(s.factor)) : *from) + " / " + s.per;
  }
  *value = s.factor * sum;
  return std::isfinite(*value);
}

template <class F>
void each_metric(const Source &s, F &&f) {
  for (const char *metric : s.metric)
    if (metric) f(metric);
  if (s.per) f(s.per);
}

}  // namespace

const char *name_of(Quantity q) { return kInfo[static_cast<size_t>(q)].name; }
const char *unit_of(Quantity q) { return kInfo[static_cast<size_t>(q)].unit; }
const char *description_of(Quantity q) { return kInfo[static_cast<size_t>(q)].description; }
size_t quantity_count() { return sizeof kInfo / sizeof kInfo[0]; }

Readings::Readings(const Kernel &kernel) : all_(quantity_count()) {
  for (const Source &s : kSources) {
    if (known(s.what)) continue;
    double value = 0;
    std::string from;
    if (read(s, kernel, &value, &from)) set(s.what, value, from);
  }
  derive(kernel, this);
}

void Readings::set(Quantity q, double value, const std::string &from) {
  if (std::isfinite(value)) all_[static_cast<size_t>(q)] = {value, true, from};
}

bool is_read(const std::string &metric) {
  static const std::set<std::string> *const names = [] {
    auto *all = new std::set<std::string>;
    for (const Source &s : kSources) each_metric(s, [&](const char *name) { all->insert(name); });
    for (const char *name : kWidths) all->insert(name);
    for (size_t i = 0; i < kStallCount; ++i) all->insert(kStalls[i].metric);
    return all;
  }();
  return names->count(metric) != 0;
}

std::vector<std::string> wanted_metrics() {
  std::vector<std::string> all;
  const auto add = [&](const char *name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  for (const Source &s : kSources)
    if (s.asked) each_metric(s, add);
  for (size_t i = 0; i < kStallCount; ++i) add(kStalls[i].metric);
  return all;
}

}  // namespace gpuopt_advise
