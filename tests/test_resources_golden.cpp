// Registers, shared memory and spills of every kernel, per architecture, against a golden file: a change of source or
// flags that costs registers is seen here, not in a benchmark months later. A line is a kernel on an architecture: the
// most that one of its entry functions uses, how many there are, and a hash of what each uses, by whatever name.
// GPUOPT_TEST_RESOURCES=<file> writes a line for every function there: the tables of two builds, compared, tell what
// changed. The numbers are the compiler's, so the file is checked only in builds by the nvcc it names, and only for the
// architectures that the build has. GPUOPT_TEST_UPDATE_GOLDENS=1 rewrites the lines of these architectures; review the
// difference.
#include "support.h"

#if GPUOPT_TEST_HAVE_CUDA
#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "resources.h"

using namespace gpuopt_test;

namespace {

constexpr const char *kNvcc = "13.0";
constexpr int32_t kArchs[] = {80, 90, 120};

// Has the build machine code for it? "gpuopt 0.1.0, CUDA 13.0.88 (sm 75, 80, 90, 120-virtual, 90a), ..."
bool built_for(int32_t arch) {
  const std::string info = gpuopt_build_info(), word = ' ' + std::to_string(arch);
  return contains(info, word + ',') || contains(info, word + ')');
}

bool built_by_that_nvcc() { return contains(gpuopt_build_info(), std::string(", CUDA ") + kNvcc + "."); }

std::string readable(const char *symbol) {
  int status = 0;
  char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  const std::string name = status == 0 ? text : symbol;
  std::free(text);
  return name;
}

struct Usage {
  std::string function;
  int32_t registers, static_smem, dynamic_smem, threads, spilled;
  std::string text() const {
    return std::to_string(registers) + " registers, " + std::to_string(static_smem) + '+' +
           std::to_string(dynamic_smem) + " bytes shared, " + std::to_string(threads) + " threads, " +
           std::to_string(spilled) + " bytes spilled";
  }
};

// Of each function that the kernel states, once.
std::vector<Usage> functions_of(int32_t arch, const gpuopt_kernel &k) {
  std::map<std::string, Usage> all;
  for (size_t r = 0; r < k.resource_count; ++r)
    for (size_t e = 0; e < gpuopt::kCompiledEntryCount; ++e) {
      const auto &c = gpuopt::kCompiledEntries[e];
      if (c.cc != arch || reinterpret_cast<const void *>(c.entry) != k.resources[r].entry) continue;
      all[c.symbol] = {readable(c.symbol),     c.registers,  c.static_smem, k.resources[r].dynamic_smem,
                       k.resources[r].threads, c.spill_bytes};
    }
  std::vector<Usage> list;
  for (const auto &entry : all) list.push_back(entry.second);
  return list;
}

std::string line_of(const std::vector<Usage> &functions) {
  Usage most = {};
  std::vector<std::string> texts;
  for (const Usage &u : functions) {
    most.registers = std::max(most.registers, u.registers);
    most.static_smem = std::max(most.static_smem, u.static_smem);
    most.dynamic_smem = std::max(most.dynamic_smem, u.dynamic_smem);
    most.spilled = std::max(most.spilled, u.spilled);
    texts.push_back(u.text());
  }
  std::sort(texts.begin(), texts.end());
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::string &text : texts)
    for (const char c : text + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char line[160];
  std::snprintf(line, sizeof line, "%d registers, %d+%d shared, %d spilled, %zu functions, %016llx", most.registers,
                most.static_smem, most.dynamic_smem, most.spilled, functions.size(),
                static_cast<unsigned long long>(hash));
  return line;
}

using Lines = std::map<std::string, std::string>;  // "sm_90 gemm_naive" -> the rest of the line

// What this build holds for one architecture.
Lines built(int32_t arch, std::ostream *table) {
  Lines all;
  for (size_t i = 0; gpuopt_kernel_get(i); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    const std::vector<Usage> functions = functions_of(arch, k);
    if (functions.empty()) continue;
    const std::string key = "sm_" + std::to_string(arch) + ' ' + k.name;
    all[key] = line_of(functions);
    if (table)
      for (const Usage &u : functions) *table << key << ' ' << u.function << ": " << u.text() << '\n';
  }
  return all;
}

std::string golden_path() { return std::string(GPUOPT_TEST_SOURCE_DIR) + "/goldens/resources_cuda" + kNvcc + ".txt"; }

Lines read_golden() {
  std::ifstream in(golden_path());
  Lines all;
  for (std::string line; std::getline(in, line);) {
    const size_t split = line.find(' ', line.find(' ') + 1);  // after the second word
    if (split != std::string::npos) all[line.substr(0, split)] = line.substr(split + 1);
  }
  return all;
}

void write_golden(const Lines &all) {
  std::ofstream out(golden_path());
  for (const auto &entry : all) out << entry.first << ' ' << entry.second << '\n';
  REQUIRE(out);
}

}  // namespace

// What gemm_spilled_8x8 runs: the one kernel that is there to show it.
bool spills_on_purpose(const std::string &symbol) {
  return symbol.find("gemm_regblock_kernelILi8ELi8ELi4E") != std::string::npos;
}

TEST_CASE("resources: no entry function of any architecture spills but the one that is to show it") {
  CHECK(gpuopt::kCompiledEntryCount > 0);
  for (size_t e = 0; e < gpuopt::kCompiledEntryCount; ++e) {
    const auto &c = gpuopt::kCompiledEntries[e];
    CHECK_MESSAGE((c.spill_bytes > 0) == spills_on_purpose(c.symbol), readable(c.symbol), " spills ", c.spill_bytes,
                  " bytes on sm_", c.cc);
  }
}

TEST_CASE("resources: every kernel uses what the golden file says") {
  std::ofstream table;
  if (const char *path = std::getenv("GPUOPT_TEST_RESOURCES")) table.open(path);
  if (!built_by_that_nvcc()) {
    MESSAGE("SKIP: built by another nvcc than ", kNvcc, ": ", gpuopt_build_info());
    return;
  }
  Lines golden = read_golden();
  const bool update = std::getenv("GPUOPT_TEST_UPDATE_GOLDENS") != nullptr;
  REQUIRE_MESSAGE((update || !golden.empty()), "no golden file ", golden_path());
  int compared = 0;
  for (const int32_t arch : kArchs) {
    if (!built_for(arch)) continue;
    ++compared;
    const Lines now = built(arch, table.is_open() ? &table : nullptr);
    REQUIRE_MESSAGE(!now.empty(), "no kernel's functions are known on sm_", arch);
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
        CHECK_MESSAGE(old->second == entry.second, entry.first, ": was ", old->second, "; is ", entry.second,
                      " (GPUOPT_TEST_RESOURCES=<file> writes every function's)");
      if (update) golden[entry.first] = entry.second;
    }
  }
  if (compared == 0) MESSAGE("SKIP: built for none of the golden file's architectures: ", gpuopt_build_info());
  if (update) {
    write_golden(golden);
    MESSAGE("rewrote ", golden_path());
  }
}
#endif
