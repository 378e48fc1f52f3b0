#include "gpuopt_advise/report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "gpuopt_advise/quantities.h"

namespace gpuopt_advise {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

// Where the columns that are no metrics stand.
struct Head {
  std::vector<std::string> names, units;
  int64_t line = 0;
  size_t id, process, kernel, grid, block, cc, section, metric, unit, value, remark;

  explicit Head(Record record) : names(std::move(record.fields)), line(record.line) {
    id = find("ID");
    process = find("Process ID");
    kernel = find("Kernel Name");
    grid = find("Grid Size");
    block = find("Block Size");
    cc = find("CC");
    section = find("Section Name");
    metric = find("Metric Name");
    unit = find("Metric Unit");
    value = find("Metric Value");
    remark = find("Rule Description");
  }
  bool is_details() const { return metric != kNone && value != kNone; }
  size_t find(const char *name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? kNone : static_cast<size_t>(found - names.begin());
  }
};

std::string field_of(const Record &record, size_t column) {
  return column < record.fields.size() ? record.fields[column] : "";
}

enum class Cell { number, absent, text };

// Commas part thousands: "1,234,567.8". Elsewhere a comma is another locale's point ("97,3"), and without it the number would be
// another.
bool parts_thousands(const std::string &number) {
  const size_t begin = number[0] == '-' ? 1 : 0;
  const size_t end = std::min(number.find_first_not_of("0123456789,", begin), number.size());
  if (number.find(',', end) != std::string::npos) return false;
  size_t comma = number.find(',', begin);
  if (comma == std::string::npos) return true;
  if (comma == begin || comma > begin + 3 || number[begin] == '0') return false;
  for (; comma < end; comma += 4) {
    const size_t next = std::min(number.find(',', comma + 1), end);
    if (next != comma + 4) return false;
  }
  return true;
}

// "1,234.5", "4.0e-05", "97.3%".
Cell parse_cell(const std::string &cell, double *value) {
  if (cell.empty() || cell.find("n/a") != std::string::npos || cell == "nan" || cell == "inf" || cell == "-inf")
    return Cell::absent;
  std::string digits = cell.substr(0, cell.find(" ("));  // the values of instances may follow
  if (digits.empty() || !parts_thousands(digits)) return Cell::text;
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  if (!digits.empty() && digits.back() == '%') digits.pop_back();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *value);
  return error == std::errc() && end == digits.data() + digits.size() && std::isfinite(*value) ? Cell::number
                                                                                               : Cell::text;
}

// What a value in this unit is multiplied with: to bytes, microseconds, hertz; others stay.
double factor_of(const std::string &unit) {
  static const struct {
    const char *unit;
    double factor;
  } kTimes[] = {{"nsecond", 1e-3}, {"ns", 1e-3}, {"usecond", 1},  {"us", 1},
                {"msecond", 1e3},  {"ms", 1e3},  {"second", 1e6}, {"s", 1e6}};
  for (const auto &t : kTimes)
    if (unit == t.unit) return t.factor;
  const std::string base = unit.substr(0, unit.find('/'));
  const auto ends = [&](const char *word) {
    const std::string text = word;
    return base.size() == text.size() + 1 && base.compare(1, text.size(), text) == 0;
  };
  if (!ends("byte") && !ends("hz") && !ends("Hz")) return 1;
  switch (base[0]) {
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 1;
  }
}

// A share of something in percent. Bytes per sector, in percent of a sector, are none: of an address that many read they are more.
bool is_share(const std::string &metric) {
  const auto ends = [&](const std::string &end) {
    return metric.size() >= end.size() && metric.compare(metric.size() - end.size(), end.size(), end) == 0;
  };
  return metric.find(".pct_of_peak") != std::string::npos || ends("hit_rate.pct") || ends("_cycle_pct") || ends(" [%]");
}
// Counters of passes that ran apart may say a little more than all of it.
constexpr double kMostPercent = 200;

void add_metric(const std::string &name, const std::string &unit, const std::string &cell, int64_t line,
                Kernel *kernel) {
  double value = 0;
  switch (parse_cell(cell, &value)) {
    case Cell::number:
      if (is_share(name) && is_read(name) && (value < 0 || value > kMostPercent))
        throw ReportError(line, name + " is '" + cell.substr(0, 60) + "', which must be within 0 and " +
                                    std::to_string(static_cast<int>(kMostPercent)) + " percent");
      kernel->metrics[name] = value * factor_of(unit);
      return;
    case Cell::absent:
      return;
    case Cell::text:
      break;
  }
  if (is_read(name)) throw ReportError(line, name + " is '" + cell.substr(0, 60) + "', which is no number");
}

