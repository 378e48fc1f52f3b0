#include "gpuopt_advise/csv.h"

#include <algorithm>

namespace gpuopt_advise {

bool CsvReader::peek(std::string_view *line) const {
  if (rest_.empty()) return false;
  *line = rest_.substr(0, rest_.find('\n'));
  if (!line->empty() && line->back() == '\r') line->remove_suffix(1);
  return true;
}

void CsvReader::skip_line() {
  const size_t end = rest_.find('\n');
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++line_;
}

// From behind its first quote to behind its last.
std::string CsvReader::quoted_field() {
  const int64_t begun = line_;
  std::string field;
  for (;;) {
    const size_t quote = rest_.find('"');
    if (quote == std::string_view::npos)
      throw ReportError(begun, "a quote is opened and not closed: the text is cut off");
    line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(quote), '\n');
    field += rest_.substr(0, quote);
    rest_.remove_prefix(quote + 1);
    if (rest_.empty() || rest_[0] != '"') return field;
    field += '"';
    rest_.remove_prefix(1);
  }
}

Record CsvReader::read() {
  Record record;
  record.line = line_;
  for (;;) {
    if (!rest_.empty() && rest_[0] == '"') {
      rest_.remove_prefix(1);
      record.fields.push_back(quoted_field());
      if (!rest_.empty() && rest_.find_first_of(",\r\n") != 0)
        throw ReportError(line_, "text follows a closing quote where a comma belongs");
    } else {
      const size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
      record.fields.emplace_back(rest_.substr(0, end));
      rest_.remove_prefix(end);
    }
    if (rest_.empty() || rest_[0] != ',') break;
    rest_.remove_prefix(1);
  }
  if (!rest_.empty()) skip_line();
  return record;
}

}  // namespace gpuopt_advise
