// Of transpose and reduce: single calls from a cold cache unless said. Rates in GB/s are those of peers that exist only
// outside this program (PyTorch and its compiler), measured on the same GPU, times the factor asked for.
#include "targets.h"

namespace gpuopt_bench {
namespace {

struct Number {
  const char *problem;
  Measure measure;
  double limit;
  bool quick = false;
  Mode mode = Mode::single;
};

constexpr Measure kRatio = Measure::ratio, kRate = Measure::rate, kOfCopy = Measure::of_copy,
                  kOfRead = Measure::of_read, kUs = Measure::us;
constexpr Mode kG = Mode::graph;

constexpr Number kTranspose[] = {
    {"transpose 8192x8192:f32", kOfCopy, 98.5, true},
    {"transpose 16384x16384:f32", kOfCopy, 98.5},
    {"transpose 8192x8192:f64", kOfCopy, 97},
    {"transpose 16384x16384:f64", kOfCopy, 97},
    {"transpose 8192x8192:b128", kOfCopy, 97},
    {"transpose 16384x16384:b128", kOfCopy, 97},
    {"transpose 8192x8192:bf16", kOfCopy, 96.5, true},
    {"transpose 16384x16384:bf16", kOfCopy, 96.5},
    {"transpose 8192x8192:i8", kOfCopy, 95, true},
    {"transpose 16384x16384:i8", kOfCopy, 97},
    // 1.01 of the best peer: geam, or the best of PyTorch's
    {"transpose 8192x8192:f32", kRatio, 1.01, true},
    {"transpose 16384x16384:f32", kRatio, 1.01},
    {"transpose 8192x8192:f64", kRatio, 1.01},
    {"transpose 16384x16384:f64", kRatio, 1.01},
    {"transpose 8192x8192:f32", kRate, 1.01 * 4024, true},
    {"transpose 16384x16384:f32", kRate, 1.01 * 4103},
    {"transpose 8192x8192:bf16", kRate, 1.01 * 3847, true},
    {"transpose 16384x16384:bf16", kRate, 1.01 * 4030},
    {"transpose 8192x8192:i8", kRate, 1.01 * 3519, true},
    {"transpose 16384x16384:i8", kRate, 1.01 * 3974},
    {"transpose 4097x4099:f32", kOfCopy, 90, true},
    {"transpose 4097x4099:bf16", kOfCopy, 85, true},
    {"transpose 4194304x3:f32", kOfCopy, 85},
    {"transpose 3x4194304:f32", kOfCopy, 85},
    {"transpose 1048576x64:f32", kOfCopy, 95},
    {"transpose 64x1048576:f32", kOfCopy, 97.5},
    {"transpose 1024x1024:f32", kUs, 6.2, true},
    {"transpose 1024x1024:f32", kUs, 3.35, true, kG},
    {"transpose 128x128:f32", kUs, 3.9, true},
};

// Against CUB over all; by rows and by columns, of read speed.
constexpr Number kReduce[] = {
    {"reduce_sizes 1x4194304:f32:sum:all", kRatio, 1.25, true},
    {"reduce_sizes 1x16777216:f32:sum:all", kRatio, 1.12},
    {"reduce_sizes 1x67108864:f32:sum:all", kRatio, 1.05},
    {"reduce_sizes 1x268435456:f32:sum:all", kRatio, 1.02, true},
    {"reduce_sizes 1x1073741824:f32:sum:all", kRatio, 1.01},
    {"reduce_sizes 1x65536:f32:sum:all", kUs, 4.4, true},
    {"reduce_sizes 1x1048576:f32:sum:all", kUs, 5.6, true},
    {"reduce_sizes 1x4194304:f32:argmax:all", kRatio, 1.25},
    {"reduce_sizes 1x16777216:f32:argmax:all", kRatio, 1.12},
    {"reduce_sizes 1x67108864:f32:argmax:all", kRatio, 1.05},
    {"reduce_sizes 1x268435456:f32:argmax:all", kRatio, 1.02, true},
    {"reduce_sizes 1x1073741824:f32:argmax:all", kRatio, 1.01},
    {"reduce_sizes 1x65536:f32:argmax:all", kUs, 4.4},
    {"reduce_sizes 1x1048576:f32:argmax:all", kUs, 5.6, true},
    {"reduce_sizes 1x1073741824:f16:sum:all", kRate, 4450},
    {"reduce_sizes 1x1073741824:bf16:sum:all", kRate, 4450},
    {"reduce_sizes 1x16777216:f16:sum:all", kRatio, 1.25},
    {"reduce_sizes 1x16777216:bf16:sum:all", kRatio, 1.25, true},
    {"reduce 1048576x64:f32:sum:row", kOfRead, 95, true},
    {"reduce 4194304x16:f32:sum:row", kOfRead, 95},
    {"reduce 8x8388608:f32:sum:row", kOfRead, 95},
    {"reduce 64x1048576:f32:sum:row", kOfRead, 95},
    {"reduce 4097x4099:f32:sum:row", kRate, 3420, true},
    {"reduce 1048576x64:bf16:sum:row", kOfRead, 95, true},
    {"reduce 4194304x16:bf16:sum:row", kOfRead, 95},
    {"reduce 8x8388608:bf16:sum:row", kOfRead, 95},
    {"reduce 64x1048576:bf16:sum:row", kOfRead, 95},
    {"reduce 8192x8192:f32:sum:col", kRate, 4080, true},
    {"reduce 16384x16384:f32:sum:col", kRate, 4400},
    {"reduce 4097x4099:f32:sum:col", kOfRead, 90, true},
    {"reduce 4097x4099:bf16:sum:col", kOfRead, 90},
    {"reduce 1024x1024:f32:sum:col", kUs, 5.6, true},
    {"reduce 8192x8192:bf16:argmax:row", kOfRead, 92, true},
};

// Sums over all of every type, against CUB.
constexpr const char *kTypes[] = {"f32", "f64", "f16", "bf16", "e4m3", "e5m2", "i8", "u8", "i32", "i64"};
constexpr int kPowers[] = {10, 13, 16, 18, 20, 22, 24, 26, 28, 30};

}  // namespace

void add_memory_targets(std::vector<Target> *all) {
  const auto add = [&](const Number &n) {
    Target t;
    t.problems = {n.problem};
    t.measure = n.measure;
    t.limit = n.limit;
    t.mode = n.mode;
    t.quick = n.quick;
    all->push_back(std::move(t));
  };
  for (const Number &n : kTranspose) add(n);
  for (const Number &n : kReduce) add(n);
  Target sizes;
  for (const char *type : kTypes)
    for (int power : kPowers)
      sizes.problems.push_back("reduce_sizes 1x" + std::to_string(int64_t{1} << power) + ":" + type + ":sum:all");
  sizes.title = "reduce 1 K to 1 G elements, every type";
  sizes.limit = 1.10;
  sizes.fold = Fold::geometric_mean;
  all->push_back(sizes);
  sizes.measure = Measure::behind;
  sizes.limit = 1;
  sizes.fold = Fold::worst;
  all->push_back(std::move(sizes));
}

}  // namespace gpuopt_bench
