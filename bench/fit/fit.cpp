#include "fit.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "../core/counts.h"
#include "../core/globs.h"
#include "../core/record_read.h"
#include "../suites/selection_judge.h"
#include "choices.h"
#include "rewrite.h"

namespace gpuopt_bench {
namespace {

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char *pattern, ...) {
  char text[512];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text, sizeof text, pattern, values);
  va_end(values);
  return text;
}

// Of two steps both: figures of the second are not to be fitted to what few of its rows come behind a product.
bool every_step_matches(const std::vector<std::string> &globs, const std::string &kernel) {
  std::stringstream steps(kernel);
  for (std::string step; std::getline(steps, step, '+');)
    if (!matches(globs, step)) return false;
  return true;
}

// Mean |predicted / measured - 1| of each kernel.
struct Error {
  int rows = 0;
  double sum = 0;
  void add(double predicted, double measured) {
    ++rows;
    sum += std::abs(predicted / measured - 1);
  }
  std::string percent() const { return rows == 0 ? "     -" : format("%6.1f", 100 * sum / rows); }
};

using Samples = std::vector<FitSample>;

// What would be chosen among the measured candidates with these predictions.
std::vector<MeasuredProblem> chosen_by(const Samples &samples, const std::vector<double> &predicted,
                                       const std::function<bool(const FitSample &)> &counts) {
  std::vector<MeasuredProblem> all;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < samples.size(); ++i) {
    const FitSample &s = samples[i];
    if (!s.selection || !counts(s)) continue;
    const auto place = places.emplace(s.call, all.size());
    if (place.second) all.push_back({s.op, s.call, s.where, {}});
    all[place.first->second].candidates.push_back({s.kernel, s.measured_us, predicted[i], false});
  }
  for (MeasuredProblem &p : all)
    std::min_element(p.candidates.begin(), p.candidates.end(), [](const Candidate &a, const Candidate &b) {
      return a.predicted_us != b.predicted_us ? a.predicted_us < b.predicted_us : a.kernel < b.kernel;
    })->chosen = true;
  std::stable_sort(all.begin(), all.end(),
                   [](const MeasuredProblem &a, const MeasuredProblem &b) { return a.op < b.op; });
  return all;
}

std::string choices(const char *title, const std::vector<MeasuredProblem> &problems) {
  std::string text;
  for (const SelectionSummary &s : summarise(problems))
    text += format("%-18s %-10s %8d  %.3f  %.3f  %.3f  %7.1f  %9.1f  %.250s\n", title, s.op.c_str(), s.problems, s.mean,
                   s.p5, s.worst, 100 * s.error, 100 * s.chosen_error, s.worst_where.c_str());
  return text;
}

std::string file_text(const std::string &path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_tables(const std::vector<FigureTable> &tables, const std::vector<FittedFigure> &figures,
                  const std::string &name) {
  for (const FigureTable &t : tables) {
    std::vector<NewFigure> own;
    for (const FittedFigure &f : figures)
      if (f.table == &t) own.push_back({f.row->name, f.after, name, f.error_percent});
    if (own.empty()) continue;
    std::vector<std::string> missing;
    write_file(t.path, rewrite_figures(file_text(t.path), own, &missing));
    for (const std::string &figure : missing)
      std::fprintf(stderr, "gpuopt_bench fit: %s has no row of %s\n", t.path.c_str(), figure.c_str());
    std::printf("wrote %zu figures to %s\n", own.size() - missing.size(), t.path.c_str());
  }
}

int usage(const std::string &text) {
  std::fprintf(
      stderr,
      "gpuopt_bench: %s\n"
      "gpuopt_bench fit RECORD... [--write] [--holdout PERCENT] [--kernels A,B,...] [--keep A,B,...] [--name TEXT]\n"
      "                       [--rows FILE]\n"
      "  --write      put the fitted values into src/kernels/*/*/figures.h\n"
      "  --holdout N  keep N percent of the problems for judging\n"
      "  --kernels    only rows of kernels that match one of these globs\n"
      "  --keep       figures that stay, as gemm/wgmma/pack_*\n"
      "  --name       what the rows say that they were fitted to (the first record's date and device)\n"
      "  --rows FILE  each row as CSV: what was measured, what predicted before and after\n",
      text.c_str());
  return 2;
}

}  // namespace

std::string fitted_to(const Record &record) {
  std::string device = record.device.name.substr(record.device.name.find_last_of(' ') + 1);
  for (char &c : device) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return record.date.substr(0, 10) + "-" + device;
}

bool held_out(const std::string &call, int percent) {
  uint64_t hash = 1469598103934665603ull;  // FNV-1a
  for (const char c : call) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<int>((hash >> 20) % 100) < percent;
}

