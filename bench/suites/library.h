// gpuopt as a contender: the automatic choice, or one kernel forced, through the public API.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../core/other_build.h"
#include "../core/timing.h"
#include "gpuopt/gpuopt.h"

namespace gpuopt_bench {

// A call on each operand set. args(set) is one of the six args structs; it and all it points to live as long as this.
using LibraryCall = std::shared_ptr<const std::vector<std::shared_ptr<const void>>>;

template <class Args>
LibraryCall library_call(std::vector<Args> sets) {
  auto call = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  for (Args &args : sets) call->push_back(std::make_shared<const Args>(std::move(args)));
  return call;
}

struct AbleKernel {
  std::string kernel;
  double predicted_us;  // 0: it makes no prediction
  bool chosen;
};

const AbleKernel &chosen_of(const std::vector<AbleKernel> &kernels);

class Library {
 public:
  // Handles on this session's device and stream; operands are promised to be device memory.
  explicit Library(const Session &session) : session_(session) {}
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  gpuopt_handle *handle(const std::string &kernel = "");  // "": automatic choice
  gpuopt_options options() const;                         // of a handle on this session's device and stream
  Contender automatic(const LibraryCall &call);
  Contender forced(const LibraryCall &call, const std::string &kernel);
  // Kernels that can run this call, the chosen one among them. Throws Refused where there is none.
  std::vector<AbleKernel> able_kernels(const LibraryCall &call);
  // Gives back the handles of forced kernels, and with them their workspaces, when the device has little memory left.
  void forget_when_short_of_memory();

 private:
  Contender contender(const LibraryCall &call, const std::string &name, const std::string &kernel);
  const Session &session_;
  std::map<std::string, gpuopt_handle *> handles_;
};

// The same call by another build.
Contender other_build(const OtherBuild &other, const LibraryCall &call);

}  // namespace gpuopt_bench
