// The pieces of the page; each is empty where there is nothing to show.
#pragma once
#include "gpuopt_report/page.h"

namespace gpuopt_report {

extern const char kStyle[], kScript[];

// The product of which the most kernels were timed, as bars from the slowest to the fastest; nullptr: there is none.
const Problem *ladder_of(const Page &page);
std::string ladder_chart(const Problem &ladder);

std::string claims_chart(const std::vector<Experiment> &experiments);
std::string experiment_list(const std::vector<Experiment> &experiments);
// "good", "more", "less", "none": the colour of a verdict's words.
std::string verdict_class(const Experiment &experiment);

std::string bench_cards(const std::vector<Problem> &problems);

std::string formatted(double value);  // three digits: "4.81", "1,150"

}  // namespace gpuopt_report
