#include "registry.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "error.h"
#include "fork.h"
#include "manifest.h"

namespace gpuopt {
namespace {

bool kernel_order(const gpuopt_kernel *a, const gpuopt_kernel *b) {
  return a->op != b->op ? a->op < b->op : std::strcmp(a->name, b->name) < 0;
}

// The class of a kernel's device code; kNoCode for what the application registered.
int32_t class_of(const gpuopt_kernel &k) {
  for (size_t i = 0; i < kManifestCount; ++i) {
    const gpuopt_kernel_span &span = *kManifest[i].span;
    if (std::less_equal<>()(span.kernels, &k) && std::less<>()(&k, span.kernels + span.count)) return kManifest[i].code;
  }
  return kNoCode;
}

using Name = std::pair<std::string_view, const gpuopt_kernel *>;
bool name_order(const Name &a, const Name &b) { return a.first < b.first; }

bool entry_order(const Registered &a, const Registered &b) { return kernel_order(a.kernel, b.kernel); }

// Sorts what was added behind the first `sorted` elements, and merges it with them.
template <class T, class Order>
void merge_in(std::vector<T> &all, size_t sorted, Order order) {
  const auto added = all.begin() + static_cast<std::ptrdiff_t>(sorted);
  // Of a name that two built-in kernels claim, which a test refuses, the first of this order has it.
  std::stable_sort(added, all.end(), order);
  std::inplace_merge(all.begin(), added, all.end(), order);
}

// Everything mutable of the registry, made on first use.
struct State {
  std::mutex &mutex = lock_across_forks();
  std::shared_ptr<const Snapshot> current = std::make_shared<Snapshot>();  // of the first `listed` kernels
  size_t listed = 0;
  std::atomic<size_t> count{0};
  std::vector<const gpuopt_kernel *> all;                             // in order of registration
  std::unordered_map<std::string_view, const gpuopt_kernel *> names;  // present and former
  size_t built_in = 0;