FitReport fit(const FitSamples &samples, const std::vector<FigureTable> &tables, const FitOptions &options) {
  FitReport report;
  std::vector<double> before, after;
  Samples fitted;
  double most_moved = 0;
  for (const FitSample &s : samples.all) {
    before.push_back(predict(s));
    most_moved = std::max(most_moved, std::abs(before.back() / s.recorded_us - 1));
    if (!held_out(s.call, options.holdout) && every_step_matches(options.kernels, s.kernel)) fitted.push_back(s);
  }
  report.figures = fit_figures(tables, fitted, options.kept);
  report.rows = "call,kernel,held_out,measured_us,before_us,after_us\n";
  for (const FitSample &s : samples.all) {
    after.push_back(predict(s));
    report.rows += s.call + "," + s.kernel +
                   format(",%d,%.5g,%.5g,%.5g\n", held_out(s.call, options.holdout) ? 1 : 0, s.measured_us,
                          before[after.size() - 1], after.back());
  }

  std::string &text = report.text;
  text += format("%zu rows, %zu fitted to; present predictions differ from the recorded ones by %.1f %% at most\n",
                 samples.all.size(), fitted.size(), 100 * most_moved);
  for (const auto &entry : samples.left_out) text += format("left out %d: %s\n", entry.second, entry.first.c_str());

  struct Errors {
    Error before, after, held_before, held_after;
  };
  std::map<std::string, Errors> kernels;
  Errors all;
  for (size_t i = 0; i < samples.all.size(); ++i) {
    const FitSample &s = samples.all[i];
    const bool held = held_out(s.call, options.holdout);
    for (Errors *e : {&kernels[s.kernel], &all}) {
      (held ? e->held_before : e->before).add(before[i], s.measured_us);
      (held ? e->held_after : e->after).add(after[i], s.measured_us);
    }
  }
  text += "\nmean error, %                                       rows  before   after    held out  before   after\n";
  kernels["all"] = all;
  for (const auto &entry : kernels) {
    const Errors &e = entry.second;
    text += format("%-50s %5d  %s  %s       %5d  %s  %s\n", entry.first.c_str(), e.before.rows,
                   e.before.percent().c_str(), e.after.percent().c_str(), e.held_before.rows,
                   e.held_before.percent().c_str(), e.held_after.percent().c_str());
  }

  text += "\nbest / chosen                 problems   mean     p5  worst  error %  of chosen  worst case above 5 us\n";
  for (const bool held : {false, true}) {
    if (held && options.holdout == 0) continue;
    const auto counts = [&](const FitSample &s) { return held_out(s.call, options.holdout) == held; };
    text += choices(held ? "held out, before" : "before", chosen_by(samples.all, before, counts));
    text += choices(held ? "held out, after" : "after", chosen_by(samples.all, after, counts));
  }
  const auto regular = [](const FitSample &s) { return s.regular; };
  text += choices("regular, before", chosen_by(samples.all, before, regular));
  text += choices("regular, after", chosen_by(samples.all, after, regular));

  text += "\nfigure                                                       before      after    rows  error %\n";
  for (const FittedFigure &f : report.figures)
    text += format("%-55s %11s %10s  %6d  %7.1f%s\n", (f.table->folder + "  " + f.row->name).c_str(),
                   figure_text(f.before).c_str(), figure_text(f.after).c_str(), f.rows, f.error_percent,
                   f.after > 3.9 * f.before || f.after < f.before / 3.9 ? "  at its bound" : "");
  return report;
}

int run_fit(const std::vector<std::string> &arguments) {
  FitOptions options;
  std::vector<std::string> paths;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &name = arguments[i];
    if (name == "--write") {
      options.write = true;
    } else if (name == "--holdout" || name == "--kernels" || name == "--keep" || name == "--name" || name == "--rows") {
      if (++i == arguments.size()) return usage(name + " needs a value");
      const std::string &value = arguments[i];
      if (name == "--holdout" && !read_count(value, 0, 99, &options.holdout))
        return usage("fit: --holdout: '" + value + "' must be 0 to 99");
      if (name == "--name") options.fitted_to = value;
      if (name == "--rows") options.rows = value;
      if (name == "--kernels") options.kernels = comma_list(value);
      if (name == "--keep") options.kept = comma_list(value);
    } else if (name.rfind("--", 0) == 0) {
      return usage("fit: '" + name + "' is not known");
    } else {
      paths.push_back(name);
    }
  }
  if (paths.empty()) return usage("fit needs a record");
  const std::string fault = output_fault("--rows", options.rows);
  if (!fault.empty()) return usage("fit: " + fault);
  gpuopt_handle *handle = nullptr;
  try {
    gpuopt_options o = GPUOPT_OPTIONS_INIT;
    o.device = GPUOPT_DEVICE_CPU;
    o.tune_cache = "none";  // predictions are what is looked at
    if (gpuopt_create(&handle, &o) != GPUOPT_OK) throw std::runtime_error(gpuopt_last_error());
    const std::vector<FigureTable> tables = figure_tables();
    FitSamples samples;
    for (const std::string &path : paths) {
      const Record record = read_record(path);
      add_samples(record, handle, &samples);
      if (options.fitted_to.empty()) options.fitted_to = fitted_to(record);
    }
    const std::vector<ModelChoice> before = model_choices(handle, samples.devices.front());
    const FitReport report = fit(samples, tables, options);
    std::fputs(report.text.c_str(), stdout);
    std::fputs(changed_choices(before, model_choices(handle, samples.devices.front()), samples).c_str(), stdout);
    if (!options.rows.empty()) write_file(options.rows, report.rows);
    if (options.write) write_tables(tables, report.figures, options.fitted_to);
  } catch (const std::exception &e) {
    gpuopt_destroy(handle);
    std::fprintf(stderr, "gpuopt_bench fit: %s\n", e.what());
    return 1;
  }
  gpuopt_destroy(handle);
  return 0;
}

}  // namespace gpuopt_bench
