// fused_act_table_constant, fused_act_table_global: sigmoid of 8-bit integers from a table of its 256 values, in constant
// memory and in global memory. Teaching rungs.
//
// Idea and data movement: an element is a byte, read once, and finds its value at its own place of the table. The constant
// cache serves one address a warp at a time: a warp whose lanes all ask for one place has it at once (broadcast), one whose
// lanes ask for 32 places asks 32 times. L1, which holds the table of 1 KB in global memory, serves 32 places of 8 sectors
// and more in as many passes as there are lines.
// The table is a constant of the program: it is filled when the module is loaded, by what cudaMemcpyToSymbol would do for one
// that is worked out at run time, and calls on several streams can never see each other's.
//
// Needs: i8 to f32, SIGMOID alone, packed and by rows.
// Prediction: of zeros constant takes the time of its bytes, and so does global; of random bytes, some 30 places in a warp,
// constant takes 30 passes of the constant cache where global takes 8 of L1.
// arch class: teaching

#include "common/chain_descriptor.h"
#include "common/launch.h"
#include "fused_act/ladder/elementwise.cuh"

namespace gpuopt {

constexpr int kTableThreads = kElementwiseThreads, kTableSize = 256;

struct SigmoidTable {
  float of[kTableSize];
};

// 1 / (1 + e^-x) in double for x of -128 to 127, of which the lower 8 bits are the place; 0 where f32 has no normal number.
constexpr SigmoidTable sigmoid_table() {
  constexpr double kE = 2.718281828459045235;
  SigmoidTable table = {};
  double power = 1;  // e^n
  for (int n = 0; n <= 128; ++n, power *= kE) {
    table.of[(256 - n) % 256] = power < 0x1p126 ? static_cast<float>(1 / (1 + power)) : 0.0f;
    if (n < 128) table.of[n] = static_cast<float>(1 / (1 + 1 / power));
  }
  return table;
}

__constant__ constexpr SigmoidTable constant_sigmoid = sigmoid_table();
__device__ constexpr SigmoidTable global_sigmoid = sigmoid_table();

struct TableWork {
  const uint8_t *x;
  float *out;
  int64_t count;
};

__global__ void __launch_bounds__(kTableThreads) fused_act_table_constant_kernel(TableWork work) {
  const int64_t e = int64_t{blockIdx.x} * kTableThreads + threadIdx.x;
  if (e < work.count) work.out[e] = constant_sigmoid.of[work.x[e]];
}

__global__ void __launch_bounds__(kTableThreads) fused_act_table_global_kernel(TableWork work) {
  const int64_t e = int64_t{blockIdx.x} * kTableThreads + threadIdx.x;
  if (e < work.count) work.out[e] = __ldg(&global_sigmoid.of[work.x[e]]);
}

namespace {

struct Constant {
  static constexpr const char *kName = "fused_act_table_constant";
  static constexpr const char *kSummary = "sigmoid of i8 from a table in constant memory: one place a warp at a time";
  static constexpr auto kKernel = fused_act_table_constant_kernel;
};
struct Global {
  static constexpr const char *kName = "fused_act_table_global";
  static constexpr const char *kSummary = "sigmoid of i8 from a table in global memory, which L1 holds";
  static constexpr auto kKernel = fused_act_table_global_kernel;
};

template <class Rung>
gpuopt_status prepare(const gpuopt_problem *, const gpuopt_launch *launch) {
  return load_kernel(launch, Rung::kName, Rung::kKernel);
}

template <class Rung>
gpuopt_status launch(const gpuopt_problem *problem, const gpuopt_launch *launch) {
  const TableWork work = {static_cast<const uint8_t *>(problem->operand[GPUOPT_OPERAND_X].m.data),
                          static_cast<float *>(problem->operand[GPUOPT_OPERAND_OUT].m.data),
                          problem->batch * problem->m * problem->n};
  return launch_kernel(launch, Rung::kName, dim3(static_cast<unsigned>(ceil_div(work.count, kTableThreads))),
                       dim3(kTableThreads), 0, Rung::kKernel, work);
}

constexpr gpuopt_signature kSignatures[] = {{{GPUOPT_I8, GPUOPT_ANY, GPUOPT_F32, GPUOPT_ANY}, GPUOPT_COMPUTE_F32}};
constexpr gpuopt_built_in_stage kChain[] = {{GPUOPT_STAGE_SIGMOID, 0, {GPUOPT_ANY, GPUOPT_ANY}, 0}};

template <class Rung>
constexpr gpuopt_kernel make_kernel() {
  gpuopt_kernel k =
      kernel_descriptor(GPUOPT_OP_FUSED_ACT, Rung::kName, Rung::kSummary, GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_LARGE);
  k.flags = GPUOPT_KERNEL_TEACHING;
  k.stage_kinds = stage_bits(GPUOPT_STAGE_SIGMOID);
  k.max_stages = 1;
  k.chain = kChain;
  k.layouts[GPUOPT_OPERAND_X] = GPUOPT_LAYOUT_ROW;
  k.operands_packed = 1u << GPUOPT_OPERAND_X | 1u << GPUOPT_OPERAND_OUT;
  k.can_run = elementwise_can_run;
  set_signatures(k, kSignatures);
  set_functions(k, nullptr, prepare<Rung>, launch<Rung>, kResourcesOf<kTableThreads, 0, Rung::kKernel>);
  return k;
}

constexpr gpuopt_kernel kKernels[] = {make_kernel<Constant>(), make_kernel<Global>()};

}  // namespace
}  // namespace gpuopt

GPUOPT_REGISTER_KERNELS(gpuopt::kKernels);
