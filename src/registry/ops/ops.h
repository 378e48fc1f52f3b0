// What the six op files share beyond problem.h.
#pragma once
#include <initializer_list>
#include <utility>

#include "../problem.h"

#define GPUOPT_TRY(expression)                        \
  do {                                                \
    const gpuopt_status try_status_ = (expression);   \
    if (try_status_ != GPUOPT_OK) return try_status_; \
  } while (0)

namespace gpuopt {

extern const OpDefinition kGemmOp, kTransposeOp, kReduceOp, kFusedActOp, kNormOp, kGemmGroupedOp;

bool is_float(int32_t dtype);

// Of a gemm, grouped or not: types of its operands, and the compute type that it asks for.
struct GemmTypes {
  int32_t a, b, c, d, compute;
};
// Finds their row of GPUOPT_GEMM_TABLE; on failure says which compute types or outputs these inputs do have.
gpuopt_status resolve_gemm_types(const char *fn, const GemmTypes &types, bool reads_c, gpuopt_problem *problem);

// Its alpha and beta by pointer, where they are given so: after its types.
gpuopt_status take_factor_pointers(const BuildOptions &options, const void *alpha, const void *beta,
                                   gpuopt_problem *problem);
// What alpha and beta, by value or pointer, ask of a kernel beside BETA.
struct Factors {
  double alpha, beta;
  const void *alpha_ptr, *beta_ptr;
};
uint32_t factor_features(int32_t compute, const Factors &factors);

// The rest of gpuopt_gemm_grouped's validation where it is given a list, and what both its forms check.
gpuopt_status build_gemm_list(const gpuopt_gemm_grouped_args &args, bool reads_c, const BuildOptions &options,
                              gpuopt_problem *problem);
gpuopt_status check_gemm_grouped_shapes(const char *fn, const gpuopt_gemm_grouped_args &args, bool reads_c);

// batch_invariant: the op can keep GPUOPT_REQUIRE_BATCH_INVARIANT; a promise that it cannot keep is refused.
gpuopt_status check_flags(const BuildOptions &options, uint32_t flags, bool batch_invariant);

// What a gemm writes, its output or a product's, against what a kernel reads of memory beside operands: alpha and beta by
// pointer, and scales of whole matrices.
gpuopt_status check_scalar_overlap(const BuildOptions &options, const gpuopt_problem &problem,
                                   const char *written_field, const gpuopt_operand &written);
// All that it writes but a list's products.
gpuopt_status check_scalar_overlaps(const BuildOptions &options, const gpuopt_problem &problem);

// The output against every stage operand. exact_ok: a matrix operand that is read may be the output itself.
gpuopt_status check_stage_overlap(const BuildOptions &options, const gpuopt_problem &problem, const char *output_field,
                                  const gpuopt_operand &output, bool exact_ok);

// What STORE stages write against the named inputs and against every other stage operand.
gpuopt_status check_stores(const BuildOptions &options, const gpuopt_problem &problem,
                           std::initializer_list<std::pair<const char *, const gpuopt_operand *>> inputs);

}  // namespace gpuopt
