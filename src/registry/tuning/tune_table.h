// The entries of one tuned-choice file, found by device and key without allocating. Made once, never changed.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tuning/measured.h"
#include "tuning/tune_text.h"

namespace gpuopt {

// What entries choose. All entries of a device that choose the same share one.
struct TuneTarget {
  std::string kernel, second, algorithm;
  int32_t version, second_version;
  uint32_t device;      // index into TuneTable::devices()
  uint8_t op;           // of the entries
  uint32_t line, uses;  // of the first entry; how many there are
  std::string name() const { return second.empty() ? kernel : kernel + "+" + second; }
};

class TuneTable {
 public:
  static constexpr size_t kMostBytes = size_t{16} << 20, kMostEntries = 65536, kMostMeasured = 4096, kMostFaults = 8;

  struct Fault {
    size_t line;
    std::string text;
  };
  struct Entry {
    uint64_t hash;
    uint32_t key;           // index of its first word
    uint32_t target, line;  // target: of kind kTuneMeasured the index in measured()
    uint16_t device;
    uint8_t kind;
  };
  struct Time {
    uint32_t target;
    float us;
  };
  struct Measured {
    TunePoint point;
    uint32_t key, line;          // key: index of its first word
    uint32_t first_time, times;  // in times()
  };

  // text: a whole file of at most kMostBytes. What cannot be taken is a fault; all else is an entry.
  explicit TuneTable(std::string_view text);

  // Lines that were not taken: the first of them, and how many there are.
  const std::vector<Fault> &faults() const { return faults_; }
  size_t fault_count() const { return fault_count_; }
  const std::vector<DeviceId> &devices() const { return devices_; }
  const std::vector<TuneTarget> &targets() const { return targets_; }
  size_t entry_count() const { return entries_.size(); }

  int32_t find_device(const DeviceId &id) const;                 // -1: no entry is of it
  const Entry *find(const TuneKey &key, uint32_t device) const;  // or nullptr
  const TuneTarget &target(const Entry &e) const { return targets_[e.target]; }
  const std::vector<Measured> &measured() const { return measured_; }
  const std::vector<Time> &times() const { return times_; }
  TuneKey key(const Measured &m) const;

 private:
  using Indices = std::unordered_map<std::string, uint32_t>;  // of devices and targets by their text, while it is made

  void fault(size_t line, std::string text);
  void read_line(std::string_view line, size_t number, Indices *known);
  void add(const TuneLine &entry, size_t number, Indices *known);
  uint32_t target_of(const TuneLine &entry, const TuneChoice &choice, uint32_t device, uint32_t line, Indices *known);
  Measured measured_of(const TuneLine &entry, uint32_t first_word, uint32_t device, uint32_t line, Indices *known);
  size_t slot_of(const TuneKey &key, uint32_t device, uint64_t hash) const;
  void grow();

  std::vector<Fault> faults_;
  size_t fault_count_ = 0;
  std::vector<DeviceId> devices_;
  std::vector<TuneTarget> targets_;
  std::vector<Entry> entries_;
  std::vector<Measured> measured_;
  std::vector<Time> times_;
  std::vector<uint64_t> words_;  // of the entries' keys
  std::vector<uint32_t> slots_;  // 1 + index of an entry, or 0; a power of two of them, at most half in use
};

}  // namespace gpuopt
