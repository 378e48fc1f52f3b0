// fused_act_vec16: the common chains, compiled for themselves, on 16-byte vectors with head and tail peeled.
//
// Idea and data movement: a thread loads 16 bytes of x, of the matrix operand and of each vector operand, all before it
// computes, and stores 16 bytes. Many small blocks of one vector a thread keep the window of memory that is open at one
// time small, which suits DRAM best. runs.cuh peels: stores are whole vectors wherever out lies; an operand that is
// aligned otherwise is read by whole accesses and shifted; a vector by accesses of 4 bytes, or of an element beside a
// matrix.
//
// Needs: row-major x, out and matrix, all operands of one type (f32, f16, bf16), a chain of the form of pattern.cuh.
// Prediction: the slower of bytes and instructions; f32 should come near the rate of a copy, 16-bit types, whose
// elements are shifted into place, within a tenth of it.

#include "common/dependent_launch.cuh"
#include "common/dtypes.cuh"
#include "fused_act/common/runs.cuh"
#include "fused_act/pattern/figures.h"
#include "fused_act/pattern/pattern.cuh"

namespace gpuopt {

struct Vec16Work {
  Runs runs;
  Pattern pattern;
};

template <class T, int32_t kAct, int32_t kMatrix>
__global__ void __launch_bounds__(kRunThreads) fused_act_vec16_kernel(const __grid_constant__ Vec16Work work) {
  allow_successor();
  constexpr int K = 16 / sizeof(T);
  const Pattern &pattern = work.pattern;
  Spot spot;
  if (!find_spot<K>(work.runs, pattern.out, sizeof(T), spot)) return;
  wait_for_predecessors();
  const Bits<T, K> loaded = load_matrix<K, T>(pattern.x, work.runs, spot);
  Bits<T, K> matrix;
  if constexpr (kMatrix != kNoMatrix) matrix = load_matrix<K, T>(pattern.matrix, work.runs, spot);
  // Beside a matrix the registers that it takes are worth more.
  constexpr bool kByWords = sizeof(T) == 2 && kMatrix == kNoMatrix;
  Bits<T, K> pre, post;
  if (pattern.pre.dtype != 0) pre = load_vector<K, T, kByWords>(pattern.pre, work.runs, spot);
  if (pattern.post.dtype != 0) post = load_vector<K, T, kByWords>(pattern.post, work.runs, spot);
  float x[K];
  widen_bits(loaded, x);
  const auto add = [&](const Bits<T, K> &bits, float factor) {
    float v[K];
    widen_bits(bits, v);
#pragma unroll
    for (int e = 0; e < K; ++e) x[e] += factor * v[e];
  };
  if (pattern.pre.dtype != 0) add(pre, pattern.pre_factor);
  apply_act<kAct>(x);
  if (pattern.post.dtype != 0) add(post, pattern.post_factor);
#pragma unroll
  for (int e = 0; e < K; ++e) x[e] *= pattern.scale;
  if constexpr (kMatrix != kNoMatrix) apply_matrix<kMatrix>(pattern.matrix_factor, matrix, x);
  store_run_bits(pattern.out, work.runs, spot, narrow_bits<T>(x));
}

namespace {

constexpr char kName[] = "fused_act_vec16";

gpuopt_status prepare(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  Pattern pattern;
  match_pattern(*problem, pattern);
  return with_pattern_instance(pattern, [&](auto tag, auto act, auto matrix) {
    return load_kernel(
        launch, kName,
        fused_act_vec16_kernel<typename decltype(tag)::type, decltype(act)::value, decltype(matrix)::value>);
  });
}

dim3 make_cut(const gpuopt_problem &problem, bool with_vectors, Runs &runs) {
  View matrices[kPatternStages + 2];
  int count = 0;
  for (int operand : {GPUOPT_OPERAND_X, GPUOPT_OPERAND_OUT}) matrices[count++] = matrix_view(problem.operand[operand]);
  for (int32_t s = 0; s < problem.stage_count; ++s)
    if (is_matrix(problem.stage[s])) matrices[count++] = matrix_view(problem.stage[s].a);
  return make_runs(problem, 16 / dtype_bytes(matrices[0].dtype), matrices, count, with_vectors, !with_vectors, runs);
}

gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  Vec16Work work;
  match_pattern(*problem, work.pattern);
  const Pattern &pattern = work.pattern;
  const dim3 grid = make_cut(*problem, has_vectors(pattern), work.runs);
  return with_pattern_instance(pattern, [&](auto tag, auto act, auto matrix) {
    return launch_kernel(
        early_launch(*problem), launch, kName, grid, kRunThreads, 0,
        fused_act_vec16_kernel<typename decltype(tag)::type, decltype(act)::value, decltype(matrix)::value>, work);
  });
}

int can_run(const gpuopt_problem *problem, gpuopt_reject *reject) {
  return pattern_can_run(problem, reject) && runs_can_run(problem, reject);
}

double predict_us(const gpuopt_problem *problem) {
  const FusedActPatternFigures &f = fused_act_pattern_figures;
  const ElementCost element = element_cost(*problem);
  Runs runs;
  make_cut(*problem, element.vectors > 0, runs);
  const int k = 16 / dtype_bytes(problem->operand[GPUOPT_OPERAND_X].m.dtype);
  PassCost cost = {f.vec16_launch_us,
                   f.vec16_share,
                   f.vec16_thread_instructions,
                   f.vec16_stage_instructions,
                   f.vec16_operand_instructions,
                   1.0 * k,
                   0,
                   true};
  count_runs(*problem, k, runs, element, cost);
  cost.edge_instructions = f.vec16_edge_instructions;
  cost.shifted_instructions = f.vec16_shifted_instructions;
  return pass_us(*problem, element, cost);
}

#define GPUOPT_ENTRY_(T, act, matrix) \
  { kRunThreads, 0, reinterpret_cast<const void *>(fused_act_vec16_kernel<T, act, matrix>) }
gpuopt_resource kResources[] = {GPUOPT_PATTERN_INSTANCES(GPUOPT_ENTRY_)};
#undef GPUOPT_ENTRY_

constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      pattern_kernel(kName, "common chains compiled for themselves, 16-byte vectors with head and tail peeled");
  k.can_run = can_run;
  set_functions(k, predict_us, prepare, launch, kResources);
  return k;
}
constexpr gpuopt_kernel kKernels[] = {make_kernel()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
