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

// The file that brings a built-in kernel, or nullptr.
const ManifestEntry *built_in_file(const gpuopt_kernel &k) {
  for (size_t i = 0; i < kManifestCount; ++i) {
    const gpuopt_kernel_span &span = *kManifest[i].span;
    if (std::less_equal<>()(span.kernels, &k) && std::less<>()(&k, span.kernels + span.count)) return &kManifest[i];
  }
  return nullptr;
}
bool is_built_in(const gpuopt_kernel &k) { return built_in_file(k) != nullptr; }

// The class of a kernel's device code; kNoCode for what the application or a plugin registered.
int32_t class_of(const gpuopt_kernel &k) {
  const ManifestEntry *const file = built_in_file(k);
  return file ? file->code : kNoCode;
}

constexpr const char *kBuiltIn = "built-in", *kApplication = "application";

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
  std::unordered_map<const gpuopt_kernel *, const char *> plugins;    // whose kernel it is
  size_t built_in = 0;

  State() {
    for (size_t i = 0; i < kManifestCount; ++i)
      for (size_t j = 0; j < kManifest[i].span->count; ++j) {
        const gpuopt_kernel *const k = &kManifest[i].span->kernels[j];
        add(&k, 1, nullptr);
      }
    built_in = all.size();
  }
  // All or nothing, should memory run out. origin: of a plugin, else nullptr.
  void add(const gpuopt_kernel *const *kernels, size_t n, const char *origin) {
    std::vector<std::string_view> added;
    const size_t before = all.size();
    try {
      for (size_t i = 0; i < n; ++i) {
        const auto claim = [&](std::string_view name) {
          added.reserve(added.size() + 1);
          if (names.emplace(name, kernels[i]).second) added.push_back(name);
        };
        claim(kernels[i]->name);
        for_each_alias(*kernels[i], claim);
        if (origin) plugins.emplace(kernels[i], origin);
        all.push_back(kernels[i]);
      }
    }
    GPUOPT_CATCH_ALL {
      for (std::string_view name : added) names.erase(name);
      for (size_t i = 0; i < n; ++i) plugins.erase(kernels[i]);
      all.resize(before);
      throw;
    }
    count.store(all.size(), std::memory_order_release);
  }
  const char *origin_of(const gpuopt_kernel *k) const {
    const auto plugin = plugins.find(k);
    return plugin != plugins.end() ? plugin->second : is_built_in(*k) ? kBuiltIn : kApplication;
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

// Tells add of every name of these kernels that others have or that they give twice. The lock is held.
// origin: whose kernels do not count as others, or nullptr.
void check_taken(const State &s, const std::vector<const gpuopt_kernel *> &kernels, const char *origin,
                 const std::function<void(std::string)> &add) {
  std::set<std::string_view> own;
  const auto check = [&](std::string_view name) {
    const auto taken = s.names.find(name);
    const char *const owner = taken == s.names.end() ? nullptr : s.origin_of(taken->second);
    if (owner && owner != origin)
      add("the name " + std::string(name) + " is taken: " +
          (owner == kBuiltIn       ? "a built-in kernel has it"
           : owner == kApplication ? "a kernel of the application has it"
                                   : std::string("the plugin ") + owner + " has it"));
    else if (!own.insert(name).second)
      add("the name " + std::string(name) + " is given twice");
  };
  for (const gpuopt_kernel *k : kernels) {
    check(k->name);
    for_each_alias(*k, check);
  }
}

// Keeps the first of what is wrong.
struct FirstFault {
  std::string text;
  void operator()(std::string fault) {
    if (text.empty()) text = std::move(fault);
  }
};

// The rules a descriptor of the application must keep; says which is broken, or "".
std::string descriptor_fault(const gpuopt_kernel &k) {
  if (const char *fault = name_fault(k.name ? k.name : "")) return std::string("name ") + fault;
  FirstFault first;
  for_each_alias(k, [&](std::string_view alias) {
    if (const char *wrong = name_fault(alias)) first("aliases: '" + std::string(alias) + "' " + wrong);
  });
  check_fields(k, std::ref(first));
  return first.text;
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

bool register_plugin(const std::vector<const gpuopt_kernel *> &kernels, const char *origin, bool only_look,
                     const std::function<void(std::string)> &add) {
  State &s = shared();
  const std::lock_guard<std::mutex> lock(s.mutex);
  bool free = true;
  check_taken(s, kernels, only_look ? origin : nullptr, [&](std::string fault) {
    free = false;
    add(std::move(fault));
  });
  if (free && !only_look) s.add(kernels.data(), kernels.size(), origin);
  return free;
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

const char *gpuopt_kernel_origin(const gpuopt_kernel *kernel) try {
  if (kernel == nullptr) return nullptr;
  const RegistryUser user;
  State &s = shared();
  const std::lock_guard<std::mutex> lock(s.mutex);
  const auto found = s.names.find(kernel->name);
  return found == s.names.end() || found->second != kernel ? nullptr : s.origin_of(kernel);
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
    std::memcpy(static_cast<void *>(grown.get()), kernel, kernel->struct_size);
    grown->struct_size = sizeof *grown;
    kernel = grown.get();
  }
  const auto refuse = [&](const std::string &fault) {
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_register_kernel: %.96s: %s", kernel->name ? kernel->name : "?",
                fault.c_str());
  };
  const std::string fault = descriptor_fault(*kernel);
  if (!fault.empty()) return refuse(fault);
  State &s = shared();
  const std::lock_guard<std::mutex> lock(s.mutex);
  FirstFault taken;
  check_taken(s, {kernel}, nullptr, std::ref(taken));
  if (!taken.text.empty()) return refuse(taken.text);
  s.add(&kernel, 1, nullptr);
  static_cast<void>(grown.release());
  return GPUOPT_OK;
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_register_kernel"); }

}  // extern "C"
