"""The page of `gpuopt report`: python3 test_report.py <gpuopt> page|browser

page: what a file of each verb becomes, that nothing of it comes from elsewhere, and what is wrong with files that are none.
browser: a headless Chromium loads it, in light and in dark: no error of a script, every chart is drawn and no word leaves its
chart, the buttons do what they say. 77 where there is no Chromium.
"""
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

GPUOPT, KIND = Path(sys.argv[1]).resolve(), sys.argv[2]
ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
BUILD, DEVICE = "gpuopt 0.1.0, made by hand", "Some <GPU> & co"
PRODUCT = 2.0 * 4096**3


def kernel(name, us, chosen=False):
    return {"kernel": name, "chosen": chosen, "us": us, "graph_us": 0.0}


def experiment(name, claimed, measured, verdict, **more):
    runs = [{"label": label, "kernel": f"some_{label}", "failure": "", "us": us,
             "metric": {"value": 32.0, "counted": label == "after"}} for label, us in (("before", 10.0), ("after", 5.0))]
    return {"id": name, "technique": f"technique of {name}", "claim": "it is faster", "claimed": claimed, "before": "before",
            "after": "after", "metric_text": "sectors", "metric_unit": "", "why": "Memory is the limit.", "runs": runs,
            "lines": [], "measured": measured, "verdict": verdict, "note": "", **more}


BENCH = {"build": BUILD, "device": DEVICE, "problems": [
    {"problem": "gemm a=4096x4096:f32", "flops": PRODUCT, "bytes": 201326592, "bound_us": 2055.0, "bound_by": "fp32",
     "kernels": [kernel("gemm_warptile", 2540.0, True), kernel("gemm_naive", 1048325.0), kernel("gemm_cublas", 2690.0),
                 {**kernel("gemm_broken", 0.0), "failure": "it failed"}]},
    {"problem": "transpose src=8192x8192:f32", "flops": 0.0, "bytes": 536870912, "bound_us": 0.0, "bound_by": "-",
     "kernels": [kernel("transpose_vec", 130.0, True)]}]}
ROOFLINE = {"build": BUILD, "rooflines": [
    {"device": DEVICE, "note": "",
     "ceilings": [{"name": name, "kind": kind, "rate": rate, "method": "a kernel"} for name, kind, rate in
                  (("copy", "memory", 4290.0), ("read", "memory", 4500.0), ("fp32 FMA", "arithmetic", 61000.0))],
     "points": [{"label": label, "mark": mark, "kernel": "k", "problem": "p", "roof": "fp32 FMA", "us": 1.0,
                 "intensity": intensity, "gflops": rate, "predicted_intensity": predicted, "counted_intensity": 0.0}
                for label, mark, intensity, rate, predicted in
                (("relu", "A1", 0.125, 520.0, 0.0), ("naive", "A2", 683.0, 2800.0, 0.25), ("tiled", "", 683.0, 5100.0, 4.0))]}]}
LAB = {"build": BUILD, "device": DEVICE, "ncu_note": "no ncu", "experiments": [
    experiment("004.1a", 64.0, 7.5, "less than claimed"), experiment("004.2a", 1.67, 1.6, "as claimed"),
    experiment("000.3a", 0.5, 0.98, "no difference"), experiment("002.6a", 0.0, 0.13, "shown"),
    experiment("003.2b", 0.0, 0.0, "not run", runs=[], lines=[{"what": "L1", "clocks": 33.0}, {"what": "L2", "clocks": 270.0}])]}

failures = []


def expect(good, what):
    if not good:
        failures.append(what)
        print("FAIL", what)


