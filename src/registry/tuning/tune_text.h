// The lines of a tuned-choice file (docs/tuning.md), both ways.
#pragma once
#include <string>
#include <string_view>

#include "tuning/device_id.h"
#include "tuning/tune_key.h"

namespace gpuopt {

constexpr std::string_view kTuneHeader = "gpuopt tune 1";  // the first line
constexpr size_t kLongestTuneLine = 4096;

// "exact device=... op=gemm ...": everything of an entry's line but the choice.
std::string key_text(const DeviceId &device, const TuneKey &key);

// A kernel as an entry names it; the views belong to the line.
struct TuneChoice {
  std::string_view kernel, second;  // second: of two steps, else empty
  int32_t version = 0, second_version = 0;
  std::string_view algorithm;  // which of the algorithms that the kernel offers; empty: its own choice
  float us = 0;                // measured; only where the entry is of times
};

// One entry as it stands in a line.
struct TuneLine {
  static constexpr int kMostTimes = 24;
  DeviceId device;
  TuneKey key = {};
  TuneChoice choice[kMostTimes];  // one, unless the key is of kind kTuneMeasured
  int choices = 0;
};

// line: without its end and without a comment. Says what is wrong, "m=x: is no integer ...", or "".
std::string parse_tune_line(std::string_view line, TuneLine *out);

}  // namespace gpuopt
