#include "tune_file.h"

#include <algorithm>

namespace gpuopt_tune {
namespace {

constexpr std::string_view kHeader = "gpuopt tune 1";
// The words of an entry that are not of its key.
constexpr std::string_view kChoiceWords[] = {"kernel", "version", "algorithm", "us", "untuned_us", "time"};

void append_word(std::string_view word, std::string *text) {
  if (!text->empty()) *text += ' ';
  *text += word;
}

bool is_choice(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  return std::find(std::begin(kChoiceWords), std::end(kChoiceWords), name) != std::end(kChoiceWords);
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

}  // namespace

bool TuneFile::parse(std::string_view text, std::string *fault) {
  lines_.clear();
  by_key_.clear();
  bool first = true;
  for (; !text.empty(); first = false) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (first && trimmed(line.substr(0, line.find('#'))) != kHeader) {
      *fault = "it does not begin with '" + std::string(kHeader) + "', so it is not a file to add to";
      return false;
    }
    // As the library reads it: it may be the first half of another version's.
    if (first && end == std::string_view::npos) {
      *fault =
          "its first line, '" + std::string(line) + "', has no end: the file was cut there, so it is not one to add to";
      return false;
    }
    // What has no end may be the first half of a line: nobody's entry, and not ours to throw away.
    if (end == std::string_view::npos) {
      lines_.push_back({"", "", "# cut: " + std::string(line), false});
      return true;
    }
    if (!first) add_line(line);
    text.remove_prefix(end + 1);
  }
  return true;
}

void TuneFile::add_line(std::string_view line) {
  Line entry;
  const size_t comment = line.find('#');
  std::string_view words = trimmed(line.substr(0, comment));
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find_first_of(" \t\r"));
    append_word(word, is_choice(word) ? &entry.choice : &entry.key);
    words = trimmed(words.substr(word.size()));
  }
  if (entry.key.empty() || entry.choice.empty()) {
    lines_.push_back({"", "", std::string(line), false});
    return;
  }
  if (comment != std::string_view::npos) append_word(line.substr(comment), &entry.choice);
  // The later of two counts, and is kept alone.
  const auto known = by_key_.find(entry.key);
  if (known != by_key_.end()) {
    lines_[known->second] = entry;
    return;
  }
  by_key_.emplace(entry.key, lines_.size());
  lines_.push_back(std::move(entry));
}

const std::string *TuneFile::choice(const std::string &key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &lines_[found->second].choice;
}

std::vector<Entry> TuneFile::entries() const {
  std::vector<Entry> all;
  for (const Line &line : lines_)
    if (!line.key.empty())
      all.push_back({line.key, std::string(trimmed(line.choice.substr(0, line.choice.find('#'))))});
  return all;
}

bool TuneFile::set(const Entry &entry) {
  if (entry.choice.empty()) {
    const auto known = by_key_.find(entry.key);
    if (known == by_key_.end()) return false;
    lines_[known->second] = {"", "", "", true};
    by_key_.erase(known);
    return false;
  }
  const auto found = by_key_.emplace(entry.key, lines_.size());
  if (found.second)
    lines_.push_back({entry.key, entry.choice, "", false});
  else
    lines_[found.first->second].choice = entry.choice;
  return found.second;
}

std::string TuneFile::text() const {
  std::string text = std::string(kHeader) + "\n";
  for (const Line &line : lines_)
    if (!line.gone) text += line.key.empty() ? line.other + "\n" : line.key + " " + line.choice + "\n";
  return text;
}

}  // namespace gpuopt_tune