Kernel kernel_of(const Head &head, const Record &record) {
  Kernel k;
  k.name = field_of(record, head.kernel);
  k.grid = field_of(record, head.grid);
  k.block = field_of(record, head.block);
  k.cc = field_of(record, head.cc);
  k.line = record.line;
  return k;
}

void add_raw(const Head &head, const Record &record, Report *report) {
  if (record.fields.size() != head.names.size())
    throw ReportError(record.line, std::to_string(record.fields.size()) + " fields, where the head of line " +
                                       std::to_string(head.line) + " has " + std::to_string(head.names.size()) +
                                       ": the row is cut off or not of this table");
  Kernel k = kernel_of(head, record);
  for (size_t i = 0; i < head.names.size(); ++i)
    if (head.names[i].find("__") != std::string::npos)
      add_metric(head.names[i], i < head.units.size() ? head.units[i] : "", record.fields[i], record.line, &k);
  report->kernels.push_back(std::move(k));
}

// Rows without a rule end behind their value.
void add_details(const Head &head, const Record &record, std::string *last, Report *report) {
  const size_t least = std::max({head.kernel, head.metric, head.unit == kNone ? 0 : head.unit, head.value}) + 1;
  if (record.fields.size() < least || record.fields.size() > head.names.size())
    throw ReportError(record.line, std::to_string(record.fields.size()) + " fields, where a row of this table has " +
                                       std::to_string(least) + " to " + std::to_string(head.names.size()) +
                                       ": it is cut off or not of this table");
  const std::string who = field_of(record, head.process) + "\n" + field_of(record, head.id) + "\n" +
                          field_of(record, head.kernel) + "\n" + field_of(record, head.grid);
  if (report->kernels.empty() || who != *last) report->kernels.push_back(kernel_of(head, record));
  *last = who;
  Kernel *const k = &report->kernels.back();
  const std::string name = field_of(record, head.metric), unit = field_of(record, head.unit);
  if (!name.empty())
    add_metric(name.find("__") == std::string::npos && unit == "%" ? name + " [%]" : name, unit,
               field_of(record, head.value), record.line, k);
  const std::string remark = field_of(record, head.remark);
  if (!remark.empty()) k->remarks.push_back(remark);
}

// The head that this line is: it has names of kernels and metrics.
std::optional<Head> head_of(std::string_view line, int64_t number) {
  if (line.find("Kernel Name") == std::string_view::npos) return {};
  try {
    Record record = CsvReader(line).read();
    record.line = number;
    Head head(std::move(record));
    const bool has_metrics = std::any_of(head.names.begin(), head.names.end(),
                                         [](const std::string &name) { return name.find("__") != std::string::npos; });
    if (head.kernel == kNone || !(has_metrics || head.is_details())) return {};
    return head;
  } catch (const ReportError &) {
    return {};
  }
}

// A row of a table begins with a quote, a number, or nothing before its first comma.
bool may_be_row(std::string_view line) {
  return line[0] == '"' || line[0] == ',' || (line[0] >= '0' && line[0] <= '9');
}

}  // namespace

Report read_report(std::string_view text) {
  Report report;
  CsvReader reader(text);
  std::optional<Head> head;  // of the present table
  std::string last;
  bool first_row = false;
  for (std::string_view line; reader.peek(&line);) {
    if (std::optional<Head> another = head_of(line, reader.line())) {
      head = std::move(another);
      first_row = true;
      last.clear();
      reader.skip_line();
      continue;
    }
    if (line.empty() || line.substr(0, 2) == "==" || !head || !may_be_row(line)) {
      report.other_lines += !line.empty();
      reader.skip_line();
      continue;
    }
    const Record record = reader.read();
    if (head->is_details()) {
      add_details(*head, record, &last, &report);
    } else if (first_row && field_of(record, head->kernel).empty() && record.fields.size() == head->names.size()) {
      head->units = record.fields;
    } else {
      add_raw(*head, record, &report);
    }
    first_row = false;
  }
  if (!head)
    throw ReportError(reader.line(),
                      "no table of Nsight Compute ends here: a head with \"Kernel Name\" is missing (ncu --csv)");
  if (report.kernels.empty())
    throw ReportError(head->line, "the table has no kernel: nothing was profiled, or the rows are cut off");
  return report;
}

}  // namespace gpuopt_advise
