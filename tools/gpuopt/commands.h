// The verbs of the command line. Each adds its subcommand; its callback sets the exit code.
#pragma once
#include <CLI/CLI.hpp>

namespace gpuopt_cli {

enum { kOk = 0, kFailure = 1, kUsage = 2 };

void add_list(CLI::App &app, int *exit_code);
void add_explain(CLI::App &app, int *exit_code);
void add_check(CLI::App &app, int *exit_code);
void add_bench(CLI::App &app, int *exit_code);
void add_log(CLI::App &app, int *exit_code);

}  // namespace gpuopt_cli
