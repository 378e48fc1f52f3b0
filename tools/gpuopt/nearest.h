// What somebody may have meant by a word that is none.
#pragma once
#include <string>
#include <vector>

namespace gpuopt_cli {

// The fewest letters to insert, remove, replace, or exchange with their neighbour, that make one word of the other.
size_t letters_apart(const std::string &one, const std::string &other);
// Of no words "".
std::string nearest_word(const std::string &word, const std::vector<std::string> &words);

}  // namespace gpuopt_cli
