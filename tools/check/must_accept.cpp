#include "must_accept.h"

#include <algorithm>
#include <functional>

#include "spec.h"
#include "values.h"

namespace gpuopt_check {
namespace {

constexpr size_t kMostBases = 400;
constexpr int kManyRowsProblems = 3;

int64_t rounded_up(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

std::string row_text(int32_t op, const TypeRow &row) {
  std::string s = "types";
  for (gpuopt_dtype t : row.dtype)
    if (t) s += std::string(" ") + gpuopt_dtype_name(t);
  if (is_product(op)) s += std::string(" ") + gpuopt_compute_name(row.compute);
  if (row.variant)
    s += std::string(" ") + (op == GPUOPT_OP_NORM ? gpuopt_norm_name(row.variant) : gpuopt_reduce_name(row.variant));
  return s;
}

const char *layout_name(int32_t layout) { return layout == GPUOPT_ROW ? "row" : "col"; }

// Extents to try, from ordinary to what only special kernels take (one row, few rows, long sums, large matrices).
std::vector<std::vector<int64_t>> extents_to_try(const Needs &n) {
  std::vector<std::vector<int64_t>> sizes;
  if (is_product(n.op))
    sizes = {{33, 29, 37},    {1, 70, 65},    {70, 1, 65},    {129, 65, 33},   {8, 300, 200},
             {256, 256, 256}, {1, 512, 2048}, {64, 64, 4096}, {1024, 512, 256}};
  else
    sizes = {{33, 29}, {1, 257}, {257, 1}, {130, 70}, {64, 1030}, {1030, 64}, {512, 512}, {4, 70000}, {70000, 4}};
  for (std::vector<int64_t> &s : sizes) {
    s.resize(3, 0);
    for (size_t i = 0; i < 3; ++i) s[i] = rounded_up(s[i], n.multiple[i]);
  }
  return sizes;
}

class Course {
 public:
  Course(Session &session, const gpuopt_kernel &kernel, const gpuopt_device_facts *pretend, uint64_t seed,
         uint32_t hard_rows)
      : session_(session),
        kernel_(kernel),
        pretend_(pretend),
        needs_(needs_of_kernel(kernel)),
        sizes_(extents_to_try(needs_)),
        rng_(seed),
        hard_rows_(hard_rows) {
    needs_.any_address = false;
  }

  Acceptance take() {
    if (needs_.rows.empty()) result_.failures.push_back("its signatures match no types of the op");
    for (const TypeRow &row : needs_.rows) try_row(row);
    if (!bases_.empty()) {
      try_addresses();
      try_features();
      try_stages();
      try_hard_rows();
      try_many_rows();
      try_empty();
    }
    for (const Item &item : items_) {
      ++result_.declared;
      if (item.accepted)
        ++result_.accepted;
      else
        result_.failures.push_back("declares " + item.name + " and accepts no problem that uses it: " + item.reject);
    }
    return result_;
  }

 private:
  struct Item {
    std::string name, reject;
    bool accepted;
  };
  using Change = std::function<bool(Spec *)>;  // false: does not apply to this base

  void note(const std::string &name, bool accepted, const std::string &reject) {
    for (Item &item : items_)
      if (item.name == name) {
        item.accepted = item.accepted || accepted;
        return;
      }
    items_.push_back({name, reject, accepted});
  }

  // Puts one problem to the kernel; runs it when accepted.
  bool put(Spec spec, std::string *reject) {
    const uint64_t seed = rng_.bits();
    spec.mean_by_spread = (hard_rows_ & kFarRows) != 0;
    Problem p = build_problem(spec, seed, false);
    const Explanation e = session_.explain(p, pretend_);
    const Candidate *c = e.find(kernel_.name);
    if (!c) {
      *reject = e.candidates.empty() ? "the problem is refused: " + e.error + " (" + p.text() + ")"
                                     : "explain does not mention it";
      return false;
    }
    if (c->verdict == GPUOPT_VERDICT_REJECTED) {
      *reject = c->text + " (" + p.text() + ")";
      return false;
    }
    if (pretend_) return true;
    p = build_problem(spec, seed);
    const Truth truth = find_truth(p);
    const std::string wrong =
        verify(session_, p, truth, kernel_.name, kernel_.flags & GPUOPT_KERNEL_NONDETERMINISTIC ? 1 : 2);
    ++result_.ran;
    if (!wrong.empty()) result_.failures.push_back(wrong + " in: " + p.text());
    return true;
  }

  void try_row(const TypeRow &row) {
    const std::string types = row_text(needs_.op, row);
    const bool two_inputs =
        is_product(needs_.op) || (needs_.op == GPUOPT_OP_REDUCE && row.dtype[GPUOPT_OPERAND_Y] != 0);
    const bool free_first = needs_.op != GPUOPT_OP_TRANSPOSE && needs_.op != GPUOPT_OP_REDUCE;
    for (int32_t first : {GPUOPT_ROW, GPUOPT_COL})
      for (int32_t second : {GPUOPT_ROW, GPUOPT_COL})
        for (int32_t axis = needs_.op == GPUOPT_OP_REDUCE ? 1 : 0; axis <= (needs_.op == GPUOPT_OP_REDUCE ? 3 : 0);
             ++axis)
          for (bool transposed : {false, true}) {
            if (!takes_layout(needs_, 0, first) || (!free_first && first == GPUOPT_COL)) continue;
            if (needs_.op == GPUOPT_OP_TRANSPOSE ? second == GPUOPT_COL
                : two_inputs                     ? !takes_layout(needs_, 1, second)
                                                 : second == GPUOPT_COL)
              continue;
            if (axis && !(needs_.axes >> axis & 1)) continue;
            const bool index = row.variant == GPUOPT_REDUCE_ARGMIN || row.variant == GPUOPT_REDUCE_ARGMAX;
            if (transposed && index && axis == GPUOPT_ALL && !(needs_.features & GPUOPT_FEATURE_COLUMN_INDEX)) continue;
            Spec s = plain_spec(needs_, row);
            s.place[0].layout = first;
            s.place[1].layout = second;
            s.axis = axis;
            s.transposed = transposed;
            const bool accepted = try_sizes(&s, types);
            if (free_first)
              note(std::string(is_product(needs_.op) ? "a " : "x ") + layout_name(first) +
                       (two_inputs ? std::string(" with b ") + layout_name(second) : ""),
                   accepted, last_reject_);
            if (axis)
              note(axis == GPUOPT_EACH_ROW   ? "axis each_row"
                   : axis == GPUOPT_EACH_COL ? "axis each_col"
                                             : "axis all",
                   accepted, last_reject_);
            note(transposed ? "a column-major problem" : "a row-major problem", accepted, last_reject_);
          }
  }

  bool try_sizes(Spec *s, const std::string &types) {
    bool accepted = false;
    size_t at = 0;
    for (; at < sizes_.size() && !accepted; ++at) {
      set_extents(s, sizes_[at]);
      accepted = put(*s, &last_reject_);
    }
    note(types, accepted, last_reject_);
    if (!accepted) return false;
    if (bases_.size() < kMostBases) bases_.push_back(*s);
    // What a kernel does in some of its ways only may need other extents.
    for (Spec other = *s; at < sizes_.size() && others_.size() < kMostBases; ++at) {
      set_extents(&other, sizes_[at]);
      if (is_accepted(other)) others_.push_back(other);
    }
    return true;
  }

  static void set_extents(Spec *s, const std::vector<int64_t> &size) {
    for (int i = 0; i < 3; ++i) s->extent[i] = size[size_t(i)];
  }
  bool is_accepted(const Spec &spec) {
    const Explanation e = session_.explain(build_problem(spec, rng_.bits(), false), pretend_);
    const Candidate *c = e.find(kernel_.name);
    return c && c->verdict != GPUOPT_VERDICT_REJECTED;
  }

  // Makes the change to one accepted base after another, until the changed problem is accepted too.
  void try_change(const std::string &name, const Change &change, int wanted = 1) {
    bool applied = false, accepted = false;
    std::string reject;
    for (const std::vector<Spec> *bases : {&bases_, &others_}) {
      if (accepted || bases->empty()) break;
      // Few bases are tried again and again: a change draws anew each time.
      const size_t tries = 100, step = std::max<size_t>(1, bases->size() / tries), start = rng_.bits() % bases->size();
      for (size_t i = 0; i < tries && wanted > 0; ++i) {
        Spec s = (*bases)[(start + i * step) % bases->size()];
        if (!change(&s)) continue;
        applied = true;
        if (!put(s, &reject)) continue;
        if (!s.stages.empty()) staged_.push_back(s);
        accepted = true;
        --wanted;
      }
    }
    if (applied) note(name, accepted, reject);
  }

  // Of operands that need not be packed; false where there are none.
  bool change_places(Spec *s, const std::function<void(Placement *)> &change) const {
    bool any = false;
    for (int i = 0; i < kOperands; ++i) {
      if (*operand_name(needs_.op, i) == 0 || has_operand(needs_.operands_packed | needs_.operands_refused, i))
        continue;
      change(&s->place[i]);
      any = true;
    }
    return any;
  }

  void try_addresses() {
    if (needs_.multiple[0] == 1 && needs_.multiple[1] == 1 && needs_.multiple[2] == 1)
      try_change("odd extents", [](Spec *s) {
        for (int64_t &e : s->extent) e |= 1;
        return true;
      });
    try_change("padded leading dimensions",
               [this](Spec *s) { return change_places(s, [](Placement *place) { place->pad = 3; }); });
    try_change("bases of the least alignment", [](Spec *s) {
      for (Placement &place : s->place) place.offset = 1;
      return true;
    });
  }

  void try_features() {
    const auto feature = [this](uint32_t bit, const char *name, const Change &change) {
      if (needs_.features & bit) try_change(std::string("feature ") + name, change);
    };
    feature(GPUOPT_FEATURE_BATCH, "BATCH", [](Spec *s) { return (s->batch = 3) == 3; });
    feature(GPUOPT_FEATURE_BATCH, "BATCH with padded batch strides", [this](Spec *s) {
      s->batch = 3;
      return change_places(s, [](Placement *place) { place->gap = 5; });
    });
    feature(GPUOPT_FEATURE_BROADCAST, "BROADCAST", [this](Spec *s) {
      const int shared = s->op == GPUOPT_OP_GEMM_GROUPED ? 1 : 0;
      if (has_operand(needs_.operands_packed, shared)) return false;
      s->batch = 3;
      s->place[shared].shared = true;
      return true;
    });
    const bool gemm = is_product(needs_.op);
    if (gemm) {
      for (int32_t layout : {GPUOPT_ROW, GPUOPT_COL})
        if (takes_layout(needs_, GPUOPT_OPERAND_C, layout))
          feature(GPUOPT_FEATURE_BETA, layout == GPUOPT_ROW ? "BETA" : "BETA with c col", [layout](Spec *s) {
            s->beta = 0.75;
            s->alpha = -1.5;
            s->place[GPUOPT_OPERAND_C].layout = layout;
            return s->row.optional_operand;
          });
      if (takes_layout(needs_, GPUOPT_OPERAND_C, GPUOPT_ROW))
        feature(GPUOPT_FEATURE_BETA, "BETA with d = c", [](Spec *s) {
          s->beta = 1;
          s->in_place = true;
          return s->row.optional_operand && s->row.dtype[2] == s->row.dtype[3];
        });
      feature(GPUOPT_FEATURE_SCALAR_POINTERS, "SCALAR_POINTERS", [this](Spec *s) {
        s->alpha_pointer = true;
        s->alpha = 1.25;
        s->beta_pointer = (needs_.features & GPUOPT_FEATURE_BETA) && s->row.optional_operand;
        s->beta = s->beta_pointer ? 0.5 : 0;
        return true;
      });
      feature(GPUOPT_FEATURE_HOST_OFFSETS, "HOST_OFFSETS", [](Spec *s) {
        s->extra[GPUOPT_OPERAND_OFFSETS] = 0;
        return s->host_offsets = s->op == GPUOPT_OP_GEMM_GROUPED;
      });
      feature(GPUOPT_FEATURE_GROUP_LIST, "GROUP_LIST", [](Spec *s) {
        s->batch = 5;
        return s->op == GPUOPT_OP_GEMM_GROUPED && choose_list(List::device, s);
      });
      feature(GPUOPT_FEATURE_GROUP_LIST, "GROUP_LIST with d col", [](Spec *s) {
        s->batch = 5;
        s->transposed = true;
        return s->op == GPUOPT_OP_GEMM_GROUPED && choose_list(List::device, s);
      });
      feature(GPUOPT_FEATURE_HOST_LIST, "HOST_LIST", [](Spec *s) {
        s->batch = 50;  // more than travel at a time
        return s->op == GPUOPT_OP_GEMM_GROUPED && choose_list(List::host, s);
      });
      feature(GPUOPT_FEATURE_SCALE, "SCALE", [](Spec *s) {
        for (int i : {0, 1, 3}) s->scaled[i] = is_fp8(s->row.dtype[i]);
        return s->scaled[0];
      });
      feature(GPUOPT_FEATURE_BLOCK_SCALES, "BLOCK_SCALES", [](Spec *s) {
        s->blocks[0].block = GPUOPT_SCALE_1X128;
        s->blocks[1].block = GPUOPT_SCALE_128X128;
        return is_fp8(s->row.dtype[0]) && is_fp8(s->row.dtype[1]);
      });
    } else if (needs_.op == GPUOPT_OP_TRANSPOSE) {
      feature(GPUOPT_FEATURE_COPY, "COPY", [](Spec *s) { return s->copy = true; });
      feature(GPUOPT_FEATURE_IN_PLACE, "IN_PLACE", [](Spec *s) { return s->in_place = true; });
    } else if (needs_.op == GPUOPT_OP_REDUCE) {
      const auto index = [](const Spec &s) {
        return s.row.variant == GPUOPT_REDUCE_ARGMIN || s.row.variant == GPUOPT_REDUCE_ARGMAX;
      };
      feature(GPUOPT_FEATURE_VALUE_OUT, "VALUE_OUT", [index](Spec *s) {
        s->values = Values::ties;
        return s->value_out = index(*s) && s->row.optional_operand;
      });
      feature(GPUOPT_FEATURE_COLUMN_INDEX, "COLUMN_INDEX", [index](Spec *s) {
        s->values = Values::ties;
        return index(*s) && s->axis == GPUOPT_ALL && s->transposed;
      });
    }
    feature(GPUOPT_FEATURE_BATCH_INVARIANT, "BATCH_INVARIANT", [](Spec *s) {
      s->flags |= GPUOPT_REQUIRE_BATCH_INVARIANT;
      return true;
    });
  }

  static gpuopt_dtype result_type(const Spec &s) { return s.row.dtype[is_product(s.op) ? 3 : 2]; }

  // Every form of a kind is tried; one must be accepted (a library's epilogue may add a bias and nothing else).
  void try_stages() {
    if (needs_.max_stages < 1 || needs_.chain) return;  // what is built in is part of every problem
    for (int32_t kind = 1; kind < GPUOPT_STAGE_COUNT_; ++kind) {
      if (!(needs_.stage_kinds >> kind & 1)) continue;
      const bool formed = kind == GPUOPT_STAGE_ADD || kind == GPUOPT_STAGE_SUB || kind == GPUOPT_STAGE_MUL;
      for (int32_t form = 0; form < (formed ? 4 : 1); ++form)
        try_change(
            std::string("stage ") + gpuopt_stage_name(kind),
            [&, kind, form, formed](Spec *s) {
              StageSpec stage = random_stage(needs_, kind, rng_);
              if (formed && stage.form != form) {
                stage.form = form;
                stage.value[0] = form == GPUOPT_SCALAR ? 0.625 : 1;
                stage.type_a = form == GPUOPT_SCALAR ? 0 : GPUOPT_F32;
              }
              if (stage.type_a && rng_.chance(0.5)) stage.type_a = result_type(*s);
              s->stages = {stage};
              return true;
            },
            4);
    }
    if (needs_.max_stages > 1 && !staged_.empty()) try_full_chain();
  }

  // Values that it must get right on some problem of each kind that it accepts.
  void try_hard_rows() {
    for (const uint32_t rows : {kFarRows, kLargestRows, kLargeIntegers})
      if (hard_rows_ & rows)
        try_change(
            hard_rows_text(rows),
            [rows](Spec *s) {
              if (!(hard_rows_of(*s) & rows)) return false;
              make_hard(rows, s);
              return true;
            },
            12);
  }

  // Weighted rows that begin anywhere, so many of them that blocks of a kernel that keeps its weights take several each; of
  // two lengths, as such kernels keep them in different places.
  void try_many_rows() {
    if (needs_.op != GPUOPT_OP_NORM || needs_.multiple[1] != 1 || needs_.chain ||
        has_operand(needs_.operands_refused, GPUOPT_OPERAND_GAMMA))
      return;
    for (const int64_t columns : {521, 1025})
      try_change(
          "many unaligned rows of " + std::to_string(columns) + " elements with weights",
          [this, columns](Spec *s) {
            const bool layer = s->row.variant == GPUOPT_NORM_LAYERNORM;
            if (!layer && s->row.variant != GPUOPT_NORM_RMSNORM) return false;
            s->extent[0] = (kernel_.flags & GPUOPT_KERNEL_HOST) != 0 ? 701 : 7001;
            s->extent[1] = columns;
            s->transposed = false;
            s->extra[GPUOPT_OPERAND_GAMMA] = s->row.dtype[0];
            if (layer && !has_operand(needs_.operands_refused, GPUOPT_OPERAND_BETA))
              s->extra[GPUOPT_OPERAND_BETA] = s->row.dtype[0];
            return is_accepted(*s);  // that weights are refused is no matter of what is declared
          },
          kManyRowsProblems);
  }

  // As many stages as it takes, put together from stages that were accepted alone.
  void try_full_chain() {
    const std::string name = std::to_string(needs_.max_stages) + " stages";
    std::string reject;
    for (int attempt = 0; attempt < 1000; ++attempt) {
      Spec s = rng_.one_of(staged_);
      while (int32_t(s.stages.size()) < needs_.max_stages) {
        StageSpec more = rng_.one_of(staged_).stages[0];
        if (more.type_a && rng_.chance(0.5)) more.type_a = result_type(s);
        s.stages.insert(rng_.chance(0.5) ? s.stages.begin() : s.stages.end(), more);
      }
      if (put(s, &reject)) return note(name, true, "");
    }
    for (int attempt = 0; attempt < 2000; ++attempt)
      if (put(usual_chain(), &reject)) return note(name, true, "");
    note(name, false, reject);
  }

  // The order that people write: scale and shift, a function, scale and shift. Some kernels take no other of that length.
  Spec usual_chain() {
    Spec s = rng_.one_of(staged_);
    std::vector<StageSpec> functions, sums, products;
    for (const Spec &one : staged_)
      for (const StageSpec &stage : one.stages)
        (stage.kind == GPUOPT_STAGE_ADD   ? sums
         : stage.kind == GPUOPT_STAGE_MUL ? products
                                          : functions)
            .push_back(stage);
    s.stages.clear();
    for (const std::vector<StageSpec> *from : {&products, &sums, &functions, &products, &sums})
      if (!from->empty() && int32_t(s.stages.size()) < needs_.max_stages) {
        s.stages.push_back(rng_.one_of(*from));
        if (from == &functions) continue;
        StageSpec &stage = s.stages.back();  // numbers and vectors
        const bool number = rng_.chance(0.5);
        stage.form = number ? GPUOPT_SCALAR : GPUOPT_PER_COL;
        stage.value[0] = number ? 0.625 : 1;
        stage.type_a = number ? 0 : GPUOPT_F32;
      }
    return s;
  }

  // Problems without output, which can_run sees too: any verdict will do, but one there must be.
  void try_empty() {
    for (int missing = 0; missing < 4; ++missing) {
      Spec s = rng_.one_of(bases_);
      (missing < 3 ? s.extent[missing] : s.batch) = 0;
      const Problem p = build_problem(s, rng_.bits(), false);
      const Explanation e = session_.explain(p, pretend_);
      if (!e.candidates.empty() && !e.find(kernel_.name))
        result_.failures.push_back("explain does not mention it (" + p.text() + ")");
    }
  }

  Session &session_;
  const gpuopt_kernel &kernel_;
  const gpuopt_device_facts *pretend_;
  Needs needs_;
  std::vector<std::vector<int64_t>> sizes_;
  Rng rng_;
  std::vector<Spec> bases_;   // accepted, nothing optional in use
  std::vector<Spec> others_;  // likewise, of other extents
  std::vector<Spec> staged_;  // accepted with one stage
  std::vector<Item> items_;
  std::string last_reject_;
  uint32_t hard_rows_;
  Acceptance result_;
};

}  // namespace

Acceptance must_accept(Session &session, const gpuopt_kernel &kernel, const gpuopt_device_facts *pretend, uint64_t seed,
                       uint32_t hard_rows) {
  return Course(session, kernel, pretend, seed, hard_rows).take();
}

bool suitable_device(const gpuopt_kernel &k, gpuopt_device_facts *facts) {
  for (const char *name : {"sm_90", "sm_80", "sm_75", "sm_86", "sm_89", "sm_100", "sm_120"}) {
    *facts = gpuopt_device_facts();
    facts->struct_size = sizeof *facts;
    if (gpuopt_pretend_device(name, facts) != GPUOPT_OK) continue;
    const bool within = facts->cc >= k.cc_min && (k.cc_max == 0 || facts->cc <= k.cc_max);
    if (k.cc_exact ? facts->cc == k.cc_exact : within) return true;
  }
  return false;
}

}  // namespace gpuopt_check
