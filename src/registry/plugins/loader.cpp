#include "plugins/loader.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "api_scope.h"
#include "environment.h"
#include "error.h"
#include "fork.h"
#include "plugins/plugin.h"
#include "plugins/trusted_path.h"
#include "registry.h"
#include "text.h"

namespace gpuopt {
namespace {

// What the process has of plugins, for good: files that are loaded, and their descriptors. Guarded by loading_lock().
struct Loaded {
  std::set<std::string> files;
  std::vector<std::unique_ptr<PluginKernel>> kernels;
};
Loaded &loaded() {
  static Loaded *all = nullptr;  // never freed: descriptors live forever
  if (all == nullptr) all = new Loaded;
  return *all;
}

// One load at a time. A plugin that is being loaded runs code of its own, which may come back here.
class Turn {
 public:
  Turn() : again_(under_way) {
    if (again_) return;
    lock_ = std::unique_lock<std::mutex>(loading_lock());
    under_way = true;
  }
  ~Turn() {
    if (!again_) under_way = false;
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;
  bool is_mine() const { return !again_; }

 private:
  static __thread bool under_way;
  const bool again_;
  std::unique_lock<std::mutex> lock_;
};
__thread bool Turn::under_way = false;

constexpr const char *kRaised = "this program has privileges that its user has not (setuid, setgid or capabilities)";
constexpr const char *kAgain = "it is asked for by a plugin that is itself being loaded";

void read_plugin(Plugin *plugin) {
  constexpr std::string_view manifest = ".gpuopt";
  const std::string &path = plugin->path;
  const bool is_manifest =
      path.size() > manifest.size() && path.compare(path.size() - manifest.size(), manifest.size(), manifest) == 0;
  is_manifest ? read_image_manifest(plugin) : read_shared_object(plugin);
}

std::vector<const gpuopt_kernel *> kernels_of(const Plugin &plugin) {
  std::vector<const gpuopt_kernel *> kernels;
  for (const auto &k : plugin.kernels) kernels.push_back(&k->kernel);
  return kernels;
}

std::string and_more(size_t faults) {
  return faults > 1 ? " (and " + std::to_string(faults - 1) + " more faults: gpuopt plugin check)" : "";
}

std::string contents_text(const Plugin &p) {
  return p.name + (p.version.empty() ? "" : " " + p.version) + " with " + std::to_string(p.kernels.size()) +
         (p.kernels.size() == 1 ? " kernel" : " kernels");
}

// Everything that is wrong with it, its names among those of the process included.
void look_at(Plugin *plugin, bool only_look) {
  read_plugin(plugin);
  const auto add = [&](std::string fault) { plugin->fault(std::move(fault)); };
  if (only_look) register_plugin(kernels_of(*plugin), intern(plugin->path), true, add);
}

// Loads one file: true, or its faults say why not. The process keeps it only where memory suffices for all of it.
bool take_in(Plugin *plugin) {
  look_at(plugin, false);
  if (!plugin->faults().empty()) return false;
  Loaded &all = loaded();
  all.kernels.reserve(all.kernels.size() + plugin->kernels.size());
  const auto place = all.files.insert(plugin->path).first;
  bool taken = false;
  try {
    taken = register_plugin(kernels_of(*plugin), intern(plugin->path), false,
                            [&](std::string fault) { plugin->fault(std::move(fault)); });
  }
  GPUOPT_CATCH_ALL {
    all.files.erase(place);
    throw;
  }
  if (!taken) return all.files.erase(place), false;
  for (auto &k : plugin->kernels) all.kernels.push_back(std::move(k));
  return true;
}

// What was refused, and the first reason.
struct Refusals {
  size_t count = 0;
  std::string first;
};

void refuse(const std::string &path, const std::string &why, Log *log, Refusals *refusals) {
  if (refusals->count++ == 0) refusals->first = path + ": " + why;
  if (log->on(kWarn)) log->line("plugin", {path, "refused", sentence(why)});
}

void load_file(const std::string &file, Log *log, Refusals *refusals) {
  TrustedPath found;
  const std::string fault = find_trusted(file, &found);
  if (!fault.empty()) return refuse(file, fault, log, refusals);
  if (found.is_folder) return refuse(found.path, "it is a folder", log, refusals);
  if (loaded().files.count(found.path)) return;
  Plugin plugin(found.path);
  if (take_in(&plugin)) {
    if (log->on(kWarn)) log->line("plugin", {plugin.path, "loaded", sentence(contents_text(plugin))});
    return;
  }
  refuse(plugin.path, plugin.faults()[0] + and_more(plugin.faults().size()), log, refusals);
}

void load_path(const std::string &path, Log *log, Refusals *refusals) {
  TrustedPath found;
  std::string fault = find_trusted(path, &found);
  if (!fault.empty() || !found.is_folder) return load_file(path, log, refusals);
  std::vector<std::string> files;
  if (!(fault = list_plugins(found.path, &files)).empty()) return refuse(found.path, fault, log, refusals);
  for (const std::string &file : files) load_file(file, log, refusals);
}

// The paths in turn, none of which keeps the others from being loaded.
gpuopt_status load_all(const std::string &where, const std::vector<std::string> &paths, Log *log) {
  const Turn turn;
  if (!turn.is_mine()) return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s", where.c_str(), kAgain);
  Refusals refusals;
  for (const std::string &path : paths) load_path(path, log, &refusals);
  if (refusals.count == 0) return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: refused: %s%s", where.c_str(), refusals.first.c_str(),
              refusals.count > 1 ? (", and " + std::to_string(refusals.count - 1) + " more files").c_str() : "");
}

gpuopt_status take_path(const char *where, const char *path) {
  if (path == nullptr) return fail(GPUOPT_INVALID_ARGUMENT, "%s is NULL", where);
  if (has_raised_privileges()) return fail(GPUOPT_INVALID_ARGUMENT, "%s: refused: %s", where, kRaised);
  return check_length(where, path);
}

// What gpuopt_check_plugin tells.
gpuopt_status find_faults(const char *where, const char *path, std::vector<std::string> *faults) {
  const Turn turn;
  if (!turn.is_mine()) return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s", where, kAgain);
  TrustedPath found;
  std::string fault = find_trusted(path, &found);
  if (fault.empty() && found.is_folder) fault = found.path + " is a folder";
  Plugin plugin(found.path);
  if (fault.empty())
    look_at(&plugin, true);
  else
    plugin.fault(fault);
  *faults = plugin.faults();
  return GPUOPT_OK;
}

void tell(gpuopt_fault_fn fn, void *user, const char *fault) try {
  const CallbackScope application;
  if (fn) fn(user, fault);
}
GPUOPT_CATCH_ALL { throw_foreign(GPUOPT_INVALID_ARGUMENT, "fn"); }

}  // namespace

gpuopt_status load_plugins(const std::string &where, const std::string &path, Log *log) {
  return load_all(where, {path}, log);
}

gpuopt_status load_plugin_list(const std::string &where, const std::string &list, Log *log) {
  std::vector<std::string> paths;
  for (size_t begin = 0, end; begin <= list.size(); begin = end + 1) {
    end = std::min(list.find(':', begin), list.size());
    if (end == begin)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s=%s has an empty path: nothing is loaded from the current folder",
                  where.c_str(), quoted(list).c_str());
    paths.push_back(list.substr(begin, end - begin));
  }
  return load_all(where, paths, log);
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_load_plugin(const char *path) try {
  const ApiScope scope;
  const RegistryUser user;
  constexpr const char *where = "gpuopt_load_plugin: path";
  if (const gpuopt_status s = take_path(where, path)) return s;
  Settings environment;
  read_log_settings(GPUOPT_OPTIONS_INIT, &environment);
  Log log;
  open_log(environment, &log);
  return load_plugins(where, path, &log);
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_load_plugin"); }

gpuopt_status gpuopt_check_plugin(const char *path, gpuopt_fault_fn fn, void *user) try {
  const ApiScope scope;
  const RegistryUser registry_user;
  constexpr const char *where = "gpuopt_check_plugin: path";
  if (const gpuopt_status s = take_path(where, path)) return s;
  std::vector<std::string> faults;
  if (const gpuopt_status s = find_faults(where, path, &faults)) return s;
  for (const std::string &text : faults) tell(fn, user, text.c_str());
  if (faults.empty()) return GPUOPT_OK;
  return fail(GPUOPT_INVALID_ARGUMENT, "%s: %s: %s%s", where, path, faults[0].c_str(), and_more(faults.size()).c_str());
}
GPUOPT_CATCH_ALL { return fail_caught("gpuopt_check_plugin"); }

}  // extern "C"
