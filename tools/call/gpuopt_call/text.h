// Calls as text and back: docs/call-text.md is the language. The library writes it (gpuopt_call_text); here it is read.
#pragma once
#include <stdexcept>
#include <string>

#include "gpuopt_call/call.h"

namespace gpuopt_call {

struct BadCallText : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws BadCallText with the library's words for a call that it does not take.
std::string text_of(Call call);

// The call of a text. Its operands lie nowhere, with the alignments, the sharing and the distances that the text states: good
// for explain, and for place(). Throws BadCallText: it names the word, where it stands and the rule, or is in the library's
// words where every word is right and the call is not. What it returns, text_of() takes.
Call read_call(const std::string &text);

}  // namespace gpuopt_call
