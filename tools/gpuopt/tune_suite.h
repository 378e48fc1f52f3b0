// `gpuopt tune suite`: what tuning is worth. Random problems of every op, one half tuned, the other run by what that has written.
#pragma once
#include <CLI/CLI.hpp>

namespace gpuopt_cli {

void add_tune_suite(CLI::App *tune, int *exit_code);

}  // namespace gpuopt_cli