  State() {
    for (size_t i = 0; i < kManifestCount; ++i)
      for (size_t j = 0; j < kManifest[i].span->count; ++j) add(&kManifest[i].span->kernels[j]);
    built_in = all.size();
  }
  // All or nothing, should memory run out.
  void add(const gpuopt_kernel *k) {
    std::vector<std::string_view> added;
    const auto claim = [&](std::string_view name) {
      added.reserve(added.size() + 1);
      if (names.emplace(name, k).second) added.push_back(name);
    };
    try {
      claim(k->name);
      for_each_alias(*k, claim);
      all.push_back(k);
    }
    GPUOPT_CATCH_ALL {
      for (std::string_view name : added) names.erase(name);
      throw;
    }
    count.store(all.size(), std::memory_order_release);
  }
  uint64_t generation() const { return 1 + count.load(std::memory_order_acquire) - built_in; }
};

std::atomic<State *> made{nullptr};

State &shared() {
  if (State *s = made.load(std::memory_order_acquire)) return *s;
  const std::lock_guard<std::mutex> lock(lock_across_forks());
  if (made.load(std::memory_order_relaxed) == nullptr) made.store(new State, std::memory_order_release);
  return *made.load(std::memory_order_relaxed);
}

constexpr int kUnloading = -1;
std::atomic<int> users{0};

// Runs when the library is unloaded and at the end of the process, when threads may still run: then they have handles, or
// make the registry again.
__attribute__((destructor)) void free_registry() {
  int nobody = 0;
  if (!users.compare_exchange_strong(nobody, kUnloading)) return;
  delete made.exchange(nullptr);
  users.store(0);
}

constexpr size_t kLongestName = 96;

// What is wrong with a present or former name, or nullptr.
const char *name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  for (const char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_') return "has a character outside [a-z0-9_]";
  return name.size() > kLongestName ? "is longer than 96 characters" : nullptr;
}

// What is wrong with a name of this kernel that others have or that it gives twice, or nullptr. The lock is held.
std::string taken_fault(const State &s, const gpuopt_kernel &k) {
  std::string fault;
  std::vector<std::string_view> own;
  const auto check = [&](std::string_view name) {
    if (!fault.empty()) return;
    if (s.names.count(name))
      fault = "the name " + std::string(name) + " is taken";
    else if (std::find(own.begin(), own.end(), name) != own.end())
      fault = "the name " + std::string(name) + " is given twice";
    own.push_back(name);
  };
  check(k.name);
  for_each_alias(k, check);
  return fault;
}

// A table that is longer than this is a count that was never set.
constexpr size_t kMostRows = 4096, kLongestSummary = 1000;
constexpr uint32_t kKnownFlags =
    GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING | GPUOPT_KERNEL_NONDETERMINISTIC | GPUOPT_KERNEL_NOT_CAPTURABLE;
bool is_alignment(int32_t bytes) { return bytes >= 0 && bytes <= 256 && (bytes & (bytes - 1)) == 0; }

// The rules a descriptor must keep; says which is broken, or "".
std::string descriptor_fault(const gpuopt_kernel &k) {
  if (const char *fault = name_fault(k.name ? k.name : "")) return std::string("name ") + fault;
  std::string fault;
  for_each_alias(k, [&](std::string_view alias) {
    if (const char *wrong = name_fault(alias)) fault = "aliases: '" + std::string(alias) + "' " + wrong;
  });
  if (!fault.empty()) return fault;
  if (k.op <= 0 || k.op >= GPUOPT_OP_COUNT_) return "op is not a GPUOPT_OP_* value";
  if (k.launch == nullptr) return "launch is NULL";
  if (k.signatures == nullptr || k.signature_count == 0) return "signatures are missing";
  if (k.signature_count > kMostRows) return "signature_count is more than 4096";
  if (k.resources == nullptr && k.resource_count != 0) return "resources is NULL and resource_count is not 0";
  if (k.resource_count > kMostRows) return "resource_count is more than 4096";
  if (k.summary && strnlen(k.summary, kLongestSummary + 1) > kLongestSummary)
    return "summary is longer than 1000 characters";
  if (k.flags & ~kKnownFlags) return "flags has bits that are no GPUOPT_KERNEL_* value";
  if (k.max_stages < 0 || k.max_stages > GPUOPT_MAX_STAGES) return "max_stages is not within 0 and GPUOPT_MAX_STAGES";
  for (int i = 0; i < 4; ++i) {
    if (k.layouts[i] > GPUOPT_LAYOUT_ANY) return "layouts has a value that is no GPUOPT_LAYOUT_* bit";
    if (!is_alignment(k.align[i])) return "align has a value that is not 0 or a power of two up to 256";
    if (!is_alignment(k.ld_align[i])) return "ld_align has a value that is not 0 or a power of two up to 256";
  }
  for (const int32_t multiple : k.multiple)
    if (multiple < 0) return "multiple has a negative value";
  if (k.op == GPUOPT_OP_REDUCE && (k.variants == 0 || k.axes == 0)) return "a reduce kernel needs variants and axes";
  if (k.op == GPUOPT_OP_NORM && k.variants == 0) return "a norm kernel needs variants";
  return "";
}

}  // namespace

RegistryUser::RegistryUser() {
  for (int seen = users.load();;) {
    if (seen == kUnloading)
      sched_yield(), seen = users.load();
    else if (users.compare_exchange_weak(seen, seen + 1))
      return;
  }
}

RegistryUser::~RegistryUser() { users.fetch_sub(1); }

uint64_t current_generation() { return shared().generation(); }

std::shared_ptr<const Snapshot> current_snapshot() {
  State &s = shared();
  const std::lock_guard<std::mutex> lock(s.mutex);
  if (s.listed == s.all.size()) return s.current;
  auto next = std::make_shared<Snapshot>(*s.current);
  const size_t names = next->names.size();
  size_t by_op[GPUOPT_OP_COUNT_];
  for (int op = 0; op < GPUOPT_OP_COUNT_; ++op) by_op[op] = next->by_op[op].size();
  for (size_t i = s.listed; i < s.all.size(); ++i) {
    const gpuopt_kernel *k = s.all[i];
    next->all.push_back(k);
    next->by_op[k->op].push_back({k, class_of(*k)});
  }
  merge_in(next->all, s.listed, kernel_order);
  for (int op = 0; op < GPUOPT_OP_COUNT_; ++op) merge_in(next->by_op[op], by_op[op], entry_order);
  std::vector<const gpuopt_kernel *> added(s.all.begin() + static_cast<std::ptrdiff_t>(s.listed), s.all.end());
  std::sort(added.begin(), added.end(), kernel_order);
  for (const gpuopt_kernel *k : added) {
    next->names.emplace_back(k->name, k);
    for_each_alias(*k, [&](std::string_view alias) { next->names.emplace_back(alias, k); });
  }
  merge_in(next->names, names, name_order);
  next->generation = s.generation();
  s.current = std::move(next);
  s.listed = s.all.size();
  return s.current;
}

const gpuopt_kernel *find_kernel(const Snapshot &kernels, std::string_view name) {
  const auto found = std::lower_bound(kernels.names.begin(), kernels.names.end(), name,
                                      [](const auto &entry, std::string_view wanted) { return entry.first < wanted; });
  return found != kernels.names.end() && found->first == name ? found->second : nullptr;
}

const Registered &entry_of(const Snapshot &kernels, const gpuopt_kernel &k) {
  const std::vector<Registered> &entries = kernels.by_op[k.op];
  return *std::lower_bound(entries.begin(), entries.end(), &k,
                           [](const Registered &a, const gpuopt_kernel *b) { return kernel_order(a.kernel, b); });
}

bool glob_match_kernel(const char *glob, const gpuopt_kernel &k) {
  if (glob_match(glob, k.name)) return true;
  bool matches = false;
  for_each_alias(k, [&](std::string_view alias) {
    char text[kLongestName + 1] = "";  // an alias ends at a comma, where glob_match needs a zero
    if (alias.size() > kLongestName) return;
    alias.copy(text, alias.size());
    matches = matches || glob_match(glob, text);
  });
  return matches;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  // The work is their lengths' product, and a text from outside may be of any length.
  constexpr size_t most = 256;
  if (a.size() > most) return a.size() - most + edit_distance(a.substr(0, most), b);
  if (b.size() > most) return b.size() - most + edit_distance(a, b.substr(0, most));
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string nearest_names(const Snapshot &kernels, const std::string &name, int32_t op) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const gpuopt_kernel *k : kernels.all) {
    if (op != 0 && k->op != op) continue;
    std::pair<size_t, std::string> best(edit_distance(name, k->name), k->name);
    for_each_alias(*k, [&](std::string_view alias) {
      const size_t distance = edit_distance(name, alias);
      if (distance < best.first) best = {distance, std::string(k->name) + " (formerly " + std::string(alias) + ")"};
    });
    ranked.push_back(std::move(best));
  }
  std::sort(ranked.begin(), ranked.end());
  std::string text;
  for (size_t i = 0; i < ranked.size() && i < 3; ++i) text += (i ? ", " : "") + ranked[i].second;
  return text;
}

