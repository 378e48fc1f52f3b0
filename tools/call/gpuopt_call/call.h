// A call of any of the six operations as a value that owns its stages. Its text: text.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpuopt/gpuopt.h"

namespace gpuopt_call {

// Of a grouped product: groups of rows, or products of their own in the memory of the host or of the operands.
enum class List { none, host, device };

struct ProductShape {
  int64_t m, n, k;
};

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
  // gemm_grouped of a list. a, b, c and d are here a batch of matrices as large as any, one a product, of which each product is
  // the first rows and columns. Their lines and matrices begin on gemm_grouped.list_align, whatever ld they had.
  List list = List::none;
  std::vector<ProductShape> shapes;  // from the first on again, where products are more; empty: all as large as any
  gpuopt_matrix list_words = GPUOPT_MATRIX_INIT;  // where a list of the device lies: a row of i64
  ProductShape shape(int64_t product) const;
  std::vector<gpuopt_gemm_group> products();  // as the operands lie now

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
  // Where a product's args hold the addresses of alpha and beta; none of other ops.
  std::vector<const void **> factor_pointers();
  // The op's operand of that name, set or not; nullptr for none. Of stages: those there are.
  gpuopt_matrix *find(const std::string &name);

 private:
  std::vector<Operand> places();
  const void *list_args();
  int32_t op_;
  std::vector<gpuopt_gemm_group> products_;
  gpuopt_gemm_grouped_args list_args_ = GPUOPT_GEMM_GROUPED_ARGS_INIT;
};

// A grouped product's rows divided among its groups as evenly as they go: groups + 1 offsets.
std::vector<int64_t> even_offsets(const gpuopt_gemm_grouped_args &args);

// What groups on the device are said by, and where it lies: the call's offsets, even, or its list. bytes is empty where there are
// none, or the host has them.
struct GroupWords {
  void *data = nullptr;
  std::vector<char> bytes;
};
GroupWords group_words(Call *call);

// args is one of the six args structs. Operands that are set have data, or their alignment counts as 256. Of a list the operands
// lie elsewhere, aligned as they are; throws BadCallText where the library does not take it.
Call call_of(const void *args);

}  // namespace gpuopt_call
