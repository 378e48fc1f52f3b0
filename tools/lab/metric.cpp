#include "gpuopt_lab/metric.h"

namespace gpuopt_lab {

namespace {

constexpr MetricName kNames[] = {
    {"", "", "", 1, ""},
    {"load_sectors", "sectors a load request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     1, ""},
    {"store_sectors", "sectors a store request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     1, ""},
    {"bank_conflicts", "bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 1, ""},
    {"threads", "threads an instruction", "smsp__thread_inst_executed_per_inst_executed.ratio", 1, ""},
    {"instructions", "warp instructions", "smsp__inst_executed.sum", 1, ""},
    {"issue_active", "issue slots used", "smsp__issue_active.avg.pct_of_peak_sustained_active", 1, "%"},
    {"eligible_warps", "eligible warps", "smsp__warps_eligible.avg.per_cycle_active", 1, ""},
    {"tensor_pipe", "tensor pipe busy", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 1, "%"},
    {"local_requests", "loads of local memory", "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 1, ""},
    {"l2_bytes", "bytes asked of L2", "lts__t_sectors_srcunit_tex.sum", 32, "bytes"},
    {"dram_share", "of the memory's rate", "dram__throughput.avg.pct_of_peak_sustained_elapsed", 1, "%"},
    {"occupancy", "warps active", "sm__warps_active.avg.pct_of_peak_sustained_active", 1, "%"},
    {"atomics", "atomic instructions", "smsp__inst_executed_op_global_red.sum", 1, ""},
};

}  // namespace

const MetricName &name_of(Metric metric) { return kNames[static_cast<int>(metric)]; }

std::string all_metrics() {
  std::string all;
  for (const MetricName &name : kNames)
    if (*name.ncu) all += (all.empty() ? "" : ",") + std::string(name.ncu);
  return all;
}

}  // namespace gpuopt_lab
