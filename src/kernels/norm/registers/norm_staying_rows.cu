// norm_staying_rows: warps or blocks stay for many rows of 272 bytes to 16 KB.
//
// Idea and data movement: staying_rows.cuh, with one to four vectors a thread, rows of up to 2 KB by warps, longer ones by
// blocks of up to eight. Weights are read and widened once a block; the next row is under way while one is normalised.
//
// Needs: sm_90; x, residual, out and sum of one type (f32, f16, bf16), row-major, whose rows begin alike; weights of that type
// or fp32; LAYERNORM, or RMSNORM without beta; an activation between two linear steps, or e4m3 whose vectors begin at whole
// accesses, where there is no residual; one matrix.
// Prediction: a copy's rate where a row's instructions, some 10 an element, take less than its bytes; none where rows are
// too few for that.

#include "norm/common/row_linear.h"
#include "norm/registers/alike_rows.h"
#include "norm/registers/figures.h"
#include "norm/registers/shared_loader.h"
#include "norm/registers/staying_rows.h"

namespace gpuopt {
namespace {

constexpr char kName[] = "norm_staying_rows";
constexpr int64_t kLeastVectors = 17, kMostVectors = kStayingThreads * kMostStaying;
constexpr double kLeastRows = 9;  // of a warp or block that stays

int64_t elements_of(const gpuopt_problem &problem) { return is_f32(problem) ? 4 : 8; }  // of a vector
bool has_chain(const gpuopt_problem &problem) { return problem.stage_count > 0 || narrows(problem); }

struct Shape {
  bool any;                        // rows begin anywhere
  int64_t each, warps, classes;    // vectors of a thread, warps of a row, rows that begin alike
  int64_t threads, groups, bytes;  // of a block: rows at once, its weights
  int64_t blocks, at_once;         // blocks of an SM
};
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t elements = elements_of(problem), vectors = problem.n / elements;
  Shape shape = {};
  shape.any = !all_aligned(problem);
  shape.classes = 1;
  if (shape.any) {
    for (int operand = 0; operand < 4; ++operand) {
      const gpuopt_operand &o = problem.operand[operand];
      if (o.m.dtype == 0 || dtype_bytes(o.m.dtype) == 1) continue;
      const int64_t period = alike_period(o, static_cast<int32_t>(elements));
      if (period > shape.classes) shape.classes = period;
    }
  }
  // All of a thread's vectors but the last are to be there.
  shape.warps = ceil_div(vectors, 32 * kMostStaying);
  shape.each = shape.warps == 1                                                                 ? ceil_div(vectors, 32)
               : shape.warps * 32 * (kMostStaying - 1) <= (problem.n - elements + 1) / elements ? kMostStaying
                                                                                                : kMostStaying - 1;
  shape.threads = shape.warps == 1 ? kStayingThreads : shape.warps * 32;
  shape.groups = shape.warps == 1 ? kStayingThreads / 32 : 1;
  shape.bytes = vectors * elements * 4 * (is_layer_norm(problem) ? 2 : 1) * (shape.warps == 1 ? shape.classes : 1);
  const bool adds = problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0;
  const int64_t by_threads = kStayingThreads *
                             staying_blocks(!is_f32(problem), is_layer_norm(problem), static_cast<int>(shape.each),
                                            adds, shape.any, has_chain(problem)) /
                             shape.threads;
  const int64_t by_memory = problem.device->smem_per_sm / (shape.bytes + kBesideWeights);
  shape.at_once = by_threads < by_memory ? by_threads : by_memory < 1 ? 1 : by_memory;
  if (shape.at_once > 32) shape.at_once = 32;
  const int64_t all = ceil_div(problem.m, shape.groups), most = shape.at_once * problem.device->sm_count;
  shape.blocks = most > 0 ? ceil_div(all, ceil_div(all, most)) : all;  // each with as many rows as the next
  if (shape.groups == 1) shape.blocks = ceil_div(shape.blocks, shape.classes) * shape.classes;
  return shape;
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, const Shape &shape, F &&f) {
  RowLinear chain = {};
  match_row_linear(problem, chain);
  const auto classes = static_cast<int32_t>(shape.warps == 1 ? shape.classes : 0);
  return with_row_type(problem, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_constant<1, 2, 3, 4>(static_cast<int>(shape.each), [&](auto each) {
      return with_constant<GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM>(problem.variant, [&](auto norm) {
        return with_constant<0, 1>(shape.any, [&](auto any) {
          constexpr int kNorm = decltype(norm)::value, V = decltype(each)::value;
          constexpr bool kAny = decltype(any)::value != 0;
          const auto with = [&](auto kernel, const auto &after) {
            return f(tag, kernel, shape.blocks, shape.threads, after, classes);
          };
          if (has_chain(problem)) return with(norm_staying_rows_kernel<T, kNorm, V, false, kAny, RowLinear>, chain);
          if (problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0)
            return with(norm_staying_rows_kernel<T, kNorm, V, true, kAny, NoChain>, NoChain{});
          return with(norm_staying_rows_kernel<T, kNorm, V, false, kAny, NoChain>, NoChain{});
        });
      });
    });
  });
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, shape, shared_row_loader(launch, kName, static_cast<size_t>(shape.bytes)));
}
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const Shape shape = shape_of(*problem);
  return with_kernel(*problem, shape, row_launcher(*problem, launch, kName, static_cast<size_t>(shape.bytes)));
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  RowLinear chain;
  const bool adds = problem->operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0;
  const int32_t unfit = match_row_linear(*problem, chain);
  if (unfit >= 0)
    return refuse(reject, GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_STAGE + unfit, 0, 0,
                  "stages are no activation between two linear steps of numbers");
  if (adds && has_chain(*problem))
    return refuse(reject, GPUOPT_REJECT_DTYPE, GPUOPT_OPERAND_RESIDUAL,
                  problem->operand[GPUOPT_OPERAND_RESIDUAL].m.dtype, 0, "a residual before stages");
  const gpuopt_operand &beta = problem->extra[GPUOPT_OPERAND_BETA - 4];
  if (!is_layer_norm(*problem) && beta.m.dtype != 0)
    return refuse(reject, GPUOPT_REJECT_DTYPE, GPUOPT_OPERAND_BETA, beta.m.dtype, 0, "RMSNORM with beta");
  if (!row_can_run(problem, kMostVectors + 1, reject, true)) return 0;
  if (has_no_elements(*problem)) return 1;
  if (!all_aligned(*problem)) {
    const gpuopt_operand *const o = problem->operand;
    for (int operand : {GPUOPT_OPERAND_RESIDUAL, GPUOPT_OPERAND_OUT, GPUOPT_OPERAND_SUM}) {
      if (o[operand].m.dtype == 0) continue;
      if (operand == GPUOPT_OPERAND_OUT && narrows(*problem)) {
        // Where x's vectors begin, so are out's to.
        const int64_t elements = elements_of(*problem);
        const int64_t ld = o[operand].m.ld - o[GPUOPT_OPERAND_X].m.ld;
        if (o[GPUOPT_OPERAND_X].align < 16)
          return refuse(reject, GPUOPT_REJECT_ALIGN, GPUOPT_OPERAND_X, o[GPUOPT_OPERAND_X].align, 16, "beside e4m3");
        if (o[operand].align < elements)
          return refuse(reject, GPUOPT_REJECT_ALIGN, operand, o[operand].align, elements, nullptr);
        if (ld % elements != 0) return refuse(reject, GPUOPT_REJECT_LD_MULTIPLE, operand, ld, elements, "ld less x's");
        continue;
      }
      if (begins_otherwise(o[operand], o[GPUOPT_OPERAND_X]))
        return refuse(reject, GPUOPT_REJECT_ALIGN, operand, o[operand].align, 16, "its rows begin otherwise than x's");
    }
  }
  const int64_t vectors = problem->n / elements_of(*problem);
  if (vectors > kMostVectors)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, vectors, kMostVectors,
                  "16-byte vectors of a row");
  if (vectors < kLeastVectors)
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, vectors, kLeastVectors,
                  "16-byte vectors of a row, at least");
  return 1;
}

