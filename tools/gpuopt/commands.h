// The verbs of the command line. Each adds its subcommand; its callback sets the exit code.
#pragma once
#include <CLI/CLI.hpp>

namespace gpuopt_cli {

enum { kOk = 0, kFailure = 1, kUsage = 2 };

void add_list(CLI::App &app, int *exit_code);
void add_explain(CLI::App &app, int *exit_code);
void add_check(CLI::App &app, int *exit_code);
void add_bench(CLI::App &app, int *exit_code);
void add_plugin(CLI::App &app, int *exit_code);

// --plugin FILE, repeatable: loaded before the verb runs, in the order given.
void add_plugin_option(CLI::App *verb);

}  // namespace gpuopt_cli
