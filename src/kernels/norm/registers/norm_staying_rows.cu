// norm_staying_rows: warps or blocks stay for many rows of 272 bytes to 32 KB or more.
//
// Idea and data movement: staying_rows.cuh, with one to four vectors a thread, rows of up to 2 KB by warps, longer ones by
// blocks of up to 24 (16 with a residual). Weights are read and widened once a block; the next row is under way while one is
// normalised.
//
// norm_staying_softmax is the same for SOFTMAX and LOG_SOFTMAX, whose exponentials are computed once.
//
// Needs: sm_90; x, residual, out and sum of one type (f32, f16, bf16), row-major, whose rows begin alike; weights of that type
// or fp32; LAYERNORM, or RMSNORM without beta; where there is no residual an activation between two linear steps, or e4m3 whose
// vectors begin at whole accesses; one matrix. A softmax has no residual, stages or e4m3.
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
constexpr int64_t kLeastVectors = 17;
constexpr double kLeastRows = 9, kLeastUnalignedRows = 3;  // of a warp or block that stays

int64_t elements_of(const gpuopt_problem &problem) { return is_f32(problem) ? 4 : 8; }  // of a vector
bool has_chain(const gpuopt_problem &problem) { return problem.stage_count > 0 || narrows(problem); }

// Threads of a block at most, whose threads have so many vectors.
int64_t most_threads(const gpuopt_problem &problem, int64_t each) {
  return staying_threads(!is_f32(problem), is_layer_norm(problem), static_cast<int>(each),
                         problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0, !all_aligned(problem),
                         has_chain(problem));
}
int64_t most_vectors(const gpuopt_problem &problem) { return most_threads(problem, kMostStaying) * kMostStaying; }

struct Shape {
  bool any;                      // rows begin anywhere
  int64_t each, warps, classes;  // vectors of a thread, warps of a row, rows that begin alike
  int64_t threads, groups;       // of a block: rows at once
  int64_t at_once, blocks;       // blocks of an SM, of all
  int64_t copies, bytes;         // of a block's weights
};
Shape shape_of(const gpuopt_problem &problem) {
  const int64_t elements = elements_of(problem), vectors = problem.n / elements, sms = problem.device->sm_count;
  Shape shape = {};
  shape.any = !all_aligned(problem);
  // Other operands' rows begin where x's do.
  shape.classes = shape.any ? alike_period(problem.operand[GPUOPT_OPERAND_X], static_cast<int32_t>(elements)) : 1;
  // As few warps as hold a row; then all of a thread's vectors but the last are there.
  shape.warps = ceil_div(vectors, 32 * kMostStaying);
  shape.each = ceil_div(ceil_div(vectors, shape.warps), 32);
  const int64_t most = most_threads(problem, shape.each);
  const int64_t warp_bytes =
      staying_warp_bytes(!is_f32(problem), staying_weights(problem.variant), static_cast<int>(shape.each), shape.any);
  if (shape.warps == 1) {  // warps on their own share weights best in one block of an SM
    shape.threads = most;
    while (shape.threads > 256 && (shape.threads - 256) / 32 * sms >= problem.m) shape.threads -= 256;
    shape.groups = shape.threads / 32;
    shape.at_once = 1;
  } else {
    shape.threads = shape.warps * 32;
    shape.groups = 1;
    const int64_t by_memory = problem.device->smem_per_sm / (shape.warps * warp_bytes + kBesideWeights);
    shape.at_once = most / shape.threads < by_memory ? most / shape.threads : by_memory < 1 ? 1 : by_memory;
  }
  const int64_t all = ceil_div(problem.m, shape.groups), fit = shape.at_once * sms;
  shape.blocks = fit > 0 && fit < all ? fit : all;
  if (shape.warps == 1) {  // whose rows are a grid apart
    shape.copies = shape.classes;
    for (int64_t grid = shape.blocks; shape.copies > 1 && grid % 2 == 0; grid /= 2) shape.copies /= 2;
  } else {  // whose rows begin alike; but no block waits for another to end
    const int64_t sets = shape.blocks / shape.classes;
    shape.blocks = (sets > 0 ? sets : 1) * shape.classes;
  }
  shape.bytes = warp_bytes * (shape.warps == 1 ? shape.copies : shape.warps);
  return shape;
}

StayingRows staying_rows(const gpuopt_problem &problem, const Shape &shape) {
  const int64_t step = shape.blocks * shape.groups;
  const auto bytes_of = [&](int operand) {
    const gpuopt_operand &o = problem.operand[operand];
    return o.m.dtype != 0 ? step * o.m.ld * dtype_bytes(o.m.dtype) : 0;
  };
  return {static_cast<int32_t>(shape.copies),  static_cast<int32_t>(step),   bytes_of(GPUOPT_OPERAND_X),
          bytes_of(GPUOPT_OPERAND_RESIDUAL),   bytes_of(GPUOPT_OPERAND_OUT), bytes_of(GPUOPT_OPERAND_SUM),
          1.0f / static_cast<float>(problem.n)};
}

