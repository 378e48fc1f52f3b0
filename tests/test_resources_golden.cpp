// Registers, shared memory and spills of every entry function, per architecture, against a golden file: a change of source
// or flags that costs registers is seen here, not in a benchmark months later. The numbers are the compiler's, so the file
// is checked only in builds by the nvcc it names, and only for the architectures that the build has.
// GPUOPT_TEST_UPDATE_GOLDENS=1 rewrites the lines of these architectures; review the difference.
#include "support.h"

#if GPUOPT_TEST_HAVE_CUDA
#include <cxxabi.h>

#include <fstream>
#include <map>

#include "resources.h"

using namespace gpuopt_test;

namespace {

constexpr const char *kNvcc = "13.0";
constexpr int32_t kArchs[] = {80, 90, 120};

bool built_by_that_nvcc() { return contains(gpuopt_build_info(), std::string(", CUDA ") + kNvcc + "."); }

std::string readable(const char *symbol) {
  int status = 0;
  char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  const std::string name = status == 0 ? text : symbol;
  std::free(text);
  return name;
}

struct usage {
  int registers = 0, static_smem = 0, dynamic_smem = 0, threads = 0, spill = 0;
  std::string text() const {
    return std::to_string(registers) + " registers, " + std::to_string(static_smem) + "+" +
           std::to_string(dynamic_smem) + " bytes shared, " + std::to_string(threads) + " threads, " +
           std::to_string(spill) + " bytes spilled";
  }
};

using usages = std::map<std::string, std::string>;  // "sm_90 gemm_naive void gpuopt::..." -> usage

std::string key(int32_t arch, const char *kernel, const char *symbol) {
  return "sm_" + std::to_string(arch) + ' ' + kernel + ' ' + readable(symbol);
}

// What this build holds for one architecture; empty where it was not built for it.
usages built(int32_t arch) {
  usages all;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    for (size_t r = 0; r < k.resource_count; ++r)
      for (size_t e = 0; e < gpuopt::kCompiledEntryCount; ++e) {
        const auto &c = gpuopt::kCompiledEntries[e];
        if (c.cc != arch || reinterpret_cast<const void *>(c.entry) != k.resources[r].entry) continue;
        const usage u = {c.registers, c.static_smem, k.resources[r].dynamic_smem, k.resources[r].threads,
                         c.spill_bytes};
        all[key(arch, k.name, c.symbol)] = u.text();
      }
  }
  return all;
}

std::string golden_path() { return std::string(GPUOPT_TEST_SOURCE_DIR) + "/goldens/resources_cuda" + kNvcc + ".txt"; }

usages read_golden() {
  std::ifstream in(golden_path());
  usages all;
  for (std::string line; std::getline(in, line);) {
    const size_t split = line.rfind(": ");
    if (split != std::string::npos) all[line.substr(0, split)] = line.substr(split + 2);
  }
  return all;
}

void write_golden(const usages &all) {
  std::ofstream out(golden_path());
  for (const auto &entry : all) out << entry.first << ": " << entry.second << '\n';
  REQUIRE(out);
}

}  // namespace

TEST_CASE("resources: no entry function of any architecture spills") {
  CHECK(gpuopt::kCompiledEntryCount > 0);
  for (size_t e = 0; e < gpuopt::kCompiledEntryCount; ++e) {
    const auto &c = gpuopt::kCompiledEntries[e];
    CHECK_MESSAGE(c.spill_bytes == 0, readable(c.symbol), " spills ", c.spill_bytes, " bytes on sm_", c.cc);
  }
}

TEST_CASE("resources: every entry function uses what the golden file says") {
  if (!built_by_that_nvcc()) {
    MESSAGE("built by another nvcc than ", kNvcc, ": ", gpuopt_build_info());
    return;
  }
  usages golden = read_golden();
  const bool update = std::getenv("GPUOPT_TEST_UPDATE_GOLDENS") != nullptr;
  REQUIRE_MESSAGE((update || !golden.empty()), "no golden file ", golden_path());
  for (const int32_t arch : kArchs) {
    const usages now = built(arch);
    if (now.empty()) continue;
    const std::string prefix = "sm_" + std::to_string(arch) + ' ';
    for (auto old = golden.begin(); old != golden.end();) {
      const bool gone = old->first.compare(0, prefix.size(), prefix) == 0 && now.count(old->first) == 0;
      CHECK_MESSAGE((update || !gone), old->first, ": in the golden file, not in the build");
      old = gone && update ? golden.erase(old) : std::next(old);
    }
    for (const auto &entry : now) {
      const auto old = golden.find(entry.first);
      if (!update && old == golden.end()) FAIL_CHECK(entry.first, ": not in the golden file: ", entry.second);
      if (!update && old != golden.end())
        CHECK_MESSAGE(old->second == entry.second, entry.first, ": was ", old->second, "; is ", entry.second);
      if (update) golden[entry.first] = entry.second;
    }
  }
  if (update) {
    write_golden(golden);
    MESSAGE("rewrote ", golden_path());
  }
}
#endif
