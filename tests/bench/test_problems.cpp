// Problems as --shape spells them, and the calls they stand for.
#include <doctest/doctest.h>

#include "suites/problems.h"

using namespace gpuopt_bench;

namespace {

int memory[6];  // never touched

}  // namespace

TEST_CASE("problems: gemm, what is left out is the usual, and the whole text reads back") {
  GemmShape s = read_gemm_shape("8x16x32");
  CHECK(text_of(s) == "8x16x32:f32:f32:f32:nn");
  CHECK(text_of(read_gemm_shape("8x16x32:e4m3")) == "8x16x32:e4m3:bf16:f32:nn");
  CHECK(text_of(read_gemm_shape("8x16x32:i8")) == "8x16x32:i8:i32:i32:nn");
  s = read_gemm_shape("8x16x32:e4m3+e5m2:f16:f8_fast:nt");
  CHECK(text_of(s) == "8x16x32:e4m3+e5m2:f16:f8_fast:nt");
  std::vector<gpuopt_stage> stages;
  const gpuopt_gemm_args g = gemm_args(s, {&memory[0], &memory[1], &memory[2], nullptr}, &stages);
  CHECK(g.stage_count == 0);
  CHECK(g.a.dtype == GPUOPT_E4M3);
  CHECK(g.a.layout == GPUOPT_ROW);
  CHECK(g.b.dtype == GPUOPT_E5M2);
  CHECK(g.b.layout == GPUOPT_COL);
  CHECK(g.b.rows == 32);
  CHECK(g.b.cols == 16);
  CHECK(g.d.data == &memory[2]);
  CHECK(text_of(read_gemm_shape("8x16x32:f16+f16")) == "8x16x32:f16:f16:f32:nn");
  for (const char *bad : {"8x16", "8x16x32:f33", "8x16x32:f16+f16+f16", "8x16x32:+f16x", "8x16x32:f32:f32:f32:n",
                          "8x16x32:f32:f32:f32:nn:bias_tan"})
    CHECK_THROWS_AS(read_gemm_shape(bad), BadShape);
  s = read_gemm_shape("8x16x32:bf16::::bias_gelu");
  CHECK(text_of(s) == "8x16x32:bf16:bf16:f32:nn:bias_gelu");
  const gpuopt_gemm_args ended = gemm_args(s, {&memory[0], &memory[1], &memory[2], &memory[3]}, &stages);
  REQUIRE(ended.stage_count == 2);
  CHECK(ended.stages[0].form == GPUOPT_PER_COL);
  CHECK(ended.stages[0].a.data == &memory[3]);
  CHECK(ended.stages[0].a.cols == 16);
  CHECK(ended.stages[1].kind == GPUOPT_STAGE_GELU);
  const gpuopt_gemm_args added =
      gemm_args(read_gemm_shape("8x16x32:bf16::::residual"), {&memory[0], &memory[1], &memory[2], &memory[3]}, &stages);
  REQUIRE(added.stage_count == 1);
  CHECK(added.stages[0].a.rows == 8);
}

TEST_CASE("problems: transpose, in place is one matrix") {
  const TransposeShape s = read_transpose_shape("64x64x3:bf16:in_place");
  const gpuopt_transpose_args t = transpose_args(s, &memory[0], &memory[1]);
  CHECK(t.batch == 3);
  CHECK(t.dst.data == t.src.data);
  const gpuopt_transpose_args apart = transpose_args(read_transpose_shape("64x32"), &memory[0], &memory[1]);
  CHECK(apart.dst.data == &memory[1]);
  CHECK(apart.dst.rows == 32);
  for (const char *bad : {"64x32:f32:in_place", "64x64:f32:place", "64:f32"})
    CHECK_THROWS_AS(read_transpose_shape(bad), BadShape);
}

TEST_CASE("problems: reduce, the output fits the axis and the reduction") {
  const ReduceShape rows = read_reduce_shape("5x7:bf16:argmax:row");
  CHECK(reduce_outputs(rows) == 5);
  CHECK(reduce_output(rows) == GPUOPT_I64);
  const gpuopt_reduce_args r = reduce_args(rows, &memory[0], &memory[1]);
  CHECK(r.out.rows == 5);
  CHECK(r.out.cols == 1);
  CHECK(reduce_outputs(read_reduce_shape("5x7:f32:sum:col")) == 7);
  CHECK(reduce_outputs(read_reduce_shape("5x7")) == 1);
  CHECK(reduce_output(read_reduce_shape("5x7:i8:mean")) == GPUOPT_F32);
  for (const char *bad : {"5x7:f32:dot", "5x7:f32:sum:diagonal"}) CHECK_THROWS_AS(read_reduce_shape(bad), BadShape);
}

TEST_CASE("problems: fused_act, chains by name, single stages by theirs, x in columns") {
  std::vector<gpuopt_stage> stages;
  const FusedMemory m = {&memory[0], &memory[1], &memory[2], &memory[3], &memory[4]};
  FusedShape s = read_fused_shape("6x10");
  CHECK(detail_of(s) == "relu, add per_col, mul scalar");
  CHECK(fused_act_args(s, m, &stages).stage_count == 3);
  s = read_fused_shape("6x10:f16:leaky_relu:col");
  CHECK(detail_of(s) == "leaky_relu, x in columns");
  const gpuopt_fused_act_args f = fused_act_args(s, m, &stages);
  REQUIRE(f.stage_count == 1);
  CHECK(f.stages == stages.data());
  CHECK(stages[0].kind == GPUOPT_STAGE_LEAKY_RELU);
  CHECK(stages[0].value[0] != 0);
  CHECK(f.x.layout == GPUOPT_COL);
  CHECK(f.x.rows == 6);
  CHECK(f.out.layout == GPUOPT_ROW);
  CHECK(read_fused_shape("6x10:f32:RELU").stage == GPUOPT_STAGE_RELU);
  CHECK(read_fused_shape("6x10:f32:relu").chain == Chain::relu);
  CHECK(factors_of(read_fused_shape("6x10:f32:five_gelu")) == 6);
  for (const char *bad : {"6x10:f32:add", "6x10:f32:no_stage", "6x10:f32:relu:up"})
    CHECK_THROWS_AS(read_fused_shape(bad), BadShape);
}

TEST_CASE("problems: norm, operands that the kind has") {
  gpuopt_stage stage;
  const NormMemory m = {&memory[0], &memory[1], &memory[2], &memory[3], &memory[4], &memory[5]};
  const gpuopt_norm_args n = norm_args(read_norm_shape("6x10:bf16:add_rmsnorm"), m, &stage);
  CHECK(n.gamma.data == &memory[2]);
  CHECK(n.beta.data == nullptr);
  CHECK(n.residual.data == &memory[4]);
  CHECK(n.stage_count == 0);
  const gpuopt_norm_args fused = norm_args(read_norm_shape("6x10:bf16:layernorm_gelu"), m, &stage);
  CHECK(fused.beta.data == &memory[3]);
  CHECK(fused.stages == &stage);
  CHECK(norm_args(read_norm_shape("6x10:f32:softmax"), m, &stage).gamma.data == nullptr);
  CHECK_THROWS_AS(read_norm_shape("6x10:f32:batchnorm"), BadShape);
}
