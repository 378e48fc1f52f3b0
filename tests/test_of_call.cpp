// Calls as problems of the oracle: what a text says is what is run and checked.
#include "deviation.h"
#include "gpuopt_call/text.h"
#include "kernel_report.h"
#include "of_call.h"
#include "session.h"
#include "support.h"

using namespace gpuopt_test;
using namespace gpuopt_check;

namespace {

constexpr const char *kCalls[] = {
    "gemm compute=f32 a=9x7:f32 b=7x5:f32:col:ld=11 d=9x5:f32:ld=8:by=4",
    "gemm compute=f32 alpha=pointer beta=0.5 batch=3 a=8x6:bf16 b=6x4:bf16:bs=0 d=8x4:bf16 c=8x4:bf16:at=d stage=RELU",
    "gemm a=8x16:e4m3:scale:by=2 b=16x8:e5m2:scale d=8x8:bf16",
    "gemm a=5x8:i8 b=8x5:i8:col d=5x5:i32",
    "transpose batch=2 src=3x5:f16:ld=8 dst=5x3:f16",
    "transpose src=4x4:b128 dst=4x4:b128:at=src",
    "reduce reduce=ARGMAX axis=row x=6x9:f32 out=6x1:i64 value=6x1:f32",
    "reduce reduce=DOT axis=all x=6x9:i32:col y=6x9:i32 out=1x1:i64",
    "fused_act x=8x8:f32:ld=24 out=8x8:f16 stage=MUL:matrix:1 sa=8x8:f32:ld=24:at=x+32 stage=STORE sa=8x8:bf16",
    "fused_act x=3x4:f32 out=3x4:f32:at=x stage=ADD_OUTER:2 sa=3x1:f16 sb=1x4:f16",
    ("norm norm=LAYERNORM eps=1e-06 x=7x12:f16 residual=7x12:f16 out=7x12:f16 sum=7x12:f16:at=x gamma=1x12:f16 "
     "statistics=7x2:f32 stage=ADD:per_col:1 sa=1x12:f32"),
};

}  // namespace

TEST_CASE("calls: what a text says is run as it says and held to the oracle") {
  const Handle h = cpu_handle();
  Session session(h.get());
  for (const char *text : kCalls) {
    CAPTURE(text);
    for (const Data data : {Data::normal, Data::uniform, Data::zeros}) {
      const Problem p = problem_of(gpuopt_call::read_call(text), data, 3);
      // It is that call: made again of the problem's args it has the same text, but that scalars by pointer are not compared.
      const Args args(p, const_cast<uint8_t *>(p.image.data()));
      CHECK(static_cast<int64_t>(p.image.size()) == image_bytes(gpuopt_call::read_call(text)));
      CHECK(static_cast<const gpuopt_args *>(args.get())->op == p.op);
      const Truth truth = find_truth(p);
      const Outcome ran = session.run(p, "");
      REQUIRE_MESSAGE(ran.status == GPUOPT_OK, ran.error);
      const Deviation d = deviation(p, truth, ran.after);
      CHECK_MESSAGE(d.wrong.empty(), d.wrong);
      CHECK(d.checked > 0);
      CHECK(d.share <= 1);
      CHECK_FALSE(d.sampled);
    }
  }
}

TEST_CASE("calls: an image of a call holds its operands where the call has them") {
  Problem p = problem_of(
      gpuopt_call::read_call("gemm beta=1 a=9x7:f32:by=16 b=7x5:f32 d=9x5:f32:ld=8:by=4 c=9x5:f32:ld=8:at=d"),
      Data::normal, 1);
  CHECK(p.t[GPUOPT_OPERAND_A].pos % 256 == 16);
  CHECK(p.t[GPUOPT_OPERAND_D].pos % 256 == 4);
  CHECK(p.t[GPUOPT_OPERAND_D].pos == p.t[GPUOPT_OPERAND_C].pos);
  CHECK(p.t[GPUOPT_OPERAND_D].ld == 8);
  CHECK(find_tensor(&p, "b") == &p.t[GPUOPT_OPERAND_B]);
  CHECK(find_tensor(&p, "x") == nullptr);
  CHECK(find_tensor(&p, "") == nullptr);
  CHECK(find_tensor(&p, "stages[0].a") == nullptr);
  CHECK(image_bytes(gpuopt_call::read_call("fused_act x=536870912x1073741824:f32 out=536870912x1073741824:f32")) ==
        INT64_MAX);
}

TEST_CASE("calls: a result that is off is told, with how far") {
  const Handle h = cpu_handle();
  Session session(h.get());
  const Problem p =
      problem_of(gpuopt_call::read_call("gemm compute=f32 a=9x7:f32 b=7x5:f32 d=9x5:f32"), Data::normal, 3);
  const Truth truth = find_truth(p);
  Outcome ran = session.run(p, "");
  float *const d = reinterpret_cast<float *>(ran.after.data() + p.t[GPUOPT_OPERAND_D].at(0, 4, 2));
  *d += 0.5f;
  const Deviation off = deviation(p, truth, ran.after);
  CHECK_MESSAGE(contains(off.wrong, "d(4, 2)"), off.wrong);
  CHECK(off.largest == doctest::Approx(0.5).epsilon(1e-4));
  CHECK(off.share > 1000);
  CHECK(off.checked == 45);
}

TEST_CASE("calls: elements of a product take steps of their own, however few numbers are multiplied") {
  for (const char *text : {"gemm a=300x1:f32 b=1x16:f32 d=300x16:f32", "gemm a=300x0:f32 b=0x16:f32 d=300x16:f32"}) {
    CAPTURE(text);
    const Problem p = problem_of(gpuopt_call::read_call(text), Data::normal, 3);
    CHECK(find_truth(p, 10000).rows.size() < 300);
    CHECK(find_truth(p, 100000).rows.size() == 300);
  }
}

TEST_CASE("calls: of a problem that is long to work out a sample of rows is checked") {
  const Handle h = cpu_handle();
  Session session(h.get());
  for (const char *text : {"fused_act x=300x40:f32 out=300x40:f32 stage=RELU stage=STORE sa=300x40:f32",
                           "norm x=300x40:f32 out=300x40:f32 statistics=300x2:f32",
                           "reduce axis=row x=300x40:f32 out=300x1:f32", "gemm a=300x8:f32 b=8x16:f32 d=300x16:f32"}) {
    CAPTURE(text);
    const Problem p = problem_of(gpuopt_call::read_call(text), Data::normal, 3);
    const Truth truth = find_truth(p, 4000);
    CHECK(truth.rows.size() < 300);
    CHECK(truth.rows.size() >= 8);
    CHECK(truth.rows.front() == 0);
    CHECK(truth.rows.back() == 299);
    Outcome ran = session.run(p, "");
    const Deviation d = deviation(p, truth, ran.after);
    CHECK_MESSAGE(d.wrong.empty(), d.wrong);
    CHECK(d.sampled);
    const int out = p.op == GPUOPT_OP_GEMM ? GPUOPT_OPERAND_D : GPUOPT_OPERAND_OUT;
    *reinterpret_cast<float *>(ran.after.data() + p.t[out].at(0, 299, 0)) += 100;
    CHECK_FALSE(deviation(p, truth, ran.after).wrong.empty());
  }
}
