"""The Triton matmul of examples/plugin_triton, launched by Triton and by gpuopt: the same cubin, f16, 4096 cubed.

    python3 bench/peers/triton_matmul.py --gpuopt build/release/tools/gpuopt/gpuopt

Needs a GPU of compute capability 8.0 or 9.0, PyTorch and Triton. Both take turns, --rounds times; each round's number is a median,
operands are normal and come from three sets in turn, more than L2 holds. Prints a line a round and the ratio of the medians, and
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


def by_triton(kernel, twin):
    """Microseconds a call: batches of calls in a CUDA graph."""
    sets = [[torch.randn(N, N, device="cuda", dtype=torch.float16) for _ in range(3)] for _ in range(3)]
    grid = (-(-N // twin.constants["TILE_M"]) * -(-N // twin.constants["TILE_N"]), 1, 1)

    def launch(which):
        a, b, d = sets[which % len(sets)]
        kernel[grid](a, b, d, N, N, N, N, N, N, 1.0, *twin.constants.values())

    launch(0)
    torch.cuda.synchronize()
    a, b, d = sets[0]
    if (d - a @ b).abs().max().item() > 1:
        sys.exit("what Triton launched is wrong")
    graph, calls = torch.cuda.CUDAGraph(), 12
    with torch.cuda.graph(graph):
        for i in range(calls):
            launch(i)
    times = []
    for _ in range(40):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        times.append(1e3 * start.elapsed_time(stop) / calls)
    return statistics.median(times[10:])


def by_gpuopt(gpuopt, manifest):
    problem = f"gemm a={N}x{N}:f16 b={N}x{N}:f16 d={N}x{N}:f16"
    command = [gpuopt, "bench", "--problem", problem, "--plugin", manifest, "--kernel", "plugin:triton/matmul", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return next(k["us"] for k in report["problems"][0]["kernels"] if k["kernel"] == "plugin:triton/matmul")


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
        pairs = []
        for i in range(o.rounds):
            pairs.append((by_triton(kernel, twin), by_gpuopt(o.gpuopt, folder / "triton.gpuopt")))
            print(f"round {i + 1}: Triton {pairs[-1][0]:.2f} us, gpuopt {pairs[-1][1]:.2f} us", flush=True)
        ratio = statistics.median(b for _, b in pairs) / statistics.median(a for a, _ in pairs)
        print(f"gpuopt / Triton {ratio:.3f} on the same cubin ({sha[:12]}), {torch.cuda.get_device_name()}")
        subprocess.run([o.gpuopt, "lab", "triton", "--plugin", folder / "triton.gpuopt", "--no-ncu"], check=True)
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
