#include "suite_record.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace gpuopt_cli {
namespace {

using gpuopt_measure::Times;

Json json_of(const Times &times) {
  Json all = Json::object();
  for (const auto &t : times) all[t.first] = {t.second.us, t.second.noise};
  return all;
}

Times times_of(const Json &json) {
  Times times;
  for (const auto &t : json.items()) times[t.key()] = {t.value().at(0).get<double>(), t.value().at(1).get<double>()};
  return times;
}

Json json_of(const TunedProblem &p) {
  return {{"problem", p.problem},
          {"skipped", p.skipped},
          {"exact_key", p.exact_key},
          {"untuned", p.untuned},
          {"standing", p.standing},
          {"choice", p.choice},
          {"wrong", p.wrong},
          {"first", json_of(p.times.first)},
          {"second", json_of(p.times.second)}};
}

TunedProblem problem_of(const Json &j) {
  TunedProblem p;
  const auto text = [&](const char *name) { return j.at(name).get<std::string>(); };
  p.problem = text("problem");
  p.skipped = text("skipped");
  p.exact_key = text("exact_key");
  p.untuned = text("untuned");
  p.standing = text("standing");
  p.choice = text("choice");
  p.wrong = j.at("wrong").get<std::vector<std::string>>();
  p.times.first = times_of(j.at("first"));
  p.times.second = times_of(j.at("second"));
  return p;
}

std::string key_of(const std::string &problem, const std::string &automatic, const std::string &other) {
  return problem + "\n" + automatic + "\n" + other;
}

}  // namespace

SuiteRecord::SuiteRecord(const std::string &path, const Json &begin) : path_(path) {
  if (path_.empty()) return;
  const auto refuse = [&](const std::string &why) {
    throw CLI::ValidationError("--record", "'" + path_ + "': " + why);
  };
  std::ifstream in(path_);
  std::string text;
  if (!in || in.peek() == std::ifstream::traits_type::eof()) {
    std::ofstream out(path_, std::ios::trunc);
    out << begin.dump() << "\n";
    if (!out.flush()) refuse(std::string("it cannot be written: ") + std::strerror(errno));
    return;
  }
  std::streamoff whole = 0;  // of the file: its lines that have an end
  try {
    if (!std::getline(in, text) || in.eof() || Json::parse(text) != begin)
      refuse("it is the record of another suite: it begins with " + text.substr(0, 400) + ", and this is " +
             begin.dump());
    for (whole = in.tellg(); std::getline(in, text) && !in.eof(); whole = in.tellg()) take(Json::parse(text));
  } catch (const Json::exception &e) {
    refuse(std::string("a line is no record: ") + e.what());
  }
  in.close();
  // A line without an end was cut off: what it was of is done again.
  std::error_code error;
  std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(whole), error);
  if (error) refuse("it cannot be written: " + error.message());
}

void SuiteRecord::take(const Json &line) {
  if (line.contains("tuned")) {
    TunedProblem p = problem_of(line["tuned"]);
    tuned_[p.problem] = std::move(p);
  } else if (line.contains("begun")) {
    ++begun_[line["begun"].get<std::string>()];
  } else {
    const Json &j = line.at("judged");
    ratios_[key_of(j.at("problem"), j.at("automatic"), j.at("other"))] = j.at("ratio").get<double>();
  }
}

void SuiteRecord::write(const Json &line) {
  take(line);
  if (path_.empty()) return;
  std::ofstream out(path_, std::ios::app);
  out << line.dump() << "\n";
  if (!out.flush()) throw std::runtime_error("'" + path_ + "' cannot be written: " + std::strerror(errno));
}

const TunedProblem *SuiteRecord::tuned(const std::string &problem) const {
  const auto found = tuned_.find(problem);
  return found == tuned_.end() ? nullptr : &found->second;
}

void SuiteRecord::add(const TunedProblem &problem) { write({{"tuned", json_of(problem)}}); }

void SuiteRecord::begin(const std::string &problem) { write({{"begun", problem}}); }

int SuiteRecord::begun(const std::string &problem) const {
  const auto found = begun_.find(problem);
  return found == begun_.end() ? 0 : found->second;
}

std::vector<TunedProblem> SuiteRecord::all_tuned() const {
  std::vector<TunedProblem> all;
  for (const auto &p : tuned_) all.push_back(p.second);
  return all;
}

double SuiteRecord::ratio(const std::string &problem, const std::string &automatic, const std::string &other) const {
  const auto found = ratios_.find(key_of(problem, automatic, other));
  return found == ratios_.end() ? 0 : found->second;
}

void SuiteRecord::add(const std::string &problem, const std::string &automatic, const std::string &other,
                      double ratio) {
  write({{"judged", {{"problem", problem}, {"automatic", automatic}, {"other", other}, {"ratio", ratio}}}});
}

}  // namespace gpuopt_cli
