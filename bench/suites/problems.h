// Problems as --shape spells them, and the args of a call on memory of the caller's. No CUDA: a problem can be read and
// explained on machines without it. Every read_ function throws BadShape.
#pragma once
#include <string>
#include <vector>

#include "../peers/chain.h"
#include "../peers/gemm_end.h"
#include "shape.h"

namespace gpuopt_bench {

struct GemmShape {
  int64_t m, n, k;
  gpuopt_dtype type, d_type;  // of A and, where b_type says nothing else, B; of D
  int32_t compute;
  const char *layout;  // "nn", "nt", "tn", "tt": t is the transposed view of a row-major matrix
  bool quick;
  gpuopt_dtype b_type = 0;  // 0: as A
  GemmEnd end = GemmEnd::none;
};
// "MxNxK[:in[:out[:compute[:layout[:end]]]]]"; in: "e4m3+e5m2" where A and B differ; end: what follows the product.
GemmShape read_gemm_shape(const std::string &text);
std::string text_of(const GemmShape &shape);  // every field
int32_t usual_compute(gpuopt_dtype type);
gpuopt_dtype usual_output(gpuopt_dtype type);
const char *name_of(GemmEnd end);
struct GemmMemory {
  void *a, *b, *d, *more;  // the vector or matrix of the end
};
// The args point to the stages.
gpuopt_gemm_args gemm_args(const GemmShape &shape, const GemmMemory &memory, std::vector<gpuopt_stage> *stages);

struct TransposeShape {
  int64_t rows, cols, batch;
  gpuopt_dtype type;
  bool quick;
  bool in_place = false;
};
// "ROWSxCOLS[xBATCH][:type[:in_place]]"
TransposeShape read_transpose_shape(const std::string &text);
gpuopt_transpose_args transpose_args(const TransposeShape &shape, void *src, void *dst);

struct ReduceShape {
  int64_t rows, cols;
  int32_t reduce, axis;
  gpuopt_dtype type;
  bool quick;
};
// "ROWSxCOLS[:type[:reduction[:all|row|col]]]"
ReduceShape read_reduce_shape(const std::string &text);
gpuopt_dtype reduce_output(const ReduceShape &shape);
int64_t reduce_outputs(const ReduceShape &shape);
gpuopt_reduce_args reduce_args(const ReduceShape &shape, void *x, void *out);

struct FusedShape {
  int64_t rows, cols;
  Chain chain;
  gpuopt_dtype type;
  bool quick;
  int32_t stage = 0;     // of Chain::one_stage
  bool columns = false;  // x in columns, out in rows
  gpuopt_dtype out = type;
};
// "ROWSxCOLS[:type[:chain[:row|col[:out]]]]", how x lies and out's type where it is another; chain: a name of the suite, or a stage
// without operand.
FusedShape read_fused_shape(const std::string &text);
std::string detail_of(const FusedShape &shape);
bool reads_bias(Chain chain);
bool reads_matrix(Chain chain);
int64_t factors_of(const FusedShape &shape);  // elements of the vector of factors
struct FusedMemory {
  void *x, *out, *bias, *matrix, *factors;
};
// The args point to the stages.
gpuopt_fused_act_args fused_act_args(const FusedShape &shape, const FusedMemory &memory,
                                     std::vector<gpuopt_stage> *stages);
constexpr double kFusedScale = 1.25;  // of relu_bias_scale

// What a norm does besides: gamma where it takes one, beta for LAYERNORM.
struct NormKind {
  const char *name;  // as --shape spells it
  const char *detail;
  int32_t norm;
  bool adds;  // a residual before the norm, and writes the sum
  int32_t stage;
  bool weights() const { return norm == GPUOPT_NORM_LAYERNORM || norm == GPUOPT_NORM_RMSNORM; }
  bool centres() const { return norm == GPUOPT_NORM_LAYERNORM; }
};
enum { kLayer, kRms, kSoftmax, kLogSoftmax, kAddLayer, kAddRms, kLayerGelu, kRmsSilu, kNormKinds };
const NormKind &norm_kind(int kind);
struct NormShape {
  int64_t rows, cols;
  gpuopt_dtype type;
  int kind;
  bool quick;
};
// "ROWSxCOLS[:type[:kind]]"
NormShape read_norm_shape(const std::string &text);
struct NormMemory {
  void *x, *out, *gamma, *beta, *residual, *sum;
};
// The args point to *stage.
gpuopt_norm_args norm_args(const NormShape &shape, const NormMemory &memory, gpuopt_stage *stage);

}  // namespace gpuopt_bench
