// A call of any of the six operations as a value that owns its stages. Its text: text.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"

namespace gpuopt_call {

class Call {
 public:
  explicit Call(int32_t op = GPUOPT_OP_GEMM) : op_(op) {}  // the args of the _INIT macro
  int32_t op() const { return op_; }

  gpuopt_gemm_args gemm = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_transpose_args transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_reduce_args reduce = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_fused_act_args fused_act = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_norm_args norm = GPUOPT_NORM_ARGS_INIT;
  gpuopt_gemm_grouped_args gemm_grouped = GPUOPT_GEMM_GROUPED_ARGS_INIT;
  std::vector<gpuopt_stage> stages;
  std::vector<int64_t> host_offsets;  // gemm_grouped: what its args point to, where it is not empty

  // What belongs to a call beside its args.
  int32_t space = GPUOPT_SPACE_QUERY;  // QUERY: the memory of the device that it runs on
  bool captured = false;               // into a CUDA graph

  const void *args();  // of the op, with the stages in place; lives until the next change
  gpuopt_status run(gpuopt_handle *handle);
  // What explain is to assume of the call on this device.
  gpuopt_explain_options assumptions(const gpuopt_device_facts &device) const;

  int64_t &batch();
  int64_t batch() const { return const_cast<Call *>(this)->batch(); }
  uint32_t &flags();
  bool takes_stages() const { return op_ != GPUOPT_OP_TRANSPOSE && op_ != GPUOPT_OP_REDUCE; }

  struct Operand {
    std::string name;  // "a", "out"; "stages[1].a"
    gpuopt_matrix *matrix;
    bool written;
  };
  // Of a grouped product the batch is the groups, and what has one matrix for all rows a batch stride of 0.
  // Those that are set: an output before the inputs that may lie where it lies.
  std::vector<Operand> operands();
  // The op's operand of that name, set or not; nullptr for none. Of stages: those there are.
  gpuopt_matrix *find(const std::string &name);

 private:
  std::vector<Operand> places();
  int32_t op_;
};

// A grouped product's rows divided among its groups as evenly as they go: groups + 1 offsets.
std::vector<int64_t> even_offsets(const gpuopt_gemm_grouped_args &args);

// args is one of the six args structs. Operands that are set have data, or their alignment counts as 256.
Call call_of(const void *args);

}  // namespace gpuopt_call
