// norm_shared: a block takes a row, reads it once, and keeps it in shared memory for the passes that follow.
//
// Idea and data movement: one read and one write of memory as long as the row fits shared memory in fp32; longer rows,
// and those computed in fp64, are read again in each pass, as norm_naive does. Accesses are one element wide and types
// are found at run time: this is the kernel for what the fast ones do not take: fp64, 8-bit types, operands of
// different types, columns, other stages. Row-major f32, f16 and bf16 is theirs at any length and alignment.
//
// Needs: nothing. Every type, layout, leading dimension, extent, batch and stage, in place or not.
// Prediction: the slower of bytes, x read once or three times, and of instructions, which decide: types and stages are
// interpreted element by element.

#include "common/dtypes.cuh"
#include "norm/common/passes.cuh"
#include "norm/common/row_cost.h"
#include "norm/shared/figures.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_shared";
constexpr int64_t kCachedBytes = 47 * 1024;  // what every block may use, less the sums

bool is_cached(const gpuopt_problem &problem) {
  return problem.compute == GPUOPT_COMPUTE_F32 && row_bytes(problem) <= kCachedBytes;
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (is_cached(*problem)) return load_kernel(launch, kName, norm_passes_kernel<float, true>);
  return problem->compute == GPUOPT_COMPUTE_F64 ? load_kernel(launch, kName, norm_passes_kernel<double, false>)
                                                : load_kernel(launch, kName, norm_passes_kernel<float, false>);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (is_cached(*problem)) return launch_passes<float, true>(*problem, launch, kName);
  return problem->compute == GPUOPT_COMPUTE_F64 ? launch_passes<double, false>(*problem, launch, kName)
                                                : launch_passes<float, false>(*problem, launch, kName);
}

// Bytes, instructions and, for each 256 elements of a block's row, a chain of latencies, as a thread has one element under
// way. Lines of columns come to a multiprocessor as sectors of 32 bytes an element.
double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_shared_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.shared_launch_us;
  const RowFacts f = row_facts(*problem);
  const bool cached = is_cached(*problem), f64 = problem->compute == GPUOPT_COMPUTE_F64;
  const auto steps = static_cast<double>(ceil_div(problem->n, kPassThreads));
  const double passes = problem->variant == GPUOPT_NORM_RMSNORM ? 2 : 3, again = cached ? 0 : passes - 1;  // of x
  const double exponentials = f.softmax + (problem->variant == GPUOPT_NORM_SOFTMAX ? 1 : 0);
  double instructions =
      figures.shared_read_instructions * (1 + f.residual) * (1 + again) +
      (cached ? figures.shared_cached_instructions * passes : 0) + figures.shared_exp_instructions * exponentials +
      figures.shared_write_instructions + figures.shared_operand_instructions * (f.weights + f.operands) +
      figures.shared_stage_instructions * f.stages + figures.shared_activation_instructions * f.activations +
      figures.shared_sum_instructions * f.sum;
  if (f64)
    instructions = instructions * (1 + figures.shared_f64_share) +
                   figures.shared_f64_exp_instructions * (exponentials + f.activations);

  double resident = blocks_of_sm(device, kPassThreads, f64 ? 48 : 32);
  constexpr int64_t kShared = 227 * 1024, kBeside = 1024 + 32;
  if (const auto fit = static_cast<double>(kShared / (row_bytes(*problem) + kBeside)); cached && fit < resident)
    resident = fit;
  const double rows = f.rows / device.sm_count, of_sm = std::ceil(rows) < resident ? std::ceil(rows) : resident;

  // Rows that are read again come from the first-level cache, the second-level one, or memory, by what lies there.
  const double row = f.x_bytes / f.rows, in_l1 = row * of_sm, room = figures.shared_l1_bytes;
  const double past_l1 = in_l1 * in_l1 / (in_l1 * in_l1 + room * room);
  const double at_once = resident * device.sm_count, in_l2 = row * (f.rows < at_once ? f.rows : at_once);
  const double l2 = figures.shared_l2_share * static_cast<double>(device.l2_bytes > 0 ? device.l2_bytes : 1 << 25);
  const double past_l2 = in_l2 * in_l2 / (in_l2 * in_l2 + l2 * l2);

  const bool narrow = dtype_bytes(problem->operand[GPUOPT_OPERAND_X].m.dtype) <= 2;
  const double step_us = figures.shared_read_us * (narrow ? 1 + figures.shared_narrow_share : 1) *
                             (1 + again * figures.shared_again_share * past_l1) * (1 + f.residual) +
                         figures.shared_operand_us * (f.weights + f.operands) +
                         instructions * figures.shared_clocks / device.clock_mhz;
  const double chain_us = waves_of(rows, resident) * (figures.shared_start_us + steps * step_us);
  const auto warps = static_cast<double>(ceil_div(problem->n, 32));
  const double issue_us =
      issuing_us(device, fullest(rows, resident) * (figures.shared_row_instructions + warps * instructions));
  const double memory_us = moving_us(device, f.read_bytes + f.written_bytes + again * f.x_bytes * past_l2);
  const auto columns = [&](int operand) {
    return problem->operand[operand].m.dtype != 0 && problem->operand[operand].m.layout == GPUOPT_COL ? 1.0 : 0.0;
  };
  const double sectors = (columns(GPUOPT_OPERAND_X) + columns(GPUOPT_OPERAND_RESIDUAL)) * (1 + again) +
                         columns(GPUOPT_OPERAND_OUT) + columns(GPUOPT_OPERAND_SUM);
  const double sectors_us = f.rows * f.columns * 32 * sectors / (figures.shared_sectors_gbs * 1e3);
  return figures.shared_launch_us + together_us(together_us(memory_us, sectors_us, 0), chain_us, issue_us);
}

gpuopt_resource kResources[] = {
    {kPassThreads, kCachedBytes, reinterpret_cast<const void *>(norm_passes_kernel<float, true>)},
    {kPassThreads, 0, reinterpret_cast<const void *>(norm_passes_kernel<float, false>)},
    {kPassThreads, 0, reinterpret_cast<const void *>(norm_passes_kernel<double, false>)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = passes_kernel(kName, "a block a row, kept in shared memory; any type, layout and stage");
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
