// The rules that a descriptor keeps before the registry takes it.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "gpuopt/kernel.h"

namespace gpuopt {

constexpr size_t kLongestName = 96, kMostRows = 4096, kLongestSummary = 1000;

// What is wrong with a name of a kernel or a plugin, or nullptr: 1 to 96 of [a-z0-9_].
const char *name_fault(std::string_view name);

// Tells add of every rule of its fields, names aside, that the descriptor breaks. Its tables can be read.
void check_fields(const gpuopt_kernel &kernel, const std::function<void(std::string)> &add);

// Calls fn(std::string_view) for each former name, in order; empty ones too.
template <class Function>
void for_each_alias(const gpuopt_kernel &k, Function &&fn) {
  if (k.aliases == nullptr) return;
  std::string_view rest = k.aliases;
  for (size_t comma; (comma = rest.find(',')) != std::string_view::npos; rest.remove_prefix(comma + 1))
    fn(rest.substr(0, comma));
  fn(rest);
}

}  // namespace gpuopt
