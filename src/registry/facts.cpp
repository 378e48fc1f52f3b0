// Facts of the CPU, and of the devices that can be pretended.
#include "facts.h"

#include <sched.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "cpu_quota.h"
#include "error.h"
#include "fork.h"

namespace gpuopt {
namespace {

#if defined(__x86_64__)
// clang 14's __builtin_cpu_supports does not know this one.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

int32_t best_isa() {
#if defined(__x86_64__)
  // The compiler's builtin checks CPUID's feature bits and that the system saves the wide registers.
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return 2;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c()) return 1;
#endif
  return 0;
}

// What affinity and the control group leave.
int32_t usable_cpus() {
  int32_t cpus = 1;
  // The kernel takes no set smaller than its own.
  for (int most = CPU_SETSIZE; most <= 1 << 20; most *= 2) {
    const size_t bytes = CPU_ALLOC_SIZE(most);
    cpu_set_t *const set = CPU_ALLOC(most);
    if (set == nullptr) break;
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    if (known) cpus = std::max(1, CPU_COUNT_S(bytes, set));
    CPU_FREE(set);
    if (known || errno != EINVAL) break;
  }
  const int32_t quota = cgroup_cpus("");
  return quota > 0 ? std::min(cpus, quota) : cpus;
}

struct PretendedDevice {
  const char *arch, *name;  // arch: "" where another product stands for its architecture
  const char *product;
  int32_t cc, sm_count, threads, regs;
  int64_t smem_sm, smem_block, smem_optin, l2, memory;
  double clock_mhz, memory_gbs;
};

constexpr int64_t KB = 1024, MB = KB * KB, GB = KB * MB;
// Well-known products by the name that CUDA gives them, so that what was tuned on one holds for it here too; vendor data
// sheets and the CUDA programming guide's table of limits.
constexpr PretendedDevice kPretended[] = {
    {"sm_75", "t4", "Tesla T4", 75, 40, 1024, 65536, 64 * KB, 48 * KB, 64 * KB, 4 * MB, 16 * GB, 1590, 320},
    {"sm_80", "a100", "NVIDIA A100-SXM4-80GB", 80, 108, 2048, 65536, 164 * KB, 48 * KB, 163 * KB, 40 * MB, 80 * GB,
     1410, 2039},
    {"sm_86", "a40", "NVIDIA A40", 86, 84, 1536, 65536, 100 * KB, 48 * KB, 99 * KB, 6 * MB, 48 * GB, 1740, 696},
    {"sm_89", "l40s", "NVIDIA L40S", 89, 142, 1536, 65536, 100 * KB, 48 * KB, 99 * KB, 96 * MB, 48 * GB, 2520, 864},
    {"sm_90", "h200", "NVIDIA H200", 90, 132, 2048, 65536, 228 * KB, 48 * KB, 227 * KB, 60 * MB, 141 * GB, 1980, 4800},
    {"", "h100", "NVIDIA H100 80GB HBM3", 90, 132, 2048, 65536, 228 * KB, 48 * KB, 227 * KB, 50 * MB, 80 * GB, 1980,
     3352},
    {"sm_100", "b200", "NVIDIA B200", 100, 148, 2048, 65536, 228 * KB, 48 * KB, 227 * KB, 126 * MB, 180 * GB, 1965,
     8000},
    {"sm_120", "", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 120, 188, 1536, 65536, 100 * KB, 48 * KB,
     99 * KB, 128 * MB, 96 * GB, 2617, 1792},
};

// The processor's model as it calls itself.
struct Model {
  char name[sizeof gpuopt_device_facts::name];
};
Model read_model() {
  Model model = {"CPU"};
#if defined(__x86_64__)
  unsigned words[12], most = 0, unused;
  if (__get_cpuid(0x80000000u, &most, &unused, &unused, &unused) == 0 || most < 0x80000004u) return model;
  for (unsigned i = 0; i < 3; ++i)
    __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]);
  char text[sizeof words + 1] = "";
  std::memcpy(text, words, sizeof words);
  const char *first = text + std::strspn(text, " ");
  if (*first) std::snprintf(model.name, sizeof model.name, "%s", first);
#endif
  return model;
}

// Read once: under a hypervisor each CPUID takes 10 us. Not by a static object's guard, which a child of fork may find held.
Model model() {
  static Model known;  // without a name until then
  const std::lock_guard<std::mutex> lock(lock_across_forks());
  if (known.name[0] == 0) known = read_model();
  return known;
}

}  // namespace

const char *isa_name(int32_t isa) {
  static constexpr const char *kNames[] = {"baseline", "avx2", "avx512"};
  return isa >= 0 && isa < 3 ? kNames[isa] : "?";
}

void read_cpu_facts(int32_t num_threads, int32_t isa_limit, gpuopt_device_facts *f) {
  *f = {};
  f->struct_size = sizeof *f;
  std::snprintf(f->name, sizeof f->name, "%s", model().name);
  f->ordinal = GPUOPT_DEVICE_CPU;
  f->cpu_threads = num_threads > 0 ? num_threads : usable_cpus();
  f->cpu_isa = isa_limit < 0 ? best_isa() : std::min(isa_limit, best_isa());
}

