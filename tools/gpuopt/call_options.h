// A call from the options of a command line, once for every verb that takes them.
#pragma once
#include <string>
#include <vector>

#include "gpuopt_call/call.h"

namespace gpuopt_cli {

struct CallOptions {
  int32_t op = 0;
  int64_t m = 0, n = 0, k = 0;                            // gemm, gemm_grouped, of which batch is the groups
  int64_t rows = 0, cols = 0;                             // of the input of the others
  int64_t batch = 1, lda = 0, ldb = 0, ldc = 0, ldd = 0;  // lda: the input's, ldd: the output's
  std::string type = "f32", a_type, b_type, c_type, d_type, out_type, compute = "default";
  std::string layout, b_layout = "row", c_layout = "row", d_layout = "row", out_layout = "row";
  std::string reduce = "sum", axis = "row", norm = "layernorm";
  double alpha = 1, beta = 0;
  std::vector<std::string> stages;
  int32_t align = 0, stage_align = 0;  // of base addresses, in bytes; 0: of 256, and, of stages, as the others
  bool scalar_pointers = false, scaled = false, shared = false, in_place = false, value = false;
  bool gamma = false, beta_vector = false, weights = false, residual = false, sum = false, statistics = false;
  bool host_offsets = false, nondeterministic = false, intermediate_rounding = false, batch_invariant = false;
};

// Operands have no data, but those that share memory or whose alignment is stated, which lie nowhere. Throws CLI::ValidationError for
// words that are none.
gpuopt_call::Call make_call(const CallOptions &options);

// A call from its text (docs/call-text.md); argument: "--problem"; where: what stands before the message, "line 3: ". Throws
// CLI::ValidationError.
gpuopt_call::Call parse_call(const std::string &argument, const std::string &text, const std::string &where = "");

}  // namespace gpuopt_cli
