// Of fused_act and norm: single calls from a cold cache unless said. Rates in GB/s are PyTorch's and its compiler's,
// measured on the same GPU, or above them.
#include "targets.h"

namespace gpuopt_bench {
namespace {

// One rate for each of two squares, f32 and 16-bit (f16 and bf16).
struct Chain {
  const char *chain;
  double f32_8192, f32_16384, half_8192, half_16384;  // GB/s; 0: none asked
};
constexpr Chain kChains[] = {
    {"relu_bias_scale", 4115, 4235, 3985, 4230},
    {"bias_gelu_tanh", 4115, 4235, 3950, 4140},
    {"bias_gelu", 4115, 4235, 3950, 4140},
    {"silu_mul", 0, 4400, 0, 4380},
};

struct Number {
  const char *problem;
  double rate;
  Mode mode = Mode::single;
};
constexpr Number kRates[] = {
    {"fused_act 8192x8192:bf16:silu_mul", 4200},
    // odd extents: one read and one write, then two reads
    {"fused_act 4097x4099:f32:relu_bias_scale", 3660},
    {"fused_act 4097x4099:f32:bias_gelu_tanh", 3660},
    {"fused_act 4097x4099:bf16:relu_bias_scale", 3100},
    {"fused_act 4097x4099:bf16:bias_gelu_tanh", 3100},
    {"fused_act 4097x4099:f32:relu_bias_scale", 3900, Mode::graph},
    {"fused_act 4097x4099:f32:bias_gelu_tanh", 3900, Mode::graph},
    {"fused_act 4097x4099:f32:silu_mul", 3950},
    {"norm 8192x8192:f32:layernorm", 4120},
    {"norm 8192x8192:f32:rmsnorm", 4120},
    {"norm 8192x8192:f16:layernorm", 3970},
    {"norm 8192x8192:f16:rmsnorm", 3970},
    {"norm 8192x8192:bf16:layernorm", 3970},
    {"norm 8192x8192:bf16:rmsnorm", 3970},
    {"norm 16384x16384:f32:rmsnorm", 4285},
    {"norm 16384x16384:f32:layernorm", 4190},
    {"norm 16384x16384:bf16:rmsnorm", 4150},
    {"norm 16384x16384:bf16:layernorm", 4150},
    {"norm 4097x4099:bf16:layernorm", 3000},
    {"norm 4097x4099:bf16:rmsnorm", 3000},
    {"norm 8192x8192:f32:softmax", 4000},
    {"norm 16384x16384:f32:softmax", 4130},
    {"norm 8192x8192:bf16:softmax", 3900},
    {"norm 16384x16384:bf16:softmax", 4090},
};

constexpr int64_t kRowElements = 1 << 26;  // of the norms with short and long rows
constexpr int64_t kRowLengths[] = {64, 128, 256, 512, 1024, 262144};

// Small problems, in microseconds over an empty kernel: one input; two take 0.2 more.
struct Small {
  const char *extents;
  double over;
};
constexpr Small kSmall[] = {{"32x32", 0.45}, {"128x128", 0.65}, {"256x256", 0.75}};
constexpr double kSecondInput = 0.2;

}  // namespace

void add_fused_targets(std::vector<Target> *all) {
  const auto add = [&](const std::string &problem, Measure measure, double limit, bool quick) -> Target & {
    all->push_back({{problem}, measure, limit});
    all->back().quick = quick;
    return all->back();
  };
  for (const Chain &c : kChains) {
    const std::string at_8192 = "fused_act 8192x8192:", at_16384 = "fused_act 16384x16384:",
                      chain = std::string(":") + c.chain;
    if (c.f32_8192 > 0) add(at_8192 + "f32" + chain, Measure::rate, c.f32_8192, true);
    add(at_16384 + "f32" + chain, Measure::rate, c.f32_16384, false);
    for (const char *type : {"f16", "bf16"}) {
      if (c.half_8192 > 0) add(at_8192 + type + chain, Measure::rate, c.half_8192, true);
      add(at_16384 + type + chain, Measure::rate, c.half_16384, false);
    }
  }
  for (const Number &n : kRates) {
    const std::string problem = n.problem;
    add(problem, Measure::rate, n.rate, problem.find("16384") == std::string::npos).mode = n.mode;
  }
  for (const char *kind : {"layernorm", "rmsnorm"})
    for (const char *type : {"f32", "bf16"})
      for (int64_t cols : kRowLengths)
        add("norm " + std::to_string(kRowElements / cols) + "x" + std::to_string(cols) + ":" + type + ":" + kind,
            Measure::of_copy, 90, cols == 64 || cols == 262144);

  // Five stages, at most one with a special function, no second matrix: at most 10 % over one stage. Any other chain: 85 %
  // of the slowest of copy, instructions and special functions.
  for (const char *chain : {"five_relu", "five_gelu"})
    add(std::string("fused_act 8192x8192:bf16:") + chain, Measure::slowdown, 1.10, true).other = kOneStage;
  for (const char *type : {"f32", "f16", "bf16"})
    add(std::string("fused_table aligned:") + type, Measure::of_bound, 85, type[0] == 'b').fold = Fold::worst;

  for (const Small &s : kSmall)
    for (const char *chain : {"relu", "silu_mul"}) {
      const std::string problem = std::string("fused_act ") + s.extents + ":f32:" + chain;
      const bool two = std::string(chain) == "silu_mul";
      add(problem, Measure::us_over, s.over + (two ? kSecondInput : 0), true).other = kEmptyKernel;
      Target &t = add(problem, Measure::ratio, 1, true);
      t.mode = Mode::graph;
      t.other = "cub_transform";
    }
}

}  // namespace gpuopt_bench
