#include "reader.h"

#include <algorithm>

#include "gpuopt_call/work.h"
#include "matrix_text.h"
#include "stage_text.h"
#include "words.h"

namespace gpuopt_call {
namespace {

const char *axis_name(int32_t axis) {
  constexpr const char *kNames[] = {"?", "row", "col", "all"};
  return kNames[axis];
}
const char *space_name(int32_t space) {
  constexpr const char *kNames[] = {"?", "device", "host"};
  return kNames[space];
}
const char *flag_name(int32_t bit) {
  constexpr const char *kNames[] = {"nondeterministic", "intermediate_rounding", "batch_invariant"};
  return kNames[bit];
}

uint32_t read_flags(std::string_view text) {
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos)  // as older records have them
    return static_cast<uint32_t>(read_integer("the flags", text, 0, UINT32_MAX));
  uint32_t flags = 0;
  for (const std::string_view word : split(text, '+')) flags |= 1u << read_name("the flag", word, 0, 3, flag_name);
  return flags;
}

// A number, or one that a pointer points to.
void read_factor(std::string_view name, std::string_view value, double *number, const void **pointer) {
  static const double somewhere = 1;
  if (value == "pointer")
    *pointer = &somewhere;
  else
    *number = read_number(name, value);
}

}  // namespace

// "list", "host_list=16x64x32+8x64x32": m, n and k of each product.
bool Reader::take_list(std::string_view word) {
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (call_.op() != GPUOPT_OP_GEMM_GROUPED || (name != "list" && name != "host_list")) return false;
  once(name);
  if (call_.list != List::none) throw BadWord{"a call has one list"};
  call_.list = name == "list" ? List::device : List::host;
  if (equals == std::string_view::npos) return true;
  for (const std::string_view text : split(word.substr(equals + 1), '+')) {
    const std::vector<std::string_view> extents = split(text, 'x');
    if (extents.size() != 3) throw BadWord{"the shape " + quoted(text) + " is written as MxNxK"};
    const auto extent = [&](size_t i, const char *what) { return read_integer(what, extents[i], 0, INT64_MAX); };
    call_.shapes.push_back({extent(0, "m"), extent(1, "n"), extent(2, "k")});
  }
  return true;
}

void Reader::take(std::string_view word) {
  if (take_list(word)) return;
  if (word == "host_offsets" && call_.op() == GPUOPT_OP_GEMM_GROUPED) {
    once(word);
    host_offsets_ = true;
    return;
  }
  if (word == "captured") {
    once(word);
    call_.captured = true;
    return;
  }
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos)
    throw BadWord{call_.op() == GPUOPT_OP_GEMM_GROUPED
                      ? "a word is NAME=VALUE, captured, host_offsets, list or host_list"
                      : "a word is NAME=VALUE, or captured"};
  const std::string name(word.substr(0, equals));
  const std::string_view value = word.substr(equals + 1);
  gpuopt_matrix *const matrix = name.find('[') == std::string::npos ? call_.find(name) : nullptr;
  if (name == "stage") return take_stage(value);
  if (name == "sa" || name == "sb") return take_operand_of_stage(name[1], value);
  once(name);
  if (matrix != nullptr)
    take_operand(name, matrix, value);
  else if (!take_scalar(name, value))
    throw BadWord{quoted(name) + " is no part of " + gpuopt_op_name(call_.op())};
}

Call Reader::finish() {
  constexpr int64_t kMostGroups = int64_t{1} << 24;
  if ((host_offsets_ || call_.list != List::none) && call_.batch() > kMostGroups)
    throw BadWord{"groups=" + std::to_string(call_.batch()) + (host_offsets_ ? " with host_offsets" : " with a list") +
                  " must be at most " + std::to_string(kMostGroups)};
  if (call_.list != List::none) promise_alignment();
  call_.operands();  // which have the strides that they count with
  place();
  if (host_offsets_) call_.host_offsets = even_offsets(call_.gemm_grouped);
  return std::move(call_);
}

// What the text says of the operands of a list holds for all products.
void Reader::promise_alignment() {
  for (const Placed &p : placed_) {
    const int32_t by = placed_[p.first].by;
    for (int i = 0; i < 4; ++i)
      if (p.name == std::string(1, "abcd"[i])) call_.gemm_grouped.list_align[i] = by == 0 ? 256 : by & -by;
  }
}

void Reader::once(std::string_view name) {
  if (!said_.insert(std::string(name)).second) throw BadWord{quoted(name) + " is said twice"};
}

void Reader::take_stage(std::string_view value) {
  if (!call_.takes_stages()) throw BadWord{std::string(gpuopt_op_name(call_.op())) + " has no stages"};
  if (call_.stages.size() == GPUOPT_MAX_STAGES)
    throw BadWord{"a call has at most " + std::to_string(GPUOPT_MAX_STAGES) + " stages"};
  call_.stages.push_back(read_stage(value));
}

void Reader::take_operand_of_stage(char which, std::string_view value) {
  if (call_.stages.empty()) throw BadWord{std::string("'s") + which + "' stands behind the stage that it belongs to"};
  const std::string name = "stages[" + std::to_string(call_.stages.size() - 1) + "]." + which;
  once(name);
  take_operand(name, call_.find(name), value);
}

