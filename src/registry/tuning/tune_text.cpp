// A key as words.
#include "tuning/tune_text.h"

#include "problem.h"
#include "tuning/tune_words.h"

namespace gpuopt {
namespace {

std::string lowered(const char *name) {
  std::string text = name;
  for (char &c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string power(uint8_t log2) { return std::to_string(1 << log2); }

// "bf16:row:align16:ld256", and where they hold ":stride256:padded:shared:spaced:scaled", or ":scaled1x128" ...
std::string operand_text(const TuneOperand &o, int64_t batch) {
  std::string text = std::string(gpuopt_dtype_name(o.dtype)) + ":" + kLayoutWords[o.layout] + ":align" +
                     power(o.align) + ":ld" + power(o.ld_align);
  if (batch > 1) text += ":stride" + power(o.stride_align);
  for (const NamedBit &mark : kMarkWords)
    if (o.marks & mark.bit) text += std::string(":") + mark.name;
  return text;
}

template <size_t kCount>
std::string bits_text(const char *name, uint32_t bits, const NamedBit (&words)[kCount]) {
  std::string text;
  for (const NamedBit &word : words)
    if (bits & word.bit) text += (text.empty() ? std::string(" ") + name + "=" : "+") + lowered(word.name);
  return text;
}

std::string stage_text(const TuneStage &s, int64_t batch) {
  std::string text = " stage=" + lowered(gpuopt_stage_name(s.kind));
  if (stage_has_form(s.kind)) text += std::string(":") + kFormWords[s.form];
  if (s.a.dtype != 0) text += ":" + operand_text(s.a, batch);
  if (s.b.dtype != 0) text += "+" + operand_text(s.b, batch);
  return text;
}

}  // namespace

std::string key_text(const DeviceId &device, const TuneKey &key) {
  std::string text = std::string(kKindWords[key.kind]) + " " + device.text() + " op=" + gpuopt_op_name(key.op);
  if (key.op == GPUOPT_OP_REDUCE)
    text += " reduce=" + lowered(gpuopt_reduce_name(key.variant)) + " axis=" + kAxisWords[key.axis];
  if (key.op == GPUOPT_OP_NORM) text += " norm=" + lowered(gpuopt_norm_name(key.variant));
  text += std::string(" compute=") + gpuopt_compute_name(key.compute) + " m=" + std::to_string(key.m) +
          " n=" + std::to_string(key.n);
  if (key.op == GPUOPT_OP_GEMM || key.op == GPUOPT_OP_GEMM_GROUPED) text += " k=" + std::to_string(key.k);
  text += " batch=" + std::to_string(key.batch);
  for (int i = 0; i < TuneKey::kOperands; ++i)
    if (key.operand[i].dtype != 0)
      text += " " + operand_name(key.op, i) + "=" + operand_text(key.operand[i], key.batch);
  for (int i = 0; i < key.stage_count; ++i) text += stage_text(key.stage[i], key.batch);
  return text + bits_text("features", key.features, kFeatureWords) + bits_text("flags", key.flags, kFlagWords);
}

}  // namespace gpuopt
