/* fused_act_cpu_blocked: the chain over blocks that stay in the first-level cache, vectorised, on all threads.
 *
 * Idea: 512 elements at a time are converted to fp32, each stage passes over them (stage operands brought beside them
 * as fp32), and the result is rounded once on the way out, past the caches when the output is large. Narrow rows are
 * joined to blocks of several rows. Memory is read and written once.
 *
 * Needs: x and out in f32, f16 or bf16; stage operands in any type, form and layout.
 * Measured once, not in a record (one thread of an AMD EPYC of Zen 5, gcc 12 -O3, AVX-512, f32, 4096 x 4096), GB/s read
 * and written: bias + relu + scale 36 to 39, where memcpy gets 37 to 41; bias + gelu 14, + gelu_tanh 19, + silu 22.
 */
#include "common/chain.h"
#include "common/host_kernel.h"
#include "common/isa/float_chain.h"
#include "common/tasks.h"
#include "common/thread_pool.h"
#include "common/views.h"
#include "gpuopt/kernel.h"

namespace gpuopt {
namespace cpu {
namespace {

constexpr int64_t kTaskElements = 32768;
constexpr int64_t kStreamBytes = int64_t(8) << 20; /* outputs larger than this go past the caches */
constexpr int64_t kColumnMajorCols = 16;           /* block width where x is column-major: a line of each column */

int threads_for(const gpuopt_problem &q) { return cpu::threads_for(q, elements_of(q) / double(kTaskElements)); }

/* Asks for the elements two blocks ahead. Memory is idle while the stages run otherwise: without this a large bias +
 * relu + scale takes almost three times as long. May point past the matrix, which a prefetch is allowed to. Always
 * inline: gcc drops calls of functions that do nothing but prefetch. */
inline __attribute__((always_inline)) void prefetch(const gpuopt_operand &x, const Block &block) {
  const int64_t element = dtype_size(x.m.dtype);
  const uintptr_t here =
      reinterpret_cast<uintptr_t>(x.m.data) + uintptr_t(index_of(view_of(x), block.i, block.j, block.p) * element);
  for (int64_t line = 0; line < kSegment * element; line += 64)
    __builtin_prefetch(reinterpret_cast<const void *>(here + uintptr_t(2 * kSegment * element + line)));
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *) {
  const gpuopt_problem &q = *problem;
  if (q.m == 0 || q.n == 0 || q.batch == 0) return GPUOPT_OK;
  const gpuopt_operand &x = q.operand[GPUOPT_OPERAND_X], &out = q.operand[GPUOPT_OPERAND_OUT];
  const FloatChain chain = float_chain(q, host_facts(q).isa);
  const bool in_place = x.m.data == out.m.data;
  const bool stream = !in_place && q.m * q.n * q.batch * dtype_size(out.m.dtype) > kStreamBytes;

  const int64_t width = least(q.n, x.m.layout == GPUOPT_ROW ? kSegment : kColumnMajorCols);
  const int64_t height = least(q.m, kSegment / width);
  /* A task is a range of whole block rows and, in wide matrices, a range of columns. */
  const int64_t task_cols = least(ceil_div(q.n, width) * width, kTaskElements / width * width);
  const int64_t task_rows = ceil_div(ceil_div(kTaskElements, task_cols), height) * height;
  const int64_t row_tasks = ceil_div(q.m, task_rows), col_tasks = ceil_div(q.n, task_cols);
  auto work = [&](int64_t index, int) {
    const int64_t p = index / (row_tasks * col_tasks);
    const int64_t first_i = index / col_tasks % row_tasks * task_rows, last_i = least(q.m, first_i + task_rows);
    const int64_t first_j = index % col_tasks * task_cols, last_j = least(q.n, first_j + task_cols);
    alignas(64) float values[kSegment];
    for (int64_t i = first_i; i < last_i; i += height)
      for (int64_t j = first_j; j < last_j; j += width) {
        const Block block = {p, i, least(height, last_i - i), j, least(width, last_j - j)};
        if (x.m.layout == GPUOPT_ROW) prefetch(x, block);
        const float *from = chain.load(x, block, values);
        if (from != values) memcpy(values, from, size_t(block.rows * block.cols) * sizeof(float));
        chain.run(block, values);
        chain.store(out, block, values, stream);
      }
    if (stream) chain.rows->stream_end();
  };
  parallel_for(threads_for(q), q.batch * row_tasks * col_tasks, work);
  return GPUOPT_OK;
}

bool costly(int32_t kind) {
  return (kind >= GPUOPT_STAGE_GELU && kind <= GPUOPT_STAGE_TANH) || kind == GPUOPT_STAGE_EXP ||
         kind == GPUOPT_STAGE_LOG || kind == GPUOPT_STAGE_GELU_GRAD || kind == GPUOPT_STAGE_SILU_GRAD;
}

/* The slower of memory and of the passes over the cache. */
double predict_us(const gpuopt_problem *problem) {
  const HostFacts host = host_facts(*problem);
  const double elements = elements_of(*problem);
  double bytes = double(dtype_size(problem->operand[GPUOPT_OPERAND_X].m.dtype) +
                        dtype_size(problem->operand[GPUOPT_OPERAND_OUT].m.dtype));
  double ns = 0.1;
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    const gpuopt_problem_stage &stage = problem->stage[s];
    if (stage.a.m.dtype && stage.form != GPUOPT_PER_ROW && stage.form != GPUOPT_PER_COL)
      bytes += double(dtype_size(stage.a.m.dtype));
    ns += (costly(stage.kind) ? 0.8 : 0.06) * (host.isa >= 2 ? 1 : host.isa == 1 ? 2 : 4);
  }
  const double memory = elements * bytes / (host.gbs * 1e3), arithmetic = elements * ns * 1e-3 / threads_for(*problem);
  return 0.5 + (memory > arithmetic ? memory : arithmetic);
}

constexpr int32_t kTypes[] = {GPUOPT_F32, GPUOPT_F16, GPUOPT_BF16};

struct Signatures {
  gpuopt_signature list[9];
};

constexpr Signatures make_signatures() {
  Signatures all = {};
  int count = 0;
  for (const int32_t x : kTypes)
    for (const int32_t out : kTypes) all.list[count++] = {{x, GPUOPT_ANY, out, GPUOPT_ANY}, GPUOPT_COMPUTE_F32};
  return all;
}

constexpr Signatures kSignatures = make_signatures();

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel kernel =
      host_kernel(GPUOPT_OP_FUSED_ACT, "fused_act_cpu_blocked",
                  "CPU: fp32 chain over blocks in the first-level cache, vectorised, large outputs streamed, threaded",
                  kSignatures.list, predict_us, launch);
  accept_all_stages(kernel);
  return kernel;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace cpu
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::cpu::kKernels);
