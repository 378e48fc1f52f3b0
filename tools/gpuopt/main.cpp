// gpuopt: what kernels there are, what would run and why, whether they are right, and what an application ran. docs/cli.md is
// the manual.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "gpuopt/gpuopt.h"
#include "nearest.h"
#include "output.h"

namespace {

bool takes_words(const CLI::App &verb) {
  const std::vector<const CLI::Option *> words =
      verb.get_options([](const CLI::Option *option) { return option->get_positional(); });
  return !words.empty();
}

// A verb, or an operation below one, that there is none of. Options end the search: what follows may be their value.
bool is_misspelt(const CLI::App &app, const std::vector<std::string> &words) {
  const CLI::App *verb = &app;
  for (const std::string &word : words) {
    const std::vector<const CLI::App *> below = verb->get_subcommands([](const CLI::App *) { return true; });
    if (below.empty() || takes_words(*verb) || word.empty() || word[0] == '-') return false;
    std::vector<std::string> names;
    const CLI::App *found = nullptr;
    for (const CLI::App *next : below) {
      names.push_back(next->get_name());
      if (next->get_name() == word) found = next;
    }
    if (!found) {
      std::fprintf(stderr, "gpuopt: '%s' is no verb of %s; nearest: %s\n", word.c_str(), verb->get_name().c_str(),
                   gpuopt_cli::nearest_word(word, names).c_str());
      return true;
    }
    verb = found;
  }
  return false;
}

// What was left over: an option that the verb has not, or a word that belongs to none.
int left_over(const CLI::App &app, const CLI::ExtrasError &error) {
  const CLI::App *verb = &app;
  std::string name = app.get_name();
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands()[0];
    name = (verb->get_parent() == &app ? "" : name + " ") + verb->get_name();
  }
  std::vector<std::string> options;
  for (const CLI::Option *option : verb->get_options([](const CLI::Option *) { return true; }))
    for (const std::string &word : option->get_lnames()) options.push_back("--" + word);
  const std::vector<std::string> words = app.remaining(true);
  for (const std::string &word : words) {
    if (word.rfind("--", 0) != 0) continue;
    const std::string option = word.substr(0, word.find('='));
    std::fprintf(stderr, "gpuopt: '%s' is no option of %s; nearest: %s\n", option.c_str(), name.c_str(),
                 gpuopt_cli::nearest_word(option, options).c_str());
    return gpuopt_cli::kUsage;
  }
  app.exit(error);
  return gpuopt_cli::kUsage;
}

int run(int argc, char **argv) {
  CLI::App app(
      "gpuopt: list the kernels, explain a choice, check kernels against the oracle, run, time and tune calls, sum up "
      "a log, profile a kernel and say what it is bound by, measure the machine's limits and the textbooks' claims",
      "gpuopt");
  app.set_version_flag("--version", [] { return std::string(gpuopt_build_info()); });
  app.require_subcommand(1);
  app.footer("Exit codes: 0 all is well, 1 a failure was found, 2 the command line is wrong.");
  int exit_code = gpuopt_cli::kOk;
  gpuopt_cli::add_list(app, &exit_code);
  gpuopt_cli::add_explain(app, &exit_code);
  gpuopt_cli::add_check(app, &exit_code);
  gpuopt_cli::add_run(app, &exit_code);
  gpuopt_cli::add_bench(app, &exit_code);
  gpuopt_cli::add_plugin(app, &exit_code);
  gpuopt_cli::add_tune(app, &exit_code);
  gpuopt_cli::add_log(app, &exit_code);
  gpuopt_cli::add_profile(app, &exit_code);
  gpuopt_cli::add_advise(app, &exit_code);
  gpuopt_cli::add_roofline(app, &exit_code);
  gpuopt_cli::add_lab(app, &exit_code);
  gpuopt_cli::add_report(app, &exit_code);
  if (argc > 1 && std::string(argv[1]) == "complete") return gpuopt_cli::complete(app, {argv + 2, argv + argc});
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "help") {  // `help explain gemm` is `explain gemm --help`
    words.erase(words.begin());
    words.push_back("--help");
  }
  if (is_misspelt(app, words)) return gpuopt_cli::kUsage;
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ExtrasError &e) {
    return left_over(app, e);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? gpuopt_cli::kOk : gpuopt_cli::kUsage;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "gpuopt: %s\n", e.what());
    return gpuopt_cli::kFailure;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char **argv) {
  gpuopt_cli::hold_standard_descriptors();
  const int exit_code = run(argc, argv);
  return gpuopt_cli::finish_output() || exit_code != gpuopt_cli::kOk ? exit_code : gpuopt_cli::kFailure;
}
