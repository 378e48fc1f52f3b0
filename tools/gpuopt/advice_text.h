// Advice for people and for programs: as `gpuopt advise` and `gpuopt profile` print it.
#pragma once
#include <string>

#include "gpuopt_advise/advice.h"
#include "json.h"

namespace gpuopt_cli {

void print_advice(const gpuopt_advise::Kernel &kernel, const gpuopt_advise::Advice &advice);
Json json_of(const gpuopt_advise::Kernel &kernel, const gpuopt_advise::Advice &advice);

// The rules as markdown: docs/rules.md.
void print_rules();

// Prints the advice on each kernel of the report whose name matches one of the globs; the exit code: kFailure where there is
// none, or of one of them the report does not say enough.
int print_report(const gpuopt_advise::Report &report, const std::string &globs, bool json);

}  // namespace gpuopt_cli
