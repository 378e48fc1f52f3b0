// Transposes and reductions for the golden files.
#include "golden_problems.h"

namespace gpuopt_test {
namespace {

GoldenProblem &transpose(GoldenProblems &all, int32_t dtype, int64_t rows, int64_t cols, int64_t batch = 1) {
  GoldenProblem &p = all.emplace_back();
  p.args.transpose = GPUOPT_TRANSPOSE_ARGS_INIT;
  p.args.transpose.src = golden_matrix(rows, cols, dtype);
  p.args.transpose.dst = golden_matrix(cols, rows, dtype);
  p.args.transpose.batch = batch;
  return p;
}

GoldenProblem &reduce(GoldenProblems &all, int32_t kind, int32_t axis, int32_t dtype, int64_t rows, int64_t cols,
                      int64_t batch = 1) {
  GoldenProblem &p = all.emplace_back();
  p.args.reduce = GPUOPT_REDUCE_ARGS_INIT;
  gpuopt_reduce_args &r = p.args.reduce;
  r.reduce = kind;
  r.axis = axis;
  r.batch = batch;
  r.x = golden_matrix(rows, cols, dtype);
  if (kind == GPUOPT_REDUCE_DOT) r.y = r.x;
  const bool index = kind == GPUOPT_REDUCE_ARGMIN || kind == GPUOPT_REDUCE_ARGMAX;
  const bool integer = dtype == kI8 || dtype == kU8 || dtype == kI32;
  const bool fraction = kind == GPUOPT_REDUCE_MEAN || kind == GPUOPT_REDUCE_NRM2;
  const int32_t out = index || (integer && !fraction) ? GPUOPT_I64 : dtype == kF64 ? kF64 : kF32;
  r.out = golden_matrix(axis == GPUOPT_EACH_ROW ? rows : 1, axis == GPUOPT_EACH_COL ? cols : 1, out);
  return p;
}

constexpr int32_t kRow = GPUOPT_EACH_ROW, kCol = GPUOPT_EACH_COL, kAll = GPUOPT_ALL, kSum = GPUOPT_REDUCE_SUM;

}  // namespace

GoldenProblems golden_transposes() {
  GoldenProblems all;
  for (const int32_t dtype : {kI8, kBf16, kF32, kF64, kB128}) {
    for (const int64_t n : {64, 256, 1024, 4096}) transpose(all, dtype, n, n);
    transpose(all, dtype, 4097, 4099);
    transpose(all, dtype, 1048576, 64);
    transpose(all, dtype, 4194304, 3);  // an array of structures
    transpose(all, dtype, 3, 4194304);  // and back
    if (dtype == kB128) break;
    unaligned(transpose(all, dtype, 4096, 4096), dtype);
    GoldenProblem &in_place = transpose(all, dtype, 4096, 4096);
    in_place.args.transpose.src.data = in_place.args.transpose.dst.data = reinterpret_cast<void *>(uintptr_t{1} << 40);
  }
  for (const int32_t dtype : {kU8, kF32}) {
    transpose(all, dtype, 224 * 224, 3, 32);  // images, channels last to first
    transpose(all, dtype, 64, 56 * 56, 32);   // activations, channels first to last
  }
  for (const int32_t dtype : {kBf16, kF32}) {
    transpose(all, dtype, 2048, 128, 32);  // keys of attention heads
    transpose(all, dtype, 512, 64, 96);
    transpose(all, dtype, 12, 512, 64);
    transpose(all, dtype, 16, 16, 65536);
    transpose(all, dtype, 3, 3, 1048576);
    transpose(all, dtype, 8192, 8192);
    transpose(all, dtype, 64, 1048576);
    transpose(all, dtype, 50257, 768);
  }
  for (const int32_t dtype : {kF32, kF64}) {
    transpose(all, dtype, 1000, 1000);
    transpose(all, dtype, 1, 100000);
    transpose(all, dtype, 37, 1001);
    transpose(all, dtype, 4096, 4096).args.transpose.dst.layout = GPUOPT_COL;  // a copy
    GoldenProblem &part = transpose(all, dtype, 1000, 1000);                   // of a larger matrix
    part.args.transpose.src.ld = part.args.transpose.dst.ld = 4097;
  }
  return all;
}

GoldenProblems golden_reduces() {
  GoldenProblems all;
  constexpr int64_t kRows[][2] = {{8192, 8192},  {4097, 4099},  {65536, 1024}, {1048576, 64},
                                  {1048576, 63}, {4194304, 16}, {32, 4096},    {2048, 50257},
                                  {64, 1048576}, {8, 8388608},  {16, 65536},   {1, 1024}};
  constexpr int64_t kColumns[][2] = {{8192, 8192},  {4097, 4099}, {1048576, 64},
                                     {64, 1048576}, {1024, 1024}, {1048576, 3}};
  constexpr int64_t kWhole[][2] = {{1, 1024}, {1, 65536}, {1, 1048576}, {1, 16777216}, {1, 268435456}, {4097, 4099}};
  for (const int32_t dtype : {kF32, kBf16}) {
    for (const auto &e : kRows) reduce(all, kSum, kRow, dtype, e[0], e[1]);
    for (const auto &e : kColumns) reduce(all, kSum, kCol, dtype, e[0], e[1]);
    for (const auto &e : kWhole) reduce(all, kSum, kAll, dtype, e[0], e[1]);
    reduce(all, GPUOPT_REDUCE_ARGMAX, kRow, dtype, 2048, 50257);  // the next token
    reduce(all, GPUOPT_REDUCE_ARGMAX, kRow, dtype, 1, 128256);
    reduce(all, GPUOPT_REDUCE_MAX, kRow, dtype, 8192, 4096);
    reduce(all, GPUOPT_REDUCE_MAX, kAll, dtype, 1, 16777216);  // a scale for quantisation
    reduce(all, GPUOPT_REDUCE_SUMSQ, kRow, dtype, 8192, 4096);
    reduce(all, GPUOPT_REDUCE_MEAN, kCol, dtype, 8192, 4096);   // of a batch
    reduce(all, GPUOPT_REDUCE_NRM2, kAll, dtype, 1, 16777216);  // of a gradient
    reduce(all, GPUOPT_REDUCE_DOT, kAll, dtype, 1, 1048576);
    reduce(all, kSum, kRow, dtype, 512, 512, 96);
    unaligned(reduce(all, kSum, kRow, dtype, 8192, 8192), dtype);
    unaligned(reduce(all, kSum, kAll, dtype, 1, 16777216), dtype);
    reduce(all, kSum, kRow, dtype, 8192, 4096).args.reduce.x.layout = GPUOPT_COL;
  }
  for (const int32_t dtype : {kF64, kF16, kE4m3, kI8, kU8, kI32}) {
    reduce(all, kSum, kRow, dtype, 8192, 4096);
    reduce(all, kSum, kCol, dtype, 8192, 4096);
    reduce(all, kSum, kAll, dtype, 1, 16777216);
  }
  for (const int32_t kind : {GPUOPT_REDUCE_PROD, GPUOPT_REDUCE_MIN, GPUOPT_REDUCE_ASUM, GPUOPT_REDUCE_ARGMIN})
    for (const int32_t axis : {kRow, kCol, kAll}) reduce(all, kind, axis, kF32, 4096, 4096);
  reduce(all, GPUOPT_REDUCE_DOT, kRow, kF64, 4096, 4096);
  reduce(all, kSum, kCol, kF32, 512, 512, 96);
  GoldenProblem &part = reduce(all, kSum, kRow, kF32, 8192, 1000);
  part.args.reduce.x.ld = 4097;
  return all;
}

}  // namespace gpuopt_test
