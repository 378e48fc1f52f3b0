// `gpuopt list --tables`: docs/tables.md is this output.
#include "tables.h"

#include <cstdio>
#include <string>

#include "gpuopt/dist.h"
#include "gpuopt/gpuopt.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

std::string number(long value) { return std::to_string(value); }
std::string code(const std::string &text) { return "`" + text + "`"; }

void heading(const char *title, const char *sentence) { std::printf("\n## %s\n\n%s\n\n", title, sentence); }

std::string empty_text(char empty) {
  switch (empty) {
    case '0':
      return "0";
    case '1':
      return "1";
    case 'n':
      return "NaN";
    default:
      return "refused";
  }
}

}  // namespace

void print_tables() {
  std::printf(
      "# The closed tables\n\nMade by `gpuopt list --tables` from include/gpuopt/tables.h; numbers are part of the ABI "
      "and never change.\n");

  heading("Status", "What every call returns; 10 to 12 those of gpuopt/dist.h.");
  Table status({"name", "value", "meaning"});
#define GPUOPT_X_(name, value, text) status.add({code("GPUOPT_" #name), number(value), text});
  GPUOPT_STATUS_TABLE(GPUOPT_X_)
  GPUOPT_DIST_STATUS_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  status.print_markdown();

  heading("Data types", "0 is no type.");
  Table types({"name", "value", "bytes", "in text", "what it is"});
#define GPUOPT_X_(name, value, bytes, text, cls, what) \
  types.add({code("GPUOPT_" #name), number(value), number(bytes), text, what});
  GPUOPT_DTYPE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  types.print_markdown();

  heading("Compute types", "How a gemm multiplies and adds.");
  Table compute({"name", "value", "in text", "meaning"});
#define GPUOPT_X_(name, value, text, what) compute.add({code("GPUOPT_COMPUTE_" #name), number(value), text, what});
  GPUOPT_COMPUTE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  compute.print_markdown();

  heading("Gemm types",
          "The only combinations that gemm takes. C counts only when beta is not 0. The first row with a call's data "
          "types is its default compute type.");
  Table gemm({"A", "B", "C", "D", "compute"});
#define GPUOPT_X_(a, b, c, d, compute)                                                                   \
  gemm.add({gpuopt_dtype_name(GPUOPT_##a), gpuopt_dtype_name(GPUOPT_##b), gpuopt_dtype_name(GPUOPT_##c), \
            gpuopt_dtype_name(GPUOPT_##d), gpuopt_compute_name(GPUOPT_COMPUTE_##compute)});
  GPUOPT_GEMM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  gemm.print_markdown();

  heading("Stages", "What a stage yields in place of the running value x at (i, j).");
  Table stages({"name", "value", "operands", "scalars", "yields"});
#define GPUOPT_X_(name, value, operands, scalars, what) \
  stages.add({code("GPUOPT_STAGE_" #name), number(value), number(operands), number(scalars), what});
  GPUOPT_STAGE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  stages.print_markdown();

  heading("Reductions", "And what a reduction over no elements gives.");
  Table reductions({"name", "value", "yields", "of no elements"});
#define GPUOPT_X_(name, value, what, empty) \
  reductions.add({code("GPUOPT_REDUCE_" #name), number(value), what, empty_text(empty)});
  GPUOPT_REDUCE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  reductions.print_markdown();

  heading("Norms", "What gpuopt_norm makes of each row.");
  Table norms({"name", "value", "yields"});
#define GPUOPT_X_(name, value, what) norms.add({code("GPUOPT_NORM_" #name), number(value), what});
  GPUOPT_NORM_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  norms.print_markdown();

  heading("Rejects", "Why a kernel cannot run a problem.");
  Table rejects({"name", "value", "meaning"});
#define GPUOPT_X_(name, value, what) rejects.add({code("GPUOPT_REJECT_" #name), number(value), what});
  GPUOPT_REJECT_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  rejects.print_markdown();

  heading("Features", "What a kernel must understand to be asked about a call that uses it.");
  Table features({"name", "bit", "the call"});
#define GPUOPT_X_(name, bit, what) features.add({code("GPUOPT_FEATURE_" #name), number(bit), what});
  GPUOPT_FEATURE_TABLE(GPUOPT_X_)
#undef GPUOPT_X_
  features.print_markdown();
}

}  // namespace gpuopt_cli
