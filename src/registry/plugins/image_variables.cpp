#include "plugins/image_variables.h"

#include "problem.h"

namespace gpuopt {
namespace {

struct Name {
  const char *text;
  Extent extent;
};
constexpr Name kOfAll[] = {{"batch", Extent::batch},          {"cc", Extent::cc},
                           {"sm_count", Extent::sm_count},    {"clock_mhz", Extent::clock},
                           {"memory_gbs", Extent::bandwidth}, {"l2_bytes", Extent::l2},
                           {"smem_per_block", Extent::smem}};
constexpr Name kOfGemm[] = {{"m", Extent::m}, {"n", Extent::n}, {"k", Extent::k}};
constexpr Name kOfOthers[] = {{"rows", Extent::m}, {"cols", Extent::n}};
constexpr Name kOfOperand[] = {{"ld", Extent::ld},
                               {"row_stride", Extent::row_stride},
                               {"col_stride", Extent::col_stride},
                               {"batch_stride", Extent::batch_stride}};

template <size_t N>
const Name *find(const Name (&names)[N], std::string_view text) {
  for (const Name &n : names)
    if (text == n.text) return &n;
  return nullptr;
}

}  // namespace

int32_t find_operand_name(int32_t op, std::string_view name) {
  for (int32_t i = 0; i < 7; ++i)
    if (!name.empty() && name == operand_name(op, i)) return i;
  // stage0.a ... stage7.b
  if (op != GPUOPT_OP_TRANSPOSE && op != GPUOPT_OP_REDUCE && name.size() == 8 && name.substr(0, 5) == "stage" &&
      name[5] >= '0' && name[5] < '0' + GPUOPT_MAX_STAGES && name[6] == '.' && (name[7] == 'a' || name[7] == 'b'))
    return GPUOPT_OPERAND_STAGE + (name[5] - '0') + (name[7] == 'b' ? GPUOPT_MAX_STAGES : 0);
  return -1;
}

bool find_variable(int32_t op, std::string_view name, Variable *variable) {
  const Name *found = find(kOfAll, name);
  if (!found) found = op == GPUOPT_OP_GEMM ? find(kOfGemm, name) : find(kOfOthers, name);
  int32_t operand = 0;
  if (!found) {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return false;
    operand = find_operand_name(op, name.substr(0, dot));
    found = find(kOfOperand, name.substr(dot + 1));
    if (operand < 0 || !found) return false;
  }
  *variable = {found->extent, static_cast<uint8_t>(operand)};
  return true;
}

int64_t read_rare_variable(const gpuopt_problem &p, Variable v) {
  const gpuopt_device_facts &d = *p.device;
  switch (v.extent) {
    case Extent::cc:
      return d.cc;
    case Extent::clock:
      return static_cast<int64_t>(d.clock_mhz);
    case Extent::bandwidth:
      return static_cast<int64_t>(d.memory_gbs);
    case Extent::l2:
      return d.l2_bytes;
    case Extent::smem:
      return d.smem_per_block_optin;
    default:
      return 0;
  }
}

}  // namespace gpuopt
