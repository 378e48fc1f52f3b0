#include "tuning/tune_table.h"

#include <cstring>

#include "text.h"

namespace gpuopt {
namespace {

// The entries of one device lie apart from another's.
uint64_t hash_of(const TuneKey &key, uint32_t device) { return key.hash() + device * UINT64_C(0xD6E8FEB86659FD93); }

std::string_view without_comment(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

TuneTable::TuneTable(std::string_view text) {
  Indices known;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    ++number;
    if (end == std::string_view::npos) {
      // It may be the first half of one, and read as another kernel's name or version.
      fault(number, "the line has no end: the file was cut there");
      return;
    }
    text.remove_prefix(end + 1);
    if (number > 1) {
      read_line(line, number, &known);
    } else if (without_comment(line) != kTuneHeader) {
      const bool ours = line.substr(0, kTuneHeader.size() - 1) == kTuneHeader.substr(0, kTuneHeader.size() - 1);
      fault(1, quoted(line) +
                   (ours ? " is a format that this version does not know" : " does not begin a tuned-choice file") +
                   ": it begins with '" + std::string(kTuneHeader) + "'. Nothing of the file is used");
      return;
    }
  }
}

void TuneTable::fault(size_t line, std::string text) {
  ++fault_count_;
  if (faults_.size() < kMostFaults) faults_.push_back({line, std::move(text)});
}

void TuneTable::read_line(std::string_view line, size_t number, Indices *known) {
  if (line.size() > kLongestTuneLine) {
    fault(number, std::to_string(line.size()) + " bytes: a line has at most " + std::to_string(kLongestTuneLine));
    return;
  }
  line = without_comment(line);
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  TuneLine entry;
  std::string wrong = parse_tune_line(line, &entry);
  if (wrong.empty() && entries_.size() == kMostEntries)
    wrong = "it is one entry more than the " + std::to_string(kMostEntries) + " that a file may have";
  if (wrong.empty() && entry.key.kind == kTuneMeasured && measured_.size() == kMostMeasured)
    wrong = "it is one more than the " + std::to_string(kMostMeasured) + " measured problems that a file may have";
  if (wrong.empty())
    add(entry, number, known);
  else
    fault(number, std::move(wrong));
}

// Where the key's entry is, or the free slot that ends the search.
size_t TuneTable::slot_of(const TuneKey &key, uint32_t device, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = static_cast<size_t>(hash >> 32) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const Entry &e = entries_[slots_[at] - 1];
    // The first word tells how many there are.
    if (e.hash == hash && e.device == device && std::memcmp(&words_[e.key], &key, 8) == 0 &&
        std::memcmp(&words_[e.key], &key, 8 * key.words()) == 0)
      break;
  }
  return at;
}

void TuneTable::grow() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < entries_.size(); ++i) {
    size_t at = static_cast<size_t>(entries_[i].hash >> 32) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<uint32_t>(i + 1);
  }
}

uint32_t TuneTable::target_of(const TuneLine &e, const TuneChoice &c, uint32_t device, uint32_t line, Indices *known) {
  const std::string choice = std::string(c.kernel) + "+" + std::string(c.second) + " " + std::to_string(c.version) +
                             "+" + std::to_string(c.second_version) + " " + std::string(c.algorithm);
  const uint32_t target =
      known->emplace(e.device.text() + " " + std::to_string(e.key.op) + " " + choice, targets_.size()).first->second;
  if (target == targets_.size())
    targets_.push_back({std::string(c.kernel), std::string(c.second), std::string(c.algorithm), c.version,
                        c.second_version, device, e.key.op, line, 0});
  ++targets_[target].uses;
  return target;
}

TuneTable::Measured TuneTable::measured_of(const TuneLine &e, uint32_t first_word, uint32_t device, uint32_t line,
                                           Indices *known) {
  const Measured m = {point_of(e.key, device), first_word, line, static_cast<uint32_t>(times_.size()),
                      static_cast<uint32_t>(e.choices)};
  for (int i = 0; i < e.choices; ++i)
    times_.push_back({target_of(e, e.choice[i], device, line, known), e.choice[i].us});
  return m;
}

// Of two entries with one key the later counts: whoever adds to a file by hand adds at its end.
void TuneTable::add(const TuneLine &e, size_t number, Indices *known) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const auto line = static_cast<uint32_t>(number);
  const uint32_t device = known->emplace(e.device.text(), devices_.size()).first->second;
  if (device == devices_.size()) devices_.push_back(e.device);

  const bool measured = e.key.kind == kTuneMeasured;
  const uint64_t hash = hash_of(e.key, device);
  const size_t slot = slot_of(e.key, device, hash);
  if (slots_[slot] != 0) {
    Entry &earlier = entries_[slots_[slot] - 1];
    earlier.line = line;
    if (measured) {
      Measured &before = measured_[earlier.target];
      for (uint32_t i = 0; i < before.times; ++i) --targets_[times_[before.first_time + i].target].uses;
      before = measured_of(e, before.key, device, line, known);
    } else {
      --targets_[earlier.target].uses;
      earlier.target = target_of(e, e.choice[0], device, line, known);
    }
    return;
  }
  const auto first = static_cast<uint32_t>(words_.size());
  const size_t count = e.key.words();
  words_.resize(first + count);
  std::memcpy(&words_[first], &e.key, 8 * count);
  uint32_t target = static_cast<uint32_t>(measured_.size());
  if (measured)
    measured_.push_back(measured_of(e, first, device, line, known));
  else
    target = target_of(e, e.choice[0], device, line, known);
  entries_.push_back({hash, first, target, line, static_cast<uint16_t>(device), e.key.kind});
  slots_[slot] = static_cast<uint32_t>(entries_.size());
}

TuneKey TuneTable::key(const Measured &m) const {
  TuneKey key = {};
  std::memcpy(&key, &words_[m.key], 8);  // the first word tells how many there are
  std::memcpy(&key, &words_[m.key], 8 * key.words());
  return key;
}

int32_t TuneTable::find_device(const DeviceId &id) const {
  for (size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i] == id) return static_cast<int32_t>(i);
  return -1;
}

const TuneTable::Entry *TuneTable::find(const TuneKey &key, uint32_t device) const {
  if (slots_.empty()) return nullptr;
  const uint32_t found = slots_[slot_of(key, device, hash_of(key, device))];
  return found == 0 ? nullptr : &entries_[found - 1];
}

}  // namespace gpuopt
