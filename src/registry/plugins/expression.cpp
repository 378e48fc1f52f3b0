#include "plugins/expression.h"

#include <charconv>

#include "text.h"

namespace gpuopt {

// Recursive descent; stops at the first thing that is wrong.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Expression::Names &names, Expression *out)
      : text_(text), names_(names), out_(*out) {}

  std::string parse(size_t *column) {
    sum();
    skip_blanks();
    if (fault_.empty() && at_ < text_.size())
      fail("'" + std::string(1, text_[at_]) + "' where the expression could end");
    *column = fault_at_ + 1;
    return fault_;
  }

 private:
  using Kind = Expression::Kind;
  using From = Expression::From;
  static constexpr size_t kMostNesting = 30;

  void fail(std::string what) { fail_at(at_, std::move(what)); }
  void fail_at(size_t at, std::string what) {
    if (!fault_.empty()) return;
    fault_ = std::move(what);
    fault_at_ = at;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  char next() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c))
      fail(at_ < text_.size() ? std::string("'") + c + "' must stand here" : std::string("'") + c + "' is missing");
  }

  // Steps as they are written: a name that an operation has taken as its right side is still one.
  bool count(size_t more, size_t at) {
    if (steps_ + more > Expression::kMostSteps) fail_at(at, "the expression has more than 200 steps");
    steps_ += more;
    return fault_.empty();
  }
  void push(const Expression::Step &step, size_t at) {
    if (!count(1 + (step.kind != Kind::load && step.from == From::variable) + (step.shift > 0), at)) return;
    out_.steps_.push_back(step);
    if (step.kind == Kind::load)
      ++height_;
    else if (step.from == From::stack)
      --height_;
    if (height_ > Expression::kMostDepth) fail_at(at, "the expression is nested too deep");
  }
  // Two numbers are worked out at once, so that what never has a value is found here.
  void combine(Kind kind, size_t at) {
    std::vector<Expression::Step> &steps = out_.steps_;
    const size_t n = steps.size();
    if (!fault_.empty()) return;
    const bool divides = kind == Kind::divide || kind == Kind::divide_up;
    if (divides && n > 0 && is_number(steps[n - 1]) && steps[n - 1].constant == 0)
      return fail_at(at, "this divides by zero");
    if (n < 2 || !is_number(steps[n - 1]) || !is_number(steps[n - 2])) {
      if (kind == Kind::divide_up && n > 1 && take_shift(&steps[n - 2], steps[n - 1])) return;
      if (n > 1 && steps[n - 1].kind == Kind::load) return replace_right(kind, at);
      return push({kind, From::stack, 0, 0, 0}, at);
    }
    int64_t value = 0;
    if (!Expression::apply(kind, steps[n - 2].constant, steps[n - 1].constant, &value))
      return fail_at(at, "this is more than 64 bits hold");
    steps.pop_back();
    --steps_;
    steps.back().constant = value;
    --height_;
  }
  static bool is_number(const Expression::Step &s) { return s.kind == Kind::load && s.from == From::constant; }
  // A variable over a power of two is read so.
  bool take_shift(Expression::Step *over, const Expression::Step &under) {
    if (over->kind != Kind::load || over->from != From::variable || over->shift > 0 || !is_number(under)) return false;
    if (under.constant < 2 || (under.constant & (under.constant - 1)) != 0) return false;
    over->shift = static_cast<uint8_t>(__builtin_ctzll(static_cast<uint64_t>(under.constant)));
    out_.steps_.pop_back();
    --height_;
    return true;
  }
  // What is on top becomes part of the operation.
  void replace_right(Kind kind, size_t at) {
    if (out_.steps_.back().from == From::variable && !count(1, at)) return;
    out_.steps_.back().kind = kind;
    --height_;
  }

  void sum() {
    const size_t begin = at_;
    if (++nesting_ > kMostNesting) return fail_at(begin, "the expression is nested too deep");
    product();
    for (char c = next(); fault_.empty() && (c == '+' || c == '-'); c = next()) {
      const size_t at = at_++;
      product();
      combine(c == '+' ? Kind::add : Kind::subtract, at);
    }
    --nesting_;
  }
  void product() {
    factor();
    for (char c = next(); fault_.empty() && (c == '*' || c == '/'); c = next()) {
      const size_t at = at_++;
      factor();
      combine(c == '*' ? Kind::multiply : Kind::divide, at);
    }
  }
  void factor() {
    const char c = next();
    const size_t begin = at_;
    if (!fault_.empty()) return;
    if (c >= '0' && c <= '9') return number();
    if (c >= 'a' && c <= 'z') return word();
    if (take('-')) {  // 0 - factor
      push({Kind::load, From::constant, 0, 0, 0}, begin);
      if (++nesting_ > kMostNesting) return fail_at(begin, "the expression is nested too deep");
      factor();
      --nesting_;
      return combine(Kind::subtract, begin);
    }
    if (!take('(')) return fail("a number, a name or '(' must stand here");
    sum();
    expect(')');
  }
  void number() {
    const size_t begin = at_;
    int64_t value = 0;
    const char *const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    at_ += static_cast<size_t>(end - first);
    if (error != std::errc()) return fail_at(begin, "the number is more than 64 bits hold");
    if (is_word(at_)) return fail_at(begin, "this is no decimal number");
    push({Kind::load, From::constant, 0, 0, value}, begin);
  }
  bool is_word(size_t at) const {
    if (at >= text_.size()) return false;
    const char c = text_[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  }
  void word() {
    const size_t begin = at_;
    while (is_word(at_)) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (next() == '(') return call(name, begin);
    uint16_t variable = 0;
    const Expression *defined = nullptr;
    if (!names_.find(name, &variable, &defined)) return fail_at(begin, quoted(name) + " is no name that is known here");
    if (!defined) return push({Kind::load, From::variable, variable, 0, 0}, begin);
    for (const Expression::Step &step : defined->steps_) push(step, begin);
  }
  void call(std::string_view name, size_t begin) {
    const bool up = name == "ceil_div";
    if (!up && name != "min" && name != "max")
      return fail_at(begin, quoted(name) + " is no function: there are ceil_div, min and max");
    const Kind kind = up ? Kind::divide_up : name == "min" ? Kind::least : Kind::greatest;
    expect('(');
    sum();
    size_t arguments = 1;
    while (fault_.empty() && take(',')) {
      sum();
      combine(kind, begin);
      ++arguments;
    }
    if (fault_.empty() && (arguments < 2 || (up && arguments > 2)))
      return fail_at(begin, std::string(name) + (up ? " takes two arguments" : " takes two arguments or more"));
    expect(')');
  }

  const std::string_view text_;
  const Expression::Names &names_;
  Expression &out_;
  size_t at_ = 0, nesting_ = 0, height_ = 0, steps_ = 0, fault_at_ = 0;
  std::string fault_;
};

std::string Expression::parse(std::string_view text, const Names &names, size_t *column) {
  steps_.clear();
  *column = 1;
  if (text.size() > kMostText) return "the expression is longer than 1000 characters";
  std::string fault = ExpressionParser(text, names, this).parse(column);
  if (!fault.empty()) steps_.clear();
  form_ = steps_.empty() ? Form::none : Form::steps;
  if (steps_.size() == 1 && steps_[0].shift == 0)
    form_ = steps_[0].from == From::constant ? Form::constant : Form::variable;
  if (form_ == Form::constant) constant_ = steps_[0].constant;
  if (form_ == Form::variable) variable_ = steps_[0].variable;
  return fault;
}

}  // namespace gpuopt
