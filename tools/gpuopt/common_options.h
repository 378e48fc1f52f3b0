// Options that several verbs have: of one name, one meaning and one help.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace gpuopt_cli {

void add_formats(CLI::App *verb, bool *json, bool *csv, const std::string &csv_help = "As CSV");  // --json, --csv
void add_device(CLI::App *verb, std::string *device);
void add_data(CLI::App *verb, std::string *data, const std::string &of = "the operands");
void add_seed(CLI::App *verb, uint64_t *seed, const std::string &of);
void add_choice(CLI::App *verb, std::string *force, std::string *tune_cache);  // --force, --tune-cache

}  // namespace gpuopt_cli
