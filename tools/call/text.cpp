#include "gpuopt_call/text.h"

#include <optional>

#include "reader.h"
#include "words.h"

namespace gpuopt_call {

std::string text_of(Call call) {
  gpuopt_explain_options beside = GPUOPT_EXPLAIN_OPTIONS_INIT;
  beside.space = call.space;
  beside.capturing = call.captured ? 1 : 0;
  char text[GPUOPT_CALL_TEXT_BYTES];
  size_t length = 0;
  if (gpuopt_call_text(call.args(), &beside, text, sizeof text, &length) != GPUOPT_OK)
    throw BadCallText(gpuopt_last_error());
  return std::string(text, length);
}

Call read_call(const std::string &text) {
  std::optional<Reader> reader;
  size_t number = 0;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    ++number;
    try {
      if (reader)
        reader->take(word);
      else
        reader.emplace(read_name("the operation", word, 1, GPUOPT_OP_COUNT_, gpuopt_op_name));
    } catch (const BadWord &bad) {
      throw BadCallText("word " + std::to_string(number) + " (column " + std::to_string(word.data() - text.data() + 1) +
                        ") " + quoted(word) + ": " + bad.rule);
    }
  }
  if (!reader) throw BadCallText("it is empty: a call begins with the operation: gemm, transpose, reduce, ...");
  try {
    Call call = reader->finish();
    text_of(call);  // what the library does not take is no call
    return call;
  } catch (const BadWord &bad) {
    throw BadCallText(bad.rule);
  }
}

}  // namespace gpuopt_call
