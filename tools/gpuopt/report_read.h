// What verbs write with --json, as the page of `gpuopt report`.
#pragma once
#include "gpuopt_report/page.h"
#include "json.h"

namespace gpuopt_cli {

// Each adds to the page; throws nlohmann::json::exception where the JSON is not that verb's.
void add_bench_json(const Json &bench, gpuopt_report::Page *page);
void add_roofline_json(const Json &roofline, gpuopt_report::Page *page);
void add_lab_json(const Json &lab, gpuopt_report::Page *page);

}  // namespace gpuopt_cli