template <class F>
gpuopt_status with_kernel(const gpuopt_problem &problem, const Shape &shape, F &&f) {
  RowLinear chain = {};
  match_row_linear(problem, chain);
  const StayingRows rows = staying_rows(problem, shape);
  return with_row_type(problem, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_constant<1, 2, 3, 4>(static_cast<int>(shape.each), [&](auto each) {
      return with_constant<GPUOPT_NORM_LAYERNORM, GPUOPT_NORM_RMSNORM, GPUOPT_NORM_SOFTMAX, GPUOPT_NORM_LOG_SOFTMAX>(
          problem.variant, [&](auto norm) {
            return with_constant<0, 1>(shape.any, [&](auto any) {
              constexpr int kNorm = decltype(norm)::value, V = decltype(each)::value;
              constexpr bool kAny = decltype(any)::value != 0;
              const auto with = [&](auto kernel, const auto &after) {
                return f(tag, kernel, shape.blocks, shape.threads, after, rows);
              };
              if constexpr (staying_weights(kNorm) > 0) {
                if (has_chain(problem))
                  return with(norm_staying_rows_kernel<T, kNorm, V, false, kAny, RowLinear>, chain);
                if (problem.operand[GPUOPT_OPERAND_RESIDUAL].m.dtype != 0)
                  return with(norm_staying_rows_kernel<T, kNorm, V, true, kAny, NoChain>, NoChain{});
              }
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

// Whether the operand's vectors begin where x's do in every row. Of bases only a power of two is known that divides them: both
// whole accesses, or both half of one behind.
bool begins_alike(const gpuopt_problem &problem, int operand, gpuopt_reject *reject) {
  const gpuopt_operand &o = problem.operand[operand], &x = problem.operand[GPUOPT_OPERAND_X];
  const int32_t access = static_cast<int32_t>(elements_of(problem)) * dtype_bytes(o.m.dtype);
  const bool whole = x.align >= 16 && o.align >= access;
  if (!whole && (x.align != 8 || o.align != 8 || access != 16))
    return refuse(reject, GPUOPT_REJECT_ALIGN, operand, o.align < x.align ? o.align : x.align, access,
                  "its rows begin otherwise than x's");
  const int64_t ld = o.m.ld - x.m.ld;
  if (ld % elements_of(problem) == 0) return true;
  return refuse(reject, GPUOPT_REJECT_LD_MULTIPLE, operand, ld, elements_of(problem), "ld less x's");
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
  if (!row_can_run(problem, most_vectors(*problem) + 1, reject, true)) return 0;
  if (has_no_elements(*problem)) return 1;
  if (!all_aligned(*problem)) {
    for (int operand : {GPUOPT_OPERAND_RESIDUAL, GPUOPT_OPERAND_OUT, GPUOPT_OPERAND_SUM})
      if (problem->operand[operand].m.dtype != 0 && !begins_alike(*problem, operand, reject)) return 0;
  }
  const int64_t vectors = problem->n / elements_of(*problem);
  if (vectors > most_vectors(*problem))
    return refuse(reject, GPUOPT_REJECT_SIZE_LIMIT, GPUOPT_OPERAND_X, vectors, most_vectors(*problem),
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
  // Of few aligned rows those that come and go are the faster, as are blocks with a row, but for a layer norm or an activation:
  // they are at a copy's rate.
  if (rows < (shape.any ? kLeastUnalignedRows : kLeastRows)) return 0;
  const bool alone = f.activations == 0 && (f.layernorm == 0 || f.residual > 0 || has_chain(*problem));
  if (shape.warps > 1 && !shape.any && alone) return 0;
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

#define GPUOPT_ENTRY_(T, norm, V, adds, any, Chain)                       \
  {kStayingThreads<T, norm, V, adds, any, Chain>,                         \
   kStayingThreads<T, norm, V, adds, any, Chain> / 32 *                   \
       staying_warp_bytes(sizeof(T) == 2, staying_weights(norm), V, any), \
   reinterpret_cast<const void *>(norm_staying_rows_kernel<T, norm, V, adds, any, Chain>)},
gpuopt_resource kResources[] = {
    GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, false, NoChain) GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, true, NoChain)
        GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, false, RowLinear)
            GPUOPT_STAYING_INSTANCES(GPUOPT_ENTRY_, true, RowLinear) GPUOPT_STAYING_SUM_INSTANCES(GPUOPT_ENTRY_, false)
                GPUOPT_STAYING_SUM_INSTANCES(GPUOPT_ENTRY_, true)};
gpuopt_resource kSoftmaxResources[] = {GPUOPT_STAYING_SOFTMAX_INSTANCES(GPUOPT_ENTRY_, false)  //
                                       GPUOPT_STAYING_SOFTMAX_INSTANCES(GPUOPT_ENTRY_, true)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel staying_kernel(const char *name, const char *summary, uint32_t variants) {
  gpuopt_kernel k = row_kernel(name, summary);
  k.understands = GPUOPT_FEATURE_LARGE;  // one matrix
  k.variants = variants;
  for (int32_t &align : k.align) align = 8;  // below that it is not known where vectors begin
  k.cc_min = 90;
  k.cc_max = 119;
  k.can_run = can_run;
  return k;
}
constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = staying_kernel(kName, "rows of up to 48 KB, one after the other by warps or blocks that stay",
                                   1 << GPUOPT_NORM_LAYERNORM | 1 << GPUOPT_NORM_RMSNORM);
  k.version = 2;
  set_signatures(k, kRowSignaturesNarrow);
  k.stage_kinds = kLinearActKinds;
  k.max_stages = kMostChainStages;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel make_softmax() {
  gpuopt_kernel k = staying_kernel("norm_staying_softmax", "softmax and log-softmax by norm_staying_rows",
                                   1 << GPUOPT_NORM_SOFTMAX | 1 << GPUOPT_NORM_LOG_SOFTMAX);
  set_signatures(k, kRowSignaturesAlone);
  set_functions(k, predict_us, prepare, launch, kSoftmaxResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel(), make_softmax()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
