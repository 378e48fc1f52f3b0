// How the page looks, and the little that moves.
#include "sections.h"

namespace gpuopt_report {

const char kStyle[] = R"css(
:root{--paper:#fbfaf7;--card:#fff;--ink:#1c2430;--soft:#667085;--line:#e3e0d8;--bar:#9db4cf;--accent:#0f766e;--peer:#d6a24a;
--good:#0f766e;--more:#2563eb;--less:#c2410c;--none:#98a2b3;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--paper:#11151b;--card:#181e27;--ink:#e6e9ee;--soft:#93a0b4;
--line:#2b3442;--bar:#4b6485;--accent:#2dd4bf;--peer:#c08a35;--good:#2dd4bf;--more:#7aa7ff;--less:#fb923c;--none:#667085}}
:root[data-theme=dark]{--paper:#11151b;--card:#181e27;--ink:#e6e9ee;--soft:#93a0b4;--line:#2b3442;--bar:#4b6485;
--accent:#2dd4bf;--peer:#c08a35;--good:#2dd4bf;--more:#7aa7ff;--less:#fb923c;--none:#667085;color-scheme:dark}
:root[data-theme=light]{color-scheme:light}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 "Source Sans 3","Inter",system-ui,sans-serif}
header,main{max-width:1060px;margin:0 auto;padding:0 24px}
header{padding-top:56px}
h1{font-size:44px;line-height:1.1;letter-spacing:-.02em;margin:0 0 8px}
h2{font-size:28px;letter-spacing:-.01em;margin:72px 0 4px}
h3{font-size:13px;font-weight:500;margin:0 0 10px;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.mono{font-family:ui-monospace,"JetBrains Mono","DejaVu Sans Mono",monospace;font-size:.86em}
.lead{max-width:70ch;color:var(--soft);margin:0 0 20px}
nav{display:flex;gap:20px;align-items:center;border-bottom:1px solid var(--line);padding:14px 0}
nav a{color:var(--ink);text-decoration:none;border-bottom:2px solid transparent}
nav a:hover{border-color:var(--accent)}
button{font:inherit;font-size:14px;color:var(--soft);background:none;border:1px solid var(--line);border-radius:99px;
padding:3px 14px;cursor:pointer}
button[aria-pressed=true]{color:var(--paper);background:var(--ink);border-color:var(--ink)}
#theme{margin-left:auto}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:14px;margin-top:28px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px}
.tile b{font-size:30px;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);margin-left:6px}
.tile small{display:block;color:var(--soft)}
svg{width:100%;height:auto;display:block}
svg text{fill:var(--ink);font-size:13px}
svg text.soft{fill:var(--soft)}
svg text.mono{font-size:12px}
svg text.value,.value{font-variant-numeric:tabular-nums}
.limit{stroke:var(--soft);stroke-dasharray:4 4}
.grid{stroke:var(--line)}
.reach{stroke:var(--line);stroke-width:3}
.claimed{fill:var(--paper);stroke:var(--soft);stroke-width:2}
circle.good{fill:var(--good)}
circle.more{fill:var(--more)}
circle.less{fill:var(--less)}
figure.roofline{margin:0 0 28px;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px}
figcaption{font-weight:600;margin-bottom:8px}
figure.roofline svg text{font-size:12px}
.filters{display:flex;gap:8px;flex-wrap:wrap;margin:24px 0 12px}
.filters[hidden]{display:none}
.experiment{border-top:1px solid var(--line)}
.experiment summary{display:grid;grid-template-columns:74px 1fr 80px 150px;gap:12px;padding:9px 0;cursor:pointer;list-style:none}
.experiment summary::-webkit-details-marker{display:none}
.experiment summary:hover{background:var(--card)}
.experiment .value{text-align:right}
.verdict{font-size:13px;text-align:right}
.verdict.good{color:var(--good)}
.verdict.more{color:var(--more)}
.verdict.less{color:var(--less)}
.verdict.none{color:var(--none)}
.experiment>p,.experiment>table{margin-left:86px}
table.runs{border-collapse:collapse;font-size:14px;width:100%}
.experiment table.runs{width:calc(100% - 86px)}
.runs td,.runs th{padding:3px 12px 3px 0;text-align:left;vertical-align:middle}
.runs th{color:var(--soft);font-weight:500}
.runs .value{text-align:right;white-space:nowrap}
.runs tr.chosen td:first-child{color:var(--accent);font-weight:600}
.meter{width:26%;min-width:70px}
.meter i{display:block;height:8px;border-radius:4px;background:var(--bar)}
tr.chosen .meter i{background:var(--accent)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:16px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px;min-width:0}
.card p{font-size:13px;margin:10px 0 0}
details>summary{cursor:pointer}
main{padding-bottom:80px}
@media (max-width:640px){h1{font-size:32px}.cards{grid-template-columns:1fr}.experiment summary{grid-template-columns:60px 1fr 70px}
.experiment .verdict{display:none}.experiment>p,.experiment>table{margin-left:0}}
@media print{nav,.filters{display:none}.experiment{break-inside:avoid}}
)css";

const char kScript[] = R"js(
const root = document.documentElement, theme = document.getElementById("theme");
theme.hidden = false;
theme.onclick = () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
};
for (const filters of document.querySelectorAll(".filters")) {
  filters.hidden = false;
  const buttons = [...filters.querySelectorAll("button")];
  const show = chosen => {
    for (const b of buttons) b.setAttribute("aria-pressed", b === chosen);
    for (const e of document.querySelectorAll(".experiment"))
      e.hidden = !["", e.dataset.verdict].includes(chosen.dataset.show);
  };
  for (const b of buttons) b.onclick = () => show(b);
  show(buttons[0]);
}
root.dataset.ready = "yes";
)js";

}  // namespace gpuopt_report
