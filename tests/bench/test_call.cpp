// Calls as text, and random ones.
#include <doctest/doctest.h>

#include <cstring>
#include <set>

#include "suites/call.h"
#include "suites/random_calls.h"

using namespace gpuopt_bench;

namespace {

// Everything a kernel may look at but the addresses themselves.
bool alike(const gpuopt_matrix &a, const gpuopt_matrix &b) {
  const auto align = [](const void *p) { return reinterpret_cast<uintptr_t>(p) % 256; };
  return a.rows == b.rows && a.cols == b.cols && a.dtype == b.dtype && a.layout == b.layout && a.ld == b.ld &&
         a.batch_stride == b.batch_stride && (a.scale == nullptr) == (b.scale == nullptr) &&
         align(a.data) == align(b.data);
}

int refused = 0;

}  // namespace

TEST_CASE("call: text reads back, whatever the op") {
  for (const char *text :
       {"gemm compute=f32 alpha=0.5 beta=1 batch=3 a=100x64:bf16 b=64x36:bf16:col:ld=72:bs=0 d=100x36:bf16 "
        "c=100x36:bf16:at=d stage=ADD:per_col:1 sa=1x36:f32:by=4 stage=CLAMP:0:6",
        "gemm compute=f8_fast a=8x16:e4m3:scale b=16x8:e5m2:scale d=8x8:bf16",
        "transpose src=64x64:f32 dst=64x64:f32:at=src", "transpose batch=7 src=3x5:b128:ld=9 dst=5x3:b128:col",
        "reduce reduce=ARGMAX axis=row flags=4 x=7x9:i8:by=1 out=7x1:i64 value=7x1:i8",
        "reduce reduce=DOT axis=all x=7x9:f64 y=7x9:f64:col out=1x1:f64",
        "fused_act x=5x6:f16:by=2 out=5x6:f32 stage=GELU stage=ADD_OUTER:0.5 sa=5x1:f16 sb=1x6:f16 stage=STORE "
        "sa=5x6:f32",
        "norm norm=RMSNORM eps=1e-06 x=4x512:f32 residual=4x512:f32 out=4x512:f32:at=x sum=4x512:f32 "
        "gamma=1x512:f32"}) {
    CAPTURE(text);
    Call call = read_call(text);
    CHECK(text_of(call) == text);
    CHECK(text_of(call_of(call.args())) == text);
  }
  for (const char *bad : {"", "gem a=1x1:f32", "gemm a=1x1", "gemm a=1x1:f33", "gemm a=1x1:f32:ld=", "gemm a",
                          "gemm x=1x1:f32", "gemm sa=1x1:f32", "gemm stage=RELUX",
                          "transpose src=1x1:f32 dst=1x1:f32:at=x", "gemm batch=two", "gemm a=1x1:f32:row"})
    CHECK_THROWS_AS(read_call(bad), BadShape);
}

TEST_CASE("call: operands of a text lie apart, at addresses of their alignment") {
  Call call = read_call("gemm compute=f32 a=4x4:f32:by=4 b=4x4:f32 d=4x4:f32 c=4x4:f32:at=d");
  CHECK(reinterpret_cast<uintptr_t>(call.gemm.a.data) % 256 == 4);
  CHECK(reinterpret_cast<uintptr_t>(call.gemm.b.data) % 256 == 0);
  CHECK(call.gemm.c.data == call.gemm.d.data);
  CHECK(call.gemm.b.data != call.gemm.d.data);
  CHECK(flops_of(call) == 128);
  CHECK(touched_bytes(&call) == 4 * 64);
  CHECK(span_bytes(read_call("transpose batch=2 src=3x5:f32:ld=8 dst=5x3:f32").transpose.src, 2) == 4 * (24 + 16 + 5));
}

TEST_CASE("call: random ones are legal, the same for a seed, and read back from their text") {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *handle = nullptr;
  REQUIRE(gpuopt_create(&handle, &o) == GPUOPT_OK);
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_pretend_device("sm_90", &facts) == GPUOPT_OK);
  gpuopt_explain_options explain = GPUOPT_EXPLAIN_OPTIONS_INIT;
  explain.pretend = &facts;
  explain.space = GPUOPT_SPACE_DEVICE;
  std::set<std::string> texts;
  int odd = 0, extents = 0;
  for (int32_t op = 1; op < GPUOPT_OP_COUNT_; ++op)
    for (uint64_t i = 0; i < 600; ++i) {
      Call call = random_call(op, 7, i);
      const std::string text = text_of(call);
      CAPTURE(text);
      texts.insert(text);
      CHECK(text == text_of(random_call(op, 7, i)));
      CHECK(touched_bytes(&call) <= int64_t{1} << 30);
      const gpuopt_status status = gpuopt_explain(handle, call.args(), &explain, nullptr, nullptr);
      CHECK_MESSAGE(status != GPUOPT_INVALID_ARGUMENT, gpuopt_last_error());
      if (status != GPUOPT_OK) ++refused;
      Call back = read_call(text);
      CHECK(text_of(back) == text);
      const std::vector<Call::Operand> before = call.operands(), after = back.operands();
      REQUIRE(before.size() == after.size());
      for (size_t k = 0; k < before.size(); ++k) {
        CHECK(before[k].name == after[k].name);
        CHECK(alike(*before[k].matrix, *after[k].matrix));
      }
      const gpuopt_matrix &first = *before[0].matrix;
      for (const int64_t extent : {first.rows, first.cols}) {
        ++extents;
        odd += extent % 2;
      }
    }
  gpuopt_destroy(handle);
  CHECK(texts.size() > 2950);
  CHECK(odd > extents * 2 / 5);
  CHECK(odd < extents * 3 / 5);
  CHECK(text_of(random_call(GPUOPT_OP_GEMM, 7, 0)) != text_of(random_call(GPUOPT_OP_GEMM, 8, 0)));
}
