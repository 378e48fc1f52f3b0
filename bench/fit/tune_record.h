// gpuopt_bench tune RECORD: the candidates' times that the suite selection measured, as measured entries of a tuned-choice file, and
// what such entries are worth: those of one half of the problems, judged on the other. Needs no GPU.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "../core/record.h"
#include "../suites/selection_judge.h"
#include "gpuopt/gpuopt.h"
#include "tune_file.h"

namespace gpuopt_bench {

struct TuneRecordOptions {
  std::vector<std::string> ops, kernels;  // only these operations; kernels: globs, times of others are left out
  int splits = 0;                         // so many halves are judged
  std::string tune_cache;                 // the file that gets all entries; "": none does
};

// A problem of the record in the words of entries.
struct RecordedProblem {
  std::string op, call, exact_key;
  std::map<std::string, double> us;  // by kernel
};
// Those whose calls this build takes, of kernels that it has. handle: any; no device is touched.
std::vector<RecordedProblem> recorded_problems(const Record &record, gpuopt_handle *handle,
                                               const TuneRecordOptions &options);

struct TuneJudged {
  std::string op;  // "all" for all together
  int problems = 0, changed = 0;
  // Of what runs untuned over what runs by the other half's times, both as recorded: geometric mean and least. possible: the mean
  // over the fastest candidate.
  double mean = 1, least = 1, possible = 1;
};
// Halves by a hash of the call. path: of a tuned-choice file that is written for it.
std::vector<TuneJudged> judge_halves(const std::vector<RecordedProblem> &problems, const gpuopt_device_facts &facts,
                                     int splits, const std::string &path, gpuopt_handle *handle);

// The verb. Exit code.
int run_tune_record(const std::vector<std::string> &arguments);

}  // namespace gpuopt_bench
