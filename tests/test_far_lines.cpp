// The leading dimension of a matrix with one line says where a second one would begin. It may be any number: no kernel may
// step by it, nor multiply it into an address that it does not use (UBSan sees what the results do not show).
#include "kernel_report.h"
#include "spec.h"
#include "support.h"

using namespace gpuopt_check;
using namespace gpuopt_test;

namespace {

// How many matrices of the problem have one line, which is put as far from the next as an int64 of bytes can say.
int move_lines_apart(Problem *p, int64_t bytes) {
  int moved = 0;
  for_each_tensor(*p, [&](Tensor &t) {
    if ((t.layout == GPUOPT_ROW ? t.rows : t.cols) != 1 || (p->batch != 1 && t.stride != 0)) return;
    t.ld = bytes / t.size();
    t.state_ld = t.state_stride = true;
    ++moved;
  });
  return moved;
}

}  // namespace

TEST_CASE("far lines: no CPU kernel walks to a line that there is not") {
  for (const char *isa : {"baseline", "avx2", "avx512"}) {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.cpu_isa = isa;
    o.num_threads = 2;
    gpuopt_handle *h = nullptr;
    REQUIRE_MESSAGE(gpuopt_create(&h, &o) == GPUOPT_OK, last_error());
    const Handle handle(h);
    Session session(h);
    for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
      const gpuopt_kernel &kernel = *gpuopt_kernel_get(i);
      if (!contains(kernel.name, "_cpu_")) continue;  // other tests register kernels of their own
      if (contains(kernel.name, "_reference") && contains(isa, "avx")) continue;  // it has one code
      const Needs needs = needs_of_kernel(kernel);
      int ran = 0;
      for (int64_t n = 0; n < 1200; ++n) {
        // A multiple of all alignments; times an extent it wraps.
        constexpr int64_t kFarthest = INT64_MAX / 4096 * 4096;
        const auto has_far_lines = [&](Problem *p, bool with_values) {
          *p = random_problem(needs, kernel.name, 11, n, n % 4 ? Size::tiny : Size::small, 0, with_values);
          return move_lines_apart(p, n % 2 ? kFarthest : kFarthest / 2 + 2048) > 0;
        };
        Problem p;
        if (!has_far_lines(&p, false)) continue;
        if (session.explain(p).status != GPUOPT_OK) continue;  // beyond what a call may state
        has_far_lines(&p, true);
        const std::string wrong = verify(session, p, find_truth(p), kernel.name, 1), text = p.text();
        CHECK_MESSAGE(wrong.empty(), std::string(kernel.name)
                                         << " with " << std::string(isa) << ": " << wrong << ": " << text);
        ++ran;
      }
      if (std::getenv("GPUOPT_TEST_SHOW")) std::printf("%s %s: %d\n", isa, kernel.name, ran);
      const std::string name = kernel.name;
      CHECK_MESSAGE(ran >= 40, name << ": " << ran);
    }
  }
}
