// Kernels in Triton (examples/plugin_triton) beside ours, and beside one pass for each operation, as a framework without a compiler
// would make them.
#include "gpuopt_lab/experiment.h"

namespace gpuopt_lab {
namespace {

constexpr const char *kClaim = "Triton 90 to 95 % of CUDA, of which it is written much faster";
constexpr double kClaimed = 1 / 0.925;

constexpr const char *kAdd = "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=ADD:matrix:1 sa=8192x8192:f32";
constexpr const char *kProduct = "gemm a=4096x4096:f16 b=4096x4096:f16 d=4096x4096:f16";
constexpr const char *kBiasRelu =
    "fused_act x=8192x8192:f16 out=8192x8192:f16 stage=ADD:per_col:1 sa=1x8192:f16 stage=RELU";
constexpr const char *kSoftmax = "norm norm=SOFTMAX x=8192x4096:f32 out=8192x4096:f32";
constexpr const char *kLayernorm =
    "norm norm=LAYERNORM eps=1e-05 x=8192x4096:f32 out=8192x4096:f32 gamma=1x4096:f32 beta=1x4096:f32";

Run twin(const char *name, const char *problem, int lines) {
  Run run = {"Triton", std::string("plugin:triton/") + name, problem};
  run.lines = lines;
  run.source = std::string("examples/plugin_triton/kernels.py:") + name;
  return run;
}

Run ours(const char *problem, int lines, const char *source) {
  Run run = {"CUDA, the chosen", "", problem};
  run.lines = lines;
  run.source = source;
  return run;
}

// Of the runs the first two are compared; what more there is stands beside.
Experiment experiment(const char *id, const char *technique, std::vector<Run> runs, const char *why) {
  Experiment e;
  e.id = id;
  e.technique = technique;
  e.claim = kClaim;
  e.claimed = kClaimed;
  e.runs = std::move(runs);
  e.why = why;
  e.of_bound = true;
  return e;
}

}  // namespace

std::vector<Experiment> triton_experiments() {
  return {
      experiment("triton.1", "vector add",
                 {twin("vector_add", kAdd, 4), ours(kAdd, 1534, "src/kernels/fused_act/pattern/fused_act_columns.cu")},
                 "One read of each operand and one write: both wait for memory."),
      experiment("triton.2", "a product by tl.dot",
                 {twin("matmul", kProduct, 18),
                  ours(kProduct, 1496, "src/kernels/gemm/wgmma/common/wgmma_tiles_16bit_128x256.cu")},
                 "Triton's loads here are per thread, without TMA, and its tile is smaller."),
      experiment("triton.3", "bias + ReLU in one pass",
                 {twin("bias_relu", kBiasRelu, 6),
                  ours(kBiasRelu, 1534, "src/kernels/fused_act/pattern/fused_act_columns.cu"),
                  {"a pass an operation", ";",
                   "fused_act x=8192x8192:f16 out=8192x8192:f16 stage=ADD:per_col:1 sa=1x8192:f16;"
                   "fused_act x=8192x8192:f16 out=8192x8192:f16 stage=RELU"}},
                 "One read and one write: both wait for memory."),
      experiment("triton.4", "softmax of rows",
                 {twin("softmax", kSoftmax, 6),
                  ours(kSoftmax, 1157, "src/kernels/norm/cache/norm_twice_row.cpp"),
                  {"a pass an operation", ";;;;;",
                   "reduce reduce=MAX axis=row x=8192x4096:f32 out=8192x1:f32;"
                   "fused_act x=8192x4096:f32 out=8192x4096:f32 stage=SUB:per_row:1 sa=8192x1:f32;"
                   "fused_act x=8192x4096:f32 out=8192x4096:f32 stage=EXP;"
                   "reduce reduce=SUM axis=row x=8192x4096:f32 out=8192x1:f32;"
                   "fused_act x=8192x1:f32 out=8192x1:f32 stage=RECIPROCAL;"
                   "fused_act x=8192x4096:f32 out=8192x4096:f32 stage=MUL:per_row:1 sa=8192x1:f32"}},
                 "A row stays in registers in both."),
      experiment("triton.5", "layer norm of rows",
                 {twin("layernorm", kLayernorm, 11),
                  ours(kLayernorm, 1157, "src/kernels/norm/cache/norm_twice_row.cpp"),
                  {"a pass an operation", ";;;;;;",
                   "reduce reduce=MEAN axis=row x=8192x4096:f32 out=8192x1:f32;"
                   "fused_act x=8192x4096:f32 out=8192x4096:f32 stage=SUB:per_row:1 sa=8192x1:f32;"
                   "reduce reduce=SUMSQ axis=row x=8192x4096:f32 out=8192x1:f32;"
                   "fused_act x=8192x1:f32 out=8192x1:f32 stage=MUL:0.000244140625 stage=ADD:1e-05 stage=SQRT "
                   "stage=RECIPROCAL;"
                   "fused_act x=8192x4096:f32 out=8192x4096:f32 stage=MUL:per_row:1 sa=8192x1:f32;"
                   "fused_act x=8192x4096:f32 out=8192x4096:f32 stage=MUL:per_col:1 sa=1x4096:f32;"
                   "fused_act x=8192x4096:f32 out=8192x4096:f32 stage=ADD:per_col:1 sa=1x4096:f32"}},
                 "A row stays in registers in both."),
  };
}

}  // namespace gpuopt_lab
