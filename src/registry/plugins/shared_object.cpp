// Plugins that are shared objects. Nothing that the table points to is believed to be there: a pointer that lies is a fault
// with a name, not a crash.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "api_scope.h"
#include "descriptor.h"
#include "error.h"
#include "plugins/elf_file.h"
#include "plugins/plugin.h"
#include "plugins/plugin_file.h"
#include "readable.h"
#include "text.h"

namespace gpuopt {
namespace {

constexpr const char *kQuery = "gpuopt_plugin_query_v1";
constexpr size_t kLongestVersion = 64, kLongestPluginName = 64, kLongestAliases = 4096;

// A struct of the plugin's that begins with struct_size; false, and a fault, where it is not there or of no known size.
template <class T>
bool take_struct(const char *field, const void *given, size_t version_1, Plugin *plugin, T *out) {
  if (!is_readable(given, sizeof(size_t))) return plugin->fault(std::string(field) + " cannot be read"), false;
  size_t size;
  std::memcpy(&size, given, sizeof size);
  if (!is_readable(given, std::min(std::max(size, sizeof size), sizeof(T))))
    return plugin->fault(std::string(field) + " cannot be read as far as its struct_size=" + std::to_string(size)),
           false;
  if (check_struct_size(kQuery, field, given, version_1, nullptr, sizeof(T)) != GPUOPT_OK)
    return plugin->fault(gpuopt_last_error()), false;
  std::memcpy(static_cast<void *>(out), given, std::min(size, sizeof(T)));
  return true;
}

// A text, or false and a fault. most: as many bytes are too many.
bool take_text(const char *field, const char *given, size_t most, Plugin *plugin, std::string *out) {
  if (!read_text(given, most, out)) return plugin->fault(std::string(field) + " cannot be read"), false;
  if (out->size() < most) return true;
  return plugin->fault(std::string(field) + " is longer than " + std::to_string(most - 1) + " characters"), false;
}

// A table of a descriptor; what is wrong with its count is check_fields' to tell.
bool is_table(const char *field, const void *rows, size_t count, size_t row, Plugin *plugin) {
  if (rows == nullptr || count > kMostRows || is_readable(rows, count * row)) return true;
  plugin->fault(std::string(field) + " cannot be read");
  return false;
}

// The descriptor with faults told by the kernel's name.
void take_kernel(const gpuopt_kernel &given, const std::string &where, Plugin *plugin) {
  auto taken = std::make_unique<PluginKernel>();
  gpuopt_kernel &k = taken->kernel = given;
  k.struct_size = sizeof k;
  std::string name, aliases, summary, paths;
  const auto at = [&](const char *field) { return where + field; };
  if (k.name == nullptr) return plugin->fault(at(": name is NULL"));
  if (!take_text(at(": name").c_str(), k.name, kLongestName + 1, plugin, &name)) return;
  const std::string called = where + " " + quoted(name);
  const auto of = [&](const char *field) { return called + ": " + field; };
  const bool renamed = k.aliases && take_text(of("aliases").c_str(), k.aliases, kLongestAliases, plugin, &aliases);
  bool sound = renamed || !k.aliases;
  if (k.summary) sound = take_text(of("summary").c_str(), k.summary, kLongestSummary + 1, plugin, &summary) && sound;
  if (k.data_paths)
    sound = take_text(of("data_paths").c_str(), k.data_paths, kLongestSummary + 1, plugin, &paths) && sound;
  sound = is_table(of("signatures").c_str(), k.signatures, k.signature_count, sizeof *k.signatures, plugin) && sound;
  sound = is_table(of("resources").c_str(), k.resources, k.resource_count, sizeof *k.resources, plugin) && sound;
  const size_t stages = static_cast<size_t>(std::clamp<int32_t>(k.max_stages, 0, GPUOPT_MAX_STAGES));
  sound = is_table(of("chain").c_str(), k.chain, stages, sizeof *k.chain, plugin) && sound;
  const std::pair<const char *, const void *> functions[] = {
      {"can_run", reinterpret_cast<const void *>(k.can_run)},
      {"predict_us", reinterpret_cast<const void *>(k.predict_us)},
      {"workspace", reinterpret_cast<const void *>(k.workspace)},
      {"prepare", reinterpret_cast<const void *>(k.prepare)},
      {"launch", reinterpret_cast<const void *>(k.launch)},
      {"algorithms", reinterpret_cast<const void *>(k.algorithms)}};
  for (const auto &f : functions) {
    Dl_info object;
    if (f.second != nullptr && dladdr(f.second, &object) == 0)
      plugin->fault(of(f.first) + " points at nothing that is loaded");
  }
  if (sound) check_fields(k, [&](std::string fault) { plugin->fault(called + ": " + fault); });
  plugin->name_kernel(name, renamed ? aliases.c_str() : nullptr, taken.get());
  plugin->kernels.push_back(std::move(taken));
}

// Asks the plugin for its table; nullptr and a fault where it has none.
const gpuopt_plugin *ask(gpuopt_plugin_query query, Plugin *plugin) {
  char words[512] = "";
  gpuopt_host host = {};
  host.struct_size = sizeof host;
  host.abi_major = GPUOPT_PLUGIN_ABI_MAJOR;
  host.abi_minor = GPUOPT_PLUGIN_ABI_MINOR;
  host.version = gpuopt_version();
  host.error = words;
  host.error_bytes = sizeof words;
  const gpuopt_plugin *table = nullptr;
  try {
    const CallbackScope application;
    table = query(&host);
  }
  GPUOPT_CATCH_ALL {
    fail_caught(kQuery);
    return plugin->fault(gpuopt_last_error()), nullptr;
  }
  words[sizeof words - 1] = 0;
  if (table == nullptr)
    plugin->fault(std::string(kQuery) + " refuses this host" +
                  (*words ? std::string(": ") + words : ", without a word"));
  return table;
}

// The table's own fields; then the kernels can be looked at.
bool take_table(const gpuopt_plugin &t, Plugin *plugin) {
  if (t.abi_major != GPUOPT_PLUGIN_ABI_MAJOR) {
    plugin->fault("its abi_major is " + std::to_string(t.abi_major) + ", this library's is " +
                  std::to_string(GPUOPT_PLUGIN_ABI_MAJOR));
    return false;
  }
  if (t.name == nullptr)
    plugin->fault("the plugin's name is NULL");
  else if (take_text("the plugin's name", t.name, kLongestPluginName + 1, plugin, &plugin->name))
    if (const char *wrong = name_fault(plugin->name))
      plugin->fault("the plugin's name " + quoted(plugin->name) + " " + wrong);
  if (t.version != nullptr &&
      take_text("the plugin's version", t.version, kLongestVersion + 1, plugin, &plugin->version))
    if (!std::all_of(plugin->version.begin(), plugin->version.end(), [](char c) { return c >= ' ' && c <= '~'; }))
      plugin->fault("the plugin's version has characters that do not print");
  constexpr size_t version_1 = offsetof(gpuopt_kernel, aliases);
  const bool counted = t.kernel_count > 0 && t.kernel_count <= kMostRows;
  const bool stepped =
      t.kernel_stride >= version_1 && t.kernel_stride <= 4096 && t.kernel_stride % alignof(gpuopt_kernel) == 0;
  if (!counted) plugin->fault("kernel_count=" + std::to_string(t.kernel_count) + " is not within 1 and 4096");
  if (!stepped)
    plugin->fault("kernel_stride=" + std::to_string(t.kernel_stride) + " is not the size of a gpuopt_kernel (" +
                  std::to_string(version_1) + " bytes or more)");
  if (t.kernels == nullptr) plugin->fault("kernels is NULL");
  return counted && stepped && t.kernels != nullptr;
}

// Of a file that is cut short, and of one that is no plugin, nothing may run.
bool is_sound_object(Plugin *plugin) {
  MappedFile file;
  ElfFile elf;
  std::string fault = file.open(plugin->path, SIZE_MAX);
  if (fault.empty()) fault = elf.open(file.bytes());
  if (!fault.empty()) return plugin->fault("it cannot be loaded: " + fault), false;
  if (elf.may_export(kQuery)) return true;
  return plugin->fault(std::string("it exports no ") + kQuery + ": it is no plugin, or one for another interface"),
         false;
}

}  // namespace

void read_shared_object(Plugin *plugin) {
  if (!is_sound_object(plugin)) return;
  void *object;
  {
    const CallbackScope application;  // what it runs by itself
    object = dlopen(plugin->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (object == nullptr) {
    const char *const words = dlerror();
    return plugin->fault(std::string("it cannot be loaded: ") + (words ? words : "no reason given"));
  }
  // From here on it stays in the process, refused or not: its code may be running.
  const auto query = reinterpret_cast<gpuopt_plugin_query>(dlsym(object, kQuery));
  if (query == nullptr) return plugin->fault(std::string("it has no ") + kQuery);
  const gpuopt_plugin *const given = ask(query, plugin);
  gpuopt_plugin table = {};
  if (given == nullptr || !take_struct("the plugin's table", given, sizeof table, plugin, &table)) return;
  if (!take_table(table, plugin)) return;
  for (size_t i = 0; i < table.kernel_count; ++i) {
    const std::string where = "kernel " + std::to_string(i);
    const char *const at = reinterpret_cast<const char *>(table.kernels) + i * table.kernel_stride;
    gpuopt_kernel k = {};
    if (!take_struct(where.c_str(), at, offsetof(gpuopt_kernel, aliases), plugin, &k)) continue;
    size_t size;
    std::memcpy(&size, at, sizeof size);
    if (size > table.kernel_stride)
      plugin->fault(where + ": struct_size=" + std::to_string(size) + " is more than kernel_stride");
    else
      take_kernel(k, where, plugin);
  }
}

}  // namespace gpuopt
