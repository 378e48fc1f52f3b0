#include "rewrite.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace gpuopt_bench {
namespace {

// A piece of the file. Arguments of macros keep the place where they were written.
struct Piece {
  size_t begin = 0, end = 0;
};
struct Macro {
  std::vector<std::string> parameters;
  Piece body;
};
struct RowPlace {
  std::string name;
  Piece value, fitted_to, error;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Reader {
 public:
  explicit Reader(const std::string &text) : text_(text) {
    for (size_t at = 0; (at = text_.find("#define ", at)) != std::string::npos;) at = read_macro(at + 8);
  }

  // Of every list that GPUOPT_FIGURES names.
  std::vector<RowPlace> rows() {
    std::vector<RowPlace> all;
    constexpr char kUse[] = "GPUOPT_FIGURES(";
    for (size_t at = 0; (at = text_.find(kUse, at)) != std::string::npos;) {
      at += sizeof kUse - 1;
      size_t end = 0;
      const std::vector<Piece> arguments = arguments_at(at, text_.size(), &end);
      if (arguments.size() == 3) expand(word_of(arguments[2]), {}, &all);
    }
    return all;
  }

 private:
  using Places = std::map<std::string, Piece>;

  std::string word_of(const Piece &p) const { return text_.substr(p.begin, p.end - p.begin); }

  size_t read_macro(size_t at) {
    const size_t name_end = text_.find_first_of("(\n ", at);
    if (name_end == std::string::npos || text_[name_end] != '(') return at;
    Macro m;
    size_t end = 0;
    for (const Piece &p : arguments_at(name_end + 1, text_.size(), &end)) m.parameters.push_back(word_of(p));
    m.body.begin = end + 1;
    m.body.end = m.body.begin;
    while (m.body.end < text_.size() && (text_[m.body.end] != '\n' || text_[m.body.end - 1] == '\\')) ++m.body.end;
    macros_[text_.substr(at, name_end - at)] = m;
    return m.body.end;
  }

  // Past a text or comment that begins here, else the same place.
  size_t past_quiet(size_t at, size_t limit) const {
    if (text_[at] == '"') {
      for (++at; at < limit && text_[at] != '"'; ++at)
        if (text_[at] == '\\') ++at;
      return at + 1;
    }
    if (text_.compare(at, 2, "/*") == 0) {
      const size_t close = text_.find("*/", at + 2);
      return close == std::string::npos ? limit : close + 2;
    }
    return at;
  }

  // Arguments from behind the opening parenthesis, trimmed; *end: the closing one.
  std::vector<Piece> arguments_at(size_t at, size_t limit, size_t *end) const {
    std::vector<Piece> all;
    Piece now = {at, at};
    int depth = 0;
    while (at < limit) {
      const size_t past = past_quiet(at, limit);
      if (past != at) {
        at = past;
        continue;
      }
      const char c = text_[at];
      if (c == '(') ++depth;
      if (depth == 0 && (c == ',' || c == ')')) {
        now.end = at;
        all.push_back(trimmed(now));
        now.begin = at + 1;
        if (c == ')') break;
      }
      if (c == ')') --depth;
      ++at;
    }
    *end = at;
    return all;
  }

  Piece trimmed(Piece p) const {
    const auto blank = [&](size_t at) {
      return std::isspace(static_cast<unsigned char>(text_[at])) || text_[at] == '\\';
    };
    while (p.begin < p.end && blank(p.begin)) ++p.begin;
    while (p.end > p.begin && blank(p.end - 1)) --p.end;
    return p;
  }

  // A name made by ## out of parameters and letters.
  std::string pasted(const Piece &p, const Places &places) const {
    std::string name, word;
    const auto flush = [&] {
      const auto found = places.find(word);
      name += found == places.end() ? word : word_of(found->second);
      word.clear();
    };
    for (size_t at = p.begin; at < p.end; ++at) {
      if (is_word(text_[at]))
        word += text_[at];
      else
        flush();
    }
    flush();
    return name;
  }
  Piece resolved(const Piece &p, const Places &places) const {
    const auto found = places.find(word_of(p));
    return found == places.end() ? p : found->second;
  }

  void expand(const std::string &name, const Places &places, std::vector<RowPlace> *rows) {
    const auto found = macros_.find(name);
    if (found == macros_.end() || found->second.parameters.empty()) return;
    const Macro &m = found->second;
    const std::string &row = m.parameters.front();
    for (size_t at = m.body.begin; at < m.body.end;) {
      const size_t past = past_quiet(at, m.body.end);
      if (past != at) {
        at = past;
        continue;
      }
      if (!is_word(text_[at])) {
        ++at;
        continue;
      }
      const size_t begin = at;
      while (at < m.body.end && is_word(text_[at])) ++at;
      if (at >= m.body.end || text_[at] != '(') continue;
      const std::string called = text_.substr(begin, at - begin);
      size_t end = 0;
      const std::vector<Piece> arguments = arguments_at(at + 1, m.body.end, &end);
      if (called == row && arguments.size() == 5) {
        rows->push_back({pasted(arguments[0], places), resolved(arguments[1], places), resolved(arguments[3], places),
                         resolved(arguments[4], places)});
      } else if (macros_.count(called) != 0) {
        const Macro &inner = macros_.at(called);
        Places inside;
        for (size_t i = 1; i < std::min(inner.parameters.size(), arguments.size()); ++i)
          inside[inner.parameters[i]] = resolved(arguments[i], places);
        expand(called, inside, rows);
      }
      at = end + 1;
    }
  }

  const std::string &text_;
  std::map<std::string, Macro> macros_;
};

// Replaces, and takes or gives spaces beside the piece where there are several, so that columns stay.
void replace(std::string *text, const Piece &p, const std::string &with) {
  auto change = static_cast<long>(with.size()) - static_cast<long>(p.end - p.begin);
  text->replace(p.begin, p.end - p.begin, with);
  size_t after = p.begin + with.size();
  if (after < text->size() && (*text)[after] == ',') ++after;
  const auto spaces_from = [&](size_t at) {
    size_t count = 0;
    while (at + count < text->size() && (*text)[at + count] == ' ') ++count;
    return count;
  };
  const auto adjust = [&](size_t at, size_t least) {  // of a run of spaces that begins there
    const size_t count = spaces_from(at);
    if (count < least) return;
    if (change < 0) {
      text->insert(at, static_cast<size_t>(-change), ' ');
      change = 0;
    } else {
      const size_t taken = std::min<size_t>(count - 1, static_cast<size_t>(change));
      text->erase(at, taken);
      change -= static_cast<long>(taken);
    }
  };
  if (after > p.begin + with.size()) adjust(after, 2);
  if (change != 0 && (*text)[p.begin - 1] == ' ') {
    size_t run = p.begin;
    while ((*text)[run - 1] == ' ') --run;
    if ((*text)[run - 1] == ',') adjust(run, 2);
  }
  if (change == 0) return;
  const size_t line_end = text->find('\n', p.begin);
  if (line_end == std::string::npos || (*text)[line_end - 1] != '\\') return;
  size_t run = line_end - 1;
  while ((*text)[run - 1] == ' ') --run;
  adjust(run, 1);
}

}  // namespace

std::string figure_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  if (std::strtod(text, nullptr) >= 1000) std::snprintf(text, sizeof text, value < 1e5 ? "%.0f" : "%.2e", value);
  std::string out = text;
  const size_t e = out.find('e');
  if (e == std::string::npos) return out;
  std::string digits = out.substr(0, e);  // "3.20e+06" as 3.2e6
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits + "e" + std::to_string(std::atoi(out.c_str() + e + 1));
}

