// The pieces of a call's text: words, numbers and names, read strictly.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt_call {

// What is wrong with a piece of a text; where it stands is known further up.
struct BadWord {
  std::string rule;
};

std::vector<std::string_view> split(std::string_view text, char separator);  // of the empty text: one empty part

// what: "the rows". Throw BadWord.
int64_t read_integer(std::string_view what, std::string_view text, int64_t least, int64_t most);
double read_number(std::string_view what, std::string_view text);
// The value within first and end that name(value) calls so, in any case.
template <class Name>
int32_t read_name(std::string_view what, std::string_view text, int32_t first, int32_t end, Name name);

// Text for a message: in quotes, printable, cut in length.
std::string quoted(std::string_view text);
bool same_word(std::string_view a, std::string_view b);  // but for the case of letters

template <class Name>
int32_t read_name(std::string_view what, std::string_view text, int32_t first, int32_t end, Name name) {
  std::string all;
  for (int32_t value = first; value < end; ++value) {
    if (same_word(text, name(value))) return value;
    all += std::string(all.empty() ? "" : ", ") + name(value);
  }
  throw BadWord{std::string(what) + " " + quoted(text) + " must be one of: " + all};
}

}  // namespace gpuopt_call
