#!/usr/bin/env python3
"""The problems of a model_rows record by torch.compile, on the same GPU.

    gpuopt_bench --suite model_rows --json record.json
    bench/peers/torch_rows.py record.json --count 150

Each problem is compiled for its shape, captured so often into a CUDA graph that the replay takes a third of a millisecond, on
operand sets that together exceed twice the L2 cache, and the replay timed behind another one: mode G of docs/measuring.md.
Problems are the record's, evenly spread. Printed a problem: torch's time, ours of the record (G; S where it has none),
torch / ours; then geometric means by op and parity, and the least. Needs PyTorch and a GPU. --jobs processes compile first.
"""
import argparse
import json
import math
import multiprocessing
import statistics
import time


def problems_of(path, count):
    """[(number, kind, rows, cols, type, our us)], in order; G where the record has it."""
    record = json.load(open(path))
    words, ours = record["words"], {}
    for case in record["cases"]:
        suite, shape, dtype, detail, mode = (words[i] for i in case[:5])
        if suite != "model_rows":
            continue
        number, kind = detail.split(" ")[:2]
        rows, cols = (int(e) for e in shape.split("x"))
        for row in case[10:]:
            if words[row[2]] == "auto" and not isinstance(row[4], str) and (number not in ours or mode == "G"):
                ours[number] = (int(number[1:]), kind, rows, cols, dtype, row[4])
    every = sorted(ours.values())
    return every[:: max(len(every) // count, 1)][:count]


def program(kind, rows, cols, dtype):
    """(function, shapes and types of its operands)"""
    import torch
    import torch.nn.functional as F

    t = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
    x, vector = ((rows, cols), t), ((cols,), t)

    def rms(a, weight):
        h = a.float()
        return h * torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-5) * weight.float()

    def layer(a, weight, bias):
        return F.layer_norm(a, (cols,), weight, bias, 1e-5)

    def layer_statistics(a, weight, bias):
        out, mean, rstd = torch.native_layer_norm(a, (cols,), weight, bias, 1e-5)
        return out, mean, rstd

    def add_rms_sum(a, residual, weight):
        h = a.float() + residual.float()
        return rms(h, weight).to(t), h.to(t)

    return {
        "layernorm": (layer, [x, vector, vector]),
        "rmsnorm": (lambda a, w: rms(a, w).to(t), [x, vector]),
        "add_rmsnorm": (lambda a, r, w: rms(a.float() + r.float(), w).to(t), [x, x, vector]),
        "add_rmsnorm_sum": (add_rms_sum, [x, x, vector]),
        "rmsnorm_f32_weights": (lambda a, w: rms(a, w).to(t), [x, ((cols,), torch.float32)]),
        "softmax": (lambda a: torch.softmax(a, -1), [x]),
        "log_softmax": (lambda a: torch.log_softmax(a, -1), [x]),
        "layernorm_statistics": (layer_statistics, [x, vector, vector]),
        "log_softmax_statistics": (
            lambda a: (torch.log_softmax(a, -1), a.amax(-1), torch.logsumexp(a.float(), -1)), [x]),
        "layernorm_gelu": (lambda a, w, b: F.gelu(layer(a, w, b)), [x, vector, vector]),
        "rmsnorm_silu": (lambda a, w: F.silu(rms(a, w)).to(t), [x, vector]),
        "rmsnorm_e4m3": (lambda a, w: (rms(a, w) * 16).clamp(-448, 448).to(torch.float8_e4m3fn), [x, vector]),
        "bias_gelu": (lambda a, b: F.gelu(a + b), [x, vector]),
        "silu_mul": (lambda a, g: F.silu(a) * g, [x, x]),
        "sum": (lambda a: a.sum(-1), [x]),
        "max": (lambda a: a.amax(-1), [x]),
        "argmax": (lambda a: a.argmax(-1), [x]),
        "column_sum": (lambda a: a.sum(0), [x]),
        "transpose": (lambda a: a.t().contiguous(), [x]),
    }[kind]


def compiled(problem):
    """(the compiled function, one set of operands)"""
    import torch

    torch._dynamo.reset()
    function, shapes = program(*problem[1:5])
    make = lambda: [torch.randn(shape, device="cuda", dtype=torch.float32).to(t) for shape, t in shapes]
    fast = torch.compile(function, dynamic=False)
    operands = make()
    fast(*operands)
    return fast, operands, make


def compile_share(problems):
    for problem in problems:
        compiled(problem)


def time_us(problem, samples=9):
    import torch

    fast, operands, make = compiled(problem)
    size = sum(o.numel() * o.element_size() for o in operands)
    results = fast(*operands)
    results = results if isinstance(results, tuple) else (results,)
    size += sum(o.numel() * o.element_size() for o in results)
    del results
    sets = min(max(2 * 50 * 2**20 // size + 1, 2), 64)
    every = [operands] + [make() for _ in range(sets - 1)]
    calls = min(max(int(300 / (size / 4e6 + 2)), sets if sets < 64 else 64, 2), 256)
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        fast(*operands)
        stream.synchronize()
        kept = []  # each call's results, so that no two calls write the same memory
        with torch.cuda.graph(graph, stream=stream):
            for i in range(calls):
                kept.append(fast(*every[i % sets]))
                if len(kept) > sets:
                    kept.pop(0)
    times = []
    for _ in range(samples):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        graph.replay()
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / calls)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--within", type=float, default=86400, help="seconds after which no further problem begins")
    options = parser.parse_args()
    begin = time.monotonic()
    problems = problems_of(options.record, options.count)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=compile_share, args=(problems[job :: options.jobs],))
               for job in range(options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(max(options.within * 0.6 - (time.monotonic() - begin), 0))
        worker.terminate()
    ratios = {}
    for problem in problems:
        if time.monotonic() - begin > options.within:
            break
        number, kind, rows, cols, dtype, ours = problem
        if kind == "transpose" and 1 in (rows, cols):
            continue  # a view, to PyTorch
        theirs = time_us(problem)
        print(f"#{number:<4} {kind:24} {rows}x{cols} {dtype:5} torch {theirs:9.2f} us  ours {ours:9.2f} us  "
              f"{theirs / ours:.3f}", flush=True)
        for group in ("all", "odd" if cols % 2 else "even", kind + (" odd" if cols % 2 else "")):
            ratios.setdefault(group, []).append(theirs / ours)
    for group, of in sorted(ratios.items()):
        mean = math.exp(sum(map(math.log, of)) / len(of))
        print(f"{group:32} {len(of):4}  mean {mean:.3f}  least {min(of):.3f}")


if __name__ == "__main__":
    main()
