// `gpuopt tune table`: makes a table that the library carries for a device of tuned-choice files.
#pragma once
#include <CLI/CLI.hpp>

namespace gpuopt_cli {

void add_tune_table(CLI::App *tune, int *exit_code);

}  // namespace gpuopt_cli
