// Every kernel is there for something: the choice of a problem in the goldens of pretended devices or in the suites of the
// records, or it teaches, or it is a library's kernel that others are measured against, or the reference of an op.
// CUDA's kernels are looked at in builds with CUDA.
#include <nlohmann/json.hpp>

#include "support.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "manifest.h"

using namespace gpuopt_test;

namespace {

// Peers: what a library makes of the problem, with its own prediction beside ours.
constexpr const char *kPeers[] = {"gemm_cublas", "gemm_cublaslt", "transpose_cublas", "reduce_cub"};

const std::filesystem::path kTests = GPUOPT_TEST_SOURCE_DIR;

std::string contents(const std::filesystem::path &path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// "a", or "a+b" of two steps, by the kernels' present names: goldens and records may be older than a renaming.
void add_choice(const std::string &name, std::set<std::string> *chosen) {
  std::stringstream steps(name);
  for (std::string step; std::getline(steps, step, '+');)
    if (const gpuopt_kernel *k = gpuopt_kernel_find(step.c_str())) chosen->insert(k->name);
}

// Lines of "<problem> | <devices> <kernel> | ...".
void add_goldens(std::set<std::string> *chosen) {
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(kTests / "goldens")) {
    const std::string file = entry.path().filename().string();
    if (file.rfind("resources", 0) == 0 || entry.path().extension() != ".txt") continue;
    ++files;
    std::stringstream text(contents(entry.path()));
    for (std::string line; std::getline(text, line);) {
      std::stringstream columns(line);
      std::string column;
      std::getline(columns, column, '|');
      while (std::getline(columns, column, '|')) {
        std::stringstream words(column);
        std::string kernel;
        while (words >> kernel) continue;
        add_choice(kernel, chosen);
      }
    }
  }
  REQUIRE(files >= 5);
}

// The rows of the automatic choice in the records (bench/core/record_json.cpp says how one is laid out).
void add_records(std::set<std::string> *chosen) {
  int rows = 0;
  for (const auto &entry : std::filesystem::directory_iterator(kTests.parent_path() / "bench" / "results")) {
    if (entry.path().extension() != ".json") continue;
    const auto record = nlohmann::json::parse(contents(entry.path()));
    const auto words = record.at("words").get<std::vector<std::string>>();
    for (const auto &one : record.at("cases"))
      for (const auto &row : one) {
        if (!row.is_array() || words.at(row.at(2).get<size_t>()) != "auto") continue;
        ++rows;
        add_choice(words.at(row.at(1).get<size_t>()), chosen);
      }
  }
  REQUIRE(rows > 100);
}

}  // namespace

TEST_CASE("chosen: every kernel is some problem's choice, or teaches, or is a reference or a library's") {
  std::set<std::string> chosen;
  add_goldens(&chosen);
  add_records(&chosen);
  for (const char *peer : kPeers) chosen.insert(peer);
  std::string nobodys;
  for (size_t i = 0; i < gpuopt::kManifestCount; ++i)
    for (size_t j = 0; j < gpuopt::kManifest[i].span->count; ++j) {
      const gpuopt_kernel &k = gpuopt::kManifest[i].span->kernels[j];
      const bool reference = k.name == std::string(gpuopt_op_name(k.op)) + "_cpu_reference";
      if (!(k.flags & GPUOPT_KERNEL_TEACHING) && !reference && !chosen.count(k.name))
        nobodys += std::string(" ") + k.name;
    }
  CHECK_MESSAGE(nobodys.empty(), "nobody's choice:", nobodys);
}