gpuopt_status take_facts(const char *function, const char *field, const gpuopt_device_facts *given,
                         gpuopt_device_facts *out) {
  const gpuopt_status s = check_struct_size(function, field, given, sizeof *given, "GPUOPT_DEVICE_FACTS_INIT");
  if (s != GPUOPT_OK) return s;
  gpuopt_device_facts &f = *out;
  std::memcpy(&f, given, sizeof f);  // callers may keep it at any address
  f.struct_size = sizeof f;
  if (std::memchr(f.name, 0, sizeof f.name) == nullptr)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s->name does not end within its %zu bytes", function, field,
                sizeof f.name);
  struct Range {
    const char *name;
    double value, least, most;
  };
  // Wide enough for devices to come, narrow enough that no count of blocks overflows and nothing is divided by 0.
  const bool gpu = f.cc != 0;
  const double least = gpu ? 1 : 0;
  const Range ranges[] = {
      {"ordinal", double(f.ordinal), GPUOPT_DEVICE_CPU, 1 << 16},
      {"cc", double(f.cc), gpu ? 10.0 : 0, 999},
      {"sm_count", double(f.sm_count), least, 1 << 16},
      {"max_threads_per_sm", double(f.max_threads_per_sm), gpu ? 32.0 : 0, 1 << 16},
      {"regs_per_sm", double(f.regs_per_sm), least, 1 << 24},
      {"cpu_threads", double(f.cpu_threads), 1, 1 << 16},
      {"cpu_isa", double(f.cpu_isa), 0, 2},
      {"cublaslt", double(f.cublaslt), 0, 1},
      {"smem_per_sm", double(f.smem_per_sm), least, 1 << 30},
      {"smem_per_block", double(f.smem_per_block), least, 1 << 30},
      {"smem_per_block_optin", double(f.smem_per_block_optin), least, 1 << 30},
      {"l2_bytes", double(f.l2_bytes), 0, 1ll << 40},
      {"memory_bytes", double(f.memory_bytes), 0, 1ll << 50},
      {"clock_mhz", f.clock_mhz, least, 1e6},
      {"memory_gbs", f.memory_gbs, least, 1e9},
      {"driver_version", double(f.driver_version), 0, 1e9},
      {"runtime_version", double(f.runtime_version), 0, 1e9},
  };
  for (const Range &r : ranges)
    if (!(r.value >= r.least && r.value <= r.most))
      return fail(GPUOPT_INVALID_ARGUMENT,
                  "%s: %s->%s=%.17g is not within %.17g and %.17g (start from "
                  "gpuopt_pretend_device)",
                  function, field, r.name, r.value, r.least, r.most);
  return GPUOPT_OK;
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" gpuopt_status gpuopt_pretend_device(const char *name, gpuopt_device_facts *out) try {
  constexpr const char *fn = "gpuopt_pretend_device";
  if (name == nullptr || out == nullptr)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s is NULL", fn, name == nullptr ? "name" : "facts");
  // The same answers on every machine: a pretended host has 8 threads and the widest instruction set.
  gpuopt_device_facts facts;
  read_cpu_facts(8, -1, &facts);
  std::snprintf(facts.name, sizeof facts.name, "CPU");
  facts.cpu_isa = 2;
  const auto give = [&] {
    return write_struct(fn, "facts", out, &facts, sizeof facts, sizeof facts, "GPUOPT_DEVICE_FACTS_INIT");
  };
  if (std::strcmp(name, "none") == 0) return give();
  std::string archs = "none", names;
  for (const PretendedDevice &d : kPretended) {
    bool found = false;
    for (const char *of_device : {d.arch, d.name}) {
      if (*of_device == 0) continue;
      (of_device == d.arch ? archs : names) += std::string(", ") + of_device;
      found = found || std::strcmp(name, of_device) == 0;
    }
    if (!found) continue;
    std::snprintf(facts.name, sizeof facts.name, "%s", d.product);
    facts.ordinal = 0;
    facts.cc = d.cc;
    facts.sm_count = d.sm_count;
    facts.max_threads_per_sm = d.threads;
    facts.regs_per_sm = d.regs;
    facts.smem_per_sm = d.smem_sm;
    facts.smem_per_block = d.smem_block;
    facts.smem_per_block_optin = d.smem_optin;
    facts.l2_bytes = d.l2;
    facts.memory_bytes = d.memory;
    facts.clock_mhz = d.clock_mhz;
    facts.memory_gbs = d.memory_gbs;
    facts.cublaslt = 1;
    facts.driver_version = facts.runtime_version = 13000;
    return give();
  }
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: '%.40s' is not one of %s%s", fn, name, archs.c_str(), names.c_str());
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_pretend_device"); }
