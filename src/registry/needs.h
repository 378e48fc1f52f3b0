// A kernel's needs are data; this is the one check that turns them into a reject.
#pragma once
#include <string>

#include "gpuopt/kernel.h"

namespace gpuopt {

// 1 when kernel can run problem, and the bytes of workspace it takes; else 0 and *reject says why (operand: index into the
// problem's normal form). Asks can_run and workspace last, and only when everything declared holds.
int check_needs(const gpuopt_kernel &kernel, const gpuopt_problem &problem, gpuopt_reject *reject, size_t *scratch,
                size_t *zeroed);

// The reject as a sentence with the user's operand: "ALIGN: a.data is aligned to 8 bytes, needs 16".
std::string reject_text(const gpuopt_problem &problem, const gpuopt_reject &reject);

// The user's operand a reject speaks of: GPUOPT_OPERAND_*.
int32_t user_operand(const gpuopt_problem &problem, const gpuopt_reject &reject);

}  // namespace gpuopt