def run(*words):
    done = subprocess.run([GPUOPT, "report", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def page_in(folder):
    files = []
    for name, data in (("bench", BENCH), ("roofline", ROOFLINE), ("lab", LAB)):
        path = folder / f"{name}.json"
        path.write_text(json.dumps(data))
        files += [f"--{name}", path]
    code, said = run(folder / "page.html", *files)
    expect(code == 0, f"gpuopt report: {code}, {said}")
    return (folder / "page.html").read_text()


def test_page(folder):
    page = page_in(folder)
    for words in ("Some &lt;GPU&gt; &amp; co", BUILD, "54.1 TFLOP/s, chosen", "limit, fp32: 66.9 TFLOP/s", "4,130 GB/s", "1,048,325 us", "7.5×",
                  "less than claimed", "technique of 004.2a", "32 sectors (computed)", "<th>clocks</th>", "Memory is the limit."):
        expect(words in page, f"the page has no '{words}'")
    try:
        xml.etree.ElementTree.fromstring(page)
    except xml.etree.ElementTree.ParseError as wrong:
        expect(False, f"the page is not well formed: {wrong}")
    expect("gemm_broken" not in page, "a kernel that failed has a bar")
    expect(re.findall(r'\bid="chart-(\w+)"', page) == ["ladder", "claims"], "the charts are others")
    elsewhere = [u for u in re.findall(r'(?:https?:)?//[\w.]+[^"\s<]*|(?:src|href)="[^#"][^"]*"|@import|url\(', page)
                 if u != "http://www.w3.org/2000/svg"]
    expect(not elsewhere, f"from elsewhere: {elsewhere}")
    code, said = run(folder / "lab.html", "--lab", folder / "lab.json")
    alone = (folder / "lab.html").read_text()
    expect(code == 0 and "chart-claims" in alone and "chart-ladder" not in alone, f"a page of the lab alone: {code}, {said}")
    code, said = run(folder / "lab.html", "--bench", folder / "bench.json", "--ladder", folder / "ladder.svg")
    expect(code == 0, f"--ladder: {code}, {said}")
    expect("gemm_naive" in "".join(xml.etree.ElementTree.parse(folder / "ladder.svg").getroot().itertext()), "no rung is drawn")
    code, said = run(folder / "lab.html", "--lab", folder / "lab.json", "--ladder", folder / "ladder.svg")
    expect(code == 1 and "no ladder" in said, f"--ladder without a product: {code}, {said}")
    # The committed page and drawing are what the committed measurements make.
    recorded = ROOT / "bench/results/2026-11-23-h200-report"
    code, said = run(folder / "h200.html", *(word for verb in ("bench", "roofline", "lab")
                                             if (recorded / f"{verb}.json").exists() for word in (f"--{verb}", recorded / f"{verb}.json")),
                     "--ladder", folder / "ladder.svg")
    expect(code == 0, f"{recorded}: {code}, {said}")
    for name in ("h200.html", "ladder.svg"):
        expect((folder / name).read_text() == (ROOT / "docs" / name).read_text(), f"docs/{name} is another: make it again from {recorded}")
    (folder / "cut.json").write_text(json.dumps(LAB)[:200])
    for words, wanted in ((["--lab", folder / "cut.json"], "cut.json' is no JSON"),
                          (["--bench", folder / "lab.json"], "lab.json' is not what gpuopt bench --json writes"),
                          (["--roofline", folder / "none"], "none' cannot be opened: No such file"),
                          (["--bench", folder], f"--bench: '{folder}' cannot be read: Is a directory")):
        code, said = run(folder / "bad.html", *words)
        expect(code == 2 and wanted in said, f"{words}: {code}, {said}")
        expect(not (folder / "bad.html").exists(), f"{words} leave a page of nothing")
        code, said = run(folder / "page.html", *words)
        expect((folder / "page.html").read_text() == page, f"{words} destroy an earlier page")
    code, said = run("/nowhere/page.html", "--lab", folder / "lab.json")
    expect(code == 2 and "cannot be written" in said, f"a path that is none: {code}, {said}")


# Before the page's own script: what goes wrong from here on. After it: what is to be seen.
WATCH = "<script>window.wrong=[];addEventListener('error',e=>wrong.push(e.message))</script>"
PROBE = """<pre id="probe"></pre><script>
const seen = {wrong, ready: document.documentElement.dataset.ready, charts: {}, outside: []};
for (const svg of document.querySelectorAll("svg")) {
  const name = svg.id || svg.closest("figure").className, frame = svg.getBoundingClientRect();
  seen.charts[name] = {width: frame.width, marks: 0};
  for (const mark of svg.querySelectorAll("circle,rect,line,text")) {
    const box = mark.getBoundingClientRect();
    seen.charts[name].marks += box.width > 0 || box.height > 0;
    if (mark.tagName === "text" && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
                                    box.bottom > frame.bottom + 1)) seen.outside.push(mark.textContent);
  }
}
const paper = () => getComputedStyle(document.body).backgroundColor, before = paper();
document.getElementById("theme").click();
seen.theme = paper() !== before;
const shown = () => [...document.querySelectorAll(".experiment")].filter(e => e.getBoundingClientRect().height > 0).length;
seen.all = shown();
document.querySelector('[data-show=good]').click();
seen.good = shown();
document.getElementById("probe").textContent = JSON.stringify(seen);
</script>"""


def test_browser(folder):
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if not browser:
        print("there is no Chromium")
        sys.exit(77)
    page = page_in(folder).replace("<head>", "<head>" + WATCH).replace("</body>", PROBE + "</body>")
    (folder / "probed.html").write_text(page)
    for scheme in ("0", "1"):
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
                               f"--blink-settings=preferredColorScheme={scheme}", "--window-size=1200,2000",
                               "--virtual-time-budget=2000", "--dump-dom", (folder / "probed.html").as_uri()],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        found = re.search(r'<pre id="probe">(.+?)</pre>', done.stdout, re.S)
        expect(found, f"{browser} ran no script of the page: {done.stdout[-300:]} {done.stderr[-500:]}")
        if not found:
            continue
        seen = json.loads(html.unescape(found[1]))
        expect(not seen["wrong"], f"scripts: {seen['wrong']}")
        expect(seen["ready"] == "yes", "the page's script did not end")
        for chart, least in (("chart-ladder", 8), ("chart-claims", 15), ("roofline", 25)):
            drawn = seen["charts"].get(chart, {"width": 0, "marks": 0})
            expect(drawn["width"] > 500 and drawn["marks"] >= least, f"{chart}: {drawn}")
        expect(not seen["outside"], f"words outside of their chart: {seen['outside']}")
        expect(seen["theme"], "the button changes nothing between light and dark")
        expect((seen["all"], seen["good"]) == (5, 2), f"experiments shown: {seen['all']} and of those that hold {seen['good']}")


with tempfile.TemporaryDirectory() as work:
    {"page": test_page, "browser": test_browser}[KIND](Path(work))
sys.exit(bool(failures))
