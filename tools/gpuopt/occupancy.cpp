#include "occupancy.h"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>

#include "commands.h"
#include "gpuopt/kernel.h"
#include "json.h"
#include "text.h"
#include "verdicts.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

// "void gpuopt::tiled<float, 32>(int)" as "tiled<float, 32>".
std::string entry_text(const char *mangled) {
  int status = 0;
  char *demangled = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : mangled;
  std::free(demangled);
  int depth = 0;  // the parameters begin at the first ( that is outside of template arguments
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && name.compare(i, 10, "(anonymous") != 0) {
      name.resize(i);
      break;
    }
  }
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  for (size_t at; (at = name.find("gpuopt::")) != std::string::npos;) name.erase(at, 8);
  return name;
}

// Is the kernel made for this device at all?
bool is_for(const gpuopt_kernel &k, int32_t cc) {
  return k.cc_exact ? k.cc_exact == cc : cc >= k.cc_min && (k.cc_max == 0 || cc <= k.cc_max);
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

class Output {
 public:
  explicit Output(bool markdown)
      : markdown_(markdown),
        table_({"kernel", "entry", "code", "registers", "static smem", "dynamic smem", "threads", "blocks/SM",
                "warps/SM", "occupancy", "limiter"}) {
    for (size_t column = 3; column <= 9; ++column) table_.align_right(column);
  }

  void add(const gpuopt_kernel &k, const gpuopt_occupancy &o) {
    const std::string entry = entry_text(o.entry);
    table_.add({quoted(k.name), quoted(entry), "sm_" + std::to_string(o.compiled_cc), std::to_string(o.registers),
                std::to_string(o.static_smem), std::to_string(o.dynamic_smem), std::to_string(o.threads),
                std::to_string(o.blocks_per_sm), std::to_string(o.warps_per_sm), percent(o.occupancy),
                limiter_text(o.limiter)});
    Json json = {{"kernel", k.name}, {"entry", entry}, {"compiled_cc", o.compiled_cc}};
    json.update(resources_json(o));
    json.update({{"warps_per_sm", o.warps_per_sm}, {"occupancy", o.occupancy}, {"limiter", limiter_text(o.limiter)}});
    json_.push_back(std::move(json));
  }

  void add(const gpuopt_kernel &k, const char *why) {
    table_.add({quoted(k.name), why, "-", "-", "-", "-", "-", "-", "-", "-", "-"});
    json_.push_back({{"kernel", k.name}, {"error", why}});
  }

  void print(const gpuopt_device_facts &device, bool json) const {
    if (json) {
      print_json({{"device", device.name}, {"cc", device.cc}, {"entries", json_}});
      return;
    }
    std::printf("device: %s (sm_%d)%s", device.name, device.cc, markdown_ ? "\n\n" : "\n");
    if (markdown_)
      table_.print_markdown();
    else
      table_.print();
  }

 private:
  std::string quoted(const std::string &name) const { return markdown_ ? "`" + name + "`" : name; }
  bool markdown_;
  Table table_;
  Json json_ = Json::array();
};

}  // namespace

const char *limiter_text(int32_t limiter) {
  switch (limiter) {
    case GPUOPT_LIMIT_THREADS:
      return "threads";
    case GPUOPT_LIMIT_REGISTERS:
      return "registers";
    case GPUOPT_LIMIT_SHARED_MEMORY:
      return "shared memory";
    default:
      return "blocks";
  }
}

Json resources_json(const gpuopt_occupancy &o) {
  return {{"registers", o.registers},     {"static_smem", o.static_smem}, {"dynamic_smem", o.dynamic_smem},
          {"spill_bytes", o.spill_bytes}, {"threads", o.threads},         {"blocks_per_sm", o.blocks_per_sm}};
}

gpuopt_device_facts occupancy_device(const std::string &pretend) {
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  gpuopt_handle *handle = nullptr;
  if (pretend.empty() && gpuopt_create(&handle, nullptr) == GPUOPT_OK) {
    gpuopt_get_device(handle, &facts);
    gpuopt_destroy(handle);
    if (facts.cc != 0) return facts;
  }
  return parse_pretend(pretend.empty() ? "sm_90" : pretend);
}

int list_occupancy(const OccupancyOptions &o) {
  const gpuopt_device_facts device = occupancy_device(o.pretend);
  Output output(o.markdown);
  size_t count = 0;
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    if ((o.op && k.op != o.op) || !matches_kernel(o.kernel, k) || !is_for(k, device.cc)) continue;
    for (size_t r = 0; r < k.resource_count; ++r, ++count) {
      gpuopt_occupancy entry = GPUOPT_OCCUPANCY_INIT;
      if (gpuopt_kernel_occupancy(&k, &device, r, &entry) == GPUOPT_OK)
        output.add(k, entry);
      else
        output.add(k, gpuopt_last_error());
    }
  }
  if (count == 0) {
    std::fprintf(stderr, "gpuopt list: no entry function of a CUDA kernel matches on sm_%d%s\n", device.cc,
                 has_cuda_kernels() ? "" : ": this build has no CUDA kernels");
    return kFailure;
  }
  output.print(device, o.json);
  return kOk;
}

}  // namespace gpuopt_cli
