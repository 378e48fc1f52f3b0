// Which kernel each pretended device takes for problems that people have, against the golden files in tests/goldens/: a
// silent change of choice fails here. A line: the call (docs/call-text.md), then the devices and their kernel; neighbours that agree share
// one. The last lines name the kernels that compete and are nobody's choice. GPUOPT_TEST_UPDATE_GOLDENS=1 rewrites the
// files; review the difference.
#include <fstream>
#include <set>
#include <sstream>

#include "golden_problems.h"
#include "support.h"

using namespace gpuopt_test;

namespace {

constexpr const char *kDevices[] = {"none", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};

// The problem's line; adds to `chosen` what is chosen.
std::string choices(gpuopt_handle *h, GoldenProblem &c, std::set<std::string> *chosen) {
  const gpuopt::AnyArgs &args = c.call();
  gpuopt_explain_options o = c.assumptions();
  o.any_build = 1;
  char text[GPUOPT_CALL_TEXT_BYTES];
  size_t length = 0;
  REQUIRE_MESSAGE(gpuopt_call_text(&args, &o, text, sizeof text, &length) == GPUOPT_OK, last_error());
  std::ostringstream line;
  line << text;
  std::string before;
  for (const char *device : kDevices) {
    const gpuopt_device_facts facts = pretend(device);
    o.pretend = &facts;
    Candidates Seen;
    const gpuopt_status status = gpuopt_explain(h, &args, &o, Candidates::add, &Seen);
    const std::string kernel = status == GPUOPT_OK ? Seen.all.at(0).kernel : gpuopt_status_name(status);
    chosen->insert(kernel);
    const std::string name = facts.cc != 0 ? std::to_string(facts.cc) : device;
    if (device == kDevices[0])
      line << " | " << name;
    else if (kernel == before && device != kDevices[1])
      line << ' ' << name;
    else
      line << ' ' << before << " | " << name;
    before = kernel;
  }
  line << ' ' << before;
  return line.str();
}

void check_goldens(const char *op, GoldenProblems problems) {
  if (!GPUOPT_TEST_EVERY_CLASS) {
    MESSAGE("SKIP: this build's architectures leave out classes of kernels");
    return;
  }
  const Handle h = cpu_handle();
  // By predictions: what the library carries for a device was measured, and stands in a file of its own.
  REQUIRE(gpuopt_set_tune_cache(h.get(), "none") == GPUOPT_OK);
  const std::string path =
      std::string(GPUOPT_TEST_SOURCE_DIR) + "/goldens/" + op + (GPUOPT_TEST_HAVE_CUDA ? "_cuda.txt" : "_cpu.txt");
  std::vector<std::string> lines;
  std::set<std::string> chosen, seen;
  for (GoldenProblem &c : problems) {
    lines.push_back(choices(h.get(), c, &chosen));
    CHECK_MESSAGE(seen.insert(lines.back()).second, "twice: ", lines.back());
  }
  CHECK(problems.size() >= 60);
  for (size_t i = 0; i < gpuopt_kernel_count(); ++i) {
    const gpuopt_kernel &k = *gpuopt_kernel_get(i);
    if (contains(k.name, "_test_")) continue;  // registered by another test
    if (k.op == problems[0].args.head.op && !(k.flags & GPUOPT_KERNEL_TEACHING) && chosen.count(k.name) == 0)
      lines.push_back(std::string("nobody's choice: ") + k.name);
  }
  if (std::getenv("GPUOPT_TEST_UPDATE_GOLDENS")) {
    std::ofstream out(path);
    for (const std::string &line : lines) out << line << '\n';
    MESSAGE("rewrote ", path);
    return;
  }
  std::ifstream in(path);
  REQUIRE_MESSAGE(in, "no golden file ", path);
  std::string want;
  for (const std::string &line : lines) {
    REQUIRE(std::getline(in, want));
    CHECK(line == want);
  }
  CHECK(!std::getline(in, want));
}

}  // namespace

TEST_CASE("goldens: gemm choices on pretended devices") { check_goldens("gemm", golden_gemms()); }
TEST_CASE("goldens: transpose choices on pretended devices") { check_goldens("transpose", golden_transposes()); }
TEST_CASE("goldens: reduce choices on pretended devices") { check_goldens("reduce", golden_reduces()); }
TEST_CASE("goldens: fused_act choices on pretended devices") { check_goldens("fused_act", golden_fused_acts()); }
TEST_CASE("goldens: norm choices on pretended devices") { check_goldens("norm", golden_norms()); }
TEST_CASE("goldens: gemm_grouped choices on pretended devices") {
  check_goldens("gemm_grouped", golden_gemm_groupeds());
}
