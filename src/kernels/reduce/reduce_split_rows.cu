// Rows that are few and long: each is shared by several blocks, which meet within the launch as those of
// reduce_one_launch do, a meeting for each row.
//
// Data movement: every byte once; a partial of 8 bytes a block. The splits of a row follow from the problem's extents
// and the number of multiprocessors, so results are the same from run to run, but not for other numbers of rows.
// Sums of 16-bit and single-precision rows that begin at one distance from a 16-byte boundary, with totals of the
// commonest kind, are read by reduce_one_launch's kernel, a row of the grid each: as many blocks as run at once, their
// tiles a grid apart. The rest runs as splits of lines (lines.h), in more general code, with two blocks a
// multiprocessor, each with a part of its own.
// Needs: few rows (one would do with reduce_rows_block otherwise). DOT: rows of both operands at 16-byte boundaries.
// Recorded (H200, 2026-11-21, single call, cold), all by rows of a grid: sums of 64 rows of 1,048,576, f32 64.4 us,
// 4,167 GB/s, 95 % of read (3.4 times CUB's speed), bf16 35.0 us, 92 % (4.4); of 8 rows of 8 M, f32 65.3 us, 93 % (26),
// bf16 35.3 us, 91 % (32).
#include "lines_predict.h"
#include "whole_line.cuh"

namespace gpuopt {
namespace reduce {
namespace {

constexpr char kName[] = "reduce_split_rows";

constexpr bool has_rows_of_grid(int dtype) {
  return dtype == GPUOPT_F32 || dtype == GPUOPT_F16 || dtype == GPUOPT_BF16;
}

// How whole_line reads the rows.
struct RowsPlan {
  int64_t splits, rows;  // splits: blocks of a row; 0: it does not, and rows run as splits of lines
  bool is_grid() const { return splits > 0; }
  size_t ticket_bytes() const {
    return (static_cast<size_t>(rows) * 4 + kTicketBytes - 1) / kTicketBytes * kTicketBytes;
  }
};
RowsPlan rows_plan(const gpuopt_problem &problem, const LineFacts &facts) {
  constexpr int64_t kMostRows = 65535;  // of a grid
  const gpuopt_operand &x = problem.operand[GPUOPT_OPERAND_X];
  const int32_t dtype = x.m.dtype;
  if (choice_of(problem.variant) != kSum || !has_rows_of_grid(dtype) || problem.batch != 1 || facts.results < 2 ||
      facts.results > kMostRows || x.ld_align < 16 || x.m.layout != GPUOPT_ROW || !is_plain(problem))
    return {};
  const gpuopt_device_facts &device = *problem.device;
  const int room = device.cc >= 100 ? 3 : device.max_threads_per_sm / kWholeThreads;
  const int resident = room < whole_blocks(dtype, kSum) ? room : whole_blocks(dtype, kSum);
  // A block has a few tiles at least; sums stay short.
  const int64_t tiles = ceil_div(facts.vectors, int64_t{kWholeThreads} * whole_loads(dtype, kSum));
  const int64_t running = int64_t{device.sm_count} * resident / facts.results, most = tiles / 4;
  const int64_t splits = running < most ? running : most, least = ceil_div(tiles, 256);
  return splits < 2 ? RowsPlan{} : RowsPlan{splits > least ? splits : least, facts.results};
}

template <class F>
gpuopt_status with_rows_kernel(int32_t dtype, F &&f) {
  return dtype == GPUOPT_F32   ? f(whole_line<GPUOPT_F32, kSum, kWholeThreads, true>)
         : dtype == GPUOPT_F16 ? f(whole_line<GPUOPT_F16, kSum, kWholeThreads, true>)
                               : f(whole_line<GPUOPT_BF16, kSum, kWholeThreads, true>);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  if (!rows_plan(*problem, facts).is_grid()) return prepare_lines(problem, launch, kName);
  return with_rows_kernel(problem->operand[GPUOPT_OPERAND_X].m.dtype,
                          [&](auto kernel) { return load_kernel(launch, kName, kernel); });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const LineFacts facts = line_facts(*problem);
  const RowsPlan plan = rows_plan(*problem, facts);
  if (!plan.is_grid()) return launch_lines(problem, launch, kName, plan_lines(*problem));
  const gpuopt_matrix &x = problem->operand[GPUOPT_OPERAND_X].m;
  const Output output = make_output(*problem);
  const int tile = kWholeThreads * whole_loads(x.dtype, kSum);
  WholeLine line = whole_line_of(x.data, facts.length, facts.bytes, tile);
  line.zeroed = static_cast<uint64_t *>(launch->zeroed);
  line.slots = line.zeroed + plan.ticket_bytes() / 8;
  line.plain = plain_output(*problem);
  line.step = x.ld * facts.bytes;
  const dim3 grid(static_cast<unsigned>(plan.splits), static_cast<unsigned>(plan.rows));
  return with_rows_kernel(x.dtype, [&](auto kernel) {
    return launch_kernel(early_launch(*problem), launch, kName, grid, dim3(kWholeThreads), 0, kernel, line, output);
  });
}

void workspace(const gpuopt_problem *problem, size_t *scratch, size_t *zeroed) {
  const RowsPlan plan = rows_plan(*problem, line_facts(*problem));
  if (!plan.is_grid()) return workspace_of_lines(*problem, plan_lines(*problem), scratch, zeroed);
  *scratch = 0;
  *zeroed = plan.ticket_bytes() + static_cast<size_t>(plan.rows * plan.splits) * 8;
}

double predict_us(const gpuopt_problem *problem) {
  const LineFacts facts = line_facts(*problem);
  const LinePlan plan = plan_lines(*problem);
  return line_us(*problem, facts, plan, 3.3);
}

gpuopt_resource kResources[] = {
    {kWholeThreads, 0, reinterpret_cast<const void *>(whole_line<GPUOPT_F32, kSum, kWholeThreads, true>)},
    {kWholeThreads, 0, reinterpret_cast<const void *>(whole_line<GPUOPT_F16, kSum, kWholeThreads, true>)},
    {kWholeThreads, 0, reinterpret_cast<const void *>(whole_line<GPUOPT_BF16, kSum, kWholeThreads, true>)}};

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = line_kernel_descriptor(
      kName, "few long rows, each shared by blocks that meet within the launch: deterministic", GPUOPT_EACH_ROW);
  k.workspace = workspace;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace reduce
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::reduce::kKernels);
