// Memory: coalescing, layouts, vectors, shared memory and its banks, constant memory, what is under way.
#include "gpuopt_lab/experiment.h"

namespace gpuopt_lab {
namespace {

constexpr const char *kRelu = "fused_act x=16384x8192:f32 out=16384x8192:f32 stage=RELU";
constexpr const char *kRecords = "fused_act x=8388608x8:f32 out=8388608x8:f32 stage=RELU";
constexpr const char *kFields = "fused_act x=8x8388608:f32 out=8x8388608:f32 stage=RELU";
constexpr const char *kTable = "fused_act x=8192x8192:i8 out=8192x8192:f32 stage=SIGMOID";
constexpr const char *kTranspose = "transpose src=8192x8192:f32 dst=8192x8192:f32";
constexpr const char *kSum = "reduce reduce=SUM axis=all x=8192x8192:f32 out=1x1:f32";
constexpr const char *kSmallSum = "reduce reduce=SUM axis=all x=2048x2048:f32 out=1x1:f32";

}  // namespace

std::vector<Experiment> memory_experiments() {
  return {
      {"001.2a", "hiding latency: bytes under way against bandwidth", "more requests at a time, more bandwidth", 0,
       {}, 0, 0, Metric::dram_share,
       "Latency times bandwidth says how many bytes an SM must have under way; beyond that more occupancy is worth nothing.", false,
       Kind::bytes_in_flight},
      {"001.3b", "no coarsening without a price of parallelism", "not needed for element-wise work", 1,
       {{"one element", "fused_act_access_float", kRelu}, {"48 elements", "fused_act_occupancy_registers_few", kRelu}},
       0, 1, Metric::instructions, "Nothing is loaded twice, so there is nothing to win but instructions."},
      {"001.4a", "privatisation: a sum of one's own before the atomic", "fewer atomics, less contention", 0,
       {{"an atomic an element", "reduce_atomic_each", kSmallSum, "normal", 2048 * 2048 / 32},
        {"a private sum a block", "reduce_atomic", kSmallSum}},
       0, 1, Metric::atomics, "One word of L2 takes one addition in a clock or two, whoever sends it."},
      {"003.2a", "constant memory: one place for all threads of a warp", "broadcast in one cycle", 0,
       {{"constant, 30 places a warp", "fused_act_table_constant", kTable, "normal", 30},
        {"constant, one place", "fused_act_table_constant", kTable, "zeros", 1},
        {"global, 30 places a warp", "fused_act_table_global", kTable, "normal", 30},
        {"global, one place", "fused_act_table_global", kTable, "zeros", 1}},
       0, 1, Metric::none, "A table that threads look into at different places belongs into shared or global memory."},
      {"003.2b", "the memories: latency of one load after the other", "registers, shared memory, L1, L2, memory", 0,
       {}, 0, 0, Metric::none, "Their rates are in gpuopt roofline.", false, Kind::latencies},
      {"004.1a", "coalesced against a stride of 64", "64 times", 64,
       {{"stride 64", "fused_act_access_strided_64", kRelu, "normal", 32},
        {"coalesced", "fused_act_access_float", kRelu, "normal", 4}},
       0, 1, Metric::load_sectors,
       "A sector is 32 bytes, so at most 8 times the bytes move; and a coalesced request of 4-byte elements has 4 sectors, not 1."},
      {"004.1b", "transpose through shared memory", "6.5 times", 6.5,
       {{"naive", "transpose_naive", kTranspose, "normal", 32}, {"shared", "transpose_padded", kTranspose, "normal", 4},
        {"the best here", "", kTranspose}},
       0, 1, Metric::store_sectors, "L2 merges part of the scattered stores."},
      {"004.1c", "structure of arrays", "coalesced, where an array of structures is not", 0,
       {{"array of structures", "fused_act_access_structures", kRecords, "normal", 32},
        {"structure of arrays", "fused_act_access_fields", kFields, "normal", 4}},
       0, 1, Metric::load_sectors,
       "A thread that takes all fields of its structure finds them in the sectors that L1 has kept; of one field alone 7/8 would "
       "be waste."},
      {"004.2a", "float4", "1.67 times; memory from 65 to 85 %", 1.67,
       {{"float", "fused_act_access_float", kRelu, "normal", -1}, {"float4", "fused_act_access_float4", kRelu}},
       0, 1, Metric::dram_share,
       "2048 threads a multiprocessor with 4 bytes each nearly fill this memory; wide accesses save instructions, a quarter remains."},
      {"004.2b", "float4: instructions", "a quarter", 0,
       {{"float", "fused_act_access_float", kRelu}, {"float4", "fused_act_access_float4", kRelu}},
       0, 1, Metric::instructions, "The instructions are a quarter; the time is memory's."},
      {"004.3b", "shared memory for a sum", "20 times over an atomic an element", 20,
       {{"an atomic an element", "reduce_atomic_each", kSmallSum, "normal", 2048 * 2048 / 32},
        {"shared memory", "reduce_sequential", kSmallSum, "normal", 0},
        {"the best here", "", kSmallSum}},
       0, 1, Metric::atomics, "The atomics of millions of threads meet at one word."},
      {"004.4a", "fusing relu, bias, scale", "5 times", 5,
       {{"a launch a stage", "fused_act_unfused",
         "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=RELU stage=ADD:per_col:1 sa=1x8192:f32 stage=MUL:2"},
        {"fused", "", "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=RELU stage=ADD:per_col:1 sa=1x8192:f32 stage=MUL:2"}},
       0, 1, Metric::dram_share,
       "Three passes move three times the bytes; what is beyond 3 is that this unfused kernel interprets its stage for every "
       "element."},
      {"004.4c", "fusing relu, bias, scale: three passes at the speed of memory", "5 times", 5,
       {{"three calls", ";;",
         "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=RELU;"
         "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=ADD:per_col:1 sa=1x8192:f32;"
         "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=MUL:2"},
        {"one call", "", "fused_act x=8192x8192:f32 out=8192x8192:f32 stage=RELU stage=ADD:per_col:1 sa=1x8192:f32 stage=MUL:2"}},
       0, 1, Metric::dram_share, "Three passes are three times the bytes, and no more."},
      {"004.4b", "LayerNorm and linear in one product", "1.875 times", 1.875,
       {{"norm, then gemm", ";",
         "norm norm=LAYERNORM x=4096x4096:bf16 out=4096x4096:bf16;"
         "gemm a=4096x4096:bf16 b=4096x4096:bf16 d=4096x4096:bf16 stage=ADD:per_col:1 sa=1x4096:f32"},
        {"two reductions, then one gemm", ";;",
         "reduce reduce=MEAN axis=row x=4096x4096:bf16 out=4096x1:f32;"
         "reduce reduce=SUMSQ axis=row x=4096x4096:bf16 out=4096x1:f32;"
         "gemm a=4096x4096:bf16 b=4096x4096:bf16 d=4096x4096:bf16 stage=ADD_OUTER:-1 sa=4096x1:f32 sb=1x4096:f32 "
         "stage=MUL:per_row:1 sa=4096x1:f32 stage=ADD:per_col:1 sa=1x4096:f32"}},
       0, 1, Metric::none,
       "The product is by far the larger part, and fusing saves only what the norm wrote and read (docs/fused.md; "
       "examples/norm_linear does it whole)."},
      {"004.5a", "four sums a thread, a reduction", "1.3 to 2 times", 1.6,
       {{"one", "reduce_shuffle", kSum}, {"four", "reduce_ilp_4", kSum}},
       0, 1, Metric::issue_active, "What is hidden is the loads' latency, not the additions'."},
      {"004.6b", "unrolling the last warp of a sum", "1.2 to 1.5 times", 1.35,
       {{"a loop to the end", "reduce_sequential", kSum}, {"unrolled", "reduce_unrolled", kSum}},
       0, 1, Metric::instructions, "The first addition while loading halves the blocks, too."},
      {"004.8a", "transpose: 32-way conflicts against a padded tile", "2.8 times", 2.8,
       {{"32 x 32", "transpose_tiled", kTranspose}, {"32 x 33", "transpose_padded", kTranspose, "normal", 0},
        {"swizzled", "transpose_swizzled", kTranspose, "normal", 0}},
       0, 1, Metric::bank_conflicts, "Without conflicts memory is the limit, so the gain ends there."},
      {"004.8b", "a sum: strided against sequential addressing", "2.5 times", 2.5,
       {{"strided", "reduce_interleaved_strided", kSum}, {"sequential", "reduce_sequential", kSum}},
       0, 1, Metric::bank_conflicts, "What happens in shared memory hardly shows where the time is that of loads and barriers."},
      {"004.8c", "a sum: shuffles in place of shared memory", "no shared memory, no conflicts, faster", 0,
       {{"shared memory", "reduce_unrolled", kSum}, {"shuffles", "reduce_shuffle", kSum}},
       0, 1, Metric::bank_conflicts, "Both read two elements a thread, which is what the time goes to."},
  };
}

}  // namespace gpuopt_lab
