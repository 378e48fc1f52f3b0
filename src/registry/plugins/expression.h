// Integer expressions of image manifests: grids, arguments, workspace, times.
//
//     ceil_div(m, 128) * min(split, 8) + 1
//
// Decimal numbers, names, + - * /, parentheses, ceil_div(a, b), and min and max of two or more. Everything is a signed integer of
// 64 bits; / drops the fraction, ceil_div rounds it up. The language is total: there are no loops and a bounded number of
// steps, and what overflows or divides by zero has no value.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt {

class Expression {
 public:
  static constexpr size_t kMostText = 1000, kMostSteps = 200, kMostDepth = 16;

  // What names mean: a number that is known when the expression is evaluated, or an expression that was given a name before.
  struct Names {
    virtual bool find(std::string_view name, uint16_t *variable, const Expression **defined) const = 0;

   protected:
    ~Names() = default;
  };

  // Returns "", or what is wrong; *column: where, from 1.
  std::string parse(std::string_view text, const Names &names, size_t *column);

  bool is_given() const { return form_ != Form::none; }
  bool is_constant(int64_t *value) const {
    if (form_ == Form::constant) *value = constant_;
    return form_ == Form::constant;
  }
  bool is_variable(uint16_t *variable) const {  // nothing but one
    if (form_ == Form::variable) *variable = variable_;
    return form_ == Form::variable;
  }
  // Calls fn(variable) for each that it reads.
  template <class Function>
  void for_each_variable(Function &&fn) const {
    for (const Step &s : steps_)
      if (s.from == From::variable) fn(s.variable);
  }
  // The value, with read(variable) for the numbers; false where it has none.
  template <class Read>
  bool evaluate(const Read &read, int64_t *value) const {
    if (is_constant(value)) return true;
    if (form_ == Form::variable) return *value = read(variable_), true;
    return run(read, value);
  }

 private:
  friend class ExpressionParser;
  enum class Kind : uint8_t { load, add, subtract, multiply, divide, divide_up, least, greatest };
  enum class From : uint8_t { stack, constant, variable };
  struct Step {  // in the order of a stack machine
    Kind kind;
    From from;  // what is loaded, or the right side of the operation
    uint16_t variable;
    uint8_t shift;  // of a variable: ceil_div(variable, 1 << shift), which is how many tiles there are
    int64_t constant;
  };
  // Out of line, so that a number or a variable, which most arguments of a launch are, takes a few instructions.
  template <class Read>
  [[gnu::noinline]] bool run(const Read &read, int64_t *value) const {
    int64_t stack[kMostDepth + 1], top = 0;  // what lies below the top
    size_t n = 0;
    for (const Step &s : steps_) {
      int64_t right = s.constant;
      if (s.from == From::variable) {
        right = read(s.variable);
        if (s.shift) right = (right >> s.shift) + ((right & ((int64_t{1} << s.shift) - 1)) != 0);
      }
      if (s.kind == Kind::load) {
        stack[n++] = top;
        top = right;
        continue;
      }
      int64_t left = top;
      if (s.from == From::stack) {
        right = top;
        left = stack[--n];
      }
      if (!apply(s.kind, left, right, &top)) return false;
    }
    *value = top;
    return true;
  }
  static bool apply(Kind kind, int64_t a, int64_t b, int64_t *result) {
    switch (kind) {
      case Kind::add:
        return !__builtin_add_overflow(a, b, result);
      case Kind::subtract:
        return !__builtin_sub_overflow(a, b, result);
      case Kind::multiply:
        return !__builtin_mul_overflow(a, b, result);
      case Kind::least:
        return *result = a < b ? a : b, true;
      case Kind::greatest:
        return *result = a < b ? b : a, true;
      default:
        if (b <= 0 && (b == 0 || (a == INT64_MIN && b == -1))) return false;
        if ((b & (b - 1)) == 0 && a >= 0 && b > 0) {  // a tile, most often: divisions take long
          const int shift = __builtin_ctzll(static_cast<uint64_t>(b));
          *result = (a >> shift) + (kind == Kind::divide_up && (a & (b - 1)) != 0);
          return true;
        }
        *result = a / b;
        if (kind == Kind::divide_up && a % b != 0 && (a < 0) == (b < 0)) ++*result;
        return true;
    }
  }
  // What is one number is kept here: a call among many kernels waits for each line that it reads.
  enum class Form : uint8_t { none, constant, variable, steps } form_ = Form::none;
  uint16_t variable_ = 0;
  int64_t constant_ = 0;
  std::vector<Step> steps_;
};

}  // namespace gpuopt
