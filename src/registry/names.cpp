// Names of kernels: globs, the names nearest to one that nothing has, and texts that live as long as the process.
#include <algorithm>
#include <mutex>
#include <set>

#include "fork.h"
#include "registry.h"

namespace gpuopt {

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
  const std::lock_guard<std::mutex> lock(lock_across_forks());
  if (interned == nullptr) interned = new std::set<std::string>;
  return interned->insert(text).first->c_str();
}

}  // namespace gpuopt
