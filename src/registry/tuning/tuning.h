// What is tuned for one device: the user's table, and behind it the one that the library carries.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "registry.h"
#include "tuning/table_source.h"

namespace gpuopt {

// What can be wrong with what an entry chooses, whatever the call.
enum class TargetFault : uint8_t { none, unknown_kernel, other_op, other_version, algorithm };

struct TunedKernels {
  const gpuopt_kernel *kernel = nullptr, *second = nullptr;
  TargetFault fault = TargetFault::none;
};
TunedKernels resolve(const TuneTarget &target, const Snapshot &kernels);  // does not allocate
// "version=1: gemm_naive is of version 2", for a target with that fault.
std::string fault_text(const TuneTarget &target, TargetFault fault, const Snapshot &kernels);

// An entry that speaks of a problem.
struct TunedEntry {
  const TuneTarget *target;
  const std::string *table;  // its name
  uint32_t line;
  uint8_t kind;
  bool shipped;  // with the library: tuned elsewhere, by another release of a vendor's library, maybe
  bool is_class() const { return kind == GPUOPT_TUNE_CLASS; }
  std::string where() const { return *table + ":" + std::to_string(line); }
};

// A problem whose times a table has, and how far it is from the one at hand.
struct NearMeasured {
  const TuneTable *table;
  const std::string *name;  // the table's
  const TuneTable::Measured *measured;
  float *off;  // of each of its times: the logarithm of it over the prediction, where it is known, else not a number
  float distance2;
};

class Tuning {
 public:
  static constexpr int kMostEntries = 4;  // of one problem: exact and class of each table
  static constexpr int kMostNear = 8;
  static constexpr const char *kNone = "none";

  // As the setting says: a file's path; "" for what the library carries alone; "none" for nothing. Faults of the file are
  // warnings, each of one line.
  Tuning() = default;
  Tuning(const std::string &setting, const gpuopt_device_facts &device, const Snapshot &kernels,
         std::vector<std::string> *warnings);
  // The same tables for another device.
  Tuning(const Tuning &other, const gpuopt_device_facts &device);

  // The entries for the problem, the one that counts first. Does not allocate.
  int find(const gpuopt_problem &problem, TunedEntry (&out)[kMostEntries]) const;
  // The measured problems nearest to it, the nearest first, of both tables; none that is farther than farthest2. Does not
  // allocate.
  int nearest(const gpuopt_problem &problem, float farthest2, NearMeasured (&out)[kMostNear]) const;
  const TableHold &shipped() const { return tables_[1]; }
  size_t entry_count(int table) const { return devices_[table] < 0 ? 0 : count_[table]; }  // of the device

 private:
  bool speaks_of(const gpuopt_problem &problem) const;
  void bind(const gpuopt_device_facts &device);
  void warn_of_table(const DeviceId &id, const Snapshot &kernels, std::vector<std::string> *warnings) const;

  bool use_shipped_ = false;
  TableHold tables_[2];            // the user's, the shipped one
  int32_t devices_[2] = {-1, -1};  // the device's index there
  // Of each time the logarithm of it over what its kernel predicts on this device, once somebody has asked; not a number before.
  // A handle is in one call at a time.
  mutable std::vector<float> off_[2];
  size_t count_[2] = {0, 0};
};

}  // namespace gpuopt
