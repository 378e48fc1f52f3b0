// check --soak: many threads get the bits that one got, and it finds a kernel of which that is not true.
#include "soak.h"

#include <atomic>

#include "support.h"
#include "synthetic_kernel.h"

using namespace gpuopt_check;
using namespace gpuopt_test;

namespace {

SoakOptions short_soak() {
  SoakOptions o;
  o.device = GPUOPT_DEVICE_CPU;
  o.seconds = 0.5;
  o.threads = 4;
  o.problems = 8;
  o.size = Size::tiny;
  return o;
}

bool takes_calls = false;  // the kernel below is for one test case

int only_when_wanted(const gpuopt_problem *, gpuopt_reject *reject) {
  *reject = {GPUOPT_REJECT_DISABLED, GPUOPT_OPERAND_NONE, 0, 0, "another test"};
  return takes_calls;
}

gpuopt_status transpose_now_and_then_wrong(const gpuopt_problem *p, const gpuopt_launch *) {
  static std::atomic<int> calls{0};
  const gpuopt_matrix &src = p->operand[GPUOPT_OPERAND_SRC].m, &dst = p->operand[GPUOPT_OPERAND_DST].m;
  const int64_t size = gpuopt_dtype_size(src.dtype);
  char *const to = static_cast<char *>(dst.data);
  for (int64_t b = 0; b < p->batch; ++b)
    for (int64_t i = 0; i < p->m; ++i)
      for (int64_t j = 0; j < p->n; ++j)
        std::memcpy(to + (b * dst.batch_stride + j * dst.ld + i) * size,
                    static_cast<const char *>(src.data) + (b * src.batch_stride + i * src.ld + j) * size,
                    static_cast<size_t>(size));
  if (++calls % 50 == 0) to[0] ^= 1;
  return GPUOPT_OK;
}

double at_once(const gpuopt_problem *) { return 1e-6; }

}  // namespace

TEST_CASE("soak: four threads get the bits that one got") {
  const SoakReport r = soak(short_soak());
  for (const std::string &failure : r.failures) FAIL_CHECK(failure);
  CHECK(r.problems >= 30);
  CHECK(r.calls > 2 * 4 * r.problems);
  CHECK(r.captured > r.problems);
  CHECK(r.host_bytes[0] > 0);
}

TEST_CASE("soak: a kernel that is wrong once in fifty calls is found") {
  static gpuopt_kernel k =
      synthetic_kernel(GPUOPT_OP_TRANSPOSE, "transpose_test_soak", GPUOPT_KERNEL_HOST, kAnySignature);
  k.understands = GPUOPT_FEATURE_BATCH | GPUOPT_FEATURE_BROADCAST | GPUOPT_FEATURE_LARGE;
  k.can_run = only_when_wanted;
  k.predict_us = at_once;
  k.launch = transpose_now_and_then_wrong;
  REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, last_error());
  takes_calls = true;
  const SoakReport r = soak(short_soak());
  takes_calls = false;
  bool found = false;
  for (const std::string &failure : r.failures)
    found = found || contains(failure, "alone and among others the bits differ, first at byte");
  CHECK(found);
}
