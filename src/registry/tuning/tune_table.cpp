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
    if (e.hash == hash && targets_[e.target].device == device && std::memcmp(&words_[e.key], &key, 8) == 0 &&
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

// Of two entries with one key the later counts: whoever adds to a file by hand adds at its end.
void TuneTable::add(const TuneLine &e, size_t number, Indices *known) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const auto line = static_cast<uint32_t>(number);
  const std::string device_text = e.device.text();
  const uint32_t device = known->emplace(device_text, devices_.size()).first->second;
  if (device == devices_.size()) devices_.push_back(e.device);
  const std::string choice = std::string(e.kernel) + "+" + std::string(e.second) + " " + std::to_string(e.version) +
                             "+" + std::to_string(e.second_version) + " " + std::string(e.algorithm);
  const uint32_t target =
      known->emplace(device_text + " " + std::to_string(e.key.op) + " " + choice, targets_.size()).first->second;
  if (target == targets_.size())
    targets_.push_back({std::string(e.kernel), std::string(e.second), std::string(e.algorithm), e.version,
                        e.second_version, device, e.key.op, line, 0});
  ++targets_[target].uses;

  const uint64_t hash = hash_of(e.key, device);
  const size_t slot = slot_of(e.key, device, hash);
  if (slots_[slot] != 0) {
    Entry &earlier = entries_[slots_[slot] - 1];
    --targets_[earlier.target].uses;
    earlier.target = target;
    earlier.line = line;
    return;
  }
  const size_t first = words_.size(), count = e.key.words();
  words_.resize(first + count);
  std::memcpy(&words_[first], &e.key, 8 * count);
  entries_.push_back({hash, static_cast<uint32_t>(first), target, line, e.key.kind == GPUOPT_TUNE_CLASS});
  slots_[slot] = static_cast<uint32_t>(entries_.size());
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
