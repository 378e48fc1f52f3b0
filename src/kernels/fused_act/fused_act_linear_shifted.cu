// fused_act_linear_shifted: fused_act_linear's compiled chains over long rows that lie anyhow.
//
// Idea and data movement: as fused_act_chain_shifted, a thread takes four rows that begin at the same place within an
// access (shifted_rows.cuh), so what finding them and their vectors costs is shared by all, whole vectors are stored,
// and x is shifted into place where it lies otherwise than out. But the chain is an activation between two linear steps
// (linear_act.cuh) compiled for itself: no list to walk, no type to ask for, vectors under way together with x, and
// registers for four blocks of an SM where the list needs those of three.
//
// One kernel does for all 8-bit types, which are asked for once on either side.
//
// Needs: row-major x, x and out of one type but f64 and i32, vectors of that type or f32, a chain of that form, rows
// of 128 elements or more.
// Recorded (H200, 2026-11-21, single call, cold), 8191 columns, of copy: bias, relu, mul per_col, add, clamp bf16 91 %,
// with gelu and per_row 85; mul per_row 82; i8 relu 82, mul per_row 81; aligned, 8192 columns, i8 81 and 82. Forced,
// f32 4097 x 4099 bias, gelu, mul per_row, add, clamp 41.0 us, 84 % (fused_act_chain_shifted 45.9).

#include "common/descriptor.h"
#include "fused_act/cost.h"
#include "fused_act/linear_act.cuh"
#include "fused_act/shifted_rows.cuh"

