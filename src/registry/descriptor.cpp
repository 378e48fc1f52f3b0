#include "descriptor.h"

#include <cstring>

namespace gpuopt {
namespace {

constexpr uint32_t kKnownFlags =
    GPUOPT_KERNEL_HOST | GPUOPT_KERNEL_TEACHING | GPUOPT_KERNEL_NONDETERMINISTIC | GPUOPT_KERNEL_NOT_CAPTURABLE;

bool is_alignment(int32_t bytes) { return bytes >= 0 && bytes <= 256 && (bytes & (bytes - 1)) == 0; }

// Rows of a table, more than which is a count that was never set.
void check_table(const void *table, size_t count, const char *field, const std::function<void(std::string)> &add) {
  if (table == nullptr && count != 0)
    add(std::string(field) + "s is NULL and " + field + "_count is not 0");
  else if (count > kMostRows)
    add(std::string(field) + "_count is more than 4096");
}

}  // namespace

const char *name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  for (const char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_') return "has a character outside [a-z0-9_]";
  return name.size() > kLongestName ? "is longer than 96 characters" : nullptr;
}

void check_fields(const gpuopt_kernel &k, const std::function<void(std::string)> &add) {
  if (k.op <= 0 || k.op >= GPUOPT_OP_COUNT_) add("op is not a GPUOPT_OP_* value");
  if (k.launch == nullptr) add("launch is NULL");
  if (k.signatures == nullptr || k.signature_count == 0)
    add("signatures are missing");
  else
    check_table(k.signatures, k.signature_count, "signature", add);
  check_table(k.resources, k.resource_count, "resource", add);
  if (k.summary && strnlen(k.summary, kLongestSummary + 1) > kLongestSummary)
    add("summary is longer than 1000 characters");
  if (k.data_paths && strnlen(k.data_paths, kLongestSummary + 1) > kLongestSummary)
    add("data_paths is longer than 1000 characters");
  if (k.flags & ~kKnownFlags) add("flags has bits that are no GPUOPT_KERNEL_* value");
  if (k.max_stages < 0 || k.max_stages > GPUOPT_MAX_STAGES) add("max_stages is not within 0 and GPUOPT_MAX_STAGES");
  bool layouts = true, aligned = true, ld_aligned = true, multiples = true;
  for (int i = 0; i < 4; ++i) {
    layouts = layouts && k.layouts[i] <= GPUOPT_LAYOUT_ANY;
    aligned = aligned && is_alignment(k.align[i]);
    ld_aligned = ld_aligned && is_alignment(k.ld_align[i]);
  }
  for (const int32_t multiple : k.multiple) multiples = multiples && multiple >= 0;
  if (!layouts) add("layouts has a value that is no GPUOPT_LAYOUT_* bit");
  if (!aligned) add("align has a value that is not 0 or a power of two up to 256");
  if (!ld_aligned) add("ld_align has a value that is not 0 or a power of two up to 256");
  if (!multiples) add("multiple has a negative value");
  if (k.chain && k.max_stages == 0) add("chain is given and max_stages is 0");
  for (int32_t i = 0; k.chain && i < k.max_stages && i < GPUOPT_MAX_STAGES; ++i)
    if (k.chain[i].kind <= 0 || k.chain[i].kind >= GPUOPT_STAGE_COUNT_ || !(k.stage_kinds >> k.chain[i].kind & 1))
      add("chain has a stage whose kind is not in stage_kinds");
  if (k.operands_needed & k.operands_refused) add("operands_needed and operands_refused have an operand in common");
  if (k.op == GPUOPT_OP_REDUCE && (k.variants == 0 || k.axes == 0)) add("a reduce kernel needs variants and axes");
  if (k.op == GPUOPT_OP_NORM && k.variants == 0) add("a norm kernel needs variants");
}

}  // namespace gpuopt