bool glob_match(const char *glob, const char *name) {
  // On a mismatch only the last '*' needs to grow: linear in practice, quadratic at worst.
  const char *star = nullptr, *retry = nullptr;
  while (*name) {
    if (*glob == '*') {
      star = glob++;
      retry = name;
    } else if (*glob == '?' || *glob == *name) {
      ++glob;
      ++name;
    } else if (star) {
      glob = star + 1;
      name = ++retry;
    } else {
      return false;
    }
  }
  while (*glob == '*') ++glob;
  return *glob == 0;
}

namespace {
std::set<std::string> *interned = nullptr;  // never freed: callers keep these names as long as they like
}

const char *intern(const std::string &text) {
  State &s = shared();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (interned == nullptr) interned = new std::set<std::string>;
  return interned->insert(text).first->c_str();
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

// The next three have no status to say that memory ran out: then they know of nothing.
size_t gpuopt_kernel_count(void) try {
  const RegistryUser user;
  return shared().count.load(std::memory_order_acquire);
}
GPUOPT_CATCH_ALL { return 0; }

const gpuopt_kernel *gpuopt_kernel_get(size_t index) try {
  const RegistryUser user;
  const auto kernels = current_snapshot();
  return index < kernels->all.size() ? kernels->all[index] : nullptr;
}
GPUOPT_CATCH_ALL { return nullptr; }

const gpuopt_kernel *gpuopt_kernel_find(const char *name) try {
  if (name == nullptr) return nullptr;
  const RegistryUser user;
  State &s = shared();
  const std::lock_guard<std::mutex> lock(s.mutex);
  const auto found = s.names.find(name);
  return found == s.names.end() ? nullptr : found->second;
}
GPUOPT_CATCH_ALL { return nullptr; }

gpuopt_status gpuopt_register_kernel(const gpuopt_kernel *kernel) try {
  const RegistryUser user;
  if (kernel == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_register_kernel: kernel is NULL");
  constexpr size_t version_1 = offsetof(gpuopt_kernel, aliases);
  const gpuopt_status size =
      check_struct_size("gpuopt_register_kernel", "kernel", kernel, version_1, nullptr, sizeof(gpuopt_kernel));
  if (size != GPUOPT_OK) return size;
  std::unique_ptr<gpuopt_kernel> grown;  // an older descriptor, with the fields that came later
  if (kernel->struct_size < sizeof(gpuopt_kernel)) {
    grown.reset(new gpuopt_kernel());
    std::memcpy(static_cast<void *>(grown.get()), kernel, version_1);
    grown->struct_size = sizeof *grown;
    kernel = grown.get();
  }
  const auto refuse = [&](const std::string &fault) {
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_register_kernel: %.96s: %s", kernel->name ? kernel->name : "?",
                fault.c_str());
  };
  std::string fault = descriptor_fault(*kernel);
  if (!fault.empty()) return refuse(fault);
  State &s = shared();
  const std::lock_guard<std::mutex> lock(s.mutex);
  fault = taken_fault(s, *kernel);
  if (!fault.empty()) return refuse(fault);
  s.add(kernel);
  static_cast<void>(grown.release());
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_register_kernel"); }

}  // extern "C"
