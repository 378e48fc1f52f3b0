// docs/kernels.md: what a line says, and that the committed page is what its record makes.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/kernels_page.h"
#include "core/record_read.h"
#include "gpuopt/kernel.h"

using namespace gpuopt_bench;

namespace {

gpuopt_status no_launch(const gpuopt_problem *, const gpuopt_launch *) { return GPUOPT_INTERNAL; }
double one_us(const gpuopt_problem *) { return 1; }

Row measured(const char *kernel, Role role, const char *shape, double us, double share, Mode mode = Mode::single) {
  Row r;
  r.suite = "transpose";
  r.shape = shape;
  r.type = "f32";
  r.kernel = kernel;
  r.role = role;
  r.mode = mode;
  r.timing.median_us = us;
  r.against_ceiling = share;
  return r;
}

}  // namespace

TEST_CASE("kernels page: the best case, and when it is chosen, former names counted in") {
  static constexpr gpuopt_signature kNone[] = {{{GPUOPT_F32, GPUOPT_F32, GPUOPT_ANY, GPUOPT_ANY}, GPUOPT_ANY}};
  static gpuopt_kernel k;
  k.struct_size = sizeof k;
  k.name = "transpose_synthetic_page";
  k.summary = "one | two";
  k.op = GPUOPT_OP_TRANSPOSE;
  k.version = 1;
  k.cc_exact = 1;  // no device
  k.signatures = kNone;
  k.signature_count = 1;
  k.predict_us = one_us;
  k.launch = no_launch;
  k.aliases = "transpose_synthetic_older,transpose_synthetic_oldest";
  REQUIRE_MESSAGE(gpuopt_register_kernel(&k) == GPUOPT_OK, gpuopt_last_error());
  Record record;
  record.device.name = "NVIDIA H200";
  record.commit = "abc";
  record.rows = {
      measured(k.name, Role::kernel, "8x8", 2.5, 0.5),
      measured(k.name, Role::automatic, "9x9", 1500, 0.875),
      measured("transpose_synthetic_older", Role::automatic, "7x7", 3, 0.6),
      measured(k.name, Role::automatic, "9x9", 1400, 0.9, Mode::graph),
      measured("transpose_synthetic_oldest", Role::kernel, "9x9", 1, 0.99),  // beside it: another kernel then
      measured("geam", Role::peer, "9x9", 1, 1)};
  const std::string page = kernels_page({{"2026-12-24-h200.json", record}}, true);
  CHECK(page.find("[2026-12-24-h200.json](../bench/results/2026-12-24-h200.json) (NVIDIA H200, commit abc)") !=
        std::string::npos);
  CHECK(page.find("| `transpose_synthetic_page` (formerly transpose_synthetic_older, transpose_synthetic_oldest) | one "
                  "\\| two | 9x9 f32 | 1.4 ms (G) | 90 % | 2 of 3: f32, 3 us to 1.5 ms |\n") != std::string::npos);
  CHECK(kernels_page({{"r.json", record}}).find("_synthetic_") == std::string::npos);
  record.rows = {measured(k.name, Role::automatic, "9x9", 1500, 0)};
  const std::string without_bounds = kernels_page({{"r.json", record}}, true);
  CHECK(without_bounds.find("is the one of highest rate, as this record has no bounds. Chosen:") != std::string::npos);
  CHECK(without_bounds.find("| one \\| two | 9x9 f32 | 1.5 ms | 1 of 1: f32, 1.5 ms |\n") != std::string::npos);
}

#if GPUOPT_TEST_HAVE_CUDA
// The records of the newest date, the main one first. Those from before records told the device's facts had no page.
TEST_CASE("kernels page: the committed one is what the newest record makes") {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(GPUOPT_TEST_SOURCE_DIR).parent_path();
  std::vector<std::string> paths;
  for (const auto &entry : fs::directory_iterator(root / "bench/results"))
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  REQUIRE_FALSE(paths.empty());
  const auto date = [](const std::string &path) { return fs::path(path).filename().string().substr(0, 10); };
  std::sort(paths.begin(), paths.end(), [&](const std::string &a, const std::string &b) {
    if (date(a) != date(b)) return date(a) > date(b);
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  std::vector<NamedRecord> records;
  for (const std::string &path : paths)
    if (date(path) == date(paths[0])) records.push_back({fs::path(path).filename().string(), read_record(path)});
  if (records[0].record.facts.struct_size == 0) return;
  std::ifstream file(root / "docs/kernels.md");
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  CHECK_MESSAGE(text.str() == kernels_page(records),
                "make it again: gpuopt_bench kernels-md bench/results/" << records[0].name << " > docs/kernels.md");
}
#endif
