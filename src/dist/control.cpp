#include <cstring>
#include <vector>

#include "error.h"
#include "transport.h"

namespace gpuopt::dist {
namespace {

struct Letter {
  Topic topic;
  uint32_t bytes;
  char text[Control::kMostBytes];
};

const char *words(Topic topic) {
  switch (topic) {
    case Topic::joining:
      return "about to make a communicator";
    case Topic::mapping:
      return "about to map the memory of the others";
    case Topic::offer:
      return "in a call";
    case Topic::memory:
      return "about to make memory for a call";
    case Topic::leaving:
      return "in gpuopt_comm_destroy";
  }
  return "elsewhere";
}

}  // namespace

gpuopt_status Control::exchange(Topic topic, const void *mine, void *all, size_t bytes) {
  if (bytes > kMostBytes) return fail(GPUOPT_INTERNAL, "a letter of %zu bytes", bytes);
  Letter own = {topic, static_cast<uint32_t>(bytes), {}};
  std::memcpy(own.text, mine, bytes);
  std::vector<Letter> letters(static_cast<size_t>(size));
  const gpuopt_status s = exchange_letters(&own, letters.data(), sizeof own);
  if (s != GPUOPT_OK) return s;
  for (int32_t r = 0; r < size; ++r) {
    const Letter &letter = letters[static_cast<size_t>(r)];
    if (letter.topic != topic || letter.bytes != bytes)
      return fail(
          GPUOPT_COMM_ERROR,
          "rank %d is %s, and rank %d is %s: every rank makes the same calls of a communicator in the same order", rank,
          words(topic), r, words(letter.topic));
    std::memcpy(static_cast<char *>(all) + static_cast<size_t>(r) * bytes, letter.text, bytes);
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt::dist
