#include "json.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <vector>

#include "text.h"

namespace gpuopt_cli {

void print_json(const Json &json) {
  std::printf("%s\n", json.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
}

namespace {

std::string csv_text(const Json &value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json &one : value) list += (list.empty() ? "" : " ") + csv_text(one);
  return list;
}

}  // namespace

std::string text_of_file(const std::string &argument, const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw CLI::ValidationError(argument, "'" + path + "' cannot be opened: " + std::strerror(errno));
  std::string text;
  char piece[65536];
  do {
    in.read(piece, sizeof piece);  // of a folder, which can be opened, this fails
    text.append(piece, static_cast<size_t>(in.gcount()));
  } while (in);
  if (in.bad()) throw CLI::ValidationError(argument, "'" + path + "' cannot be read: " + std::strerror(errno));
  return text;
}

Json rows_below(const Json &outer, const std::vector<std::string> &names, const std::string &list, const Json &head) {
  Json rows = Json::array();
  for (const Json &o : outer)
    for (const Json &inner : o[list]) {
      Json row = head;
      for (const std::string &name : names) row[name] = o[name];
      row.update(inner);
      rows.push_back(std::move(row));
    }
  return rows;
}

void print_csv(const Json &rows) {
  if (rows.empty()) return;
  std::vector<std::string> names;
  for (const auto &item : rows[0].items())
    if (!item.value().is_object()) names.push_back(item.key());
  const auto print_line = [&](const std::function<std::string(const std::string &)> &field) {
    for (size_t i = 0; i < names.size(); ++i) std::printf("%s%s", i ? "," : "", csv_field(field(names[i])).c_str());
    std::printf("\n");
  };
  print_line([](const std::string &name) { return name; });
  for (const Json &row : rows)
    print_line([&row](const std::string &name) { return row.contains(name) ? csv_text(row[name]) : ""; });
}

}  // namespace gpuopt_cli
