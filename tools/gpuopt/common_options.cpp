#include "common_options.h"

#include "numbers.h"

namespace gpuopt_cli {

void add_formats(CLI::App *verb, bool *json, bool *csv, const std::string &csv_help) {
  CLI::Option *const as_json = verb->add_flag("--json", *json, "As JSON");
  verb->add_flag("--csv", *csv, csv_help)->excludes(as_json);
}

void add_device(CLI::App *verb, std::string *device) {
  verb->add_option("--device", *device, "auto, cpu, or a CUDA ordinal");
}

void add_data(CLI::App *verb, std::string *data, const std::string &of) {
  verb->add_option("--data", *data, "Values of " + of + ": normal, uniform, zeros");
}

void add_seed(CLI::App *verb, uint64_t *seed, const std::string &of) {
  verb->add_option_function<std::string>(
          "--seed", [seed](const std::string &text) { *seed = parse_unsigned("--seed", text); },
          "Seed of " + of + " (1)")
      ->type_name("INT");
}

void add_choice(CLI::App *verb, std::string *force, std::string *tune_cache) {
  verb->add_option("--force", *force, "Force this kernel, as GPUOPT_KERNEL does");
  verb->add_option("--tune-cache", *tune_cache, "A tuned-choice file, as GPUOPT_TUNE_CACHE; none");
}

}  // namespace gpuopt_cli
