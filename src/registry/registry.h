// The set of kernels of the process: the built-in manifest plus what the application and plugins registered. Append-only;
// readers hold an immutable snapshot for as long as they read; descriptors live forever, so kernels and names never dangle.
// The first reader after registrations makes the next snapshot by merging them in, so that many of them cost one.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiled_code.h"
#include "descriptor.h"
#include "gpuopt/kernel.h"

namespace gpuopt {

// A kernel, and the class of its device code: an index into Snapshot::code, or kNoCode.
struct Registered {
  const gpuopt_kernel *kernel;
  int32_t code;
};

// Kernels sorted by op, then name: an order that does not depend on link order.
struct Snapshot {
  uint64_t generation = 0;  // 1 for the manifest alone; grows by one with each registration
  std::vector<const gpuopt_kernel *> all;
  std::vector<Registered> by_op[GPUOPT_OP_COUNT_];
  const CompiledCode *code = kCompiledCode;
  std::vector<std::pair<std::string_view, const gpuopt_kernel *>> names;  // present and former, sorted
};

std::shared_ptr<const Snapshot> current_snapshot();  // throws std::bad_alloc
uint64_t current_generation();                       // of the snapshot that current_snapshot() would give; no lock

// Stands for a handle, or for a call without one: while there is any, the registry's memory stays. Without, it goes when
// the shared object that holds the library is unloaded.
class RegistryUser {
 public:
  RegistryUser();
  ~RegistryUser();
  RegistryUser(const RegistryUser &) = delete;
  RegistryUser &operator=(const RegistryUser &) = delete;
};

// The kernel of that present or former name, or nullptr.
const gpuopt_kernel *find_kernel(const Snapshot &kernels, std::string_view name);

// The entry in by_op of a kernel that is there.
const Registered &entry_of(const Snapshot &kernels, const gpuopt_kernel &kernel);

// Does the glob match the kernel's name or a former one?
bool glob_match_kernel(const char *glob, const gpuopt_kernel &kernel);

// The three kernels nearest to name by edit distance, as "a, b, c"; "b (formerly d)" where a former name is the nearer one.
std::string nearest_names(const Snapshot &kernels, const std::string &name, int32_t op);

// Edit distance (insert, delete, replace), for nearest names of kernels and of environment variables.
size_t edit_distance(std::string_view a, std::string_view b);

// Does name match the glob ('*' any run, '?' any character)?
bool glob_match(const char *glob, const char *name);

// Registers the kernels of one plugin, whose fields have been checked, all of them or none: where a name is taken, add is told
// each and who has it. origin: interned, the plugin's path. only_look: as if it were not loaded yet, and nothing is registered.
bool register_plugin(const std::vector<const gpuopt_kernel *> &kernels, const char *origin, bool only_look,
                     const std::function<void(std::string)> &add);

// A copy of text that lives as long as the process; equal texts give equal pointers.
const char *intern(const std::string &text);

}  // namespace gpuopt
