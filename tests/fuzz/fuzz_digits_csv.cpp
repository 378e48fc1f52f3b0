// Fuzzes the reader of the digits example: the text in a buffer of exactly its size, and a small buffer for the message.
#include <cstring>
#include <memory>
#include <string>

#include "input.h"
extern "C" {
#include "csv.h"
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Raw bytes; or, when the first byte is odd, a good file with some bytes of it replaced.
  std::string text;
  fuzz::Input in(data, size);
  if (in.byte() % 2 == 0) {
    text.assign(reinterpret_cast<const char *>(in.rest()), in.left());
  } else {
    const uint32_t lines = 19 + in.below(4);
    for (uint32_t i = 0; i < lines; ++i) {
      for (int j = 0; j < DIGITS_PIXELS; ++j) text += std::to_string((i * 7 + static_cast<uint32_t>(j)) % 17) + ",";
      text += std::to_string(i % 10);
      text += in.rarely(8) ? "\r\n" : "\n";
    }
    while (!in.done()) {
      const size_t at = in.word() % text.size();
      static const char usual[] = "0123456789,,,\n\r\t -+.ex\"";
      const char c = in.rarely(6) ? static_cast<char>(in.byte()) : usual[in.below(sizeof usual - 1)];
      switch (in.below(3)) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, in.below(40), c);
          break;
        default:
          text.erase(at, in.below(140));
          break;
      }
      if (text.empty()) text = ",";
    }
  }
  const std::unique_ptr<char[]> exact(new char[text.size()]);
  std::memcpy(exact.get(), text.data(), text.size());
  const size_t error_bytes = 1 + text.size() % 100;
  const std::unique_ptr<char[]> error(new char[error_bytes]);
  error[0] = 0;

  digits read;
  const int status = digits_csv_parse(exact.get(), text.size(), &read, error.get(), error_bytes);
  if (std::memchr(error.get(), 0, error_bytes) == nullptr) fuzz::finding("the message does not end", "");
  if (status == 0) {
    if (read.count < DIGITS_MIN_IMAGES) fuzz::finding("too few images were taken", "");
    for (size_t i = 0; i < read.count * DIGITS_PIXELS; ++i)
      if (read.pixels[i] > DIGITS_PIXEL_MAX) fuzz::finding("a pixel is out of range", "");
    for (size_t i = 0; i < read.count; ++i)
      if (read.labels[i] >= DIGITS_CLASSES) fuzz::finding("a label is out of range", "");
  } else {
    if (read.pixels != nullptr || read.labels != nullptr || read.count != 0) fuzz::finding("a failure left data", "");
    if (error_bytes > 1 && error[0] == 0) fuzz::finding("no message", "");
  }
  digits_free(&read);
  return 0;
}
