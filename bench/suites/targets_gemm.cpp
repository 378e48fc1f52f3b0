// Of gemm: random normal data, against the fastest of cuBLAS and cuBLASLt's best of 16 in the same run.
#include "targets.h"

namespace gpuopt_bench {
namespace {

// The order of the rungs, fp32 nn at 4096 cubed: each is at least as fast as the one above it, or (strict) faster.
struct Rung {
  const char *kernel;
  bool strict;
};
constexpr Rung kRungs[] = {
    {"gemm_uncoalesced", false}, {"gemm_naive", true},           {"gemm_tiled_16", true},
    {"gemm_tiled_32", false},    {"gemm_tiled_64", false},       {"gemm_coarsened_2", true},
    {"gemm_coarsened_4", true},  {"gemm_regblock_8x4", true},    {"gemm_regblock_8x8", true},
    {"gemm_vec4", false},        {"gemm_async_stages_3", false}, {"gemm_warptile_*", true},
};

// The other rungs against a partner that lacks the one idea.
struct Pair {
  const char *problem, *kernel, *partner;
};
constexpr Pair kPairs[] = {
    {"gemm 4096x4096x4096:f32:f32:f32:nt", "gemm_corner_turn", "gemm_naive"},
    {"gemm 4096x4096x4096:f32:f32:f32:nn", "gemm_double_buffer_32", "gemm_tiled_32"},
    {"gemm 4096x4096x4096:f32:f32:f32:nn", "gemm_unrolled", "gemm_unrolled_1"},
    {"gemm 4096x4096x4096:f16:f16:f32:nn", "gemm_wmma_f16", "gemm_f16_acc32"},
    {"gemm 4096x4096x4096:f16:f16:f32:nn", "gemm_mma_16bit_*", "gemm_wmma_f16"},
    {"gemm 4096x4096x4096:bf16:bf16:f32:nn", "gemm_mma_16bit_*", "gemm_wmma_bf16"},
    {"gemm 4096x4096x4096:f32:f32:tf32:nn", "gemm_mma_tf32_*", "gemm_wmma_tf32"},
};

// fp32 on the FMA lanes, single calls from a cold cache, automatic choice over best peer.
struct Ratio {
  const char *extents;
  double limit;
};
constexpr Ratio kEveryLayout[] = {
    {"4096x4096x4096", 1.03}, {"8192x8192x8192", 1.03}, {"1024x1024x1024", 1.15},
    {"1000x1000x1000", 1.15}, {"4097x4099x4101", 1.05}, {"9477x1152x588", 1.05},
};
constexpr Ratio kFewRows[] = {{"128x4096x4096", 1.10}, {"64x4096x4096", 1.20}};

constexpr const char *kSmall[] = {"64x64x64",    "128x128x128",  "256x256x256", "384x384x384",
                                  "512x512x512", "128x128x1024", "256x256x4096"};

std::string f32_problem(const char *extents, const char *layout) {
  return std::string("gemm ") + extents + ":f32:f32:f32:" + layout;
}

}  // namespace

void add_gemm_targets(std::vector<Target> *all) {
  const auto add = [&](std::vector<std::string> problems, Measure measure, double limit) -> Target & {
    all->push_back({std::move(problems), measure, limit});
    return all->back();
  };
  for (size_t i = 1; i < std::size(kRungs); ++i) {
    Target &t = add({f32_problem("4096x4096x4096", "nn")}, Measure::ratio, 1);
    t.ours = kRungs[i].kernel;
    t.other = kRungs[i - 1].kernel;
    t.strict = kRungs[i].strict;
  }
  for (const Pair &p : kPairs) {
    Target &t = add({p.problem}, Measure::ratio, 1);
    t.ours = p.kernel;
    t.other = p.partner;
    t.strict = true;
  }
  for (const Ratio &r : kEveryLayout)
    for (const char *layout : {"nn", "nt", "tn", "tt"})
      add({f32_problem(r.extents, layout)}, Measure::ratio, r.limit).quick = r.limit == 1.15;
  for (const char *layout : {"nn", "nt"}) {
    for (const Ratio &r : kFewRows) add({f32_problem(r.extents, layout)}, Measure::ratio, r.limit).quick = true;
    add({f32_problem("16x4096x4096", layout)}, Measure::us, 30).quick = true;
  }

  for (const char *type : {"f16", "bf16"}) {
    std::vector<std::string> problems;
    for (const char *extents : kSmall) problems.push_back(std::string("gemm ") + extents + ":" + type);
    Target &t = add(std::move(problems), Measure::ratio, 1.20);
    t.title = std::string("gemm 64 to 512 cubed, 128x128x1024, 256x256x4096 ") + type;
    t.mode = Mode::graph;
    t.cache = Cache::resident;
    t.ours = "gemm_mma_*";
    t.other = "cublaslt_first";
    t.fold = Fold::geometric_mean;
    t.quick = true;
  }
  {
    Target &t = add({"gemm 8192x8192x8192:bf16"}, Measure::ratio, 0.70);
    t.ours = "gemm_mma_*";
    t.other = "cublaslt_*";
  }

  for (const char *extents : {"4096x4096x4096", "8192x8192x8192"})
    add({std::string("gemm ") + extents + ":f64"}, Measure::ratio, 1.00).other = "cublasDgemm";
  add({"gemm 4097x4099x4101:f64"}, Measure::ratio, 1.20).other = "cublaslt_*";
}

}  // namespace gpuopt_bench