std::string rewrite_figures(const std::string &text, const std::vector<NewFigure> &figures,
                            std::vector<std::string> *missing) {
  const std::vector<RowPlace> rows = Reader(text).rows();
  std::map<size_t, std::pair<Piece, std::string>> changes;         // by place
  std::map<size_t, std::pair<Piece, std::vector<double>>> errors;  // rows of one macro share a place
  for (const NewFigure &f : figures) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const RowPlace &r) { return r.name == f.name; });
    if (row == rows.end()) {
      missing->push_back(f.name);
      continue;
    }
    const std::string old = text.substr(row->value.begin, row->value.end - row->value.begin);
    if (figure_text(std::strtod(old.c_str(), nullptr)) != figure_text(f.value))
      changes[row->value.begin] = {row->value, figure_text(f.value)};
    changes[row->fitted_to.begin] = {row->fitted_to, "\"" + f.fitted_to + "\""};
    auto &error = errors[row->error.begin];
    error.first = row->error;
    error.second.push_back(f.error_percent);
  }
  for (const auto &entry : errors) {
    double mean = 0;
    for (const double e : entry.second.second) mean += e / static_cast<double>(entry.second.second.size());
    char shown[32];
    std::snprintf(shown, sizeof shown, "%.1f", mean);
    changes[entry.first] = {entry.second.first, shown};
  }
  std::string out = text;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change)
    replace(&out, change->second.first, change->second.second);
  return out;
}

}  // namespace gpuopt_bench
