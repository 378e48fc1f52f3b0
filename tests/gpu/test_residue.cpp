// gpuopt check leaves NaN where kernels find what they have not written.
#include "gpu_support.h"
#include "residue.h"

using namespace gpuopt_test;

TEST_CASE("gpu: a kernel that reads shared memory which it has not written finds NaN behind gpuopt check's residue") {
  GPUOPT_NEED_GPU();
  const Gpu g;
  gpuopt_device_facts facts = GPUOPT_DEVICE_FACTS_INIT;
  REQUIRE(gpuopt_get_device(g.handle, &facts) == GPUOPT_OK);
  const double share = gpuopt_check::share_left_behind(facts.ordinal, g.stream);
  CAPTURE(share);
  CHECK(share >= 0.9);
  CHECK(share <= 1);
}
