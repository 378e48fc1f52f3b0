// The machine's ceilings: copy of several sizes in every shape we have, and read.
#include "../core/copy.h"

#include "../core/error.h"
#include "../core/read.h"
#include "gpuopt/gpuopt.h"
#include "suite.h"

namespace gpuopt_bench {
namespace {

struct Size {
  int64_t bytes;
  bool quick;
};
constexpr Size kSizes[] = {
    {64 << 10, false},          {1 << 20, true},           {16 << 20, false},        {64 << 20, false},
    {int64_t{256} << 20, true}, {int64_t{1} << 30, false}, {int64_t{4} << 30, false}};

std::string size_text(int64_t bytes) {
  return bytes >= 1 << 30   ? std::to_string(bytes >> 30) + " GiB"
         : bytes >= 1 << 20 ? std::to_string(bytes >> 20) + " MiB"
                            : std::to_string(bytes >> 10) + " KiB";
}

void copy_case(Context &context, const Size &size) {
  Case c = named_case("copy", size_text(size.bytes), "f32", "copy");
  if (left_out(context, c, size.quick)) return;
  const size_t bytes = static_cast<size_t>(size.bytes);
  c.bytes_per_call = 2 * size.bytes;
  c.work = static_cast<double>(c.bytes_per_call);
  const int sets = sets_past_l2(context.session.device(), c.bytes_per_call);
  const OperandShape buffer = {GPUOPT_F32, size.bytes / 4};
  c.operands = std::make_shared<OperandSets>(std::vector<OperandShape>{buffer, buffer}, sets, context.session.stream());
  const OperandSets &o = *c.operands;
  if (context.options.all_kernels) {
    for (const CopyShape &shape : copy_shapes(context.session.device()))
      c.add(Role::ceiling,
            {"copy_" + shape.name,
             [&](cudaStream_t stream, int set) { shape.launch(o.at(1, set), o.at(0, set), bytes, stream); }, nullptr});
    c.add(Role::ceiling, copy_contenders(context.session, o, 0, 1, bytes)[0]);
  } else {
    c.add(Role::ceiling, copy_contenders(context.session, o, 0, 1, bytes));
  }
  run_case(context, c);
}

void read_case(Context &context, const Size &size) {
  Case c = named_case("copy", size_text(size.bytes), "f32", "read");
  if (left_out(context, c, size.quick)) return;
  c.bytes_per_call = size.bytes;
  c.work = static_cast<double>(size.bytes);
  const int sets = sets_past_l2(context.session.device(), size.bytes);
  c.operands = std::make_shared<OperandSets>(std::vector<OperandShape>{{GPUOPT_F32, size.bytes / 4}}, sets,
                                             context.session.stream());
  c.add(Role::ceiling, read_contenders(context.session, *c.operands, 0, static_cast<size_t>(size.bytes)));
  run_case(context, c);
}

}  // namespace

void run_copy(Context &context) {
  for (const Size &size : kSizes) {
    try {
      copy_case(context, size);
      read_case(context, size);
    } catch (const Refused &refused) {
      std::printf("copy %s left out: %s\n", size_text(size.bytes).c_str(), refused.what());
    }
  }
}

}  // namespace gpuopt_bench
