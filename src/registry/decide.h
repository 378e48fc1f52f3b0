// Steps 1 to 6 of docs/dispatch.md, once for a call, gpuopt_prepare, gpuopt_workspace_size and gpuopt_explain: which kernel
// would run, and the status of the call before its launch.
#pragma once
#include <optional>

#include "device.h"
#include "handle.h"
#include "problem.h"

namespace gpuopt {

// A private copy of any of the six args structs.
union AnyArgs {
  gpuopt_args head;
  gpuopt_gemm_args gemm;
  gpuopt_transpose_args transpose;
  gpuopt_reduce_args reduce;
  gpuopt_fused_act_args fused_act;
  gpuopt_norm_args norm;
  gpuopt_gemm_grouped_args gemm_grouped;
};

// Checks args, struct_size, op and the unknown tail; copies. op 0 takes any.
gpuopt_status take_args(const char *function, const void *args, int32_t op, AnyArgs *out);

// Validates the args and builds of the problem what they say; the rest is zero.
gpuopt_status validate(const AnyArgs &args, const BuildOptions &options, gpuopt_problem *problem);

// The same for this handle; the space of the data and the capture state are not in it yet.
gpuopt_status build_problem(gpuopt_handle *handle, const AnyArgs &args, const BuildOptions &options,
                            gpuopt_problem *problem);

enum class Action { run, prepare, measure_workspace, explain, algorithms };

struct Question {
  const char *function;  // first word of every message
  const void *args;      // the user's
  int32_t op;            // that args must be of; 0: any
  Action what;
  const gpuopt_explain_options *assumed = nullptr;  // explain: facts in place of the handle's own
  Visitor *visit = nullptr;                         // explain: sees every candidate
};

struct Decision {
  AnyArgs args;  // as the user wrote them
  gpuopt_problem problem;
  const Selection *choice = nullptr;             // its kernel is there when decide() returned GPUOPT_OK
  ChoiceCache::Entry *entry = nullptr;           // where the handle remembers the choice; nullptr for explain
  bool host_data_on_gpu = false;                 // pageable memory on a GPU handle: only CPU kernels can run
  Selection explained;                           // explain's choice, which is not remembered
  std::optional<Tuning> pretended_tuning;        // explain: what is tuned for a device that is only assumed
  std::optional<device::ScopedCurrent> current;  // makes the handle's device current
};

// The status is the call's before its launch: validation, the choice, and whether the choice can run in the stream's
// capture. An empty problem is GPUOPT_OK wherever something could run it.
gpuopt_status decide(gpuopt_handle *handle, const Question &question, Decision *decision);

// The last part of decide() again, after another kernel has taken the place of the choice.
gpuopt_status check_capture(const gpuopt_handle &handle, const Question &question, const Decision &decision);

}  // namespace gpuopt
