#include "tune_table.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "algorithms.h"
#include "commands.h"
#include "numbers.h"
#include "text.h"
#include "tune_file.h"

namespace gpuopt_cli {
namespace {

struct TuneTableArguments {
  std::vector<std::string> files;
  std::string folder, device;
  bool exact = false;
  double gain_percent = 0;
};

std::string word_of(const std::string &text, const std::string &name) {
  for (const std::string &word : split(text, ' '))
    if (word.rfind(name + "=", 0) == 0) return word.substr(name.size() + 1);
  return "";
}

gpuopt_tune::TuneFile read(const std::string &argument, const std::string &path, bool must_be) {
  gpuopt_tune::TuneFile file;
  std::ifstream in(path);
  if (!in && must_be) throw CLI::ValidationError(argument, "'" + path + "' cannot be opened: " + std::strerror(errno));
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::string fault;
  if (!file.parse(text, &fault)) throw CLI::ValidationError(argument, "'" + path + "': " + fault);
  return file;
}

// A key without its extents: what kind of problem it is.
std::string kind_of(const std::string &key) {
  std::string kind;
  for (const std::string &word : split(key.substr(key.find(' ') + 1), ' ')) {
    const std::string name = word.substr(0, word.find('='));
    if (name != "m" && name != "n" && name != "k" && name != "batch") kind += word + " ";
  }
  return kind;
}

bool has_gained(const std::string &choice, double percent) {
  const double us = std::atof(word_of(choice, "us").c_str());
  return us > 0 && std::atof(word_of(choice, "untuned_us").c_str()) >= (1 + percent / 100) * us;
}

// Kinds of problems of which one was won by so much.
std::set<std::string> kinds_gained(const gpuopt_tune::TuneFile &file, double percent) {
  std::set<std::string> kinds;
  for (const gpuopt_tune::Entry &e : file.entries())
    if (has_gained(e.choice, percent)) kinds.insert(kind_of(e.key));
  return kinds;
}

struct Counts {
  size_t taken = 0, exact = 0, stale = 0, idle = 0;
};

// What of a file goes into a table: of a device, its entries, later ones in place of earlier ones.
using Choices = std::map<std::string, std::string>;  // by key
void take(const TuneTableArguments &o, const gpuopt_tune::TuneFile &file, std::map<std::string, Choices> *tables,
          Counts *counts) {
  const std::set<std::string> gained = kinds_gained(file, o.gain_percent);
  for (const gpuopt_tune::Entry &e : file.entries()) {
    const std::string device = word_of(e.key, "device");
    if (!o.device.empty() && lowered(device) != lowered(o.device)) continue;
    const bool measured = e.key.rfind("measured ", 0) == 0;
    if (e.key.rfind("exact ", 0) == 0 && !o.exact) {
      ++counts->exact;
      continue;
    }
    // Where tuning won nothing predictions do as well; but times of what did not win tell of problems near what did.
    if (o.gain_percent > 0 && !(measured ? gained.count(kind_of(e.key)) > 0 : has_gained(e.choice, o.gain_percent))) {
      ++counts->idle;
      continue;
    }
    // Of this build, in the version that was tuned; of an entry that chooses without the times, which are for who tunes.
    const std::string choice = measured ? gpuopt_tune::times_of_this_build(e.choice) : choice_text(chosen_in(e.choice));
    if (measured ? choice.empty() : word_of(choice, "version") != word_of(e.choice, "version")) {
      std::fprintf(stderr, "gpuopt tune table: left out, for it is not as in this build: %s %s\n", e.key.c_str(),
                   e.choice.c_str());
      ++counts->stale;
      continue;
    }
    ++counts->taken;
    (*tables)[lowered(device)][e.key] = choice;
  }
}

int run(const TuneTableArguments &o) {
  std::map<std::string, Choices> tables;
  Counts counts;
  for (const std::string &path : o.files) take(o, read("FILE", path, true), &tables, &counts);
  if (tables.empty()) {
    std::fprintf(stderr,
                 "gpuopt tune table: there is no entry to take: %zu of single problems (--exact), %zu not as in this "
                 "build\n",
                 counts.exact, counts.stale);
    return kFailure;
  }
  for (auto &table : tables) {
    const std::string path = o.folder + "/" + table.first + ".tune";
    // What the table has already stays, where this build still has it.
    std::map<std::string, Choices> before;
    Counts kept;
    TuneTableArguments all = o;
    all.exact = true;
    all.gain_percent = 0;
    take(all, read("--into", path, false), &before, &kept);
    const size_t made = table.second.size();
    table.second.merge(before[table.first]);
    std::ofstream out(path, std::ios::trunc);
    out << "gpuopt tune 1\n# Choices that the library carries for this device, as `gpuopt tune` measured them there; "
           "made by "
           "`gpuopt tune table`\n# (docs/tuning.md).\n";
    for (const auto &entry : table.second) out << entry.first << " " << entry.second << "\n";
    if (!out.flush()) {
      std::fprintf(stderr, "gpuopt tune table: '%s' cannot be written: %s\n", path.c_str(), std::strerror(errno));
      return kFailure;
    }
    std::printf("%s: %zu entries, %zu of them given now\n", path.c_str(), table.second.size(), made);
  }
  if (counts.exact > 0) std::printf("%zu entries of single problems were left out: --exact takes them\n", counts.exact);
  if (counts.idle > 0)
    std::printf("%zu entries were left out, for tuning won less than %g %% there\n", counts.idle, o.gain_percent);
  return kOk;
}

}  // namespace

void add_tune_table(CLI::App *tune, int *exit_code) {
  const auto o = std::make_shared<TuneTableArguments>();
  CLI::App *verb =
      tune->add_subcommand("table", "Makes the table that the library carries for a device of tuned-choice files");
  add_plugin_option(verb);
  verb->add_option("file", o->files, "Tuned-choice files; of two entries with one key the later counts")->required();
  verb->add_option("--into", o->folder, "The folder of the tables: src/registry/tuned")->required();
  verb->add_option("--device-name", o->device, "Only entries of this device, as they name it");
  verb->add_flag("--exact", o->exact, "Entries of single problems, too");
  add_positive(verb, "--gain", &o->gain_percent,
               "Only where tuning won so many percent: of single problems those, of times those of like problems, too");
  verb->callback([o, exit_code] { *exit_code = run(*o); });
}

}  // namespace gpuopt_cli
