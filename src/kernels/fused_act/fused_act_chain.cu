// fused_act_chain: any chain in one pass; the list of stages is interpreted once a run of 16 bytes, not once an element.
//
// Idea and data movement: a thread holds a run of neighbours in registers (runs.cuh: whole vectors wherever out's base lies,
// a width that is no multiple, heads and tails), loads its operands as vectors, and walks the stages in a loop whose
// branches are the same for all threads. Interpreting costs some 15 instructions a stage and thread, which 8 bf16 elements
// share. The first matrix operand is loaded together with x, so that two reads are under way at once.
// Three instances know the type (f32, bf16, f16: x, out, and operands of that type or f32), one finds types at run time,
// and one evaluates in fp64. Aligned problems of those three types have an interpreter of their own (chain_rows.cuh).
//
// Needs: row-major x and matrix operands (out is by normal form). Every leading dimension, alignment, extent, batch,
// broadcast, type and stage, in place or not.
// Measured on an H200 (2026-11-21, single call, cold), 8192 square: relu, bias, scale f32 149 us, 3,600 GB/s,
// bf16 139 us, 1,936; five stages bf16 182 us; f32 to bf16 relu 3,293; bf16 to e4m3 1,781; i8 1,086: issue-bound.

#include "fused_act/chain_rows.cuh"

