// Fuzzes the text of calls from both sides: what reads is written and reads again as the same text, and what the library takes
// is written, reads back as that text, and explains to the same verdicts.
#include <cstring>
#include <string>

#include "arguments.h"
#include "gpuopt_call/text.h"

namespace {

// Words of the language, so that the fuzzer need not find them letter by letter.
const char *const kWords[] = {"gemm",
                              "transpose",
                              "reduce",
                              "fused_act",
                              "norm",
                              " compute=",
                              " alpha=",
                              " beta=",
                              " batch=",
                              " flags=",
                              " space=host",
                              " captured",
                              " reduce=",
                              " axis=",
                              " norm=",
                              " eps=",
                              " a=",
                              " b=",
                              " c=",
                              " d=",
                              " src=",
                              " dst=",
                              " x=",
                              " y=",
                              " out=",
                              " value=",
                              " residual=",
                              " sum=",
                              " gamma=",
                              " statistics=",
                              " stage=",
                              " sa=",
                              " sb=",
                              "4x4:f32",
                              "4x6:bf16",
                              "6x4:bf16",
                              "1x4:f16",
                              "4x1:f64",
                              "3x5:e4m3",
                              "0x0:i8",
                              "1x1:i64",
                              ":col",
                              ":ld=",
                              ":bs=",
                              ":by=",
                              ":at=",
                              ":scale",
                              ":scale=1x128",
                              ":scale=128x128:scale_col",
                              ":scale_ld=",
                              "8",
                              "0",
                              "-1",
                              "2.5",
                              "nan",
                              "pointer",
                              "9223372036854775807",
                              "+4",
                              "-64",
                              "src",
                              "x",
                              "d",
                              "stages[0].a",
                              "RELU",
                              "ADD:",
                              "MUL:",
                              "per_row:",
                              "per_col:",
                              "matrix:",
                              "CLAMP:",
                              "ADD_OUTER:",
                              "STORE",
                              "SUM",
                              "ARGMAX",
                              "row",
                              "all",
                              "SOFTMAX",
                              "nondeterministic",
                              "f32",
                              "tf32",
                              " ",
                              "=",
                              ":"};

std::string text_from(fuzz::Input &in) {
  if (in.rarely(4)) return std::string(reinterpret_cast<const char *>(in.rest()), in.left());
  std::string text;
  while (!in.done() && text.size() < 4000) {
    if (in.rarely(30))
      text += static_cast<char>(in.byte());
    else
      text += kWords[in.below(sizeof kWords / sizeof kWords[0])];
  }
  return text;
}

void read_and_write(fuzz::Input &in) {
  const std::string text = text_from(in);
  std::string written;
  try {
    written = gpuopt_call::text_of(gpuopt_call::read_call(text));
  } catch (const gpuopt_call::BadCallText &bad) {
    if (*bad.what() == '\0') fuzz::finding("a refusal without a word", text.c_str());
    return;
  }
  if (written.size() >= GPUOPT_CALL_TEXT_BYTES) fuzz::finding("a text that is too long", written.c_str());
  if (gpuopt_call::text_of(gpuopt_call::read_call(written)) != written)
    fuzz::finding("a text that reads as another call", written.c_str());
}

std::string explained(gpuopt_handle *handle, const void *args, const gpuopt_explain_options &options) {
  std::string all;
  const auto add = [](void *user, const gpuopt_candidate *c) {
    char line[200];
    std::snprintf(line, sizeof line, "%s %d %d %d %lld %lld %.17g\n", c->kernel, c->verdict, c->reject, c->operand,
                  static_cast<long long>(c->have), static_cast<long long>(c->need), c->predicted_us);
    static_cast<std::string *>(user)->append(line);
  };
  return gpuopt_status_name(gpuopt_explain(handle, args, &options, add, &all)) + ("\n" + all);
}

// Of products that are no larger than addresses reach one by one, but together: those that are read have none, and so no alignment.
bool has_no_places(const gpuopt_call::Call &call) {
  return call.list != gpuopt_call::List::none && call.gemm_grouped.groups > 0 && call.gemm_grouped.d.data == nullptr;
}

void write_and_read(fuzz::Input &in, gpuopt_handle *handle) {
  fuzz::Arguments arguments;
  fuzz::arguments_of(in, arguments);
  gpuopt_explain_options o = GPUOPT_EXPLAIN_OPTIONS_INIT;
  o.space = static_cast<int32_t>(in.below(3));
  o.capturing = static_cast<int32_t>(in.below(2));
  char text[GPUOPT_CALL_TEXT_BYTES];
  size_t length = 0;
  const gpuopt_status status = gpuopt_call_text(arguments.get(), &o, text, sizeof text, &length);
  const std::string why = gpuopt_last_error();
  const gpuopt_status asked = gpuopt_explain(handle, arguments.get(), &o, nullptr, nullptr);
  if ((status == GPUOPT_INVALID_ARGUMENT) != (asked == GPUOPT_INVALID_ARGUMENT))
    fuzz::finding("explain and the text differ on what a call is", why.c_str());
  if (status != GPUOPT_OK) {
    if (why.rfind("gpuopt_call_text: ", 0) != 0) fuzz::finding("a refusal without its function", why.c_str());
    return;
  }
  if (std::strlen(text) != length || std::strpbrk(text, ",'\\\n")) fuzz::finding("a text that is none", text);
  try {
    gpuopt_call::Call call = gpuopt_call::read_call(text);
    if (has_no_places(call)) return;
    if (gpuopt_call::text_of(call) != text) fuzz::finding("a call that comes back as another", text);
    gpuopt_explain_options again = o;
    again.space = call.space;
    again.capturing = call.captured;
    if (explained(handle, arguments.get(), o) != explained(handle, call.args(), again))
      fuzz::finding("a call that explains otherwise when it comes back", text);
  } catch (const gpuopt_call::BadCallText &bad) {
    fuzz::finding(bad.what(), text);
  }
}

gpuopt_handle *make_handle() {
  gpuopt_options options = GPUOPT_OPTIONS_INIT;
  options.device = GPUOPT_DEVICE_CPU;
  options.num_threads = 1;
  options.verbose = "none";
  gpuopt_handle *handle = nullptr;
  if (gpuopt_create(&handle, &options) != GPUOPT_OK) fuzz::finding("no handle", gpuopt_last_error());
  return handle;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static gpuopt_handle *const handle = make_handle();  // never destroyed: that would come before the leak check
  fuzz::Input in(data, size);
  if (in.rarely(2))
    read_and_write(in);
  else
    write_and_read(in, handle);
  return 0;
}
