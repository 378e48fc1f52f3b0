// A kernel's needs are data; this is the one check that turns them into a reject.
#pragma once
#include <string>
#include <vector>

#include "gpuopt/kernel.h"

namespace gpuopt {

typedef int32_t Lanes __attribute__((vector_size(16)));  // one for each operand; comparisons give -1 or 0

// What a selection asks of every kernel about a problem's operands, read once: they lie cache lines apart, and four are
// compared at once. An absent operand has every alignment and layout.
struct AskedOperands {
  explicit AskedOperands(const gpuopt_problem &problem);
  Lanes dtype, present, align, ld_align;  // ld_align: of ld and batch_stride, the smaller
  int32_t layouts[4], compute;
};

// The first part of check_needs(), and whether of the kernel's code the device runs what is for architecture arch
// (compiled_code.h) and that is enough; check_needs() itself takes the code for granted.
int check_code(const gpuopt_kernel &kernel, const gpuopt_problem &problem, int32_t arch, gpuopt_reject *reject);
// The reject for want of machine code.
gpuopt_reject no_machine_code(const gpuopt_device_facts &device);

// 1 when kernel can run problem, and the bytes of workspace it takes; else 0 and *reject says why (operand: index into the
// problem's normal form). Asks can_run and workspace last, and only when everything declared holds.
int check_needs(const gpuopt_kernel &kernel, const gpuopt_problem &problem, const AskedOperands &asked,
                gpuopt_reject *reject, size_t *scratch, size_t *zeroed);

// All that the kernel declares and the problem does not have, in the order of check_needs(); not what only can_run knows.
std::vector<gpuopt_reject> unmet_needs(const gpuopt_kernel &kernel, const gpuopt_problem &problem);

// Bytes of a block that holds both parts, zeroed behind scratch and aligned as it; SIZE_MAX where they do not fit any.
size_t workspace_bytes(size_t scratch, size_t zeroed);
size_t zeroed_offset(size_t scratch);  // of the zeroed part in that block

// The reject as a sentence in the user's words: "ALIGN: a.data is aligned to 8 bytes, needs 16". call: the problem that he
// asked about; problem: that, or one of the two steps it was split into.
std::string reject_text(const gpuopt_problem &call, const gpuopt_problem &problem, const gpuopt_reject &reject);

// The user's operand a reject speaks of: GPUOPT_OPERAND_*.
int32_t user_operand(const gpuopt_problem &problem, const gpuopt_reject &reject);

}  // namespace gpuopt