namespace gpuopt {

template <class C>
struct ChainWork {
  Runs runs;
  View out;
  int32_t out_bytes;
  ChainSteps<C> steps;
};

struct AnyType {};

// f(Type<T>{}) for the type of an operand: T itself, f32 beside a 16-bit T, or whatever dtype says.
template <class T, class F>
__device__ __forceinline__ void with_operand_type(int32_t dtype, F &&f) {
  if constexpr (cuda::std::is_same_v<T, AnyType>) {
    with_dtype(dtype, f);
  } else {
    if (sizeof(T) == sizeof(float) || dtype != GPUOPT_F32)
      f(Type<T>{});
    else
      f(Type<float>{});
  }
}

// a[e] *= rows(i) of each element.
template <class C, int K>
__device__ __forceinline__ void multiply_by_rows(const View &rows, const Runs &runs, const Spot &spot, C (&a)[K]) {
  const C value = load_element<C>(rows.data, rows.offset(spot.p, spot.i, 0), rows.dtype);
  C after = value;
  const int32_t left = runs.cols - spot.j;
  if (spot.end > left) {
    const bool last = spot.i + 1 == runs.rows;
    after = load_element<C>(rows.data, rows.offset(spot.p + (last ? 1 : 0), last ? 0 : spot.i + 1, 0), rows.dtype);
  }
#pragma unroll
  for (int e = 0; e < K; ++e) a[e] *= e < left ? value : after;
}

template <class C, class T, int K, int kBlocks>
__global__ void __launch_bounds__(kRunThreads, kBlocks)
    fused_act_chain_kernel(const __grid_constant__ ChainWork<C> work) {
  constexpr bool kTyped = !cuda::std::is_same_v<T, AnyType>;
  using Ahead = cuda::std::conditional_t<kTyped, T, float>;
  Spot spot;
  int out_bytes = work.out_bytes;
  if constexpr (kTyped) out_bytes = sizeof(T);
  if (!find_spot<K>(work.runs, work.out, out_bytes, spot)) return;

  Bits<Ahead, K> ahead;
  bool is_ahead = false;
  if constexpr (kTyped) {
    if (work.steps.ahead > 0) {
      const T *from = run_of<T>(work.steps.step[work.steps.ahead].operand, work.runs, spot);
      is_ahead = is_whole<K>(spot) && is_aligned<T, K>(from);
      if (is_ahead) ahead = load_bits<T, K>(from);
    }
  }
  C x[K];
#pragma unroll
  for (int e = 0; e < K; ++e) x[e] = C(0);
#pragma unroll 1
  for (int32_t s = 0; s < work.steps.count; ++s) {
    const typename ChainSteps<C>::Step &step = work.steps.step[s];
    if (step.kind == GPUOPT_STAGE_STORE) {
      with_operand_type<T>(step.operand.dtype, [&](auto tag) {
        store_elements(run_of<typename decltype(tag)::type>(step.operand, work.runs, spot), spot, x);
      });
      continue;
    }
    if (step.reads == kNothing) {
      apply_function(step.kind, step.v0, step.v1, x);
      continue;
    }
    C a[K];
    if (kTyped && is_ahead && s == work.steps.ahead) {
      if constexpr (kTyped) widen_bits(ahead, a);
    } else {
      with_operand_type<T>(step.operand.dtype, [&](auto tag) {
        using E = typename decltype(tag)::type;
        widen_bits(step.reads == kMatrix ? load_elements<K, E>(run_of<E>(step.operand, work.runs, spot), 1, spot)
                                         : load_vector<K, E>(step.operand, step.reads == kPerCol, work.runs, spot),
                   a);
      });
    }
    if (step.kind == GPUOPT_STAGE_ADD_OUTER) multiply_by_rows(step.rows, work.runs, spot, a);
    if (step.kind == kLoad) {
#pragma unroll
      for (int e = 0; e < K; ++e) x[e] = a[e];
    } else {
      apply_operand(step.kind, step.v0, a, x);
    }
  }
}

namespace {

constexpr char kName[] = "fused_act_chain";
// Blocks of an SM that registers must allow: the more threads, the more loads are under way.
template <class T>
constexpr int kBlocks = cuda::std::is_same_v<T, AnyType> ? 2
                        : sizeof(T) == 4                 ? 4
                                                         : 3;

// Whether x, out and all operands are of this type, operands of f32 too.
bool is_all(const gpuopt_problem &problem, int32_t dtype) {
  if (problem.operand[GPUOPT_OPERAND_X].m.dtype != dtype || problem.operand[GPUOPT_OPERAND_OUT].m.dtype != dtype)
    return false;
  for (int32_t s = 0; s < problem.stage_count; ++s) {
    for (const gpuopt_operand *o : {&problem.stage[s].a, &problem.stage[s].b})
      if (o->m.dtype != 0 && o->m.dtype != dtype && o->m.dtype != GPUOPT_F32) return false;
  }
  return true;
}

// f(C{}, Type<T>{}, K) of the instance for the problem.
template <class F>
gpuopt_status with_instance(const gpuopt_problem &problem, F &&f) {
  using cuda::std::integral_constant;
  if (problem.compute == GPUOPT_COMPUTE_F64) return f(double{}, Type<AnyType>{}, integral_constant<int, 4>{});
  if (is_all(problem, GPUOPT_F32)) return f(float{}, Type<float>{}, integral_constant<int, 4>{});
  if (is_all(problem, GPUOPT_BF16)) return f(float{}, Type<__nv_bfloat16>{}, integral_constant<int, 8>{});
  if (is_all(problem, GPUOPT_F16)) return f(float{}, Type<__half>{}, integral_constant<int, 8>{});
  return f(float{}, Type<AnyType>{}, integral_constant<int, 8>{});
}

// The same for the aligned interpreter; f(Type<T>{}).
template <class F>
gpuopt_status with_rows_type(const gpuopt_problem &problem, F &&f) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  if (dtype == GPUOPT_BF16) return f(Type<__nv_bfloat16>{});
  if (dtype == GPUOPT_F16) return f(Type<__half>{});
  return f(Type<float>{});
}
bool by_rows(const gpuopt_problem &problem) {
  const int32_t dtype = problem.operand[GPUOPT_OPERAND_X].m.dtype;
  const bool typed = dtype == GPUOPT_F32 || dtype == GPUOPT_BF16 || dtype == GPUOPT_F16;
  return typed && problem.compute == GPUOPT_COMPUTE_F32 && is_all(problem, dtype) && is_aligned_chain(problem);
}

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (by_rows(*problem)) {
    return with_rows_type(*problem, [&](auto tag) {
      return load_kernel(launch, kName, fused_act_chain_rows_kernel<typename decltype(tag)::type>);
    });
  }
  return with_instance(*problem, [&](auto zero, auto tag, auto k) {
    return load_kernel(launch, kName,
                       fused_act_chain_kernel<decltype(zero), typename decltype(tag)::type, decltype(k)::value,
                                              kBlocks<typename decltype(tag)::type>>);
  });
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  if (by_rows(*problem)) {
    return with_rows_type(*problem, [&](auto tag) {
      return launch_chain_rows<typename decltype(tag)::type>(*problem, launch, kName, make_steps<float>(*problem));
    });
  }
  return with_instance(*problem, [&](auto zero, auto tag, auto k) {
    using C = decltype(zero);
    constexpr int K = decltype(k)::value;
    ChainWork<C> work = {};
    work.steps = make_steps<C>(*problem);
    work.out = matrix_view(problem->operand[GPUOPT_OPERAND_OUT]);
    work.out_bytes = dtype_bytes(work.out.dtype);
    View matrices[kMostSteps] = {work.steps.step[0].operand, work.out};
    int matrix_count = 2;
    bool has_vectors = false;
    for (int32_t s = 0; s < problem->stage_count; ++s) {
      has_vectors = has_vectors || is_vector(problem->stage[s]);
      if (is_matrix(problem->stage[s])) matrices[matrix_count++] = work.steps.step[s + 1].operand;
    }
    const dim3 grid = make_runs(*problem, K, matrices, matrix_count, has_vectors, work.runs);
    return launch_kernel(
        launch, kName, grid, kRunThreads, 0,
        fused_act_chain_kernel<C, typename decltype(tag)::type, K, kBlocks<typename decltype(tag)::type>>, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  for (int32_t s = 0; s < problem->stage_count; ++s) {
    if (!is_matrix(problem->stage[s]) || problem->stage[s].a.m.layout == GPUOPT_ROW) continue;
    *reject = {GPUOPT_REJECT_LAYOUT, GPUOPT_OPERAND_STAGE + s, GPUOPT_COL, 0, nullptr};
    return 0;
  }
  return runs_can_run(problem, reject);
}

// The slowest of bytes, instructions and special functions.
double predict_us(const gpuopt_problem *problem) {
  const double elements = problem->compute == GPUOPT_COMPUTE_F64 ? 4 : is_all(*problem, GPUOPT_F32) ? 4 : 8;
  return pass_us(*problem, {2.4, 0.86, 60, 18, elements});
}

constexpr gpuopt_signature kSignatures[] = {
    {{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F32},
    {{GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_COMPUTE_F64},
};
#define GPUOPT_ENTRY_(C, T, K) \
  { kRunThreads, 0, reinterpret_cast<const void *>(fused_act_chain_kernel<C, T, K, kBlocks<T>>) }
gpuopt_resource kResources[] = {
    {kRunThreads, 0, reinterpret_cast<const void *>(fused_act_chain_rows_kernel<float>)},
    {kRunThreads, 0, reinterpret_cast<const void *>(fused_act_chain_rows_kernel<__nv_bfloat16>)},
    {kRunThreads, 0, reinterpret_cast<const void *>(fused_act_chain_rows_kernel<__half>)},
    GPUOPT_ENTRY_(float, float, 4),
    GPUOPT_ENTRY_(float, __nv_bfloat16, 8),
    GPUOPT_ENTRY_(float, __half, 8),
    GPUOPT_ENTRY_(float, AnyType, 8),
    GPUOPT_ENTRY_(double, AnyType, 4),
};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k = {};
  k.struct_size = sizeof k;
  k.name = kName;
  k.summary = "any chain in one pass, interpreted once a 16-byte vector";
  k.op = GPUOPT_OP_FUSED_ACT;
  k.version = 1;
  k.understands = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_LARGE;
  k.stage_kinds = kAllStageKinds;
  k.max_stages = GPUOPT_MAX_STAGES;
  k.cc_min = 75;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  k.signatures = kSignatures;
  k.signature_count = sizeof(kSignatures) / sizeof(kSignatures[0]);
  k.can_run = can_run;
  k.predict_us = predict_us;
  k.prepare = prepare;
  k.launch = launch;
  k.resources = kResources;
  k.resource_count = sizeof(kResources) / sizeof(kResources[0]);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
