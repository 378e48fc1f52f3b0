// `gpuopt complete WORD ...`: what may stand in the place of the last word, a line each. For the shells' completion scripts,
// which so never know less than the program does.
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "commands.h"
#include "gpuopt/kernel.h"
#include "text.h"

namespace gpuopt_cli {
namespace {

bool begins_with(const std::string &text, const std::string &part) { return text.compare(0, part.size(), part) == 0; }

// The names that a function of the API has for 0, 1 and so on.
void add_names(const char *(*name_of)(int32_t), int32_t count, std::set<std::string> *words) {
  for (int32_t i = 0; i < count; ++i) {
    const std::string name = name_of(i);
    if (name != "?") words->insert(lowered(name));
  }
}

// Words that no function of the API knows, by option.
const std::map<std::string, std::set<std::string>> kWords = {
    {"pretend",
     {"none", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "t4", "a100", "a40", "l40s", "h100",
      "h200", "b200"}},
    {"data", {"normal", "uniform", "zeros"}},
    {"cache", {"cold", "resident"}},
    {"algorithms", {"best", "all", "none"}},
    {"space", {"auto", "device", "host"}},
    {"device", {"auto", "cpu"}},
    {"size", {"tiny", "small", "large"}},
    {"axis", {"row", "col", "all"}},
    {"layout", {"nn", "nt", "tn", "tt", "row", "col"}},
    {"link", {"nvlink", "ib400", "memory"}},
};

// The values of an option, where they are words; of others nothing is known here.
std::set<std::string> values_of(const std::string &option) {
  if (const auto known = kWords.find(option); known != kWords.end()) return known->second;
  std::set<std::string> words;
  if (option == "kernel" || option == "sass" || option == "force" || option == "disable") {
    for (size_t i = 0; i < gpuopt_kernel_count(); ++i) words.insert(gpuopt_kernel_get(i)->name);
  } else if (option == "op" || option == "ops") {
    add_names(gpuopt_op_name, GPUOPT_OP_COUNT_, &words);
  } else if (option == "compute") {
    add_names(gpuopt_compute_name, GPUOPT_COMPUTE_COUNT_, &words);
  } else if (option == "reduce") {
    add_names(gpuopt_reduce_name, GPUOPT_REDUCE_COUNT_, &words);
  } else if (option == "norm") {
    add_names(gpuopt_norm_name, GPUOPT_NORM_COUNT_, &words);
  } else if (option == "stage") {
    add_names(gpuopt_stage_name, GPUOPT_STAGE_COUNT_, &words);
  } else if (ends_with(option, "-layout")) {
    words = {"row", "col"};
  } else if (option == "type" || ends_with(option, "-type")) {
    add_names(gpuopt_dtype_name, GPUOPT_DTYPE_COUNT_, &words);
  }
  return words;
}

// The option of that name, if it takes a value.
const CLI::Option *option_with_value(const CLI::App &verb, const std::string &word) {
  if (!begins_with(word, "-")) return nullptr;
  const CLI::Option *option = verb.get_option_no_throw(word);
  return option && option->get_items_expected_max() > 0 ? option : nullptr;
}

}  // namespace

int complete(const CLI::App &app, const std::vector<std::string> &words) {
  const CLI::App *verb = &app;
  const std::string last = words.empty() ? "" : words.back();
  for (size_t i = 0; i + 1 < words.size(); ++i)
    for (const CLI::App *next : verb->get_subcommands([](const CLI::App *) { return true; }))
      if (next->get_name() == words[i]) verb = next;
  const CLI::Option *valued = words.size() < 2 ? nullptr : option_with_value(*verb, words[words.size() - 2]);
  std::set<std::string> found;
  if (valued) {
    for (const std::string &name : valued->get_lnames()) found.merge(values_of(name));
  } else {
    for (const CLI::App *next : verb->get_subcommands([](const CLI::App *) { return true; }))
      found.insert(next->get_name());
    for (const CLI::Option *option : verb->get_options())
      for (const std::string &name : option->get_lnames()) found.insert("--" + name);
  }
  for (const std::string &word : found)
    if (begins_with(word, last)) std::printf("%s\n", word.c_str());
  return kOk;
}

}  // namespace gpuopt_cli
