// The verbs of the command line. Each adds its subcommand; its callback sets the exit code.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gpuopt_cli {

enum { kOk = 0, kFailure = 1, kUsage = 2 };

void add_list(CLI::App &app, int *exit_code);
void add_explain(CLI::App &app, int *exit_code);
void add_check(CLI::App &app, int *exit_code);
void add_run(CLI::App &app, int *exit_code);
void add_bench(CLI::App &app, int *exit_code);
void add_plugin(CLI::App &app, int *exit_code);
void add_tune(CLI::App &app, int *exit_code);
void add_log(CLI::App &app, int *exit_code);
void add_profile(CLI::App &app, int *exit_code);
void add_advise(CLI::App &app, int *exit_code);
void add_roofline(CLI::App &app, int *exit_code);
void add_lab(CLI::App &app, int *exit_code);
void add_report(CLI::App &app, int *exit_code);

// --plugin FILE, repeatable: loaded before the verb runs, in the order given; absolute paths are left in *loaded.
void add_plugin_option(CLI::App *verb, std::vector<std::string> *loaded = nullptr);

// Prints what may stand in the place of the last word of a command line; of an app that has all its verbs.
int complete(const CLI::App &app, const std::vector<std::string> &words);

}  // namespace gpuopt_cli
