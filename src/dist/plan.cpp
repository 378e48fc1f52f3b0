#include "plan.h"

#include <algorithm>
#include <charconv>

#include "environment.h"
#include "error.h"
#include "figures.h"
#include "text.h"

namespace gpuopt::dist {

const std::vector<Plan> &plans() {
  static const auto *all = new std::vector<Plan>{
      {"dist_sequence", Means::blocks, false, "moves everything, then computes everything, or the other way round"},
      {"dist_chunked", Means::blocks, true, "moves chunks of rows while it computes others"},
      {"dist_peer_whole", Means::peers, false,
       "computes in one piece; copy engines write into peers' memory before or after it"},
      {"dist_peer", Means::peers, true, "copy engines write chunks into peers' memory while it computes others"},
  };
  return *all;
}

const Link *find_link(const std::string &name, Means means) {
  for (const LinkFigures &l : kLinks)
    if (name == l.blocks.name) return means == Means::blocks ? &l.blocks : &l.peers;
  return nullptr;
}

std::string link_names() {
  std::string names;
  for (const LinkFigures &l : kLinks) names += std::string(names.empty() ? "" : ", ") + l.blocks.name;
  return names;
}

gpuopt_status parse_plan(const char *where, const std::string &text, int32_t *plan, int32_t *chunks) {
  *plan = -1, *chunks = 0;
  if (text.empty()) return GPUOPT_OK;
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::string names;
  for (size_t i = 0; i < plans().size(); ++i) {
    if (name == plans()[i].name) *plan = static_cast<int32_t>(i);
    names += std::string(i ? ", " : "") + plans()[i].name;
  }
  if (*plan < 0)
    return fail(GPUOPT_KERNEL_NOT_FOUND, "%s=%s: %s is no plan (%s)", where, quoted(text).c_str(), quoted(name).c_str(),
                names.c_str());
  if (colon == std::string::npos) return GPUOPT_OK;
  const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, *chunks);
  if (error != std::errc() || stop != end || *chunks < 1 || *chunks > kMostChunks)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s=%s: the chunks after the ':' are not an integer within 1 and %d", where,
                quoted(text).c_str(), kMostChunks);
  return GPUOPT_OK;
}

bool adds_in_product(const Problem &p, const Plan &plan) {
  const gpuopt_gemm_args &g = p.args;
  return plan.overlaps && !p.gathers() && p.size == 2 && p.partial == g.d.dtype && g.alpha == 1 && !g.alpha_ptr &&
         g.beta == 0;
}

bool exchanges_whole(const Problem &p, const Plan &plan) { return p.reduces_all() && !plan.overlaps && p.size == 2; }

int64_t bytes_sent(const Problem &p) {
  if (p.size == 1) return 0;
  const int64_t own = p.rows(p.rank).count, others = p.m - own;
  if (p.gathers()) return own * static_cast<int64_t>(p.a_row_bytes()) * (p.size - 1);
  const int64_t reduce = others * static_cast<int64_t>(p.partial_row_bytes());
  return reduce + (p.reduces_all() ? own * static_cast<int64_t>(p.d_row_bytes()) * (p.size - 1) : 0);
}

gpuopt_status judge(const char *function, const Problem &p, const Setting &setting, const std::string &forced,
                    std::vector<Verdict> *verdicts, Choice *choice) {
  int32_t forced_plan, forced_chunks;
  const gpuopt_status s = parse_plan((std::string(function) + ": plan").c_str(), forced, &forced_plan, &forced_chunks);
  if (s != GPUOPT_OK) return s;
  std::vector<Verdict> all;
  for (size_t i = 0; i < plans().size(); ++i) {
    const Plan &plan = plans()[i];
    Verdict best = {static_cast<int32_t>(i), 1, GPUOPT_REJECT_NONE, 0, ""};
    if (plan.means == Means::peers && !setting.has_peers) {
      best.reject = GPUOPT_REJECT_FEATURE;
      best.text = "FEATURE: it writes into peers' memory, and " + setting.why_no_peers;
    } else {
      // A chunk has at least one row of every rank.
      const int64_t most = plan.overlaps ? std::min<int64_t>(kMostChunks, std::max<int64_t>(1, p.m / p.size)) : 1;
      const int32_t least = forced_chunks && plan.overlaps ? forced_chunks : 1;
      for (int32_t chunks = least; chunks <= std::max<int64_t>(most, least); chunks *= 2) {
        const double us = predict(p, plan, chunks, setting);
        if (best.predicted_us == 0 || us < best.predicted_us) best.predicted_us = us, best.chunks = chunks;
        if (forced_chunks) break;
      }
      best.text =
          std::string(plan.what) + ", in " + std::to_string(best.chunks) + (best.chunks == 1 ? " piece" : " chunks");
    }
    all.push_back(best);
  }
  const Verdict *chosen = nullptr;
  if (forced_plan >= 0) {
    chosen = &all[static_cast<size_t>(forced_plan)];
    if (chosen->reject != GPUOPT_REJECT_NONE)
      return fail(GPUOPT_KERNEL_REJECTED, "%s: the forced plan %s cannot run: %s", function,
                  plans()[static_cast<size_t>(forced_plan)].name, chosen->text.c_str());
  } else {
    for (const Verdict &v : all)
      if (v.reject == GPUOPT_REJECT_NONE && (!chosen || v.predicted_us < chosen->predicted_us)) chosen = &v;
  }
  *choice = {chosen->plan, chosen->chunks, forced_plan >= 0, chosen->predicted_us, setting.product_us(p.m, false)};
  const int32_t first = chosen->plan;
  std::stable_sort(all.begin(), all.end(), [&](const Verdict &a, const Verdict &b) {
    const auto place = [&](const Verdict &v) { return v.plan == first ? 0 : v.reject == GPUOPT_REJECT_NONE ? 1 : 2; };
    return place(a) != place(b) ? place(a) < place(b) : a.predicted_us < b.predicted_us;
  });
  if (verdicts) *verdicts = all;
  return GPUOPT_OK;
}

}  // namespace gpuopt::dist
