// What a newcomer has to read to understand a kernel: its file and every header that it includes, public ones aside.
#include "include_closure.h"

using namespace gpuopt_test;

namespace {

namespace fs = std::filesystem;

int closure_lines(const fs::path &file) {
  int lines = 0;
  for (const fs::path &each : include_closure(file)) lines += source_of(each).lines;
  return lines;
}

// Rungs that compete: they take every stage and type.
const std::set<std::string> kFallbacks = {"gemm/ladder/gemm_naive.cu", "gemm/ladder/gemm_tiled.cu",
                                          "gemm_grouped/ladder/gemm_grouped_naive.cu",
                                          "fused_act/ladder/fused_act_scalar.cu"};

// Those that are longer, and how far: chains of any form and type have aligned rows, unaligned rows and runs behind one
// descriptor; the others are a little above. None may grow, and what falls below its limit goes from here.
const std::map<std::string, int> kLonger = {
    {"fused_act/chain/fused_act_chain.cu", 3100},           {"fused_act/chain/fused_act_tiles.cu", 2850},
    {"fused_act/pattern/fused_act_linear.cu", 2850},        {"fused_act/chain/common/chain_unaligned.cu", 2450},
    {"fused_act/pattern/common/linear_unaligned.cu", 2150}, {"fused_act/pattern/fused_act_vec16.cu", 2100},
};

int usual_lines(const std::string &name) {
  return name.find("/ladder/") != std::string::npos && kFallbacks.count(name) == 0 ? 1200 : 2000;
}
int most_lines(const std::string &name) {
  const auto longer = kLonger.find(name);
  return longer != kLonger.end() ? longer->second : usual_lines(name);
}

}  // namespace

TEST_CASE("includes: a kernel and what it includes is at most 1,200 lines for a rung, 2,000 for others") {
  int kernels = 0;
  for (const auto &entry : fs::recursive_directory_iterator(kKernels)) {
    if (entry.path().extension() != ".cu") continue;
    ++kernels;
    const std::string name = entry.path().lexically_relative(kKernels).generic_string();
    const int lines = closure_lines(entry.path());
    CHECK_MESSAGE(lines <= most_lines(name), name << " and what it includes: " << lines << " lines");
  }
  CHECK(kernels > 50);
}

TEST_CASE("includes: no exception outlives its reason") {
  for (const auto &longer : kLonger) {
    REQUIRE_MESSAGE(fs::exists(kKernels / longer.first), longer.first << " is no kernel");
    const int lines = closure_lines(kKernels / longer.first);
    CHECK_MESSAGE(lines > usual_lines(longer.first), longer.first << " has " << lines << " lines: no exception");
    CHECK_MESSAGE(lines > longer.second - 200, longer.first << " has " << lines << " lines: a lower limit holds");
  }
  for (const std::string &name : kFallbacks) CHECK_MESSAGE(fs::exists(kKernels / name), name << " is no kernel");
}
