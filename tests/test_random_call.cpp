// Random calls, as suites measure and tune them.
#include <doctest/doctest.h>

#include <cstring>
#include <set>

#include "gpuopt_call/random_call.h"
#include "gpuopt_call/text.h"
#include "gpuopt_call/work.h"

using namespace gpuopt_call;

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

TEST_CASE("random calls: they are legal, the same for a seed, and read back from their text") {
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

TEST_CASE("random calls: the members of a family are other calls of one class, most of them") {
  gpuopt_options o = GPUOPT_OPTIONS_INIT;
  o.device = GPUOPT_DEVICE_CPU;
  gpuopt_handle *handle = nullptr;
  REQUIRE(gpuopt_create(&handle, &o) == GPUOPT_OK);
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_pretend_device("h200", &facts) == GPUOPT_OK);
  const auto class_of = [&](Call call) {
    gpuopt_explain_options explain = call.assumptions(facts);
    explain.pretend = &facts;
    char text[GPUOPT_TUNE_KEY_BYTES];
    size_t length = 0;
    const gpuopt_status s =
        gpuopt_tune_key(handle, call.args(), &explain, GPUOPT_TUNE_CLASS, text, sizeof text, &length);
    return s == GPUOPT_OK ? std::string(text, length) : std::string();
  };
  int members = 0, others = 0, of_class = 0;
  for (int32_t op = 1; op < GPUOPT_OP_COUNT_; ++op)
    for (uint64_t i = 0; i < 60; ++i) {
      const Call first = random_call(op, 5, i);
      for (uint64_t member = 1; member < 4; ++member) {
        const Call call = random_call(op, 5, i, member);
        CHECK(text_of(call) == text_of(random_call(op, 5, i, member)));
        ++members;
        others += text_of(call) != text_of(first);
        of_class += class_of(call) == class_of(first);
      }
    }
  gpuopt_destroy(handle);
  CHECK(others > members * 7 / 10);
  CHECK(of_class > members * 9 / 10);
}
