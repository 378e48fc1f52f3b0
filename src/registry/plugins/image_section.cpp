// Sections of image manifests: how they are read, and how the kernel is launched.
#include <iterator>

#include "descriptor.h"
#include "plugins/image_kernel.h"
#include "text.h"

namespace gpuopt {
namespace {

constexpr int64_t kMostBlock[3] = {1024, 1024, 64}, kMostThreads = 1024, kMostCluster = 8;
constexpr int64_t kMostShared = int64_t{1} << 20;

constexpr std::string_view kKeys[] = {
    "op",       "summary",     "version",     "flags",        "types",      "norm",       "reduce",
    "axis",     "stages",      "understands", "optional",     "entry",      "block",      "cluster",
    "shared",   "grid",        "workspace",   "zeroed",       "time_ns",    "args",       "cc_min",
    "cc_max",   "layout.a",    "align.a",     "ld_align.a",   "type.gamma", "multiple.m", "limit.m",
    "let.name", "image.sm_90", "image.ptx",   "sha256.sm_90", "sha256.ptx"};

}  // namespace

const ManifestLine *SectionReader::line(const char *key, bool required) {
  const ManifestLine *const l = section_.find(key);
  if (!l && required) tell_section("[" + std::string(prefix(section_.name, 64)) + "] has no " + key);
  return l;
}

void SectionReader::tell(const ManifestLine &at, std::string what, size_t offset) const {
  fault_(at_line(at.line, at.column + offset) + what);
}

bool SectionReader::parse(const ManifestLine &at, std::string_view text, size_t offset, Expression *out) const {
  size_t column = 1;
  const std::string wrong = out->parse(text, *this, &column);
  if (!wrong.empty()) tell(at, std::string(at.key) + ": " + wrong, offset + column - 1);
  return wrong.empty();
}

bool SectionReader::integer(const ManifestLine &at, int64_t least, int64_t most, int64_t *out) const {
  Expression e;
  if (!parse(at, at.value, 0, &e)) return false;
  int64_t value = 0;
  if (!e.is_constant(&value) || value < least || value > most) {
    tell(at, std::string(at.key) + " is not a number within " + std::to_string(least) + " and " + std::to_string(most));
    return false;
  }
  *out = value;
  return true;
}

void SectionReader::for_each_word(const ManifestLine &at,
                                  const std::function<void(std::string_view, size_t)> &fn) const {
  for (size_t begin = 0; begin < at.value.size();) {
    const size_t end = std::min(at.value.find_first_of(" \t", begin), at.value.size());
    if (end > begin) fn(at.value.substr(begin, end - begin), begin);
    begin = end + 1;
  }
}

bool SectionReader::find(std::string_view name, uint16_t *variable, const Expression **defined) const {
  const auto own = definitions_.find(name);
  if (own != definitions_.end()) return *defined = &own->second, true;
  Variable v;
  if (!find_variable(out_.kernel.op, name, &v)) return false;
  *variable = v.packed();
  return true;
}

// A definition may use those above it, and is no other's: there are no circles.
void SectionReader::read_definitions() {
  section_.for_each("let.", [&](const ManifestLine &l) {
    const std::string name(l.key.substr(4));
    uint16_t variable;
    const Expression *defined;
    if (name.find('.') != std::string::npos || !(name[0] >= 'a' && name[0] <= 'z'))
      return fault_(at_line(l.line, 1) + quoted(l.key) + ": a name begins with a letter and has no dots");
    if (find(name, &variable, &defined)) return fault_(at_line(l.line, 1) + quoted(name) + " has a meaning already");
    Expression e;
    if (parse(l, l.value, 0, &e)) definitions_.emplace(name, std::move(e));
  });
}

void SectionReader::read_launch() {
  // Three extents of which the last may be left out, each told to fn(axis, expression).
  const auto three = [&](const char *key, bool required,
                         const std::function<void(int, const ManifestLine &, Expression)> &fn) {
    const ManifestLine *const l = line(key, required);
    int axis = 0;
    if (!l) return;
    for_each_part(l->value, [&](std::string_view part, size_t offset) {
      Expression e;
      if (axis == 3) tell(*l, std::string(key) + " has more than three extents", offset);
      if (axis < 3 && parse(*l, part, offset, &e)) fn(axis, *l, std::move(e));
      ++axis;
    });
  };
  const auto constants = [&](const char *key, bool required, const int64_t(&most)[3], int64_t most_in_all,
                             uint32_t(&out)[3]) {
    const ManifestLine *at = nullptr;
    three(key, required, [&](int axis, const ManifestLine &l, const Expression &e) {
      int64_t value = 0;
      at = &l;
      if (!e.is_constant(&value) || value < 1 || value > most[axis])
        tell(l, std::string(key) + " has an extent that is not a number within 1 and " + std::to_string(most[axis]));
      else
        out[axis] = static_cast<uint32_t>(value);
    });
    const int64_t all = int64_t{out[0]} * out[1] * out[2];
    if (at && all > most_in_all)
      tell(*at, std::string(key) + " is " + std::to_string(all) + " in all, more than " + std::to_string(most_in_all));
  };
  constants("block", true, kMostBlock, kMostThreads, out_.shape.block);
  constants("cluster", false, {kMostCluster, kMostCluster, kMostCluster}, kMostCluster, out_.shape.cluster);
  three("grid", true, [&](int axis, const ManifestLine &, Expression e) { out_.grid[axis] = std::move(e); });
  int64_t shared = 0;
  if (const ManifestLine *l = line("shared", false)) integer(*l, 0, kMostShared, &shared);
  out_.shape.shared = static_cast<uint32_t>(shared);
  const std::pair<const char *, Expression *> expressions[] = {
      {"workspace", &out_.scratch}, {"zeroed", &out_.zeroed}, {"time_ns", &out_.time_ns}};
  for (const auto &e : expressions)
    if (const ManifestLine *l = line(e.first, false)) parse(*l, l->value, 0, e.second);
  if (const ManifestLine *l = line("entry", true)) out_.code.entry = l->value;
}

// Rules are about lines that are sound: what was said of those they rest on is not said again in other words.
void SectionReader::read_arguments(bool rules_hold) {
  const ManifestLine *const args = line("args", true);
  const size_t before = faults_;
  if (!args) return;
  out_.arguments = parse_arguments(*args, out_.kernel.op, *this, fault_);
  for (const Argument &a : out_.arguments) out_.parameter_sizes.push_back(a.bytes);
  if (rules_hold && faults_ == before) check_rules(*args);
}

bool SectionReader::read() {
  if (!read_operation()) return false;
  read_definitions();
  read_description();
  read_types();
  const size_t before = faults_;
  read_variants();
  read_stages();
  read_features();
  const bool rules_hold = faults_ == before;
  read_operand_needs();
  read_launch();
  read_arguments(rules_hold);
  gpuopt_kernel &k = out_.kernel;
  const std::pair<const char *, int32_t *> limits[] = {{"cc_min", &k.cc_min}, {"cc_max", &k.cc_max}};
  for (const auto &limit : limits) {
    int64_t value = 0;
    if (const ManifestLine *l = line(limit.first, false))
      if (integer(*l, 50, 999, &value)) *limit.second = static_cast<int32_t>(value);
  }
  tell_unused(section_, {std::begin(kKeys), std::end(kKeys)}, fault_);
  return true;
}

}  // namespace gpuopt
