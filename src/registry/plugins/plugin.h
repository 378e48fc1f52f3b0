// What a plugin brings, as its two readers - of shared objects and of image manifests - hand it to the loader.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "gpuopt/kernel.h"

namespace gpuopt {

// A descriptor as the registry gets it, and what it points to that is not the plugin's own.
struct PluginKernel {
  gpuopt_kernel kernel = {};
  std::string name, aliases;
  PluginKernel() = default;
  PluginKernel(const PluginKernel &) = delete;
  virtual ~PluginKernel() = default;
};

class Plugin {
 public:
  explicit Plugin(std::string file) : path(std::move(file)) {}

  const std::string path;
  std::string name, version;
  std::vector<std::unique_ptr<PluginKernel>> kernels;

  // Everything that is wrong with it; of very much the first part, and a last one that says so.
  void fault(std::string text);
  const std::vector<std::string> &faults() const { return faults_; }

  // "plugin:<name>/<kernel>", told as a fault where it cannot be; former names likewise. Sets the kernel's.
  void name_kernel(const std::string &kernel, const char *former_names, PluginKernel *out);

 private:
  std::vector<std::string> faults_;
};

// Loads the object, asks and checks its table. Runs its code.
void read_shared_object(Plugin *plugin);

// Reads an image manifest and the images that it names.
void read_image_manifest(Plugin *plugin);

}  // namespace gpuopt
