// Metrics of a kernel, counted by Nsight Compute on `gpuopt bench` of the forced kernel.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"
#include "gpuopt_lab/metric.h"

namespace gpuopt_cli {

class NcuCounter {
 public:
  // wanted false: it counts nothing, and says why.
  NcuCounter(bool wanted, const gpuopt_device_facts &device, std::string device_word);
  bool counts() const { return counts_; }
  const std::string &note() const { return note_; }  // why nothing is, or the last kernel was not counted; "": it was
  // Of the first launch of the first of the kernel's entry functions that is launched; below 0: not known.
  double count(gpuopt_lab::Metric metric, const std::string &problem, const std::string &kernel,
               const std::string &data);

 private:
  std::vector<std::string> functions_of(const std::string &kernel) const;
  std::map<std::string, double> ask(const std::string &metrics, const std::string &problem, const std::string &kernel,
                                    const std::string &data);
  gpuopt_device_facts facts_;
  bool counts_ = false;
  std::string note_, device_word_;
  std::map<std::string, std::map<std::string, double>> known_;  // of a kernel on a problem, all metrics at once
  bool together_ = true;
};

// "tiled" of "_ZN6gpuopt5tiledILi32EEEvi"; "": no function of the library.
std::string function_name(const std::string &mangled);

}  // namespace gpuopt_cli
