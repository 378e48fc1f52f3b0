#include "call_verbs.h"

#include "numbers.h"
#include "text.h"
#include "words.h"

namespace gpuopt_cli {
namespace {

class OpVerb {
 public:
  OpVerb(const CallVerbs &verbs, int32_t op, const char *what)
      : verbs_(verbs), verb_(verbs.verb->add_subcommand(gpuopt_op_name(op), what)), call_(verbs.call) {
    const auto call = verbs.call;
    const auto run = verbs.run;
    verb_->callback([call, run, op] {
      call->op = op;
      run();
    });
  }
  CLI::App *operator->() { return verb_; }

  // Extents and the batch may be swept.
  CLI::Option *extent(const std::string &name, int64_t CallOptions::*field, const std::string &help) {
    const int64_t least = verbs_.least_extent;
    const auto call = call_;
    const auto sweep = verbs_.sweep;
    const auto set = [name, field, least](CallOptions *o, const std::string &text) {
      o->*field = parse_integer(name, text, least, kMostExtent);
    };
    return verb_
        ->add_option_function<std::string>(
            name,
            [=](const std::string &text) {
              if (!sweep) return set(call.get(), text);
              sweep->add(name, parse_extents(name, text, least), set);
            },
            help)
        ->type_name(sweep ? "INT,LOW:HIGH:STEP,LOW:HIGH:xFACTOR" : "INT");
  }
  void type(const std::string &help) {
    const auto call = call_;
    const auto sweep = verbs_.sweep;
    verb_->add_option_function<std::string>(
        "--type",
        [=](const std::string &text) {
          if (!sweep) {
            call->type = text;
            return;
          }
          sweep->add("--type", split(text, ','), [](CallOptions *o, const std::string &type) { o->type = type; });
        },
        help);
  }
  void ld(const std::string &name, int64_t CallOptions::*field) {
    add_integer(verb_, name, &(call_.get()->*field), 0, kMostExtent, "Leading dimension in elements; 0: packed");
  }
  void word(const std::string &name, std::string CallOptions::*field, const std::string &help) {
    verb_->add_option(name, call_.get()->*field, help);
  }
  void number(const std::string &name, double CallOptions::*field, const std::string &help) {
    parsed(name, field, parse_number, "FLOAT", help);
  }
  void alignment(const std::string &name, int32_t CallOptions::*field, const std::string &help) {
    parsed(name, field, parse_alignment, "INT", help);
  }
  void flag(const std::string &name, bool CallOptions::*field, const std::string &help) {
    verb_->add_flag(name, call_.get()->*field, help);
  }

  void matrix() {
    extent("--rows", &CallOptions::rows, "Rows of the input")->required();
    extent("--cols", &CallOptions::cols, "Columns of the input")->required();
    type("Data type of the input (f32)");
    word("--layout", &CallOptions::layout, "row or col, of the input");
    ld("--ld", &CallOptions::lda);
  }
  void output() {
    word("--out-type", &CallOptions::out_type, "Data type of the result (the input's)");
    word("--out-layout", &CallOptions::out_layout, "row or col, of out");
    ld("--out-ld", &CallOptions::ldd);
  }
  void types_of_product() {
    type("Data type of A and B (f32)");
    word("--a-type", &CallOptions::a_type, "Data type of A alone");
    word("--b-type", &CallOptions::b_type, "Data type of B alone");
    word("--c-type", &CallOptions::c_type, "Data type of C (the table's for these inputs)");
    word("--d-type", &CallOptions::d_type, "Data type of D (the table's for these inputs)");
    word("--compute", &CallOptions::compute, "Compute type: default, f32, tf32, f32_tensor, f64, i32, f16, f8_fast");
  }
  void common(bool takes_stages) {
    extent("--batch", &CallOptions::batch, "Matrices in the batch");
    common_but_batch(takes_stages);
  }
  void common_but_batch(bool takes_stages) {
    flag("--allow-nondeterministic", &CallOptions::nondeterministic, "Set GPUOPT_ALLOW_NONDETERMINISTIC");
    if (takes_stages)
      verb_->add_option("--stage", call_->stages, "One stage of the chain, in order, repeatable: " + stage_syntax());
    alignment("--align", &CallOptions::align, "Bytes that every base address is a multiple of (256)");
    if (takes_stages) alignment("--stage-align", &CallOptions::stage_align, "As --align, for the stages' operands");
    if (verbs_.add_more) verbs_.add_more(verb_);
  }

