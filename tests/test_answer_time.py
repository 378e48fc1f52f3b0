#!/usr/bin/env python3
"""`gpuopt list` and `gpuopt explain --pretend` answer within a time, and never load the CUDA driver.
A build without CUDA
answers that no kernel of it can run there, which takes as long. Usage: test_answer_time.py <gpuopt> <milliseconds>"""
import os
import statistics
import subprocess
import sys
import time

gpuopt, limit_ms = sys.argv[1], float(sys.argv[2])
COMMANDS = [
    ["list"],
    ["list", "--json"],
    ["explain", "gemm", "--m", "4096", "--n", "4096", "--k", "4096", "--type", "bf16", "--pretend", "h200"],
    ["explain", "norm", "--rows", "8192", "--cols", "4096", "--type", "bf16", "--pretend", "h200", "--json"],
]
SAMPLES, TRIES = 9, 3


def took_ms(command):
    start = time.monotonic()
    subprocess.run([gpuopt, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return 1e3 * (time.monotonic() - start)


failed = False
for command in COMMANDS:
    text = " ".join(command)
    # Other work on the machine only adds to a time: the least median of a few tries counts.
    ms = min(statistics.median(took_ms(command) for _ in range(SAMPLES)) for _ in range(TRIES))
    run = subprocess.run([gpuopt, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                         env=dict(os.environ, LD_DEBUG="files"))
    touches = "libcuda.so" in run.stderr
    good = ms <= limit_ms and not touches and "libc.so" in run.stderr and run.returncode in (0, 1) and run.stdout
    failed = failed or not good
    print(f"{'ok  ' if good else 'FAIL'}  {ms:6.1f} ms of {limit_ms:g}{', loads the driver' if touches else ''}: gpuopt {text}")
sys.exit(int(failed))
