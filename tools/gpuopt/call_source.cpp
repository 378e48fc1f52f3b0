#include "call_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "gpuopt_call/text.h"
#include "log_text.h"
#include "numbers.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

// A text a line; what follows a # is a comment.
void add_lines(std::istream &in, std::vector<gpuopt_call::Call> *calls) {
  int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    calls->push_back(parse_call("--problems", line, "line " + std::to_string(number) + ": "));
  }
  if (in.bad()) throw CLI::ValidationError("--problems", "cannot be read: " + std::string(std::strerror(errno)));
}

std::runtime_error no_call(const std::string &argument, const std::string &path,
                           const std::vector<std::string> &what_it_has) {
  std::string text = argument + ": '" + path + "' has no call";
  for (const std::string &sentence : what_it_has) text += (&sentence == &what_it_has[0] ? ": " : "; ") + sentence;
  return std::runtime_error(text);
}

}  // namespace

void add_call_source(CLI::App *verb, const std::shared_ptr<CallSource> &source,
                     const std::function<void(CLI::App *)> &add_more, const std::function<void()> &run) {
  verb->require_subcommand(0, 1);
  verb->add_option("--problem", source->problems, "A call as text (docs/call-text.md), repeatable");
  verb->add_option("--problems", source->file, "A file of such texts, a line each; -: standard input");
  verb->add_option("--log", source->log, "The problems of an application's log, most time first; -: standard input");
  add_integer(verb, "--top", &source->top, 1, kMostExtent, "With --log: so many problems (20)");
  add_more(verb);
  verb->callback([verb, run] {
    if (verb->get_subcommands().empty()) run();
  });
  CallVerbs verbs;
  verbs.verb = verb;
  verbs.call = source->call;
  verbs.sweep = source->sweep;
  verbs.least_extent = 1;
  verbs.add_more = add_more;
  verbs.run = run;
  add_call_verbs(verbs);
}

std::vector<gpuopt_call::Call> calls_of(const CallSource &s) {
  const bool of_op = s.call->op != 0;
  if (int(of_op) + int(!s.problems.empty()) + int(!s.file.empty()) + int(!s.log.empty()) != 1)
    throw CLI::ValidationError("the call", "is given by one of: " + op_names() + ", --problem, --problems, --log");
  std::vector<gpuopt_call::Call> calls;
  if (of_op)
    for (const CallOptions &o : s.sweep->calls(*s.call)) calls.push_back(make_call(o));
  for (const std::string &text : s.problems) calls.push_back(parse_call("--problem", text));
  if (s.file == "-") {
    add_lines(std::cin, &calls);
  } else if (!s.file.empty()) {
    std::ifstream in(s.file);
    if (!in) throw CLI::ValidationError("--problems", "'" + s.file + "' cannot be opened: " + std::strerror(errno));
    add_lines(in, &calls);
  }
  if (!s.log.empty()) {
    const gpuopt_log::LogSum sum = parse_log("--log", s.log);
    const size_t wanted = std::min(sum.problems.size(), static_cast<size_t>(s.top));
    for (size_t i = 0; i < wanted; ++i) calls.push_back(parse_call("--log", sum.problems[i].problem));
    if (calls.empty()) throw no_call("--log", s.log, log_sentences(sum));
  }
  if (calls.empty()) throw no_call("--problems", s.file, {});
  return calls;
}

std::string text_or_nothing(const gpuopt_call::Call &call) {
  try {
    return gpuopt_call::text_of(call);
  } catch (const gpuopt_call::BadCallText &) {
    return "";
  }
}

}  // namespace gpuopt_cli