namespace gpuopt {

struct LinearShiftedWork {
  ShiftedRows cut;
  LinearAct chain;
};

constexpr int kShiftedRows = 4;  // of a thread
template <int kBytes>
constexpr int kShiftedElements = kBytes == 1 ? 8 : 16 / kBytes;  // of a row

// f(Type<T>{}), where uint8_t stands for any type of 8 bits: that of dtype.
template <class T, class F>
__device__ __forceinline__ void with_shifted_type(int32_t dtype, F &&f) {
  if constexpr (sizeof(T) == 1)
    with_type_of_size<1>(dtype, f);
  else
    f(Type<T>{});
}

template <class T, int32_t kAct>
__global__ void __launch_bounds__(kShiftedThreads, (4 - kFewerBlocks) * (kRunThreads / kShiftedThreads))
    fused_act_linear_shifted_kernel(const __grid_constant__ LinearShiftedWork work) {
  constexpr int kBytes = sizeof(T), K = kShiftedElements<kBytes>;
  const LinearAct &chain = work.chain;
  const ShiftedRows &cut = work.cut;
  ShiftedSpot spot;
  if (!find_shifted<K, kShiftedRows>(cut, spot)) return;
  Words<kBytes, K> words[kShiftedRows];
  load_shifted_rows<kBytes, K, kShiftedRows, true>(chain.x, cut, spot, words);
  const auto load_columns = [&](const LinearStep &step, float(&v)[K]) {
    if (sizeof(T) == 4 || step.operand.dtype == GPUOPT_F32)
      widen_words<float>(load_shifted_vector<4, K>(step.operand, cut, spot), v);
    else
      with_shifted_type<T>(step.operand.dtype, [&](auto tag) {
        widen_words<typename decltype(tag)::type>(load_shifted_vector<kBytes, K>(step.operand, cut, spot), v);
      });
#pragma unroll
    for (int e = 0; e < K; ++e) v[e] *= step.value;
  };
  const auto load_rows = [&](const LinearStep &step, float(&v)[K]) {
    const int64_t at = blockIdx.y * step.operand.batch_step + spot.first * step.operand.row_step;
    const int64_t apart = step.operand.row_step << cut.log2_apart;
    const auto load = [&](auto tag) {
      using V = typename decltype(tag)::type;
      const V *from = static_cast<const V *>(step.operand.data) + at;
      V raw[kShiftedRows];
#pragma unroll
      for (int r = 0; r < kShiftedRows; ++r) raw[r] = from[spot.exists(cut, r) ? r * apart : 0];
#pragma unroll
      for (int r = 0; r < kShiftedRows; ++r) v[r] = step.value * widen<float>(raw[r]);
    };
    if (sizeof(T) == 4 || step.operand.dtype == GPUOPT_F32)
      load(Type<float>{});
    else
      with_shifted_type<T>(step.operand.dtype, load);
  };
  const auto load_vector = [&](const LinearStep &step, float(&v)[K]) {
    if (step.per_col()) load_columns(step, v);
    if (step.per_row()) load_rows(step, v);
  };
  float before[K] = {}, after[K] = {};
  load_vector(chain.before, before);
  load_vector(chain.after, after);
  float x[K * kShiftedRows];
  with_shifted_type<T>(chain.x.dtype, [&](auto tag) {
#pragma unroll
    for (int r = 0; r < kShiftedRows; ++r) {
      float row[K];
      widen_words<typename decltype(tag)::type>(words[r], row);
#pragma unroll
      for (int e = 0; e < K; ++e) x[r * K + e] = row[e];
    }
  });
  apply_step(chain.before, before, x);
  apply_activation<kAct>(x);
  apply_step(chain.after, after, x);
  auto *to = static_cast<UnsignedOf<kBytes> *>(chain.out.data) +
             (blockIdx.y * chain.out.batch_step + spot.first * chain.out.row_step + spot.column);
  with_shifted_type<T>(chain.out.dtype, [&](auto tag) {
#pragma unroll
    for (int r = 0; r < kShiftedRows; ++r) {
      float row[K];
#pragma unroll
      for (int e = 0; e < K; ++e) row[e] = x[r * K + e];
      if (spot.exists(cut, r))
        store_shifted_row<kBytes, K>(to + r * (chain.out.row_step << cut.log2_apart), cut, spot,
                                     narrow_words<typename decltype(tag)::type>(row));
    }
  });
}

namespace {

constexpr char kName[] = "fused_act_linear_shifted";
constexpr int32_t kMostStages = 5;

// f(T's tag, the activation as a constant).
template <class F>
gpuopt_status with_instance(const LinearAct &chain, F &&f) {
  using cuda::std::integral_constant;
  const auto with_act = [&](auto tag) {
    if (chain.act == GPUOPT_STAGE_GELU) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_GELU>{});
    if (chain.act == GPUOPT_STAGE_GELU_TANH) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_GELU_TANH>{});
    if (chain.act == GPUOPT_STAGE_SILU) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_SILU>{});
    if (chain.act == GPUOPT_STAGE_SIGMOID) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_SIGMOID>{});
    if (chain.act == GPUOPT_STAGE_TANH) return f(tag, integral_constant<int32_t, GPUOPT_STAGE_TANH>{});
    return f(tag, integral_constant<int32_t, kEnd>{});
  };
  if (chain.x.dtype == GPUOPT_F16) return with_act(Type<__half>{});
  if (chain.x.dtype == GPUOPT_BF16) return with_act(Type<__nv_bfloat16>{});
  if (dtype_bytes(chain.x.dtype) == 1) return with_act(Type<uint8_t>{});
  return with_act(Type<float>{});
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  LinearAct chain;
  match_linear_act(*problem, chain);
  return with_instance(chain, [&](auto tag, auto act) {
    return load_kernel(launch, kName,
                       fused_act_linear_shifted_kernel<typename decltype(tag)::type, decltype(act)::value>);
  });
}

int elements_of(const LinearAct &chain) {
  const int bytes = dtype_bytes(chain.x.dtype);
  return bytes == 1 ? kShiftedElements<1> : 16 / bytes;
}

