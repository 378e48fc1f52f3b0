// Expressions of manifests: what they mean, what they refuse, and that they always end.
#include "plugins/expression.h"

#include "support.h"

using namespace gpuopt_test;
using gpuopt::Expression;

namespace {

// a = 7, b = -3, zero = 0, most = the largest number; twice = a + a.
struct Names final : Expression::Names {
  Expression twice;
  bool find(std::string_view name, uint16_t *variable, const Expression **defined) const override {
    const std::string_view known[] = {"a", "b", "zero", "most"};
    for (uint16_t i = 0; i < 4; ++i)
      if (name == known[i]) return *variable = i, true;
    if (name != "twice" || !twice.is_given()) return false;
    *defined = &twice;
    return true;
  }
};
int64_t read_name(uint16_t variable) {
  const int64_t values[] = {7, -3, 0, INT64_MAX};
  return values[variable];
}

const Names &names() {
  static const Names all = [] {
    Names n;
    size_t column = 0;
    REQUIRE(n.twice.parse("a + a", n, &column) == "");
    return n;
  }();
  return all;
}

// The value as text; "none" where it has none; else what is wrong, with the column.
std::string value_of(const std::string &text) {
  Expression e;
  size_t column = 0;
  const std::string fault = e.parse(text, names(), &column);
  if (!fault.empty()) return std::to_string(column) + ": " + fault;
  int64_t value = 0;
  return e.evaluate(read_name, &value) ? std::to_string(value) : "none";
}

}  // namespace

TEST_CASE("expression: numbers, names, precedence and functions") {
  CHECK(value_of("42") == "42");
  CHECK(value_of(" a ") == "7");
  CHECK(value_of("1 + 2 * 3") == "7");
  CHECK(value_of("(1 + 2) * 3") == "9");
  CHECK(value_of("10 - 4 - 3") == "3");
  CHECK(value_of("100 / 7 / 2") == "7");
  CHECK(value_of("-a + b * -2") == "-1");
  CHECK(value_of("--a") == "7");
  CHECK(value_of("a / 2") == "3");
  CHECK(value_of("b / 2") == "-1");
  CHECK(value_of("ceil_div(a, 2)") == "4");
  CHECK(value_of("ceil_div(b, 2)") == "-1");
  // A variable over a power of two is a step of its own; here with its neighbours.
  CHECK(value_of("ceil_div(a, 8)") == "1");
  CHECK(value_of("ceil_div(a, 4) * ceil_div(a, 2) - ceil_div(a, 1)") == "1");
  CHECK(value_of("ceil_div(a * 1, 4) + 10 / ceil_div(a, 2)") == "4");
  CHECK(value_of("ceil_div(ceil_div(a, 2), 2)") == "2");
  CHECK(value_of("ceil_div(most, 2)") == "4611686018427387904");
  CHECK(value_of("ceil_div(most, 4611686018427387904)") == "2");
  CHECK(value_of("ceil_div(8, 2) * ceil_div(-7, -2)") == "16");
  CHECK(value_of("min(a, b, 5) * max(1, 2, 3, a)") == "-21");
  CHECK(value_of("twice * twice") == "196");
  CHECK(value_of("9223372036854775807") == "9223372036854775807");
  CHECK(value_of("-9223372036854775807 - 1") == "-9223372036854775808");
}

TEST_CASE("expression: what overflows or divides by zero has no value") {
  CHECK(value_of("most + 1") == "none");
  CHECK(value_of("-most - 2") == "none");
  CHECK(value_of("most * 2 - most") == "none");
  CHECK(value_of("a / zero") == "none");
  CHECK(value_of("ceil_div(a, zero)") == "none");
  CHECK(value_of("(-most - 1) / (a - 8)") == "none");
  CHECK(value_of("ceil_div(-most - 1, a - 8)") == "none");
  // Of numbers alone it is found at once.
  CHECK(value_of("a + 1 / 0") == "7: this divides by zero");
  CHECK(value_of("ceil_div(5, 2 - 2)") == "1: this divides by zero");
  CHECK(value_of("9223372036854775807 + 1") == "21: this is more than 64 bits hold");
  CHECK(value_of("9223372036854775808") == "1: the number is more than 64 bits hold");
}

TEST_CASE("expression: a fault is named with its column") {
  CHECK(value_of("") == "1: a number, a name or '(' must stand here");
  CHECK(value_of("1 +") == "4: a number, a name or '(' must stand here");
  CHECK(value_of("1 2") == "3: '2' where the expression could end");
  CHECK(value_of("a % 2") == "3: '%' where the expression could end");
  CHECK(value_of("(1") == "3: ')' is missing");
  CHECK(value_of("(1 2)") == "4: ')' must stand here");
  CHECK(value_of("1)") == "2: ')' where the expression could end");
  CHECK(value_of("A") == "1: a number, a name or '(' must stand here");
  CHECK(value_of("1 + c") == "5: 'c' is no name that is known here");
  CHECK(value_of("a.ld") == "1: 'a.ld' is no name that is known here");
  CHECK(value_of("0x10") == "1: this is no decimal number");
  CHECK(value_of("1e3") == "1: this is no decimal number");
  CHECK(value_of("2.5") == "1: this is no decimal number");
  CHECK(value_of("ceil_div(1)") == "1: ceil_div takes two arguments");
  CHECK(value_of("ceil_div(a, 2, 3)") == "1: ceil_div takes two arguments");
  CHECK(value_of("min(a)") == "1: min takes two arguments or more");
  CHECK(value_of("min()") == "5: a number, a name or '(' must stand here");
  CHECK(value_of("for(a, 2)") == "1: 'for' is no function: there are ceil_div, min and max");
  CHECK(value_of("a\xff") == "2: '\xff' where the expression could end");
}

TEST_CASE("expression: length, steps and nesting are bounded") {
  std::string sum = "a";
  for (int i = 0; i < 99; ++i) sum += "+a";
  CHECK(value_of(sum) == "700");
  CHECK(contains(value_of(sum + "+a"), "the expression has more than 200 steps"));
  CHECK(value_of(std::string(1001, ' ')) == "1: the expression is longer than 1000 characters");
  CHECK(value_of(std::string(400, '(') + "a" + std::string(400, ')')) == "31: the expression is nested too deep");
  CHECK(contains(value_of(std::string(900, '-') + "a"), "nested too deep"));
  std::string right = "a", many = "twice";
  for (int i = 0; i < 15; ++i) right = "a+(" + right + ")";
  CHECK(value_of(right) == "112");
  CHECK(contains(value_of("a+(" + right + ")"), "nested too deep"));
  for (int i = 0; i < 66; ++i) many += "*twice";
  CHECK(contains(value_of(many), "more than 200 steps"));
}
