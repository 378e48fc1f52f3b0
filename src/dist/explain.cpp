// gpuopt_dist_explain: the plans for a call of a communicator, or of one that is only imagined.
#include "comm.h"
#include "error.h"

using namespace gpuopt;
using namespace gpuopt::dist;

namespace {

gpuopt_status explain(gpuopt_handle *handle, const gpuopt_gemm_args *args, const gpuopt_dist_explain_options &o,
                      gpuopt_dist_explain_fn fn, void *user) {
  constexpr char kFunction[] = "gpuopt_dist_explain";
  const int32_t ranks = o.comm ? o.comm->size : o.ranks, rank = o.comm ? o.comm->rank : 0;
  if (ranks < 1 || ranks > 65536)
    return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.ranks=%d is not within 1 and 65536", kFunction, ranks);
  Problem p;
  gpuopt_status s = make_problem(kFunction, o.op, args, rank, ranks, false, &p);
  if (s != GPUOPT_OK) return s;
  Setting setting;
  if (o.comm) {
    setting = o.comm->setting(o.comm, p);
  } else {
    const Link *blocks = find_link(o.link ? o.link : "", Means::blocks);
    if (!blocks)
      return fail(GPUOPT_INVALID_ARGUMENT, "%s: options.link=%s is none of %s", kFunction, o.link ? o.link : "NULL",
                  link_names().c_str());
    setting.blocks = *blocks;
    setting.peers = *find_link(blocks->name, Means::peers);
    setting.has_peers = setting.peers.gbs > 0;
    setting.why_no_peers = std::string("it cannot be mapped over ") + blocks->name;
    predict_products(&setting, handle, o.pretend, p);
  }
  std::vector<Verdict> verdicts;
  Choice choice;
  const std::string forced = o.plan ? o.plan : o.comm ? o.comm->forced : "";
  if ((s = judge(kFunction, p, setting, forced, &verdicts, &choice)) != GPUOPT_OK) return s;
  const double product_us = setting.product_us(p.m, false);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const Verdict &v = verdicts[i];
    gpuopt_dist_candidate c = {};
    c.struct_size = sizeof c;
    c.plan = plans()[static_cast<size_t>(v.plan)].name;
    c.chunks = v.chunks;
    c.verdict = i == 0                           ? GPUOPT_VERDICT_CHOSEN
                : v.reject == GPUOPT_REJECT_NONE ? GPUOPT_VERDICT_ACCEPTED
                                                 : GPUOPT_VERDICT_REJECTED;
    c.reject = v.reject;
    c.predicted_us = v.predicted_us;
    c.product_us = product_us;
    c.bytes = bytes_sent(p);
    c.text = v.text.c_str();
    fn(user, &c);
  }
  return GPUOPT_OK;
}

}  // namespace

extern "C" gpuopt_status gpuopt_dist_explain(gpuopt_handle *handle, const gpuopt_gemm_args *args,
                                             const gpuopt_dist_explain_options *options, gpuopt_dist_explain_fn fn,
                                             void *user) {
  const char *missing = !handle ? "handle" : !args ? "args" : !options ? "options" : !fn ? "fn" : nullptr;
  if (missing) return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_dist_explain: %s is NULL", missing);
  const gpuopt_status s =
      check_struct_size("gpuopt_dist_explain", "options", options, sizeof *options, "GPUOPT_DIST_EXPLAIN_OPTIONS_INIT");
  if (s != GPUOPT_OK) return s;
  if (options->op < GPUOPT_DIST_ALL_GATHER_GEMM || options->op > GPUOPT_DIST_GEMM_ALL_REDUCE)
    return fail(GPUOPT_INVALID_ARGUMENT, "gpuopt_dist_explain: options.op=%d is not a GPUOPT_DIST_* operation",
                options->op);
  try {
    return explain(handle, args, *options, fn, user);
  }
  GPUOPT_CATCH_ALL { return fail_caught("gpuopt_dist_explain"); }
}