dim3 make_cut(const gpuopt_problem &problem, const LinearAct &chain, ShiftedRows &cut) {
  const View matrices[2] = {chain.x, chain.out};
  return make_shifted_rows(problem, elements_of(chain), kShiftedRows, matrices, 2, true, cut);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  LinearShiftedWork work;
  match_linear_act(*problem, work.chain);
  const dim3 grid = make_cut(*problem, work.chain, work.cut);
  return with_instance(work.chain, [&](auto tag, auto act) {
    return launch_kernel(launch, kName, grid, kShiftedThreads, 0,
                         fused_act_linear_shifted_kernel<typename decltype(tag)::type, decltype(act)::value>, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  LinearAct chain;
  if (match_linear_act(*problem, chain)) return shifted_rows_can_run(problem, reject);
  *reject = {GPUOPT_REJECT_STAGE, GPUOPT_OPERAND_NONE, 0, 0,
             "not an activation between two linear steps with vectors of x's type or f32"};
  return 0;
}

// Rows of the last threads that do not exist are work as well. Bytes are shifted as words of four.
double predict_us(const gpuopt_problem *problem) {
  LinearAct chain;
  match_linear_act(*problem, chain);
  ShiftedRows cut;
  make_cut(*problem, chain, cut);
  const double used = static_cast<double>(problem->m) / (static_cast<double>(cut.lanes) * kShiftedRows);
  const double elements = 1.0 * elements_of(chain) * kShiftedRows;
  const int bytes = dtype_bytes(chain.x.dtype);
  return pass_us(*problem, {3.2, bytes == 4 ? 0.74 : 0.80, (bytes == 1 ? 60 : 120) / used, 10, elements});
}

constexpr uint64_t stage_bit(int32_t kind) { return uint64_t{1} << kind; }
constexpr uint64_t kStageKinds =
    stage_bit(GPUOPT_STAGE_RELU) | stage_bit(GPUOPT_STAGE_CLAMP) | stage_bit(GPUOPT_STAGE_NEG) |
    stage_bit(GPUOPT_STAGE_ADD) | stage_bit(GPUOPT_STAGE_SUB) | stage_bit(GPUOPT_STAGE_MUL) |
    stage_bit(GPUOPT_STAGE_GELU) | stage_bit(GPUOPT_STAGE_GELU_TANH) | stage_bit(GPUOPT_STAGE_SILU) |
    stage_bit(GPUOPT_STAGE_SIGMOID) | stage_bit(GPUOPT_STAGE_TANH);

#define GPUOPT_SIGNATURE_(type) \
  { {GPUOPT_##type, GPUOPT_ANY, GPUOPT_##type, GPUOPT_ANY}, GPUOPT_COMPUTE_F32 }
constexpr gpuopt_signature kSignatures[] = {GPUOPT_SIGNATURE_(F32),  GPUOPT_SIGNATURE_(F16),  GPUOPT_SIGNATURE_(BF16),
                                            GPUOPT_SIGNATURE_(E4M3), GPUOPT_SIGNATURE_(E5M2), GPUOPT_SIGNATURE_(I8),
                                            GPUOPT_SIGNATURE_(U8)};
#undef GPUOPT_SIGNATURE_
#define GPUOPT_ENTRY_(T, act) \
  { kShiftedThreads, 0, reinterpret_cast<const void *>(fused_act_linear_shifted_kernel<T, act>) }
#define GPUOPT_ENTRIES_(T)                                                                               \
  GPUOPT_ENTRY_(T, kEnd), GPUOPT_ENTRY_(T, GPUOPT_STAGE_GELU), GPUOPT_ENTRY_(T, GPUOPT_STAGE_GELU_TANH), \
      GPUOPT_ENTRY_(T, GPUOPT_STAGE_SILU), GPUOPT_ENTRY_(T, GPUOPT_STAGE_SIGMOID), GPUOPT_ENTRY_(T, GPUOPT_STAGE_TANH)
gpuopt_resource kResources[] = {GPUOPT_ENTRIES_(float), GPUOPT_ENTRIES_(__half), GPUOPT_ENTRIES_(__nv_bfloat16),
                                GPUOPT_ENTRIES_(uint8_t)};
#undef GPUOPT_ENTRY_
#undef GPUOPT_ENTRIES_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = kernel_descriptor(
      GPUOPT_OP_FUSED_ACT, kName, "an activation between two linear steps, compiled, over long rows that lie anyhow",
      kViewFeatures);
  k.stage_kinds = kStageKinds;
  k.max_stages = kMostStages;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  set_signatures(k, kSignatures);
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
