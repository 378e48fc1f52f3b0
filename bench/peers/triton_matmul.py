"""The Triton matmul of examples/plugin_triton, launched by Triton and by gpuopt: the same cubin, f16, 4096 cubed.

    python3 bench/peers/triton_matmul.py --gpuopt build/release/tools/gpuopt/gpuopt

Needs a GPU of compute capability 8.0 or 9.0, PyTorch and Triton. Both take turns, --rounds times; each round's numbers are medians by
one method (modes S and G of docs/measuring.md, operands normal and cold). Prints a line a round and the ratios of the medians, and
the ratio of each twin to the library's choice (`gpuopt lab triton`). Exits with 1 where gpuopt takes more than 1.03 of Triton's.
"""
import argparse
import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "plugin_triton"
sys.path.insert(0, str(EXAMPLE))

import torch  # noqa: E402

import compile as aot  # noqa: E402
from twins import TWINS  # noqa: E402

N = 4096
LIMIT = 1.03


class ByTriton:
    """Triton's own launches, timed as docs/measuring.md times ours: S, one call behind a spin and a call that wakes the units; G, in a graph."""

    SAMPLES, NODES, SPIN_CLOCKS = 30, 64, 800_000

    def __init__(self, kernel, twin):
        self.kernel, self.constants = kernel, twin.constants.values()
        self.sets = [[torch.randn(N, N, device="cuda", dtype=torch.float16) for _ in range(3)] for _ in range(3)]
        self.grid = (-(-N // twin.constants["TILE_M"]) * -(-N // twin.constants["TILE_N"]), 1, 1)
        self.launch(0)
        a, b, d = self.sets[0]
        if (d - a @ b).abs().max().item() > 1:
            sys.exit("what Triton launched is wrong")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for i in range(self.NODES):
                self.launch(i)

    def launch(self, which):
        a, b, d = self.sets[which % len(self.sets)]
        self.kernel[self.grid](a, b, d, N, N, N, N, N, N, 1.0, *self.constants)

    def median_us(self, lead, work):
        times = []
        for i in range(self.SAMPLES):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(self.SPIN_CLOCKS)
            lead(i)
            start.record()
            work(i)
            stop.record()
            if start.query():
                sys.exit("the spin ended before the calls were queued")
            stop.synchronize()
            times.append(1e3 * start.elapsed_time(stop))
        return statistics.median(times)

    def times(self):
        single = self.median_us(lambda i: self.launch(2 * i), lambda i: self.launch(2 * i + 1))
        return single, self.median_us(lambda i: None, lambda i: self.graph.replay()) / self.NODES


def by_gpuopt(gpuopt, manifest):
    # Forced, it is measured alone: beside another that takes more power it would run at lower clocks.
    problem = f"gemm a={N}x{N}:f16 b={N}x{N}:f16 d={N}x{N}:f16"
    command = [gpuopt, "bench", "--problem", problem, "--plugin", manifest, "--force", "plugin:triton/matmul", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found = next(k for k in report["problems"][0]["kernels"] if k["kernel"] == "plugin:triton/matmul")
    return found["us"], found["graph_us"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gpuopt", required=True, help="the command")
    p.add_argument("--rounds", type=int, default=5)
    o = p.parse_args()
    twin = next(t for t in TWINS if t.kernel.__name__ == "matmul")
    cc = 10 * torch.cuda.get_device_capability()[0]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "triton.gpuopt").write_text(aot.manifest(folder))
        kernel = aot.compile_for(twin, cc)
        sha = hashlib.sha256(kernel.asm["cubin"]).hexdigest()
        if sha not in (folder / "triton.gpuopt").read_text():
            sys.exit("Triton's cubin here is not the manifest's")
        triton, rounds = ByTriton(kernel, twin), []
        for i in range(o.rounds):
            rounds.append((triton.times(), by_gpuopt(o.gpuopt, folder / "triton.gpuopt")))
            text = "; ".join(f"{mode} Triton {t:.2f} us, gpuopt {g:.2f} us" for mode, t, g in zip("SG", *rounds[-1]))
            print(f"round {i + 1}: {text}", flush=True)
        ratios = [statistics.median(g[m] for _, g in rounds) / statistics.median(t[m] for t, _ in rounds) for m in range(2)]
        print(f"gpuopt / Triton S {ratios[0]:.3f}, G {ratios[1]:.3f}, same cubin ({sha[:12]}), {torch.cuda.get_device_name()}")
        subprocess.run([o.gpuopt, "lab", "triton", "--plugin", folder / "triton.gpuopt", "--no-ncu"], check=True)
    return int(max(ratios) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
