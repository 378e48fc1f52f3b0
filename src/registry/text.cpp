#include "text.h"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gpuopt {
namespace {

// Never destroyed. Without the guard of a static local object, which a child of fork would find held for ever where another
// thread was just making it.
locale_t c_locale() {
  static std::atomic<locale_t> the_locale{nullptr};
  locale_t made = the_locale.load(std::memory_order_acquire);
  if (made) return made;
  made = newlocale(LC_ALL_MASK, "C", nullptr);
  locale_t other = nullptr;
  if (the_locale.compare_exchange_strong(other, made, std::memory_order_acq_rel)) return made;
  if (made) freelocale(made);
  return other;
}

std::string fixed_point(double value, int decimals) {
  const CLocale as_c;
  char text[352];  // of any double
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

}  // namespace

CLocale::CLocale() : before_(c_locale() ? uselocale(c_locale()) : nullptr) {}
CLocale::~CLocale() {
  if (before_) uselocale(before_);
}

std::string milliseconds(double ms) { return fixed_point(ms, 6); }
std::string microseconds(double us) { return fixed_point(us, 3); }

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  const CLocale as_c;
  char text[32];
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

std::string error_text(int number) {
  const locale_t c = c_locale();
  return c ? strerror_l(number, c) : "error " + std::to_string(number);
}

std::string_view prefix(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [&](size_t i) { return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; };
  size_t end = bytes;
  while (end > 0 && bytes - end < 3 && continues(end)) --end;
  return text.substr(0, continues(end) ? bytes : end);  // what is no UTF-8 is cut where it stands
}

std::string quoted(std::string_view text) {
  constexpr size_t longest = 64;
  std::string out = "'";
  out += prefix(text, longest);
  if (text.size() <= longest) return out += "'";
  return out += "...' (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace gpuopt
