#include "sass.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "commands.h"
#include "gpuopt/kernel.h"
#include "nearest.h"
#include "occupancy.h"
#include "program.h"
#include "text.h"
#include "verdicts.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

// The file that the library's code is in: this program, or the shared library.
std::string file_of_library() {
  Dl_info info;
  const bool known = dladdr(reinterpret_cast<const void *>(&gpuopt_version), &info) != 0 && info.dli_fname &&
                     std::strstr(info.dli_fname, ".so") != nullptr;
  return known ? info.dli_fname : own_program();
}

const gpuopt_kernel &find_kernel(const std::string &name) {
  if (const gpuopt_kernel *k = gpuopt_kernel_find(name.c_str())) return *k;
  std::vector<std::string> names;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) names.push_back(gpuopt_kernel_get(i)->name);
  reject_word("--sass", name,
              "must be a kernel; nearest: " + nearest_word(name, names) +
                  (has_cuda_kernels() ? "" : "; this build has no CUDA kernels"));
}

// Of a dump of several files and architectures the sections with code of this architecture, sm_90 and sm_90a alike.
class Filter {
 public:
  explicit Filter(int32_t cc) : arch_("arch = sm_" + std::to_string(cc)) {}
  void take(const std::string &line) {
    // It warns of each file that has none of the functions.
    if (line.compare(0, 10, "cuobjdump ") == 0) {
      if (line.find("warning") == std::string::npos) std::fprintf(stderr, "%s\n", line.c_str());
      return;
    }
    if (line.compare(0, 6, "Fatbin") == 0) {
      head_.clear();
      wanted_ = open_ = false;
    }
    if (line.compare(0, 7, "arch = ") == 0) wanted_ = line == arch_ || line == arch_ + "a";
    if (!open_ && wanted_ && line.find("Function :") != std::string::npos) {
      std::fputs(head_.c_str(), stdout);
      open_ = shown_ = true;
    }
    if (open_)
      std::printf("%s\n", line.c_str());
    else
      head_ += line + "\n";
  }
  bool shown() const { return shown_; }

 private:
  std::string arch_, head_;
  bool wanted_ = false, open_ = false, shown_ = false;
};

int fail(const std::string &why) {
  std::fprintf(stderr, "gpuopt list: %s\n", why.c_str());
  return kFailure;
}

}  // namespace

int list_sass(const std::string &name, const std::string &pretend) {
  const gpuopt_kernel &k = find_kernel(name);
  if (k.flags & GPUOPT_KERNEL_HOST) return fail(std::string(k.name) + " runs on the CPU: it has no SASS");
  const gpuopt_device_facts device = occupancy_device(pretend);
  std::string entries;
  int32_t cc = 0;
  for (size_t i = 0; i < k.resource_count; ++i) {
    gpuopt_occupancy entry = GPUOPT_OCCUPANCY_INIT;
    if (gpuopt_kernel_occupancy(&k, &device, i, &entry) != GPUOPT_OK) continue;
    entries += (entries.empty() ? "" : ",") + std::string(entry.entry);
    cc = entry.compiled_cc;
  }
  if (entries.empty())
    return fail(std::string(k.name) + " has no machine code of its own for sm_" + std::to_string(device.cc) +
                " in this build");
  const std::string program = find_program("cuobjdump");
  if (program.empty()) return fail(found_nowhere("cuobjdump of the CUDA toolkit"));
  Filter filter(cc);
  const int code = run_lines({program, "-sass", "-fun", entries, file_of_library()},
                             [&](const std::string &line) { filter.take(line); });
  if (code != 0) return fail(program + " failed with exit code " + std::to_string(code));
  return filter.shown() ? kOk : fail(program + " shows no code of " + k.name + " for sm_" + std::to_string(cc));
}

}  // namespace gpuopt_cli
