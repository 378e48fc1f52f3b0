// Memory that runs out while an image manifest is loaded: it is loaded in full, or nothing of it is there.
#include "hooks.h"
#include "plugins/folder.h"
#include "plugins/images.h"

using namespace gpuopt_test;

TEST_CASE("out of memory: a manifest is loaded in full, or not at all and leaks nothing") {
  const Folder folder;
  const ScopedEnv quiet("GPUOPT_VERBOSE", "none");
  const Images images;
  for (const auto &file : images.files) folder.write(file.first, file.second);
  std::string text = "gpuopt = 1\nplugin = scarce\n";
  for (const char *name : {"matmul", "layernorm"})
    text += "[" + std::string(name) + "]\nentry = run\n" + twin(name) + images.lines();
  const std::string path = folder.write("scarce.gpuopt", text);
  const size_t before = gpuopt_kernel_count();
  const auto look = [&] { return gpuopt_check_plugin(path.c_str(), nullptr, nullptr); };
  // What the process and the thread keep: the file's name, and where a message goes.
  REQUIRE(look() == GPUOPT_OK);
  fails_at(0, false, [&] { look(); });
  for (const bool from_then_on : {true, false}) {
    int n = 0;
    for (bool any = true; any; ++n) {
      REQUIRE(n < 5000);
      gpuopt_status s = GPUOPT_INTERNAL;
      const int64_t held = blocks_held();
      // To look is to load all but the last step, and leaves nothing behind.
      any = fails_at(n, from_then_on, [&] { s = look(); });
      const bool leaks = blocks_held() != held;
      CHECK(s == (any ? static_cast<int>(GPUOPT_OUT_OF_MEMORY) : static_cast<int>(GPUOPT_OK)));
      CHECK_MESSAGE(!leaks, "allocation ", n);
    }
    CHECK(n > 100);
  }
  for (int n = 0;; ++n) {
    REQUIRE(n < 5000);
    gpuopt_status s = GPUOPT_INTERNAL;
    const bool any = fails_at(n, false, [&] { s = gpuopt_load_plugin(path.c_str()); });
    CHECK(s == (any ? static_cast<int>(GPUOPT_OUT_OF_MEMORY) : static_cast<int>(GPUOPT_OK)));
    CHECK(gpuopt_kernel_count() == before + (s == GPUOPT_OK ? 2 : 0));
    if (!any) break;
  }
}
