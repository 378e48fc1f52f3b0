#include "registry.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "error.h"
#include "manifest.h"

namespace gpuopt {
namespace {

bool kernel_order(const gpuopt_kernel *a, const gpuopt_kernel *b) {
  return a->op != b->op ? a->op < b->op : std::strcmp(a->name, b->name) < 0;
}

void index(snapshot &s) {
  std::sort(s.all.begin(), s.all.end(), kernel_order);
  for (auto &bucket : s.by_op) bucket.clear();
  for (const gpuopt_kernel *k : s.all) s.by_op[k->op].push_back(k);
}

// Everything mutable of the registry, made on first use and never destroyed: kernels may run until the very
// end of the process.
struct state {
  std::mutex mutex;
  std::atomic<const snapshot *> current{nullptr};
  std::set<std::string> interned;
  std::vector<const snapshot *> retired;  // another thread may still be walking them

  state() {
    auto *s = new snapshot;
    s->generation = 1;
    for (size_t i = 0; i < kManifestCount; ++i)
      for (size_t j = 0; j < kManifest[i]->count; ++j) s->all.push_back(&kManifest[i]->kernels[j]);
    index(*s);
    current.store(s, std::memory_order_release);
  }
};

state &shared() {
  static state *const s = new state;
  return *s;
}

// The rules a descriptor must keep; returns the broken one, or nullptr.
const char *descriptor_fault(const gpuopt_kernel &k) {
  if (k.name == nullptr || *k.name == 0) return "name is empty";
  for (const char *c = k.name; *c; ++c)
    if (!std::islower(static_cast<unsigned char>(*c)) && !std::isdigit(static_cast<unsigned char>(*c)) && *c != '_' &&
        *c != ':' && *c != '/')
      return "name has a character outside [a-z0-9_:/]";
  if (std::strlen(k.name) > 96) return "name is longer than 96 characters";
  if (k.op <= 0 || k.op >= GPUOPT_OP_COUNT_) return "op is not a GPUOPT_OP_* value";
  if (k.launch == nullptr) return "launch is NULL";
  if (k.signatures == nullptr || k.signature_count == 0) return "signatures are missing";
  if (k.max_stages < 0 || k.max_stages > GPUOPT_MAX_STAGES) return "max_stages is not within 0 and GPUOPT_MAX_STAGES";
  if (k.op == GPUOPT_OP_REDUCE && (k.variants == 0 || k.axes == 0)) return "a reduce kernel needs variants and axes";
  if (k.op == GPUOPT_OP_NORM && k.variants == 0) return "a norm kernel needs variants";
  return nullptr;
}

}  // namespace

const snapshot &current_snapshot() { return *shared().current.load(std::memory_order_acquire); }

const gpuopt_kernel *find_kernel(const snapshot &kernels, const std::string &name) {
  for (const gpuopt_kernel *k : kernels.all)
    if (name == k->name) return k;
  return nullptr;
}

size_t edit_distance(const std::string &a, const std::string &b) {
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

std::string nearest_names(const snapshot &kernels, const std::string &name, int32_t op) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const gpuopt_kernel *k : kernels.all)
    if (op == 0 || k->op == op) ranked.emplace_back(edit_distance(name, k->name), k->name);
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

const char *intern(const std::string &text) {
  state &s = shared();
  std::lock_guard<std::mutex> lock(s.mutex);
  return s.interned.insert(text).first->c_str();
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

size_t gpuopt_kernel_count(void) { return current_snapshot().all.size(); }

const gpuopt_kernel *gpuopt_kernel_get(size_t index) {
  const snapshot &s = current_snapshot();
  return index < s.all.size() ? s.all[index] : nullptr;
}

const gpuopt_kernel *gpuopt_kernel_find(const char *name) {
  return name == nullptr ? nullptr : find_kernel(current_snapshot(), name);
}

gpuopt_status gpuopt_register_kernel(const gpuopt_kernel *kernel) try {
  if (kernel == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_register_kernel: kernel is NULL");
  const gpuopt_status size =
      check_struct_size("gpuopt_register_kernel", "kernel", kernel, sizeof(gpuopt_kernel), nullptr);
  if (size != GPUOPT_OK) return size;
  if (const char *fault = descriptor_fault(*kernel))
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_register_kernel: %s: %s", kernel->name ? kernel->name : "?", fault);
  state &s = shared();
  std::lock_guard<std::mutex> lock(s.mutex);
  const snapshot *old = s.current.load(std::memory_order_acquire);
  if (find_kernel(*old, kernel->name))
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_register_kernel: the name %s is taken", kernel->name);
  auto next = std::make_unique<snapshot>(*old);
  next->generation = old->generation + 1;
  next->all.push_back(kernel);
  index(*next);
  s.retired.push_back(old);
  s.current.store(next.release(), std::memory_order_release);
  return GPUOPT_OK;
} catch (...) {
  return fail(GPUOPT_OUT_OF_MEMORY, "gpuopt_register_kernel: out of host memory");
}

}  // extern "C"
