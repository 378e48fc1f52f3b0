// A call as one line of text (docs/call-text.md): the one writer of that language, for the log and gpuopt_call_text.
#pragma once
#include <string>

#include "decide.h"

namespace gpuopt {

// Appends the text of a call that was validated, and of which this is the problem. assumed: what the text says beside the args
// (space, capturing, stated alignments); the rest of it speaks of the device.
void append_call_text(const AnyArgs &args, const gpuopt_problem &problem, const gpuopt_explain_options &assumed,
                      std::string *text);

}  // namespace gpuopt
