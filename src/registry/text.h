// Text that leaves the library: numbers as C writes them whatever the application's locale, and bounded, printable
// versions of what came from outside.
#pragma once
#include <locale.h>

#include <string>
#include <string_view>

namespace gpuopt {

// For its lifetime this thread prints and reads as in the C locale.
class CLocale {
 public:
  CLocale();
  ~CLocale();
  CLocale(const CLocale &) = delete;
  CLocale &operator=(const CLocale &) = delete;

 private:
  locale_t before_;
};

std::string milliseconds(double ms);  // six decimals
std::string microseconds(double us);  // three
std::string shortest(double value);   // the shortest number that reads back as this one; "nan", "inf"

// What errno says, in English.
std::string error_text(int number);

// A caller's text for a message: in quotes, cut in length.
std::string quoted(std::string_view text);

// Without the blanks at its ends: spaces, tabs, returns.
std::string_view trimmed(std::string_view text);

// A prefix of at most bytes of UTF-8 text that does not end inside a character.
std::string_view prefix(std::string_view text, size_t bytes);

}  // namespace gpuopt
