// What a newcomer has to read to understand a kernel: its file and every header that it includes, public ones aside.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kProject = fs::path(GPUOPT_TEST_SOURCE_DIR).parent_path(), kKernels = kProject / "src" / "kernels";

struct Source {
  int lines = 0;
  std::vector<fs::path> includes;  // of files below src/kernels
};

Source read_source(const fs::path &file) {
  static const std::regex include("\\s*#\\s*include\\s*\"([^\"]+)\".*");
  Source source;
  std::ifstream in(file);
  REQUIRE_MESSAGE(in, "cannot read " << file.string());
  for (std::string line; std::getline(in, line); ++source.lines) {
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    for (const fs::path &folder : {file.parent_path(), kKernels}) {
      if (!fs::exists(folder / match[1].str())) continue;
      source.includes.push_back((folder / match[1].str()).lexically_normal());
      break;
    }
  }
  return source;
}

int closure_lines(const fs::path &file, std::map<fs::path, Source> &sources) {
  std::set<fs::path> seen = {file};
  std::vector<fs::path> left = {file};
  int lines = 0;
  while (!left.empty()) {
    const fs::path next = left.back();
    left.pop_back();
    auto known = sources.find(next);
    if (known == sources.end()) known = sources.emplace(next, read_source(next)).first;
    lines += known->second.lines;
    for (const fs::path &included : known->second.includes) {
      if (seen.insert(included).second) left.push_back(included);
    }
  }
  return lines;
}

// Rungs that compete: they take every stage and type.
const std::set<std::string> kFallbacks = {"gemm/ladder/gemm_naive.cu", "gemm/ladder/gemm_tiled.cu",
                                          "fused_act/ladder/fused_act_scalar.cu"};

// Those that are longer, and how far: chains of any form and type have aligned rows, unaligned rows and runs behind one
// descriptor; the others are a little above. None may grow, and what falls below its limit goes from here.
const std::map<std::string, int> kLonger = {
    {"fused_act/chain/fused_act_chain.cu", 3100},
    {"fused_act/chain/fused_act_tiles.cu", 2850},
    {"fused_act/pattern/fused_act_linear.cu", 2850},
    {"fused_act/chain/common/chain_unaligned.cu", 2450},
    {"fused_act/pattern/common/linear_unaligned.cu", 2150},
    {"fused_act/pattern/fused_act_vec16.cu", 2100},
    {"fused_act/pattern/fused_act_small.cu", 2050},
    {"gemm/ladder/gemm_async_stages.cu", 1220},
    {"gemm/ladder/gemm_f16_acc32.cu", 1220},
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
  std::map<fs::path, Source> sources;
  int kernels = 0;
  for (const auto &entry : fs::recursive_directory_iterator(kKernels)) {
    if (entry.path().extension() != ".cu") continue;
    ++kernels;
    const std::string name = entry.path().lexically_relative(kKernels).generic_string();
    const int lines = closure_lines(entry.path(), sources);
    CHECK_MESSAGE(lines <= most_lines(name), name << " and what it includes: " << lines << " lines");
  }
  CHECK(kernels > 50);
}

TEST_CASE("includes: no exception outlives its reason") {
  std::map<fs::path, Source> sources;
  for (const auto &longer : kLonger) {
    REQUIRE_MESSAGE(fs::exists(kKernels / longer.first), longer.first << " is no kernel");
    const int lines = closure_lines(kKernels / longer.first, sources);
    CHECK_MESSAGE(lines > usual_lines(longer.first), longer.first << " has " << lines << " lines: no exception");
    CHECK_MESSAGE(lines > longer.second - 200, longer.first << " has " << lines << " lines: a lower limit holds");
  }
  for (const std::string &name : kFallbacks) CHECK_MESSAGE(fs::exists(kKernels / name), name << " is no kernel");
}
