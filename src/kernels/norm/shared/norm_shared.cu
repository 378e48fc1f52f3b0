// norm_shared: rows are read once and kept in shared memory for the passes that follow.
//
// Idea and data movement: row-major floats of 32 bits and less go through shared memory in fp32 by vectors, short rows many at
// a time (flat_rows.cuh): one read and one write of memory, whatever the types, wherever rows begin. Others are a block's, an
// element at a time, with types found at run time: columns, short rows with gaps between them, and those computed in fp64 or too
// long for shared memory, which are read again in each pass, as norm_naive does.
//
// Needs: nothing. Every type, layout, leading dimension, extent, batch and stage, in place or not.
// Prediction: the slower of bytes and of instructions, which decide where types and stages are interpreted element by element.

#include "common/dtypes.cuh"
#include "norm/common/passes.cuh"
#include "norm/common/row_cost.h"
#include "norm/shared/figures.h"
#include "norm/shared/flat_rows.cuh"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_shared";
constexpr int64_t kCachedBytes = 47 * 1024;  // what every block may use, less the sums

bool is_cached(const gpuopt_problem &problem) {
  return problem.compute == GPUOPT_COMPUTE_F32 && row_bytes(problem) <= kCachedBytes;
}

// f(kernel) of the plan's instance.
template <class F>
auto with_flat_kernel(const FlatPlan &plan, F &&f) {
  if (plan.team == 32) return f(norm_flat_rows_kernel<32, 32>);
  if (plan.held == 0) return f(norm_flat_rows_kernel<0, 512>);
  if (plan.held == 32) return f(norm_flat_rows_kernel<32, 256>);
  if (plan.held == 16) return f(norm_flat_rows_kernel<16, 256>);
  return plan.held == 4 ? f(norm_flat_rows_kernel<4, 256>) : f(norm_flat_rows_kernel<8, 256>);
}

gpuopt_status launch_flat(const gpuopt_problem &problem, const gpuopt_launch *launch, const FlatPlan &plan) {
  FlatRows work = {};
  static_cast<PassWork<float> &>(work) = make_pass_work<float>(problem);
  work.all_rows = problem.m * problem.batch;
  work.at_once = static_cast<int32_t>(plan.at_once);
  work.log_group = plan.log_group;
  work.x_bytes = static_cast<int32_t>(gpuopt_dtype_size(problem.operand[GPUOPT_OPERAND_X].m.dtype));
  work.team_floats = static_cast<int32_t>(plan.team_floats);
  return with_flat_kernel(plan, [&](auto kernel) {
    return launch_kernel(launch, kName, static_cast<unsigned>(ceil_div(work.all_rows, plan.at_once * plan.teams())),
                         static_cast<unsigned>(flat_threads(plan.team)), plan.shared_bytes(), kernel, work);
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (const FlatPlan plan = flat_plan(*problem); plan.at_once != 0)
    return with_flat_kernel(plan, [&](auto kernel) {
      // All that a block may have: what needs less, prepared later, would else take the rest away.
      return load_kernel(launch, kName, kernel,
                         plan.held == 0 ? flat_most_shared(*launch->device) : plan.shared_bytes());
    });
  if (is_cached(*problem)) return load_kernel(launch, kName, norm_passes_kernel<float, true>);
  return problem->compute == GPUOPT_COMPUTE_F64 ? load_kernel(launch, kName, norm_passes_kernel<double, false>)
                                                : load_kernel(launch, kName, norm_passes_kernel<float, false>);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (const FlatPlan plan = flat_plan(*problem); plan.at_once != 0) return launch_flat(*problem, launch, plan);
  if (is_cached(*problem)) return launch_passes<float, true>(*problem, launch, kName);
  return problem->compute == GPUOPT_COMPUTE_F64 ? launch_passes<double, false>(*problem, launch, kName)
                                                : launch_passes<float, false>(*problem, launch, kName);
}

// Of flat_rows.cuh: bytes, instructions, and blocks one after the other.
double flat_us(const gpuopt_problem &problem, const RowFacts &f, const FlatPlan &plan) {
  const auto &figures = norm_shared_figures;
  const gpuopt_device_facts &device = *problem.device;
  const double instructions =
      figures.flat_instructions * (1 + f.residual) + figures.flat_exp_instructions * f.softmax +
      figures.flat_operand_instructions * (f.weights + f.operands) + figures.shared_stage_instructions * f.stages +
      figures.shared_activation_instructions * f.activations + figures.shared_sum_instructions * f.sum;
  const double fit = std::floor(233472.0 / (static_cast<double>(plan.shared_bytes()) + 1024));
  const int registers = plan.team == 32 ? 128 : plan.held > 16 ? 96 : plan.held > 8 ? 72 : 64;  // of a thread
  const double threads = flat_threads(plan.team), room = std::floor(65536 / (registers * threads));
  const double resident = std::max(1.0, std::min(fit, room));
  const double at_once = static_cast<double>(plan.at_once * plan.teams()),
               blocks = std::ceil(f.rows / at_once) / device.sm_count;
  const auto group = static_cast<double>(int64_t{1} << plan.log_group);
  const double turns = at_once * group / 32, steps = turns * std::ceil(f.columns / group);  // of warps
  const double reductions = f.softmax + f.layernorm + 1;
  const double turn =
      figures.flat_turn_instructions + figures.flat_shuffle_instructions * reductions * std::min(plan.log_group, 5);
  const double chain_us =
      waves_of(blocks, resident) * (figures.flat_start_us + figures.flat_step_us * steps / (threads / 32) +
                                    (f.weights + f.operands) * figures.shared_operand_us);
  const double issue_us = issuing_us(device, fullest(blocks, resident) * (turns * turn + steps * instructions));
  const double memory_us = moving_us(device, f.read_bytes + f.written_bytes) / figures.flat_share;
  const double us = together_us(memory_us, chain_us, issue_us);
  return figures.flat_launch_us + (plan.held == 0 ? figures.flat_long_factor : 1) * us;
}

// Bytes, instructions and, for each 256 elements of a block's row, a chain of latencies, as a thread has one element under
// way. Lines of columns come to a multiprocessor as sectors of 32 bytes an element.
double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_shared_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.shared_launch_us;
  const RowFacts f = row_facts(*problem);
  if (const FlatPlan plan = flat_plan(*problem); plan.at_once != 0) return flat_us(*problem, f, plan);
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

constexpr int32_t kFlatShort = 6148 * 4, kFlatHeld = 8196 * 4;
gpuopt_resource kResources[] = {
    {256, kFlatShort, reinterpret_cast<const void *>(norm_flat_rows_kernel<4, 256>)},
    {256, kFlatShort, reinterpret_cast<const void *>(norm_flat_rows_kernel<8, 256>)},
    {256, kFlatHeld, reinterpret_cast<const void *>(norm_flat_rows_kernel<16, 256>)},
    {256, kFlatHeld, reinterpret_cast<const void *>(norm_flat_rows_kernel<32, 256>)},
    {128, kFlatHeld, reinterpret_cast<const void *>(norm_flat_rows_kernel<32, 32>)},
    {512, kFlatHeld, reinterpret_cast<const void *>(norm_flat_rows_kernel<0, 512>)},
    {kPassThreads, kCachedBytes, reinterpret_cast<const void *>(norm_passes_kernel<float, true>)},
    {kPassThreads, 0, reinterpret_cast<const void *>(norm_passes_kernel<float, false>)},
    {kPassThreads, 0, reinterpret_cast<const void *>(norm_passes_kernel<double, false>)},
};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = passes_kernel(kName, "rows kept in shared memory; any type, layout and stage");
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
