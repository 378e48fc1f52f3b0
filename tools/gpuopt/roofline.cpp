// `gpuopt roofline`: this machine's ceilings, measured here and now, and where kernels stand below them.
#include <cstdio>
#include <memory>

#include "call_options.h"
#include "commands.h"
#include "common_options.h"
#include "gpuopt/gpuopt.h"
#include "gpuopt_report/page.h"
#include "json.h"
#include "output.h"
#include "roofline_measure.h"

namespace gpuopt_cli {
namespace {

using gpuopt_roofline::Roofline;

struct RooflineArguments {
  RooflineOptions measure;
  std::string svg, html;
  bool json = false, no_ncu = false;
};

Json json_of(const Roofline &r) {
  Json ceilings = Json::array(), points = Json::array();
  for (const gpuopt_roofline::Ceiling &c : r.ceilings)
    ceilings.push_back({{"name", c.name},
                        {"kind", c.flops ? "arithmetic" : "memory"},
                        {"rate", c.rate},
                        {"unit", c.flops ? "GFLOP/s" : "GB/s"},
                        {"method", c.method}});
  for (const gpuopt_roofline::Point &p : r.points) {
    const gpuopt_roofline::Placed placed = gpuopt_roofline::place(r, p);
    points.push_back({{"label", p.label},
                      {"mark", p.mark},
                      {"kernel", p.kernel},
                      {"problem", p.problem},
                      {"us", p.us},
                      {"gflops", p.gflops},
                      {"intensity", p.intensity},
                      {"predicted_intensity", p.predicted},
                      {"counted_intensity", p.counted},
                      {"roof", p.roof},
                      {"bound_gflops", placed.bound},
                      {"bound_by", placed.bound <= 0     ? ""
                                   : placed.memory_bound ? "memory"
                                                         : "arithmetic"},
                      {"bound_share", placed.share},
                      {"next", placed.next}});
  }
  return {{"device", r.device}, {"note", r.note}, {"ceilings", std::move(ceilings)}, {"points", std::move(points)}};
}

int roofline(const RooflineArguments &o) {
  if (!o.measure.problem.empty())
    parse_call("--problem", o.measure.problem);  // a bad one is told before all is measured
  OutputFile svg("roofline", "--svg", o.svg), html("roofline", "--html", o.html);
  RooflineOptions measure = o.measure;
  measure.ncu = !o.no_ncu;
  const std::vector<Roofline> all = measure_rooflines(measure);
  if (o.json) {
    Json json = {{"build", gpuopt_build_info()}, {"rooflines", Json::array()}};
    for (const Roofline &r : all) json["rooflines"].push_back(json_of(r));
    print_json(json);
  } else {
    for (size_t i = 0; i < all.size(); ++i) {
      if (i > 0) std::printf("\n");
      print_roofline(all[i]);
    }
  }
  gpuopt_report::Page page;
  page.device = all[0].device;
  page.build = gpuopt_build_info();
  page.rooflines = all;
  const bool wrote_svg = svg.write(gpuopt_roofline::svg_of(all[0]));
  const bool wrote_html = html.write(gpuopt_report::html_of(page));
  return wrote_svg && wrote_html ? kOk : kFailure;
}

}  // namespace

void add_roofline(CLI::App &app, int *exit_code) {
  const auto o = std::make_shared<RooflineArguments>();
  CLI::App *verb =
      app.add_subcommand("roofline", "This machine's ceilings, measured, and where kernels stand below them");
  add_plugin_option(verb);
  verb->add_option("--problem", o->measure.problem,
                   "Points of this call (docs/call-text.md), in place of the usual ones");
  verb->add_option("--kernel", o->measure.kernel, "Only kernels that match one of these globs");
  add_device(verb, &o->measure.device);
  verb->add_option("--svg", o->svg, "Draw the roofline into this file");
  verb->add_option("--html", o->html, "The drawing and its tables as a page of its own");
  verb->add_flag("--no-ncu", o->no_ncu, "Count no traffic, also where ncu could");
  verb->add_flag("--json", o->json, "As JSON");
  verb->callback([o, exit_code] { *exit_code = roofline(*o); });
}

}  // namespace gpuopt_cli
