#include "tuning/tuning.h"

#include <limits>

#include "problem.h"
#include "text.h"

namespace gpuopt {
namespace {

constexpr size_t kMostWarnings = 8;  // of one kind

std::string at_line(const TableHold &table, size_t line) { return table.name() + ":" + std::to_string(line) + ": "; }

std::string version_text(const gpuopt_kernel &kernel, const gpuopt_kernel *second) {
  return std::string(kernel.name) + " is of version " + std::to_string(kernel.version) +
         (second ? std::string(" and ") + second->name + " of version " + std::to_string(second->version) : "");
}

}  // namespace

TunedKernels resolve(const TuneTarget &t, const Snapshot &kernels) {
  TunedKernels found;
  const bool two = !t.second.empty();
  found.kernel = find_kernel(kernels, t.kernel);
  found.second = two ? find_kernel(kernels, t.second) : nullptr;
  const gpuopt_kernel *const first = found.kernel, *const second = found.second;
  if (first == nullptr || (two && second == nullptr))
    found.fault = TargetFault::unknown_kernel;
  else if (first->op != t.op || (two && (t.op != GPUOPT_OP_GEMM || second->op != GPUOPT_OP_FUSED_ACT)))
    found.fault = TargetFault::other_op;
  else if (first->version != t.version || (two && second->version != t.second_version))
    found.fault = TargetFault::other_version;
  else if (!t.algorithm.empty() && first->algorithms == nullptr)
    found.fault = TargetFault::algorithm;
  return found;
}

std::string fault_text(const TuneTarget &t, TargetFault fault, const Snapshot &kernels) {
  const TunedKernels found = resolve(t, kernels);
  const std::string kernel = "kernel=" + std::string(prefix(t.name(), 200)) + ": ";
  switch (fault) {
    case TargetFault::unknown_kernel: {
      const bool first = found.kernel == nullptr;
      const std::string name(prefix(first ? t.kernel : t.second, 96));
      return kernel + "no kernel is named " + quoted(name) +
             "; nearest: " + nearest_names(kernels, name, first ? t.op : static_cast<int32_t>(GPUOPT_OP_FUSED_ACT));
    }
    case TargetFault::other_op:
      return kernel + (t.second.empty() ? std::string("it is no kernel of ") + gpuopt_op_name(t.op)
                                        : "two steps are a kernel of gemm and one of fused_act, for a gemm");
    case TargetFault::other_version:
      return "version=" + std::to_string(t.version) + (t.second.empty() ? "" : "+" + std::to_string(t.second_version)) +
             ": " + version_text(*found.kernel, found.second) + ", so it must be tuned again";
    case TargetFault::algorithm:
      return "algorithm=" + std::string(prefix(t.algorithm, 96)) + ": " + t.name() + " offers no algorithms";
    case TargetFault::none:
      break;
  }
  return "";
}

Tuning::Tuning(const std::string &setting, const gpuopt_device_facts &device, const Snapshot &kernels,
               std::vector<std::string> *warnings)
    : use_shipped_(setting != kNone) {
  if (use_shipped_ && !setting.empty()) {
    std::string fault;
    tables_[0] = table_of_file(setting, &fault);
    if (!fault.empty()) warnings->push_back(std::string(prefix(setting, 512)) + " " + fault);
  }
  bind(device);
  if (tables_[0]) warn_of_table(device_id(device), kernels, warnings);
}

Tuning::Tuning(const Tuning &other, const gpuopt_device_facts &device) : use_shipped_(other.use_shipped_) {
  tables_[0] = other.tables_[0];
  bind(device);
}

void Tuning::bind(const gpuopt_device_facts &device) {
  const DeviceId id = device_id(device);
  if (use_shipped_) tables_[1] = shipped_table(id.name);
  for (int i = 0; i < 2; ++i) {
    if (!tables_[i]) continue;
    devices_[i] = tables_[i]->find_device(id);
    off_[i].assign(devices_[i] < 0 ? 0 : tables_[i]->times().size(), std::numeric_limits<float>::quiet_NaN());
    for (const TuneTarget &t : tables_[i]->targets())
      if (static_cast<int32_t>(t.device) == devices_[i]) count_[i] += t.uses;
  }
}

// Of the user's file: lines that could not be taken, entries of other devices, and what is chosen by entries of this one
// and is not there as it was when it was tuned.
void Tuning::warn_of_table(const DeviceId &id, const Snapshot &kernels, std::vector<std::string> *warnings) const {
  const TableHold &table = tables_[0];
  for (const TuneTable::Fault &f : table->faults()) warnings->push_back(at_line(table, f.line) + f.text);
  if (table->fault_count() > table->faults().size())
    warnings->push_back(table.name() + ": " + std::to_string(table->fault_count() - table->faults().size()) +
                        " more lines could not be taken");
  const TuneTarget *foreign = nullptr;
  size_t foreign_entries = 0, stale = 0, stale_entries = 0;
  for (const TuneTarget &t : table->targets()) {
    if (t.uses == 0) continue;
    if (static_cast<int32_t>(t.device) != devices_[0]) {
      if (foreign == nullptr) foreign = &t;
      foreign_entries += t.uses;
      continue;
    }
    const TargetFault fault = resolve(t, kernels).fault;
    if (fault == TargetFault::none) continue;
    if (++stale > kMostWarnings)
      stale_entries += t.uses;
    else
      warnings->push_back(at_line(table, t.line) + fault_text(t, fault, kernels) +
                          "; entries: " + std::to_string(t.uses));
  }
  if (stale > kMostWarnings)
    warnings->push_back(table.name() + ": " + std::to_string(stale_entries) +
                        " more entries choose kernels that are not there as they were tuned");
  if (foreign)
    warnings->push_back(at_line(table, foreign->line) +
                        std::string(prefix(table->devices()[foreign->device].text(), 200)) + ": the handle's is " +
                        id.text() + "; entries of other devices: " + std::to_string(foreign_entries));
}

// Host data on a GPU's handle is the CPU's, of which nothing is known here; and what has no output is run by nothing.
bool Tuning::speaks_of(const gpuopt_problem &p) const {
  if (devices_[0] < 0 && devices_[1] < 0) return false;
  return !(p.device->cc != 0 && p.space == GPUOPT_SPACE_HOST) && !is_empty(p);
}

int Tuning::find(const gpuopt_problem &p, TunedEntry (&out)[kMostEntries]) const {
  if (!speaks_of(p)) return 0;
  const TuneKey exact = exact_key(p), widened = class_of(exact);
  int count = 0;
  for (int i = 0; i < 2; ++i) {
    if (devices_[i] < 0) continue;
    for (const TuneKey *key : {&exact, &widened})
      if (const TuneTable::Entry *e = tables_[i]->find(*key, static_cast<uint32_t>(devices_[i])))
        out[count++] = {&tables_[i]->target(*e), &tables_[i].name(), e->line, e->kind, i == 1};
  }
  return count;
}

namespace {

bool is_of_another(const TuneTable *table, TunePoint point, const NearMeasured *near, int count) {
  for (int i = 0; i < count; ++i) {
    if (near[i].table == table) continue;
    point.device = near[i].measured->point.device;  // tables count their devices each for itself
    if (distance2(point, near[i].measured->point) == 0) return true;
  }
  return false;
}

}  // namespace

int Tuning::nearest(const gpuopt_problem &p, float farthest2, NearMeasured (&out)[kMostNear]) const {
  int count = 0;
  if (!speaks_of(p)) return count;
  const TuneKey key = exact_key(p);
  for (int i = 0; i < 2; ++i) {
    if (devices_[i] < 0) continue;
    const TunePoint here = point_of(key, static_cast<uint32_t>(devices_[i]));
    for (const TuneTable::Measured &m : tables_[i]->measured()) {
      const float distance = distance2(here, m.point);
      if (distance > farthest2 || (count == kMostNear && distance >= out[count - 1].distance2)) continue;
      if (i == 1 && is_of_another(tables_[1].operator->(), m.point, out, count))
        continue;  // the user has measured it himself
      int at = count < kMostNear ? count++ : count - 1;
      for (; at > 0 && distance < out[at - 1].distance2; --at) out[at] = out[at - 1];
      out[at] = {tables_[i].operator->(), &tables_[i].name(), &m, &off_[i][m.first_time], distance};
    }
  }
  return count;
}

}  // namespace gpuopt
