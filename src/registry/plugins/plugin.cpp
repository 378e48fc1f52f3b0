#include "plugins/plugin.h"

#include "descriptor.h"
#include "text.h"

namespace gpuopt {
namespace {
constexpr size_t kMostFaults = 200;
}

void Plugin::fault(std::string text) {
  if (faults_.size() < kMostFaults) faults_.push_back(std::move(text));
  if (faults_.size() == kMostFaults) faults_.back() = "and more; what follows is left out";
}

void Plugin::name_kernel(const std::string &kernel, const char *former_names, PluginKernel *out) {
  const auto full = [&](std::string_view own, const char *what) {
    const std::string whole = "plugin:" + name + "/" + std::string(own);
    if (const char *wrong = name_fault(own))
      fault(std::string(what) + " " + quoted(own) + " " + wrong);
    else if (whole.size() > kLongestName)
      fault(whole + " is longer than 96 characters");
    return whole;
  };
  out->name = full(kernel, "the kernel's name");
  out->kernel.name = out->name.c_str();
  out->kernel.aliases = nullptr;
  if (former_names == nullptr) return;
  gpuopt_kernel k = {};
  k.aliases = former_names;
  for_each_alias(k, [&](std::string_view alias) {
    out->aliases += (out->aliases.empty() ? "" : ",") + full(alias, "the kernel's former name");
  });
  out->kernel.aliases = out->aliases.c_str();
}

}  // namespace gpuopt
