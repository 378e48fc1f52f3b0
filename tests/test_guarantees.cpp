// docs/guarantees.md names a test for every promise; each must be there.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

std::string read(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// With the names of test cases in one piece, on the line of the macro.
std::string joined(const std::string &source) {
  return std::regex_replace(std::regex_replace(source, std::regex("\"\\s*\\n\\s*\""), ""),
                            std::regex("(TEST_CASE\\()\\s+"), "$1");
}

}  // namespace

TEST_CASE("guarantees: every case of the page names a test that is there") {
  const std::string root = std::string(GPUOPT_TEST_SOURCE_DIR) + "/../";
  const std::string page = read(root + "docs/guarantees.md");
  const std::regex row(R"(\n\| ([^|\n]+) \| ([^|\n]+) \| `([^`\n]+)`, \[([^\]\n]+)\]\(\.\./([^)\n]+)\) \|)");
  const std::string ctest = read(root + "tests/CMakeLists.txt") + read(root + "tests/unload/CMakeLists.txt") +
                            read(root + "tests/plugins/CMakeLists.txt") +
                            std::regex_replace(read(root + "tests/link/cases.sh") + read(root + "tests/link/page.sh"),
                                               std::regex("\ncase_"), "\nlink.");
  std::set<std::string> faults;
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
    const std::string fault = (*at)[1], test = (*at)[3], file = (*at)[5];
    CAPTURE(fault);
    CAPTURE(test);
    CHECK(faults.insert(fault).second);
    const std::string source = read(root + file);
    CAPTURE(file);
    CHECK(!source.empty());
    const bool is_case = file.size() > 4 && file.compare(file.size() - 4, 4, ".cpp") == 0;
    if (is_case)
      CHECK(joined(source).find("TEST_CASE(\"" + test + "\"") != std::string::npos);
    else  // one of ctest's, which its list names
      CHECK(ctest.find(test) != std::string::npos);
  }
  CHECK(faults.size() >= 100);
  const auto lines_with = [&](const std::string &start) {
    size_t lines = 0;
    for (size_t i = page.find("\n" + start); i != std::string::npos; i = page.find("\n" + start, i + 1)) ++lines;
    return lines;
  };
  const size_t heads = lines_with("| Fault | What happens | Test |");
  CHECK(heads == lines_with("## "));
  CHECK(lines_with("| ") == faults.size() + heads);
}
