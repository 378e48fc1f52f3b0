// Values of fused_act that its kernels are to agree on where numbers are extreme: factors that overflow without their elements,
// NaN with a payload, zeros with a sign.
#include <cmath>
#include <cstring>

#include "gpu_support.h"

using namespace gpuopt_test;

namespace {

constexpr int64_t kRows = 40, kCols = 64;

// What those of the kernels that can run it give.
template <class T, class Check>
void each_kernel(const gpuopt_fused_act_args &args, DeviceArray<T> &out, Check &&check) {
  const Gpu g;
  int ran = 0;
  for (const char *const kernel : {"fused_act_columns", "fused_act_vec16", "fused_act_small", "fused_act_linear",
                                   "fused_act_chain", "fused_act_tiles", "fused_act_scalar"}) {
    Candidates seen;
    gpuopt_explain(g.handle, &args, nullptr, Candidates::add, &seen);
    const Candidate *const c = seen.find(kernel);
    if (c == nullptr || c->verdict == GPUOPT_VERDICT_REJECTED) continue;
    CAPTURE(std::string(kernel));
    check(result_of(g, kernel, &args, out));
    ++ran;
  }
  CHECK(ran > 1);
}

// The same of one function of a matrix of these values.
template <class T, class Check>
void each_kernel(int32_t kind, const std::vector<T> &values, int32_t dtype, Check &&check) {
  const DeviceArray<T> x(values);
  DeviceArray<T> out(values.size());
  gpuopt_stage stage = gpuopt_act(kind, 0, 0);
  gpuopt_fused_act_args args = GPUOPT_FUSED_ACT_ARGS_INIT;
  args.x = gpuopt_mat(x.data, kRows, kCols, dtype);
  args.out = gpuopt_mat(out.data, kRows, kCols, dtype);
  args.stages = &stage;
  args.stage_count = 1;
  each_kernel(args, out, check);
}

}  // namespace

TEST_CASE("fused_act: a vector's factor and the scale behind it are not multiplied with each other") {
  GPUOPT_NEED_GPU();
  std::vector<float> vector(static_cast<size_t>(kCols));
  for (size_t j = 0; j < vector.size(); ++j) vector[j] = j % 2 == 0 ? 0.0f : 1e-30f;
  const DeviceArray<float> x(std::vector<float>(static_cast<size_t>(kRows * kCols), 0.0f)), bias(vector);
  DeviceArray<float> out(static_cast<size_t>(kRows * kCols));
  gpuopt_stage stages[3] = {
      gpuopt_act(GPUOPT_STAGE_RELU, 0, 0),
      gpuopt_act_with(GPUOPT_STAGE_ADD, GPUOPT_PER_COL, gpuopt_mat(bias.data, 1, kCols, GPUOPT_F32)),
      gpuopt_act(GPUOPT_STAGE_MUL, 1e20, 0)};
  stages[1].value[0] = 1e25;
  gpuopt_fused_act_args args = GPUOPT_FUSED_ACT_ARGS_INIT;
  args.x = gpuopt_mat(x.data, kRows, kCols, GPUOPT_F32);
  args.out = gpuopt_mat(out.data, kRows, kCols, GPUOPT_F32);
  args.stages = stages;
  args.stage_count = 3;
  each_kernel(args, out, [](const std::vector<float> &values) {
    int64_t wrong = 0;
    for (size_t e = 0; e < values.size(); ++e)
      wrong += e % 2 == 0 ? values[e] != 0.0f : !(std::fabs(values[e] - 1e15f) < 1e10f);
    CHECK(wrong == 0);
  });
}

TEST_CASE("fused_act: functions of fp64 leave NaN what it is, whatever its payload") {
  GPUOPT_NEED_GPU();
  std::vector<double> values(static_cast<size_t>(kRows * kCols));
  for (size_t e = 0; e < values.size(); ++e) {
    const uint64_t bits = (e % 2 == 0 ? 0x7ff8000000000000 : 0xfff8000000000000) | e * 0x9e3779b1;
    std::memcpy(&values[e], &bits, sizeof bits);
  }
  for (const int32_t kind : {GPUOPT_STAGE_SIGMOID, GPUOPT_STAGE_SILU, GPUOPT_STAGE_GELU, GPUOPT_STAGE_GELU_TANH,
                             GPUOPT_STAGE_TANH, GPUOPT_STAGE_RELU}) {
    CAPTURE(kind);
    each_kernel(kind, values, GPUOPT_F64, [](const std::vector<double> &y) {
      int64_t numbers = 0;
      for (const double v : y) numbers += !std::isnan(v);
      CHECK(numbers == 0);
    });
  }
}

TEST_CASE("fused_act: RELU of -0 is 0 in fp64 as in fp32") {
  GPUOPT_NEED_GPU();
  const auto zeros_of = [](auto zero, int32_t dtype) {
    using T = decltype(zero);
    const std::vector<T> values(static_cast<size_t>(kRows * kCols), -zero);
    each_kernel(GPUOPT_STAGE_RELU, values, dtype, [](const std::vector<T> &y) {
      int64_t wrong = 0;
      for (const T v : y) wrong += v != 0 || std::signbit(v);
      CHECK(wrong == 0);
    });
  };
  zeros_of(0.0, GPUOPT_F64);
  zeros_of(0.0f, GPUOPT_F32);
}
