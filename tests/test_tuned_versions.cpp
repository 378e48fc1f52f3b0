// An entry of a table that the library carries holds for one version of its kernel, which is raised by hand when the kernel's
// results or speed change. What is forgotten shows here where the compiler's view of the kernel changed: goldens/tuned_versions.txt
// has, of each kernel that a table names, the version and the line of goldens/resources_*.txt that were there when it was tuned.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tuned.h"
#include "tuning/tune_table.h"

using namespace gpuopt_test;

namespace {

const std::string kTests = GPUOPT_TEST_SOURCE_DIR;
const std::string kGolden = kTests + "/goldens/tuned_versions.txt";

// The rest of a line by its first two words.
std::map<std::string, std::string> lines_of(const std::string &path) {
  std::ifstream in(path);
  std::map<std::string, std::string> all;
  for (std::string line; std::getline(in, line);) {
    const size_t split = line.find(' ', line.find(' ') + 1);
    if (split != std::string::npos) all[line.substr(0, split)] = line.substr(split + 1);
  }
  return all;
}

// "sm_90 gemm_naive" of each kernel that a table names, with its version.
std::map<std::string, int32_t> tuned_kernels() {
  std::map<std::string, int32_t> all;
  for (const auto &file : std::filesystem::directory_iterator(kTests + "/../src/registry/tuned")) {
    if (file.path().extension() != ".tune") continue;
    const gpuopt::TuneTable table(read_file(file.path()));
    for (const gpuopt::TuneTarget &t : table.targets()) {
      const std::string arch = "sm_" + std::to_string(table.devices()[t.device].cc) + " ";
      all[arch + t.kernel] = t.version;
      if (!t.second.empty()) all[arch + t.second] = t.second_version;
    }
  }
  return all;
}

}  // namespace

TEST_CASE(
    "goldens: kernels of the tables that the library carries are those that were tuned, or have another version") {
  const auto compiled = lines_of(kTests + "/goldens/resources_cuda13.0.txt");
  std::map<std::string, std::string> now;
  std::string missing;  // a kernel; else nobody can say what version the others are of
  for (const auto &tuned : tuned_kernels()) {
    const gpuopt_kernel *const k = gpuopt_kernel_find(tuned.first.substr(tuned.first.find(' ') + 1).c_str());
    if (!k) missing = tuned.first;
    if (!k || k->version != tuned.second) continue;  // its entries are passed over
    const auto line = compiled.find(tuned.first);    // libraries' kernels have none
    if (line != compiled.end()) now[tuned.first] = std::to_string(tuned.second) + " " + line->second;
  }
  if (std::getenv("GPUOPT_TEST_UPDATE_GOLDENS")) {
    if (!missing.empty()) return;
    std::ofstream out(kGolden);
    for (const auto &line : now) out << line.first << " " << line.second << "\n";
    REQUIRE(out);
    return;
  }
  if (GPUOPT_TEST_HAVE_CUDA && GPUOPT_TEST_EVERY_CLASS) {  // else there is little or nothing to compare
    CHECK_MESSAGE(missing.empty(), missing, " is tuned and no kernel");
    CHECK(!now.empty());
  }
  auto golden = lines_of(kGolden);
  for (const auto &line : now)
    CHECK_MESSAGE(golden[line.first] == line.second, line.first, " was tuned as ", golden[line.first], " and is ",
                  line.second,
                  ": raise its version, and its entries are passed over until it is tuned anew; or, where ",
                  "neither its results nor its speed have changed, GPUOPT_TEST_UPDATE_GOLDENS=1 takes note of it");
}