void Reader::take_operand(const std::string &name, gpuopt_matrix *matrix, std::string_view value) {
  const MatrixText read = read_matrix(value);
  Placed p = {name, matrix, read.by, placed_.size(), read.distance};
  if (!read.at.empty()) {
    const auto other =
        std::find_if(placed_.begin(), placed_.end(), [&](const Placed &before) { return before.name == read.at; });
    if (other == placed_.end()) throw BadWord{"no operand " + quoted(read.at) + " stands before it"};
    p.first = other->first;
    if (__builtin_add_overflow(p.distance, other->distance, &p.distance))
      throw BadWord{"its distance from " + quoted(placed_[p.first].name) + " does not fit 64 bits"};
  }
  *matrix = read.matrix;
  placed_.push_back(std::move(p));
}

bool Reader::take_scalar(std::string_view name, std::string_view value) {
  Call &c = call_;
  const int32_t op = c.op();
  if (name == (op == GPUOPT_OP_GEMM_GROUPED ? "groups" : "batch"))
    c.batch() = read_integer(name, value, 0, INT64_MAX);
  else if (name == "flags")
    c.flags() = read_flags(value);
  else if (name == "space")
    c.space = read_name(name, value, GPUOPT_SPACE_DEVICE, GPUOPT_SPACE_HOST + 1, space_name);
  else if (op == GPUOPT_OP_GEMM && name == "compute")
    c.gemm.compute = read_name(name, value, 0, GPUOPT_COMPUTE_COUNT_, gpuopt_compute_name);
  else if (op == GPUOPT_OP_GEMM && name == "alpha")
    read_factor(name, value, &c.gemm.alpha, &c.gemm.alpha_ptr);
  else if (op == GPUOPT_OP_GEMM && name == "beta")
    read_factor(name, value, &c.gemm.beta, &c.gemm.beta_ptr);
  else if (op == GPUOPT_OP_GEMM_GROUPED && name == "compute")
    c.gemm_grouped.compute = read_name(name, value, 0, GPUOPT_COMPUTE_COUNT_, gpuopt_compute_name);
  else if (op == GPUOPT_OP_GEMM_GROUPED && name == "alpha")
    read_factor(name, value, &c.gemm_grouped.alpha, &c.gemm_grouped.alpha_ptr);
  else if (op == GPUOPT_OP_GEMM_GROUPED && name == "beta")
    read_factor(name, value, &c.gemm_grouped.beta, &c.gemm_grouped.beta_ptr);
  else if (op == GPUOPT_OP_REDUCE && name == "reduce")
    c.reduce.reduce = read_name(name, value, 1, GPUOPT_REDUCE_COUNT_, gpuopt_reduce_name);
  else if (op == GPUOPT_OP_REDUCE && name == "axis")
    c.reduce.axis = read_name(name, value, GPUOPT_EACH_ROW, GPUOPT_ALL + 1, axis_name);
  else if (op == GPUOPT_OP_NORM && name == "norm")
    c.norm.norm = read_name(name, value, 1, GPUOPT_NORM_COUNT_, gpuopt_norm_name);
  else if (op == GPUOPT_OP_NORM && name == "eps")
    c.norm.eps = read_number(name, value);
  else
    return false;
  return true;
}

// One block of memory after the other, in the order of the text.
void Reader::place() {
  __extension__ typedef __int128 Wide;
  std::vector<uintptr_t> address(placed_.size()), scales(placed_.size());
  Wide end = Wide{1} << 40;
  // Behind all that was taken so far: the address of a point `past` a multiple of 256, with room for so many bytes before and behind it.
  const auto take = [&end](Wide before, Wide behind, Wide past) {
    const Wide start = (end + before + 255) / 256 * 256 + past;
    end = start + behind + 1;
    return static_cast<uintptr_t>(start);
  };
  for (size_t first = 0; first < placed_.size(); ++first) {
    if (placed_[first].first != first) continue;
    Wide least = 0, most = 0;
    for (const Placed &p : placed_) {
      if (p.first != first) continue;
      const int64_t bytes = span_bytes(*p.matrix, call_.batch());
      if (bytes < 0) return;
      least = std::min<Wide>(least, p.distance);
      most = std::max<Wide>(most, Wide{p.distance} + bytes);
    }
    address[first] = take(-least, most, placed_[first].by);
  }
  // Scales and factors behind them all: an address of this process might lie in one of them.
  for (size_t i = 0; i < placed_.size(); ++i) {
    const gpuopt_matrix &m = *placed_[i].matrix;
    if (m.scale == nullptr) continue;
    const int64_t bytes = scale_bytes(m, call_.batch());
    if (bytes < 0) return;
    scales[i] = take(0, bytes, 0);
  }
  uintptr_t factor_address = take(0, 256 + sizeof(double), 0);
  if (end > Wide{UINTPTR_MAX}) {
    if (call_.list != List::none)
      return;  // its products need not lie apart, as these would, nor be as large as the largest
    throw BadWord{"the operands together do not fit 64 bits of addresses"};
  }
  for (size_t i = 0; i < placed_.size(); ++i) {
    const Placed &p = placed_[i];
    p.matrix->data = reinterpret_cast<void *>(address[p.first] + static_cast<uintptr_t>(p.distance));
    if (p.matrix->scale != nullptr) p.matrix->scale = reinterpret_cast<const float *>(scales[i]);
  }
  for (const void **factor : call_.factor_pointers()) {
    if (*factor != nullptr) *factor = reinterpret_cast<const void *>(factor_address);
    factor_address += 256;
  }
}

}  // namespace gpuopt_call
