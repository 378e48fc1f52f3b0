// A call of any of the five operations as a value, and as one line of text from which it can be rebuilt exactly:
//
//   gemm compute=f32 beta=0.5 a=100x64:bf16 b=64x36:bf16:col:ld=72 d=100x36:f32 c=100x36:f32:at=d stage=RELU
//   norm norm=LAYERNORM eps=1e-05 x=7x512:f16:by=2 out=7x512:f16 stage=ADD:per_col:1 sa=1x512:f16
//
// A matrix is ROWSxCOLS:type, then what is not the usual: "col"; "ld=" and "bs=" (batch stride) in elements; "by=", the
// bytes that its address is a multiple of where that is less than 256; "at=", the operand before it whose memory it is;
// "scale", it has one. No CUDA.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "shape.h"

namespace gpuopt_bench {

class Call {
 public:
  explicit Call(int32_t op = GPUOPT_OP_GEMM);  // the args of the _INIT macro
  int32_t op() const { return op_; }

  gpuopt_gemm_args gemm = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_transpose_args transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
  gpuopt_reduce_args reduce = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_fused_act_args fused_act = GPUOPT_FUSED_ACT_ARGS_INIT;
  gpuopt_norm_args norm = GPUOPT_NORM_ARGS_INIT;
  std::vector<gpuopt_stage> stages;

  const void *args();  // of the op, with the stages in place; lives until the next change
  int64_t batch() const;

  struct Operand {
    std::string name;  // "a", "out"; "stages[1].a"
    gpuopt_matrix *matrix;
    bool written;
  };
  // Those that are set: an output before the inputs that may lie where it lies.
  std::vector<Operand> operands();

 private:
  int32_t op_;
};

// Both ways. args is one of the five args structs; operands that are set have data, or their alignment counts as 256.
Call call_of(const void *args);
std::string text_of(Call call);
// Throws BadShape. Operands lie nowhere, at addresses of their alignment and far from each other: good for explain.
Call read_call(const std::string &text);
// Gives every operand such an address; those that share memory go on sharing it, and alignments stay.
void *nowhere(uintptr_t index, int64_t align);

// Bytes from the first element to one past the last, over the batch; bytes of distinct elements.
int64_t span_bytes(const gpuopt_matrix &matrix, int64_t batch);
int64_t touched_bytes(Call *call);
double flops_of(const Call &call);  // gemm's; 0 of others

}  // namespace gpuopt_bench
