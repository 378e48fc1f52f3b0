// Ranges of NVTX, as a tool sees them that NVTX loads; a process each, for NVTX looks for its tool once.
#include "nvtx.h"

#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "support.h"

namespace {

using namespace gpuopt_test;

#ifdef GPUOPT_TEST_NVTX_TOOL
// What the tool was told while a product was made.
std::vector<std::string> told(const char *nvtx) {
  char path[] = "gpuopt_nvtx_XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  close(file);
  std::vector<std::string> lines;
  {
    const ScopedEnv tool("NVTX_INJECTION64_PATH", GPUOPT_TEST_NVTX_TOOL), where("NVTX_TEST_FILE", path),
        on("GPUOPT_NVTX", nvtx), kernel("GPUOPT_KERNEL", "gemm_cpu_reference");
    const Handle h = cpu_handle();
    SmallGemm g;
    REQUIRE_MESSAGE(gpuopt_gemm(h.get(), &g.args) == GPUOPT_OK, last_error());
  }
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  unlink(path);
  return lines;
}
#endif

}  // namespace

TEST_CASE("nvtx: a launch is named by its kernel and its problem where GPUOPT_NVTX is 1") {
#ifdef GPUOPT_TEST_NVTX_TOOL
  const std::vector<std::string> lines = told("1");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "domain gpuopt");
  CHECK(lines[1].find("push gemm_cpu_reference gemm compute=") == 0);
  CHECK(lines[2] == "pop ");
#else
  MESSAGE("SKIP: the header of NVTX is not here");
#endif
}

TEST_CASE("nvtx: nothing is named, and no tool is looked for, where GPUOPT_NVTX is 0") {
#ifdef GPUOPT_TEST_NVTX_TOOL
  CHECK(told("0").empty());
#else
  MESSAGE("SKIP: the header of NVTX is not here");
#endif
}

TEST_CASE("nvtx: a build without it says so once it is asked for") {
  const ScopedEnv on("GPUOPT_NVTX", "1"), log("GPUOPT_LOG_FILE", "nvtx_test.log");
  unlink("nvtx_test.log");
  { const Handle h = cpu_handle(); }
  std::ifstream in("nvtx_test.log");
  const std::string line = [&] {
    std::string first;
    std::getline(in, first);
    return first;
  }();
  unlink("nvtx_test.log");
  CHECK((line.find("gpuopt,v2,warn,env,GPUOPT_NVTX,this build has no NVTX") == 0) == !gpuopt_nvtx_is_built());
}
