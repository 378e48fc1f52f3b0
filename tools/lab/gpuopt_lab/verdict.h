// What a measurement says of a claim.
#pragma once
#include <string>

namespace gpuopt_lab {

enum class Verdict { not_run, shown, confirmed, more, less, no_difference, opposite };

// Both are times as fast, after over before; a claim below 1 is one of a loss. claimed 0: nothing was claimed, so it is shown.
// confirmed: within a quarter of the claim.
Verdict judge(double claimed, double measured);
const char *text_of(Verdict verdict);  // "as claimed"
// Whether the claim and this hardware disagree, so that why is worth a sentence.
bool disagrees(Verdict verdict);

}  // namespace gpuopt_lab
