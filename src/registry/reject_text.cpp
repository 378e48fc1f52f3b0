// Rejects as sentences in the words of the call.
#include "compiled_code.h"
#include "needs.h"
#include "problem.h"

namespace gpuopt {

int32_t user_operand(const gpuopt_problem &p, const gpuopt_reject &r) {
  if (r.operand >= GPUOPT_OPERAND_STAGE) {
    // Swapping exchanged the two operands of ADD_OUTER; their user_operand remembers where they came from.
    const int32_t i = r.operand - GPUOPT_OPERAND_STAGE;
    const gpuopt_problem_stage &s = p.stage[i % GPUOPT_MAX_STAGES];
    return (i < GPUOPT_MAX_STAGES ? s.a : s.b).user_operand;
  }
  if (r.operand >= 4 && r.operand < 7) return p.extra[r.operand - 4].user_operand;
  return r.operand >= 0 && r.operand < 4 ? p.operand[r.operand].user_operand : GPUOPT_OPERAND_NONE;
}

namespace {

// An extent or a count of the normal form, anywhere in a text of a kernel, in the words of the call: normal form may have
// exchanged rows and columns, and only products have an m and an n.
std::string in_words_of(const gpuopt_problem &call, const std::string &text) {
  static constexpr const char *kOther[][2] = {{"m", "n"}, {"n", "m"}, {"rows", "columns"}, {"columns", "rows"}};
  const std::string x = operand_name(call.op, 0);
  const bool product = call.op == GPUOPT_OP_GEMM || call.op == GPUOPT_OP_GEMM_GROUPED;
  std::string out;
  for (size_t i = 0, end; i < text.size(); i = end) {
    end = text.find(' ', i);
    end = end == i ? i + 1 : end == std::string::npos ? text.size() : end;
    std::string word = text.substr(i, end - i);
    for (const auto &pair : kOther)
      if (call.swapped && word == pair[0]) {
        word = pair[1];
        break;
      }
    if (!product && (word == "m" || word == "n")) word = x + (word == "m" ? ".rows" : ".cols");
    out += word;
  }
  return out;
}

// "stages[i]" of the call for stage i of the problem, which may begin with beta * c.
std::string stage_name(const gpuopt_problem &call, const gpuopt_problem &p, int64_t i) {
  const int64_t mine = i - (p.op != call.op ? p.stage_count - call.stage_count : 0);
  return mine < 0 ? "beta * c" : "stages[" + std::to_string(mine) + "]";
}

}  // namespace

std::string reject_text(const gpuopt_problem &call, const gpuopt_problem &p, const gpuopt_reject &r) {
  const std::string have = std::to_string(r.have), need = std::to_string(r.need),
                    what = in_words_of(call, r.what ? r.what : ""),
                    code = std::string(gpuopt_reject_name(r.code)) + ": ";
  // Of two steps, what the first writes and the second reads is no operand of the user's.
  const auto name_of = [&](int32_t user) {
    return user == GPUOPT_OPERAND_NONE && &call != &p ? std::string("intermediate") : operand_name(call.op, user);
  };
  const std::string name = r.operand == GPUOPT_OPERAND_NONE ? "" : name_of(user_operand(p, r));
  const auto dot = [&](const char *field) { return name.empty() ? std::string(field) : name + "." + field; };
  switch (r.code) {
    case GPUOPT_REJECT_ARCH:
      if (what == "instruction set") return code + "the CPU offers instruction set level " + have + ", needs " + need;
      if (r.what == kCompiledArchs) return code + "no machine code for sm_" + have + " in this build (" + what + ")";
      if (r.need == 0) return code + "no image for sm_" + have + " (" + what + ")";
      return code + "the device is sm_" + have + ", needs " + (what.empty() ? "" : what + " ") + "sm_" + need;
    case GPUOPT_REJECT_DTYPE: {
      if (what == "operand")
        return code + dot("dtype") + " is " + gpuopt_dtype_name(static_cast<gpuopt_dtype>(r.have)) + ", needs " +
               gpuopt_dtype_name(static_cast<gpuopt_dtype>(r.need));
      std::string types;
      for (int32_t user = GPUOPT_OPERAND_NONE; user < 4; ++user)
        for (const gpuopt_operand &o : p.operand)
          if (o.m.dtype != 0 && o.user_operand == user)
            types += (types.empty() ? "" : " ") + name_of(user) + "=" + gpuopt_dtype_name(o.m.dtype);
      if (p.op == GPUOPT_OP_GEMM || p.op == GPUOPT_OP_GEMM_GROUPED)
        types += std::string(" compute=") + gpuopt_compute_name(p.compute);
      return code + "no code for " + types + (what.empty() ? "" : " (" + what + ")");
    }
    case GPUOPT_REJECT_LAYOUT: {
      if (what == "packed ld" || what == "packed batch_stride")
        return code + dot(what.c_str() + 7) + " is " + have + ", and only packed matrices are taken (" + need + ")";
      const bool relaid = r.operand >= 0 && r.operand < 4 && (p.relaid >> r.operand & 1) != 0;
      const int32_t user_layout = static_cast<int32_t>(r.have) ^ static_cast<int32_t>((p.swapped != 0) != relaid);
      return code + dot("layout") + " is " + layout_text(user_layout) + "-major" + (what.empty() ? "" : "; " + what);
    }
    case GPUOPT_REJECT_ALIGN:
      return code + dot("data") + " is aligned to " + have + " bytes, needs " + need;
    case GPUOPT_REJECT_LD_MULTIPLE:
      return code + dot(what.empty() ? "ld" : what.c_str()) + " is a multiple of " + have + " bytes, needs " + need;
    case GPUOPT_REJECT_DIM_MULTIPLE:
      return code + what + "=" + have + " is not a multiple of " + need;
    case GPUOPT_REJECT_SIZE_LIMIT:
      if (r.have == 0 && r.need == 0 && !what.empty()) return code + what;
      return code + (what.empty() ? "an extent" : what) + " is " + have + ", the limit is " + need;
    case GPUOPT_REJECT_STAGE:
      if (r.operand >= GPUOPT_OPERAND_STAGE)
        return code + stage_name(call, p, (r.operand - GPUOPT_OPERAND_STAGE) % GPUOPT_MAX_STAGES) + ": " + what;
      if (what == "built in") return code + "the chain has " + have + " stages, the one built in " + need;
      if (what.empty()) return code + "the chain has " + have + " stages, at most " + need;
      return code + stage_name(call, p, r.have) + ": " + what + " is not understood";
    case GPUOPT_REJECT_FEATURE:
      if (what == "operand")
        return code + (r.have ? name : "a call without " + operand_name(call.op, r.operand)) + " is not taken";
      if (r.have == 0 && r.need == 1) return code + what;
      return code + (what.empty() ? "feature bit " + have : what) + " is not understood";
    case GPUOPT_REJECT_WORKSPACE:
      return code + "needs " + need + " bytes, the call may use " + have;
    case GPUOPT_REJECT_DISABLED:
      if (!what.empty()) return code + "it was disabled by " + what;
      break;
    case GPUOPT_REJECT_VARIANT:
      if (what == "axis") return code + "this axis is not handled";
      return code + what + " is not handled";
    default:
      break;
  }
  static constexpr const char *kWhat[GPUOPT_REJECT_COUNT_] = {
#define X(reject, value, text) text,
      GPUOPT_REJECT_TABLE(X)
#undef X
  };
  const bool known = r.code >= 0 && r.code < GPUOPT_REJECT_COUNT_;
  return code + (known ? kWhat[r.code] : "unknown reason") + (what.empty() ? "" : " (" + what + ")");
}

}  // namespace gpuopt
