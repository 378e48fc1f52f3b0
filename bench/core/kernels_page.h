// docs/kernels.md: every GPU kernel of the registry with what records say of it.
#pragma once
#include <string>
#include <vector>

#include "record.h"

namespace gpuopt_bench {

struct NamedRecord {
  std::string name;  // of its file
  Record record;
};
// made_up: kernels whose names have _synthetic_ in them too.
std::string kernels_page(const std::vector<NamedRecord> &records, bool made_up = false);

// The verb: prints the page of these files, the first one the record that the page names first. Exit code.
int run_kernels_md(const std::vector<std::string> &paths);

}  // namespace gpuopt_bench