double predict_us(const gpuopt_problem *problem) {
  const auto &figures = norm_registers_figures;
  const gpuopt_device_facts &device = *problem->device;
  if (!is_known(device)) return 0;
  if (has_no_elements(*problem)) return figures.block_launch_us;
  const RowFacts f = row_facts(*problem);
  const Shape shape = shape_of(*problem);
  const auto each = static_cast<double>(shape.each), warps = static_cast<double>(shape.warps);
  double instructions = figures.staying_row_instructions + plain_instructions(f, each);
  if (shape.any) instructions += figures.staying_ends_instructions;
  if (has_chain(*problem)) instructions += stage_instructions(f, each, true);
  const double rows = f.rows / static_cast<double>(shape.blocks * shape.groups);  // of a group, one after the other
  // Of few rows those that come and go are the faster, as are blocks with a row and its residual or, aligned, a linear step.
  const bool step = has_chain(*problem) && f.activations == 0;
  if (rows < kLeastRows || (shape.warps > 1 && (f.residual > 0 || (step && !shape.any)))) return 0;
  // fp32 is bytes more than instructions: where no thread of others idles they are the faster.
  const int64_t vectors = problem->n / elements_of(*problem);
  if (elements_of(*problem) == 4 && !shape.any && (vectors & (vectors - 1)) == 0) return 0;
  const double of_sm = f.rows / device.sm_count * warps;
  return figures.block_launch_us + figures.staying_start_us +
         together_us(
             moving_us(device, f.read_bytes + f.written_bytes),
             std::ceil(rows) * (figures.staying_row_us + instructions * figures.staying_clocks / device.clock_mhz),
             issuing_us(device, of_sm * instructions));
}

#define GPUOPT_ENTRY_(T, norm, V, adds, any, Chain)                                     \
  {kStayingThreads, kStayingThreads * V * 32 * (norm == GPUOPT_NORM_LAYERNORM ? 2 : 1), \
   reinterpret_cast<const void *>(norm_staying_rows_kernel<T, norm, V, adds, any, Chain>)},
gpuopt_resource kResources[] = {
    GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, false, NoChain) GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, true, NoChain)
        GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, false, RowLinear)
            GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, true, RowLinear) GPUOPT_STAYING_SUM_INSTANCES(GPUOPT_ENTRY_, false)
                GPUOPT_STAYING_SUM_INSTANCES(GPUOPT_ENTRY_, true)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = row_kernel(kName, "rows of up to 16 KB, one after the other by warps or blocks that stay");
  k.version = 2;
  k.understands = GPUOPT_FEATURE_LARGE;  // one matrix
  k.variants = 1 << GPUOPT_NORM_LAYERNORM | 1 << GPUOPT_NORM_RMSNORM;
  set_signatures(k, kRowSignaturesNarrow);
  k.cc_min = 90;
  k.cc_max = 119;
  k.stage_kinds = kLinearActKinds;
  k.max_stages = kMostChainStages;
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
