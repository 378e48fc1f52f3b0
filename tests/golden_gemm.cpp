// Products for the golden files.
#include "golden_problems.h"

namespace gpuopt_test {
namespace {

struct Types {
  int32_t a, b, d, compute;
};
constexpr Types kSgemm = {kF32, kF32, kF32, GPUOPT_COMPUTE_F32}, kDgemm = {kF64, kF64, kF64, GPUOPT_COMPUTE_F64},
                kBf16s = {kBf16, kBf16, kBf16, GPUOPT_COMPUTE_F32}, kF16s = {kF16, kF16, kF16, GPUOPT_COMPUTE_F32},
                kF16Sums = {kF16, kF16, kF16, GPUOPT_COMPUTE_F16}, kTf32 = {kF32, kF32, kF32, GPUOPT_COMPUTE_TF32},
                kTensor = {kF32, kF32, kF32, GPUOPT_COMPUTE_F32_TENSOR},
                kFp8 = {kE4m3, kE4m3, kBf16, GPUOPT_COMPUTE_F32},
                kFp8Fast = {kE4m3, kE4m3, kBf16, GPUOPT_COMPUTE_F8_FAST},
                kFp8Mixed = {kE5m2, kE4m3, kBf16, GPUOPT_COMPUTE_F32},
                kFp8Grad = {kE5m2, kE5m2, kBf16, GPUOPT_COMPUTE_F32}, kInt8 = {kI8, kI8, kI32, GPUOPT_COMPUTE_I32};

// "nn": both row-major; t: the transposed view of a row-major matrix, as the weights of a linear layer are.
GoldenProblem &gemm(GoldenProblems &all, const Types &t, int64_t m, int64_t n, int64_t k, const char *layouts = "nn",
                    int64_t batch = 1) {
  GoldenProblem &p = all.emplace_back();
  p.args.gemm = GPUOPT_GEMM_ARGS_INIT;
  gpuopt_gemm_args &g = p.args.gemm;
  g.compute = t.compute;
  g.a = golden_matrix(m, k, t.a, layouts[0] == 't');
  g.b = golden_matrix(k, n, t.b, layouts[1] == 't');
  g.d = golden_matrix(m, n, t.d);
  g.batch = batch;
  return p;
}

void linear_layers(GoldenProblems &all) {
  constexpr int64_t kTokens[] = {1, 16, 128, 2048};
  constexpr int64_t kLayers[][2] = {{4096, 4096}, {14336, 4096}, {4096, 14336}};  // outputs, inputs
  for (const auto &layer : kLayers)
    for (const int64_t tokens : kTokens) gemm(all, kBf16s, tokens, layer[0], layer[1], "nt");
  for (const int64_t tokens : kTokens) gemm(all, kSgemm, tokens, 4096, 4096, "nt");
  for (const Types &t : {kF16s, kFp8, kInt8})
    for (const int64_t tokens : {16, 2048}) gemm(all, t, tokens, 4096, 4096, "nt");
  gemm(all, kBf16s, 2048, 50257, 768, "nt");                                              // an odd vocabulary
  gemm(all, kBf16s, 4096, 14336, 2048, "tn");                                             // gradient of weights
  gemm(all, kBf16s, 2048, 4096, 14336, "nn");                                             // and of the input
  for (const int64_t tokens : {1, 64, 1000}) gemm(all, kSgemm, tokens, 3072, 768, "nt");  // a small encoder
  for (const int64_t batch : {64, 1}) gemm(all, kSgemm, batch, 10, 784), gemm(all, kSgemm, batch, 128, 784);  // digits
}

void general(GoldenProblems &all) {
  for (const int64_t n : {64, 128, 256, 512, 1024, 2048, 4096, 8192}) gemm(all, kSgemm, n, n, n);
  for (const char *layouts : {"nt", "tn", "tt"}) gemm(all, kSgemm, 1024, 1024, 1024, layouts);
  constexpr int64_t kOdd[][3] = {{37, 1001, 513}, {1001, 1001, 1001}, {4097, 4099, 4101}, {9477, 1152, 588}};
  for (const auto &e : kOdd) gemm(all, kSgemm, e[0], e[1], e[2]);
  for (const Types &t : {kBf16s, kDgemm, kInt8}) gemm(all, t, 1001, 1001, 1001, "nt");
  for (const Types &t : {kBf16s, kF16s, kTf32, kDgemm, kFp8, kFp8Grad, kInt8}) gemm(all, t, 4097, 4099, 4101, "nt");
  constexpr int64_t kSkinny[][3] = {{4096, 1, 4096},  {4096, 16, 4096}, {4096, 128, 4096}, {4096, 4096, 16},
                                    {4096, 4096, 64}, {32, 32, 4096},   {100000, 32, 256}, {8, 100000, 64}};
  for (const auto &e : kSkinny) gemm(all, kSgemm, e[0], e[1], e[2]);
  constexpr int64_t kLong[][3] = {{64, 64, 65536}, {128, 128, 16384}, {256, 256, 16384}, {512, 512, 8192}};
  for (const auto &e : kLong) gemm(all, kSgemm, e[0], e[1], e[2]);
  for (const Types &t : {kBf16s, kDgemm, kTf32, kInt8}) gemm(all, t, 256, 256, 16384);
  for (const int64_t n : {1024, 4096}) unaligned(gemm(all, kSgemm, n, n, n), kF32);
}

// fp8 as large models store it: a scale for each 128 of k of a row of A, and for each 128 x 128 of B, or 128 x 1 in a weight's
// gradient.
void scales_of_blocks(GoldenProblems &all) {
  static const float somewhere = 1;
  struct Extents {
    int64_t m, n, k;
  };
  const auto add = [&](const Extents &e, int32_t of_b) {
    gpuopt_gemm_args &g = gemm(all, kFp8, e.m, e.n, e.k, "nt").args.gemm;
    g.a = gpuopt_mat_scales(g.a, &somewhere, GPUOPT_SCALE_1X128);
    g.b = gpuopt_mat_scales(g.b, &somewhere, of_b);
  };
  for (const Extents &e :
       {Extents{4096, 4096, 4096}, Extents{4096, 7168, 16384}, Extents{128, 7168, 2048}, Extents{4096, 2112, 7168}})
    add(e, GPUOPT_SCALE_128X128);
  add({7168, 2048, 8192}, GPUOPT_SCALE_128X1);
}

void squares_of_types(GoldenProblems &all) {
  for (const int64_t n : {128, 512, 1024, 8192}) gemm(all, kBf16s, n, n, n);
  for (const int64_t n : {64, 256, 1024, 4096}) gemm(all, kDgemm, n, n, n);
  for (const int64_t n : {512, 4096}) gemm(all, kTf32, n, n, n), gemm(all, kTensor, n, n, n);
  for (const int64_t n : {2048, 8192}) gemm(all, kTensor, n, n, n);
  for (const Types &t : {kF16s, kF16Sums, kFp8, kFp8Fast, kFp8Mixed, kInt8}) gemm(all, t, 4096, 4096, 4096, "nt");
  for (const Types &t : {kBf16s, kFp8, kInt8}) gemm(all, t, 1024, 1024, 1024, "tt");
  // Layouts that only some instructions read.
  for (const char *layouts : {"nn", "tn"}) {
    for (const int64_t n : {1536, 4096, 8192}) gemm(all, kFp8Fast, n, n, n, layouts);
    gemm(all, kFp8Fast, 4097, 4099, 4101, layouts);
    gemm(all, kFp8Fast, 8192, 2048, 256, layouts);
  }
  for (const int64_t n : {1536, 4096, 8192}) gemm(all, kTf32, n, n, n, "tn");
  gemm(all, {kF16, kF16, kF32, GPUOPT_COMPUTE_F32}, 4096, 4096, 4096);
  unaligned(gemm(all, kBf16s, 1024, 1024, 1024), kBf16);
}

void batches(GoldenProblems &all) {
  gemm(all, kBf16s, 512, 512, 64, "nt", 96);     // attention scores
  gemm(all, kBf16s, 2048, 2048, 128, "nt", 32);  // of a larger model
  gemm(all, kBf16s, 2048, 128, 2048, "nn", 32);  // and what is made of them
  gemm(all, kBf16s, 1, 2048, 128, "nt", 256);    // of one new token
  gemm(all, kSgemm, 128, 128, 128, "nn", 64);
  gemm(all, kSgemm, 16, 16, 16, "nn", 4096);
  gemm(all, kDgemm, 32, 32, 32, "nn", 1024);
}

void epilogues(GoldenProblems &all) {
  const auto finish = [](GoldenProblem &p, std::vector<gpuopt_stage> stages) { p.stages = std::move(stages); };
  constexpr int32_t kAdd = GPUOPT_STAGE_ADD, kMul = GPUOPT_STAGE_MUL;
  finish(gemm(all, kBf16s, 2048, 14336, 4096, "nt"), {per_col(kAdd, 14336, kBf16), act(GPUOPT_STAGE_GELU_TANH)});
  finish(gemm(all, kBf16s, 2048, 14336, 4096, "nt"), {act(GPUOPT_STAGE_SILU), with_matrix(kMul, 2048, 14336, kBf16)});
  finish(gemm(all, kBf16s, 2048, 4096, 14336, "nt"),
         {per_col(kAdd, 4096, kBf16), with_matrix(kAdd, 2048, 4096, kBf16)});
  finish(gemm(all, kBf16s, 16, 4096, 4096, "nt"), {per_col(kAdd, 4096, kBf16)});
  finish(gemm(all, kF16s, 128, 3072, 768, "nt"), {per_col(kAdd, 3072, kF16), act(GPUOPT_STAGE_GELU)});
  for (const int64_t n : {64, 1024, 4096})
    finish(gemm(all, kSgemm, n, n, n, "nt"), {per_col(kAdd, n, kF32), act(GPUOPT_STAGE_RELU)});
  finish(gemm(all, kSgemm, 1001, 1001, 1001), {per_col(kAdd, 1001, kF32), act(GPUOPT_STAGE_GELU)});
  finish(gemm(all, kDgemm, 1024, 1024, 1024), {per_col(kAdd, 1024, kF64), act(GPUOPT_STAGE_TANH)});
  finish(gemm(all, {kI8, kI8, kF32, GPUOPT_COMPUTE_I32}, 2048, 4096, 4096, "nt"),
         {per_row(kMul, 2048, kF32), per_col(kMul, 4096, kF32)});  // dequantised
  finish(gemm(all, {kE4m3, kE4m3, kE4m3, GPUOPT_COMPUTE_F32}, 2048, 4096, 4096, "nt"), {act(GPUOPT_STAGE_RELU)});
  for (const Types &t : {kFp8, kFp8Fast})
    finish(gemm(all, t, 2048, 4096, 4096, "nt"), {per_col(kAdd, 4096, kBf16), act(GPUOPT_STAGE_GELU)});
  for (const Types &t : {kSgemm, kBf16s, kDgemm}) {  // D += A B
    gpuopt_gemm_args &g = gemm(all, t, 2048, 2048, 2048).args.gemm;
    g.beta = 1;
    g.c = g.d;
  }
}

// Whose sums are more than the workspace.
void in_parts(GoldenProblems &all) {
  const Types int8_to_8 = {kI8, kI8, kI8, GPUOPT_COMPUTE_I32};
  gemm(all, int8_to_8, 2048, 4096, 4096, "nt");  // these leave no sums
  for (const Types &t : {kSgemm, kDgemm, kF16s, kFp8, int8_to_8})
    gemm(all, t, 9001, 10007, 777, "nt").stages = {act(GPUOPT_STAGE_TANH)};
  gemm(all, kBf16s, 4450, 821, 960, "nt", 100).stages = {act(GPUOPT_STAGE_GELU)};
}

}  // namespace

GoldenProblems golden_gemms() {
  GoldenProblems all;
  linear_layers(all);
  general(all);
  squares_of_types(all);
  scales_of_blocks(all);
  batches(all);
  epilogues(all);
  in_parts(all);
  return all;
}

}  // namespace gpuopt_test
