// Whether an image's arguments can carry what its section promises. What they do not carry becomes a need of the descriptor -
// an operand that must not be there, a matrix that must be packed - or is a fault, where no call at all would be right.
#include "plugins/image_kernel.h"
#include "problem.h"

namespace gpuopt {
namespace {

uint32_t bit(int32_t place) { return place >= 0 && place < 32 ? 1u << place : 0; }

// Operands that every call of the op has.
uint32_t always_there(int32_t op) {
  switch (op) {
    case GPUOPT_OP_GEMM:
      return bit(GPUOPT_OPERAND_A) | bit(GPUOPT_OPERAND_B) | bit(GPUOPT_OPERAND_D);
    case GPUOPT_OP_TRANSPOSE:
      return bit(GPUOPT_OPERAND_SRC) | bit(GPUOPT_OPERAND_DST);
    default:
      return bit(GPUOPT_OPERAND_X) | bit(GPUOPT_OPERAND_OUT);
  }
}

// Vectors of the normal form, whose elements lie ld apart.
bool is_vector(int32_t op, int32_t place) {
  if (op == GPUOPT_OP_REDUCE) return place == GPUOPT_OPERAND_OUT || place == GPUOPT_OPERAND_VALUE;
  return op == GPUOPT_OP_NORM && (place == GPUOPT_OPERAND_GAMMA || place == GPUOPT_OPERAND_BETA);
}

bool has_scalar(const std::vector<Argument> &arguments, Scalar scalar, int32_t stage = 0, int32_t value = 0) {
  for (const Argument &a : arguments)
    if (a.kind == Argument::Kind::scalar && a.scalar == scalar && a.operand == stage && a.value == value) return true;
  return false;
}

}  // namespace

bool SectionReader::reads(int32_t place, Extent extent) const {
  bool found = false;
  for (const Argument &a : out_.arguments)
    a.expression.for_each_variable([&](uint16_t packed) {
      const Variable v = Variable::from(packed);
      const bool of_operand = extent >= Extent::ld && extent <= Extent::batch_stride;
      found = found || (v.extent == extent && (!of_operand || v.operand == place));
    });
  return found;
}

// Strides of a matrix or vector whose pointer is an argument.
void SectionReader::check_operand(const ManifestLine &args, int32_t place, uint32_t used, uint32_t optional) {
  gpuopt_kernel &k = out_.kernel;
  const std::string name = operand_name(k.op, place);
  if (!(used & bit(place))) {
    if (always_there(k.op) & bit(place))
      tell(args, "args has no " + name + ".ptr");
    else
      k.operands_refused |= bit(place);
    return;
  }
  if (!((always_there(k.op) | optional) & bit(place))) k.operands_needed |= bit(place);
  const bool ld = reads(place, Extent::ld), row = reads(place, Extent::row_stride),
             col = reads(place, Extent::col_stride);
  const uint8_t layouts = place < 4 ? k.layouts[place] : uint8_t{GPUOPT_LAYOUT_ROW};
  const bool is_any = layouts == GPUOPT_LAYOUT_ANY;
  if (is_any && !(row && col))
    tell(args, "layout." + name + " is any: args must have " + name + ".row_stride and " + name + ".col_stride");
  const bool strided = ld || (is_any && row && col) || (layouts == GPUOPT_LAYOUT_ROW ? row : col);
  if (!strided) k.operands_packed |= bit(place);
  if (place == GPUOPT_OPERAND_STATISTICS) need_of(place).row_only = true;
  const bool batched = (k.understands & GPUOPT_FEATURE_BATCH) != 0;
  if (batched && strided && !reads(place, Extent::batch_stride))
    tell(args, "understands has batch: args must have " + name + ".batch_stride");
  if ((k.understands & GPUOPT_FEATURE_BROADCAST) && !strided && !is_vector(k.op, place) && place < 2)
    tell(args, "understands has broadcast: args must have the strides of " + name);
}

// What the built-in chain needs of the call.
void SectionReader::check_stage_arguments(const ManifestLine &args) {
  constexpr int scalars[] = {0,
#define X(name, value, operands, scalar_count, what) scalar_count,
                             GPUOPT_STAGE_TABLE(X)
#undef X
  };
  const auto has_pointer = [&](int32_t place) {
    for (const Argument &a : out_.arguments)
      if (a.kind == Argument::Kind::operand && a.operand == place) return true;
    return false;
  };
  for (int32_t i = 0; i < GPUOPT_MAX_STAGES; ++i) {
    const std::string stage = "stage" + std::to_string(i);
    const bool there = i < static_cast<int32_t>(out_.chain.size());
    gpuopt_built_in_stage *const s = there ? &out_.chain[static_cast<size_t>(i)] : nullptr;
    for (int32_t second = 0; second < 2; ++second) {
      const int32_t place = GPUOPT_OPERAND_STAGE + i + second * GPUOPT_MAX_STAGES;
      const bool wanted = there && s->dtype[second] != 0, given = has_pointer(place);
      const std::string name = stage + (second ? ".b" : ".a");
      if (wanted != given) tell(args, wanted ? "args has no " + name + ".ptr" : "there is no " + name + " in stages");
      if (!wanted || !given) continue;
      const bool is_matrix = s->form == GPUOPT_MATRIX || s->kind > GPUOPT_STAGE_ADD_OUTER;
      const bool row = reads(place, Extent::row_stride), col = reads(place, Extent::col_stride),
                 ld = reads(place, Extent::ld);
      OperandNeed &need = need_of(place);
      need.row_only = is_matrix && !(row && col);
      need.neighbours = !(ld || row);  // of a matrix: its lines
      need.shared = !reads(place, Extent::batch_stride);
    }
    const bool has_operand = there && s->dtype[0] != 0;
    for (int32_t value = 0; value < 2; ++value) {
      const bool given = has_scalar(out_.arguments, Scalar::stage_value, i, value);
      const bool wanted = there && !has_operand && value < scalars[s->kind];
      const std::string name = stage + ".value" + std::to_string(value);
      if (wanted && !given) tell(args, "args has no " + name);
      if (given && (!there || value >= scalars[s->kind])) tell(args, "there is no " + name + " in stages");
      if (given && has_operand) s->any_factor = 1;
    }
  }
}

void SectionReader::check_rules(const ManifestLine &args) {
  gpuopt_kernel &k = out_.kernel;
  uint32_t used = 0;
  bool uses_scratch = false, uses_zeroed = false;
  for (const Argument &a : out_.arguments) {
    if (a.kind == Argument::Kind::operand && a.operand < GPUOPT_OPERAND_STAGE) used |= bit(a.operand);
    uses_scratch = uses_scratch || a.kind == Argument::Kind::scratch;
    uses_zeroed = uses_zeroed || a.kind == Argument::Kind::zeroed;
  }
  if (uses_scratch != out_.scratch.is_given()) tell(args, "scratch.ptr in args and workspace must be given together");
  if (uses_zeroed != out_.zeroed.is_given()) tell(args, "zeroed.ptr in args and zeroed must be given together");
  for (int32_t place = 0; place < 7; ++place)
    if (!operand_name(k.op, place).empty()) check_operand(args, place, used, optional_);
  if (optional_ & (always_there(k.op) | ~used))
    tell(args, "optional has an operand that is always there or no argument");
  check_stage_arguments(args);

  if (k.op == GPUOPT_OP_GEMM) {
    const bool c = (used & bit(GPUOPT_OPERAND_C)) != 0, understands = (k.understands & GPUOPT_FEATURE_BETA) != 0;
    if (!has_scalar(out_.arguments, Scalar::alpha)) tell(args, "args has no alpha, which every product may have");
    if (c != understands || c != has_scalar(out_.arguments, Scalar::beta))
      tell(args, "c.ptr and beta in args and beta in understands must be given together");
  }
  const bool value = (used & bit(GPUOPT_OPERAND_VALUE)) != 0;
  if (k.op == GPUOPT_OP_REDUCE && value != ((k.understands & GPUOPT_FEATURE_VALUE_OUT) != 0))
    tell(args, "value.ptr in args and value_out in understands must be given together");
  const uint32_t with_eps = 1u << GPUOPT_NORM_LAYERNORM | 1u << GPUOPT_NORM_RMSNORM;
  if (k.op == GPUOPT_OP_NORM && (k.variants & with_eps) && !has_scalar(out_.arguments, Scalar::eps))
    tell(args, "args has no eps, which a layer norm and an RMS norm have");
  if (k.op == GPUOPT_OP_REDUCE)
    for (gpuopt_signature &s : out_.signatures) {
      if (used & bit(GPUOPT_OPERAND_Y)) s.dtype[GPUOPT_OPERAND_Y] = s.dtype[0];
      if (value) s.dtype[GPUOPT_OPERAND_VALUE] = s.dtype[0];
    }
  if (k.op == GPUOPT_OP_NORM) {
    for (const int32_t place : {GPUOPT_OPERAND_RESIDUAL, GPUOPT_OPERAND_SUM, GPUOPT_OPERAND_GAMMA, GPUOPT_OPERAND_BETA,
                                GPUOPT_OPERAND_STATISTICS}) {
      const std::string key = "type." + operand_name(k.op, place);
      if (((used & bit(place)) != 0) != (operand_type_[place] != 0))
        tell(args, operand_name(k.op, place) + ".ptr in args and " + key + " must be given together");
      if (place > 3) k.extra_dtype[place - 4] = operand_type_[place];
      for (gpuopt_signature &s : out_.signatures)
        if (place <= 3) s.dtype[place] = operand_type_[place];
    }
  }
  bool batch_in_grid = false;
  for (const Expression &e : out_.grid)
    e.for_each_variable(
        [&](uint16_t v) { batch_in_grid = batch_in_grid || Variable::from(v).extent == Extent::batch; });
  if ((k.understands & GPUOPT_FEATURE_BATCH) && !batch_in_grid && !reads(-1, Extent::batch))
    tell(args, "understands has batch, and neither grid nor args has it");
}

}  // namespace gpuopt
