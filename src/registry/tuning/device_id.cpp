#include "tuning/device_id.h"

#include <tuple>

#include "facts.h"

namespace gpuopt {
namespace {

// Letters, digits, points and hyphens; every run of anything else is one underscore.
std::string one_word(const char *name) {
  std::string word;
  for (; *name; ++name) {
    const char c = *name;
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (plain)
      word += c;
    else if (!word.empty() && word.back() != '_')
      word += '_';
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  return word.empty() ? "unnamed" : word;
}

}  // namespace

DeviceId device_id(const gpuopt_device_facts &facts) {
  DeviceId id;
  id.name = one_word(facts.name);
  if (facts.cc != 0) {
    id.cc = facts.cc;
    id.sm_count = facts.sm_count;
  } else {
    id.isa = facts.cpu_isa;
    id.threads = facts.cpu_threads;
  }
  return id;
}

std::string DeviceId::text() const {
  return "device=" + name +
         (cc != 0 ? " cc=" + std::to_string(cc) + " sm=" + std::to_string(sm_count)
                  : std::string(" isa=") + isa_name(isa) + " threads=" + std::to_string(threads));
}

bool operator==(const DeviceId &a, const DeviceId &b) {
  return std::tie(a.cc, a.sm_count, a.isa, a.threads, a.name) == std::tie(b.cc, b.sm_count, b.isa, b.threads, b.name);
}

}  // namespace gpuopt