 private:
  // A field that is read from text: parse(argument, text) says what is wrong with it.
  template <class T>
  void parsed(const std::string &name, T CallOptions::*field, T (*parse)(const std::string &, const std::string &),
              const char *type_name, const std::string &help) {
    T *const value = &(call_.get()->*field);
    verb_
        ->add_option_function<std::string>(
            name, [=](const std::string &text) { *value = parse(name, text); }, help)
        ->type_name(type_name);
  }

  const CallVerbs &verbs_;
  CLI::App *verb_;
  std::shared_ptr<CallOptions> call_;
};

void add_gemm(const CallVerbs &verbs) {
  OpVerb gemm(verbs, GPUOPT_OP_GEMM, "D = stages(alpha * A * B + beta * C)");
  gemm.extent("--m", &CallOptions::m, "Rows of A and D")->required();
  gemm.extent("--n", &CallOptions::n, "Columns of B and D")->required();
  gemm.extent("--k", &CallOptions::k, "Columns of A, rows of B")->required();
  gemm.types_of_product();
  gemm.word("--layout", &CallOptions::layout,
            "nn, nt, tn, tt: n row-major, t the transposed view (column-major), of A and B");
  gemm.word("--c-layout", &CallOptions::c_layout, "row or col");
  gemm.word("--d-layout", &CallOptions::d_layout, "row or col");
  gemm.ld("--lda", &CallOptions::lda);
  gemm.ld("--ldb", &CallOptions::ldb);
  gemm.ld("--ldc", &CallOptions::ldc);
  gemm.ld("--ldd", &CallOptions::ldd);
  gemm.number("--alpha", &CallOptions::alpha, "1");
  gemm.number("--beta", &CallOptions::beta, "0: C is not read");
  gemm.flag("--scalar-pointers", &CallOptions::scalar_pointers, "alpha is given by pointer");
  gemm.flag("--scaled", &CallOptions::scaled, "A and B have a scale (fp8)");
  gemm.flag("--shared-b", &CallOptions::shared, "B has batch stride 0");
  gemm.flag("--allow-intermediate-rounding", &CallOptions::intermediate_rounding,
            "Set GPUOPT_ALLOW_INTERMEDIATE_ROUNDING");
  gemm.flag("--batch-invariant", &CallOptions::batch_invariant, "Set GPUOPT_REQUIRE_BATCH_INVARIANT");
  gemm.common(true);
}

void add_gemm_grouped(const CallVerbs &verbs) {
  OpVerb grouped(verbs, GPUOPT_OP_GEMM_GROUPED, "One gemm for each group of rows, with a B of its own");
  grouped.extent("--m", &CallOptions::m, "Rows of A and D, of all groups together; divided evenly")->required();
  grouped.extent("--n", &CallOptions::n, "Columns of B and D")->required();
  grouped.extent("--k", &CallOptions::k, "Columns of A, rows of B")->required();
  grouped.extent("--groups", &CallOptions::batch, "Groups, and matrices of B");
  grouped.types_of_product();
  grouped.word("--b-layout", &CallOptions::b_layout, "row or col");
  grouped.ld("--lda", &CallOptions::lda);
  grouped.ld("--ldb", &CallOptions::ldb);
  grouped.ld("--ldc", &CallOptions::ldc);
  grouped.ld("--ldd", &CallOptions::ldd);
  grouped.number("--alpha", &CallOptions::alpha, "1");
  grouped.number("--beta", &CallOptions::beta, "0: C is not read");
  grouped.flag("--scalar-pointers", &CallOptions::scalar_pointers, "alpha is given by pointer");
  grouped.flag("--host-offsets", &CallOptions::host_offsets, "Where groups begin is said in host memory");
  grouped.common_but_batch(true);
}

void add_transpose(const CallVerbs &verbs) {
  OpVerb transpose(verbs, GPUOPT_OP_TRANSPOSE, "dst = transpose(src)");
  transpose.matrix();
  transpose.word("--out-layout", &CallOptions::out_layout, "row or col, of dst");
  transpose.ld("--out-ld", &CallOptions::ldd);
  transpose.flag("--in-place", &CallOptions::in_place, "dst is src");
  transpose.common(false);
}

void add_reduce(const CallVerbs &verbs) {
  OpVerb reduce(verbs, GPUOPT_OP_REDUCE, "One value per row, per column, or per matrix");
  reduce.matrix();
  reduce.word("--reduce", &CallOptions::reduce, "sum, mean, min, max, prod, sumsq, nrm2, asum, argmin, argmax, dot");
  reduce.word("--axis", &CallOptions::axis, "row (each row), col (each column), all");
  reduce.word("--out-type", &CallOptions::out_type, "Data type of the result");
  reduce.flag("--value", &CallOptions::value, "argmin, argmax: the value too");
  reduce.flag("--batch-invariant", &CallOptions::batch_invariant, "Set GPUOPT_REQUIRE_BATCH_INVARIANT");
  reduce.common(false);
}

void add_fused_act(const CallVerbs &verbs) {
  OpVerb fused(verbs, GPUOPT_OP_FUSED_ACT, "out = stages(x)");
  fused.matrix();
  fused.output();
  fused.common(true);
}

void add_norm(const CallVerbs &verbs) {
  OpVerb norm(verbs, GPUOPT_OP_NORM, "out = stages(norm of each row)");
  norm.matrix();
  norm.output();
  norm.word("--norm", &CallOptions::norm, "layernorm, rmsnorm, softmax, log_softmax");
  norm.flag("--gamma", &CallOptions::gamma, "With gamma");
  norm.flag("--beta", &CallOptions::beta_vector, "With beta");
  norm.flag("--weights", &CallOptions::weights, "With gamma, and beta for layernorm");
  norm.flag("--residual", &CallOptions::residual, "A residual is added before the norm");
  norm.flag("--sum", &CallOptions::sum, "... and the sum is written too");
  norm.flag("--statistics", &CallOptions::statistics, "With statistics");
  norm.common(true);
}

}  // namespace

void add_call_verbs(const CallVerbs &verbs) {
  add_gemm(verbs);
  add_transpose(verbs);
  add_reduce(verbs);
  add_fused_act(verbs);
  add_norm(verbs);
  add_gemm_grouped(verbs);
}

void Sweep::add(const std::string &option, const std::vector<std::string> &values, Set set) {
  size_t count = values.size();
  for (const Axis &a : axes_) count *= a.values.size();
  if (count > kMostCalls)
    throw CLI::ValidationError(option, "makes " + std::to_string(count) +
                                           " calls with the other options, the most is " + std::to_string(kMostCalls));
  axes_.push_back({option, values, std::move(set)});
}

std::vector<CallOptions> Sweep::calls(const CallOptions &fixed) const {
  std::vector<CallOptions> all = {fixed};
  for (const Axis &a : axes_) {
    std::vector<CallOptions> more;
    for (const CallOptions &o : all)
      for (const std::string &value : a.values) {
        more.push_back(o);
        a.set(&more.back(), value);
      }
    all = std::move(more);
  }
  return all;
}

std::vector<std::string> parse_extents(const std::string &option, const std::string &text, int64_t least) {
  std::vector<std::string> all;
  for (const std::string &item : split(text, ',')) {
    const std::vector<std::string> part = split(item, ':');
    if (part.size() == 1) {
      all.push_back(std::to_string(parse_integer(option, item, least, kMostExtent)));
      continue;
    }
    if (part.size() != 3) reject_word(option, item, "must be N, LOW:HIGH:STEP or LOW:HIGH:xFACTOR");
    const bool factor = !part[2].empty() && part[2][0] == 'x';
    int64_t at = parse_integer(option, part[0], std::max<int64_t>(least, factor ? 1 : 0), kMostExtent);
    const int64_t last = parse_integer(option, part[1], at, kMostExtent),
                  step = parse_integer(option, factor ? part[2].substr(1) : part[2], factor ? 2 : 1, kMostExtent);
    for (bool more = true; more && at <= last;) {
      all.push_back(std::to_string(at));
      if (all.size() > Sweep::kMostCalls)
        reject_word(option, item, "must be " + std::to_string(Sweep::kMostCalls) + " values at the most");
      more = !(factor ? __builtin_mul_overflow(at, step, &at) : __builtin_add_overflow(at, step, &at));
    }
  }
  return all;
}

}  // namespace gpuopt_cli
