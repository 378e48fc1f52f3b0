#include "plugins/image_arguments.h"

#include "text.h"

namespace gpuopt {
namespace {

constexpr size_t kMostArguments = 64;

struct Type {
  const char *name;
  uint8_t bytes;
  bool is_signed, is_float;
};
constexpr Type kTypes[] = {{"i32", 4, true, false},  {"i64", 8, true, false}, {"u32", 4, false, false},
                           {"u64", 8, false, false}, {"f32", 4, true, true},  {"f64", 8, true, true}};

// alpha, beta, eps, stage0.value0; false: it is no scalar of the op.
bool find_scalar(int32_t op, std::string_view name, Argument *a) {
  a->kind = Argument::Kind::scalar;
  if (op == GPUOPT_OP_GEMM && name == "alpha") return a->scalar = Scalar::alpha, true;
  if (op == GPUOPT_OP_GEMM && name == "beta") return a->scalar = Scalar::beta, true;
  if (op == GPUOPT_OP_NORM && name == "eps") return a->scalar = Scalar::eps, true;
  if (name.size() != 13 || name.substr(6, 6) != ".value" || (name[12] != '0' && name[12] != '1')) return false;
  const int32_t place = find_operand_name(op, std::string(name.substr(0, 6)) + ".a");
  if (place < GPUOPT_OPERAND_STAGE) return false;
  a->scalar = Scalar::stage_value;
  a->operand = place - GPUOPT_OPERAND_STAGE;
  a->value = name[12] - '0';
  return true;
}

// A pointer; false: it is none.
bool find_pointer(int32_t op, std::string_view name, Argument *a) {
  if (name == "null") return a->kind = Argument::Kind::null, true;
  if (name == "scratch.ptr") return a->kind = Argument::Kind::scratch, true;
  if (name == "zeroed.ptr") return a->kind = Argument::Kind::zeroed, true;
  if (name.size() < 5 || name.substr(name.size() - 4) != ".ptr") return false;
  a->kind = Argument::Kind::operand;
  a->operand = find_operand_name(op, name.substr(0, name.size() - 4));
  return a->operand >= 0;
}

// "" or what is wrong; *column: where in the part.
std::string parse_argument(std::string_view part, int32_t op, const Expression::Names &names, Argument *a,
                           size_t *column) {
  *column = 1;
  if (part.empty()) return "an argument is missing";
  const size_t colon = part.rfind(':');
  if (colon == std::string_view::npos)
    return find_pointer(op, part, a) ? ""
                                     : quoted(part) +
                                           " is no pointer (<operand>.ptr, scratch.ptr, zeroed.ptr, null); a number "
                                           "has its type behind a colon";
  const std::string_view name = trimmed(part.substr(0, colon)), type = trimmed(part.substr(colon + 1));
  const Type *found = nullptr;
  for (const Type &t : kTypes)
    if (type == t.name) found = &t;
  *column = colon + 2;
  if (!found) return quoted(type) + " is no type of an argument: i32, i64, u32, u64, f32, f64";
  a->bytes = found->bytes;
  a->is_signed = found->is_signed;
  *column = 1;
  if (found->is_float)
    return find_scalar(op, name, a)
               ? ""
               : quoted(name) + " is no scalar of this operation (alpha, beta, eps, stage0.value0)";
  a->kind = Argument::Kind::integer;
  return a->expression.parse(name, names, column);
}

}  // namespace

void for_each_part(std::string_view list, const std::function<void(std::string_view, size_t)> &fn) {
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (i < list.size() && (c != ',' || depth > 0)) continue;
    const std::string_view part = trimmed(list.substr(begin, i - begin));
    fn(part, part.empty() ? begin : static_cast<size_t>(part.data() - list.data()));
    begin = i + 1;
  }
}

std::vector<Argument> parse_arguments(const ManifestLine &line, int32_t op, const Expression::Names &names,
                                      const TellFault &fault) {
  std::vector<Argument> arguments;
  for_each_part(line.value, [&](std::string_view part, size_t offset) {
    if (arguments.size() >= kMostArguments) {
      if (arguments.size() == kMostArguments)
        fault(at_line(line.line, line.column + offset) + "more than 64 arguments");
      return arguments.push_back({});
    }
    Argument a;
    size_t column = 1;
    const std::string wrong = parse_argument(part, op, names, &a, &column);
    if (!wrong.empty()) fault(at_line(line.line, line.column + offset + column - 1) + wrong);
    arguments.push_back(std::move(a));
  });
  return arguments;
}

bool fits(const Argument &a, int64_t value) {
  if (a.bytes == 8) return a.is_signed || value >= 0;
  return a.is_signed ? value >= INT32_MIN && value <= INT32_MAX : value >= 0 && value <= UINT32_MAX;
}

}  // namespace gpuopt
