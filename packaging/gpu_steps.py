"""What gpu.sh does: its options and its steps. gpu_jobs.py runs the processes that the steps make."""
import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import gpu_reports
from gpu_jobs import ROOT, Job, Log, Scheduler

STEPS = ["build", "test", "check", "soak", "sanitize", "seeds", "bench", "tune"]
ON_REQUEST = ["reports"]  # where hardware counters may be read
TOOL_PROBLEMS = {"racecheck": 12, "synccheck": 12, "memcheck": 40, "initcheck": 40}
ROWS_OF_OP = {"transpose": 11, "reduce": 30, "fused_act": 10, "norm": 10}  # a signature stands for many combinations


def parse_options(argv):
    p = argparse.ArgumentParser(prog="gpu.sh", allow_abbrev=False, formatter_class=argparse.RawTextHelpFormatter,
                                description="Builds for Hopper, tests, checks, sanitizes, measures; exit 0: all passed.")
    p.add_argument("--out", metavar="DIR", type=Path, default=ROOT / "build/gpu-record",
                   help="where record.json, record.md and gpu.log go (build/gpu-record)")
    p.add_argument("--steps", metavar="A,B,...", default=",".join(STEPS),
                   help=f"some of {','.join(STEPS)} (all of these), and\n"
                        "reports: what Nsight Compute says of kernels whose bottleneck is known, in reports.tar.gz")
    p.add_argument("--build", metavar="DIR", type=Path, default=ROOT / "build/gpu", help="build folder (build/gpu)")
    p.add_argument("--gpus", metavar="A,B,...", default="",
                   help="CUDA ordinals that test, check and sanitize spread over (all; bench runs on the first)")
    p.add_argument("--jobs", metavar="N", type=natural, default=0,
                   help="for each GPU: processes that share it in test and sanitize, threads of a process\n"
                        "in check (16, or the cores there are for it if fewer)")
    p.add_argument("--problems", metavar="N", type=natural, default=500,
                   help="random problems for each kernel and data type in check (500)")
    p.add_argument("--seconds", metavar="N", type=natural, default=60, help="length of the test with eight threads (60)")
    p.add_argument("--soak", metavar="N", type=natural, default=300,
                   help="seconds that 16 threads make random calls in soak, while every kernel runs its problems\n"
                        "50 times beside them (300)")
    p.add_argument("--kernel", metavar="GLOBS", default="*",
                   help="check, soak and sanitize only kernels whose names match one of a comma list")
    p.add_argument("--shard", metavar="I/N", type=shard, default=(1, 1),
                   help="of the processes of check and sanitize, every N-th from the I-th on (1/1): N calls\n"
                        "do it all, each in a share of the time")
    p.add_argument("--limit", metavar="N", type=natural, default=540,
                   help="seconds that a process of test, check and sanitize may take (540); beyond, it failed")
    p.add_argument("--within", metavar="N", type=natural,
                   help="test, check and sanitize start nothing more N seconds after the start of all, and\n"
                        "what runs then is stopped; what is left fails the step")
    p.add_argument("--done", metavar="FILE", type=Path,
                   help="notes there what passes as it passes, and does not run again what passed with the\n"
                        "same sources: so calls with --within, or calls that were cut off, go on where the\n"
                        "last one stopped")
    p.add_argument("--bench", metavar="ARGS", default="",
                   help="arguments of gpuopt_bench, e.g. \"--quick --suite gemm\"; record.json is continued where\n"
                        "it is already there, of the same GPU and commit, so that several calls make one record.\n"
                        "\"--suite targets\": the numbers the library is held to, each met or short (some 2\n"
                        "minutes; --filter gemm does a part); one that is short fails nothing")
    p.add_argument("--tune", metavar="ARGS", default="--seconds 540",
                   help="arguments of `gpuopt tune suite` (--seconds 540); tuned.tune and tuned.jsonl in the folder are\n"
                        "continued where they are already there, so that several calls tune all")
    p.add_argument("--commit", metavar="TEXT", default="", help="what the record names as commit (git is asked otherwise)")
    p.add_argument("--cli11", metavar="DIR", type=Path, help="folder with CLI/CLI.hpp, where CLI11 is not installed")
    p.add_argument("--cmake", metavar="ARGS", default="", help="more arguments for cmake's configure step")
    # A value may begin with a dash: gpu.sh --bench "--suite gemm".
    joined = []
    for word in argv:
        if joined and joined[-1] in ("--bench", "--cmake", "--tune"):
            joined[-1] += "=" + word
        else:
            joined.append(word)
    o = p.parse_args(joined)
    o.steps = [step for step in o.steps.split(",") if step]
    for step in o.steps:
        if step not in STEPS + ON_REQUEST:
            p.error(f"no step '{step}'")
    if not o.steps:
        p.error("--steps names none")
    return o


def natural(text):
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number")
    return int(text)


def shard(text):
    match = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not match or int(match[1]) > int(match[2]):
        raise argparse.ArgumentTypeError(f"{text} is not I/N with I from 1 to N")
    return int(match[1]), int(match[2])


class Steps:
    def __init__(self, options, log):
        self.o, self.log, self.scheduler = options, log, Scheduler(options, log)
        self.cli = options.build / "tools/gpuopt/gpuopt"
        cores = max(1, len(os.sched_getaffinity(0)) // self.scheduler.gpu_count)
        self.jobs = options.jobs or min(16, cores)

    def logged(self, command, shown=0, **more):
        """Runs a command into the log; its exit status and output. Where it fails, `shown` lines go to the screen."""
        done = subprocess.run([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", **more)
        self.log.note(done.stdout)
        if done.returncode and shown:
            print("\n".join(done.stdout.splitlines()[-shown:]))
        return done.returncode, done.stdout

    def build(self):
        cmake = ["cmake", "--preset", "gpu", "-B", self.o.build, *shlex.split(self.o.cmake)]
        if self.o.cli11:
            cmake.append(f"-DGPUOPT_CLI11_INCLUDE_DIR={self.o.cli11.resolve()}")
        status, output = self.logged(cmake, 15)
        if status:
            if "CLI11" in output:
                self.log.say("CLI11 is not installed? Pass --cli11 a folder that holds CLI/CLI.hpp.")
            return False
        status, output = self.logged(["cmake", "--build", self.o.build, "-j", len(os.sched_getaffinity(0))])
        if status:
            bad = [line for line in output.splitlines() if re.search("error|FAILED|undefined", line)]
            print("\n".join(bad[:20] or output.splitlines()[-20:]))
        return status == 0

    def test(self):
        """A skipped test is a failed one: this machine has a GPU. Each GPU has its share, by a folder of its own, for
        ctest writes where it runs. The example of the README runs too: same accuracy, and no kernel of the CPU."""
        jobs, of = [], self.scheduler.gpu_count
        for share in range(1, of + 1):
            folder = Path(self.scheduler.scratch) / f"tests{share}"
            folder.mkdir(exist_ok=True)
            (folder / "CTestTestfile.cmake").write_text(f'subdirs("{self.o.build}/tests")\n')
            jobs.append(Job(f"tests.{share}of{of}",
                            ["ctest", "-R", r"^gpu\.", "-I", f"{share},,{of}", "-j", self.jobs, "--output-on-failure",
                             "--no-tests=error"],
                            env={"GPUOPT_TEST_REQUIRE_GPU": "1", "GPUOPT_TEST_SECONDS": str(self.o.seconds)},
                            folder=folder, forbids=r"\*\*\*Skipped"))
        for seed in (1, 2, 3):
            jobs.append(Job(f"digits.{seed}",
                            [self.o.build / "examples/digits/digits", "--seed", seed, "--device", 0],
                            wants="held-out accuracy", forbids="_cpu_"))
        passed = self.scheduler.run(jobs, 1)
        told = r"\*\*\*|tests passed|^ERROR|No tests" + ("" if passed else "|ERROR|values:|logged:")
        for job in jobs:
            wanted = told if job.name.startswith("tests.") else "held-out accuracy"
            lines = [line for line in job.output.splitlines() if re.search(wanted, line)][:30]
            label = f"digits, seed {job.name[-1]}: " if job.name.startswith("digits.") else ""
            print("\n".join(label + line for line in lines), end="\n" if lines else "", flush=True)
        return passed

    def gpu_kernels(self):
        listed = subprocess.run([self.cli, "list", "--kernel", self.o.kernel, "--json"], stdout=subprocess.PIPE, text=True)
        if listed.returncode:
            raise ValueError(f"gpuopt list ended with {listed.returncode}")
        return [k for k in json.loads(listed.stdout) if "host" not in k["flags"]]

    def of_shard(self, jobs):
        mine, of = self.o.shard
        return jobs[mine - 1::of]

    def check(self):
        """A process for each kernel, so that one that breaks the CUDA context breaks nothing else. Processes take turns on
        the GPU, threads of one do not: two at a time, for while one starts or ends."""
        jobs, problems = [], 0
        for k in self.gpu_kernels():
            # Rows of types are drawn evenly: --problems for each, and a fifth more so that chance leaves none with less.
            count = self.o.problems * ROWS_OF_OP.get(k["op"], max(1, len(k["types"]))) * 12 // 10
            jobs.append(Job(k["name"], [self.cli, "check", "--device", 0, "--no-skip", "--kernel", k["name"], "--problems",
                                        count, "--threads", self.jobs]))
        jobs = self.of_shard(jobs)
        if not jobs:
            self.log.say("no GPU kernel matches")
            return False
        problems = sum(job.command[job.command.index("--problems") + 1] for job in jobs)
        passed = self.scheduler.run(jobs, 2)
        self.log.say(f"{len(jobs)} kernels of shard {'%d/%d' % self.o.shard}, random problems: {problems}")
        return passed

    def soak(self):
        """Two processes at a time share a GPU, so that each is load to the other: one makes every call alone, then among
        those of 16 threads, the other runs each problem of every kernel 50 times. All runs of a call must give one result,
        bit by bit, and no memory may grow."""
        jobs = []
        for share in range(1, self.scheduler.gpu_count + 1):
            jobs.append(Job(f"soak.{share}", [self.cli, "check", "--device", 0, "--soak", self.o.soak, "--threads", 16, "--seed",
                                              share], wants="^ok "))
            jobs.append(Job(f"runs.{share}", [self.cli, "check", "--device", 0, "--runs", 50, "--random-only", "--problems", 40,
                                              "--seed", share, "--kernel", self.o.kernel, "--threads", self.jobs]))
        passed = self.scheduler.run(jobs, 2)
        for job in jobs:
            lines = [line for line in job.output.splitlines() if re.search(r"soak:|^seed .*passed", line)]
            print("\n".join(f"{job.name}: {line}" for line in lines), end="\n" if lines else "", flush=True)
        return passed

    def weights(self, kernels):
        """How long a tool will take: the size of the object file that the kernel's name begins with, or of its op's
        largest, and 1 MB for what every process does."""
        sizes = {file.name[:-len(".cu.o")]: file.stat().st_size for file in self.o.build.rglob("*.cu.o")
                 if "/src/kernels/" in str(file) and "/tests/link/" not in str(file)}
        weights = {}
        for k in kernels:
            own = max((stem for stem in sizes if k["name"].startswith(stem)), key=len, default=None)
            of_op = [size for stem, size in sizes.items() if stem.startswith(k["op"])]
            weights[k["name"]] = 1_000_000 + (sizes[own] if own else max(of_op, default=0))
        return weights

    def sanitize(self):
        sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
        if not os.path.exists(sanitizer):
            self.log.say("compute-sanitizer is not installed")
            return False

        def watched(tool, *command):
            # Errors that calls return are the library's own business, and some tests provoke them.
            quiet = ["--report-api-errors", "no"] if tool == "memcheck" else []
            return [sanitizer, "--tool", tool, "--error-exitcode", 99, *quiet, *command]

        # The tests touch every module, and what racecheck and synccheck do to a module's code takes them tens of seconds
        # each: those two see the kernels one by one, below.
        jobs = [Job(f"{tool}.tests", watched(tool, self.o.build / "tests/gpuopt_gpu_tests"),
                    env={"GPUOPT_TEST_REDUCED": "1", "GPUOPT_TEST_SECONDS": "5", "GPUOPT_TEST_REQUIRE_GPU": "1"})
                for tool in ("memcheck", "initcheck")]
        # A process for each kernel and tool, the longest first: a tool works on all machine code of a kernel's file before
        # the first launch, racecheck four times as long as the others. No filter by kernel names: one that matches nothing
        # looks like a clean run, and no tool says how many launches it has looked at.
        kernels = self.gpu_kernels()
        if not kernels:
            self.log.say("no GPU kernel matches")
            return False
        weights = self.weights(kernels)
        pairs = [(tool, k["name"]) for k in kernels for tool in TOOL_PROBLEMS]
        pairs.sort(key=lambda pair: (-weights[pair[1]] * (4 if pair[0] == "racecheck" else 1), *pair))
        for tool, name in pairs:
            jobs.append(Job(f"{tool}.{name}", watched(tool, self.cli, "check", "--device", 0, "--no-skip", "--size", "tiny",
                                                      "--problems", TOOL_PROBLEMS[tool], "--kernel", name)))
        jobs = self.of_shard(jobs)
        passed = self.scheduler.run(jobs, self.jobs)
        self.log.say(f"{len(jobs)} processes of shard {'%d/%d' % self.o.shard}: memcheck, racecheck, initcheck, synccheck on "
                     "every kernel and the tests")
        return passed

    def seeds(self):
        """Every command of docs/seeds.md that needs a GPU, and the roofline as a page beside the record."""
        status, output = self.logged(["sh", ROOT / "tests/test_seeds.sh", self.cli, ROOT, "GPU"], 20)
        print("\n".join(line for line in output.splitlines() if re.match(r"FAIL|[0-9]{3}\.[0-9]+[a-z]  .*  ", line)), flush=True)
        drawn, _ = self.logged([self.cli, "roofline", "--html", self.o.out / "roofline.html",
                                "--svg", self.o.out / "roofline.svg"], 20)
        return status == 0 and drawn == 0

    def bench(self):
        env = dict(os.environ)
        if self.scheduler.gpus:
            env["CUDA_VISIBLE_DEVICES"] = self.scheduler.gpus[0]
        commit = ["--commit", self.o.commit] if self.o.commit else []
        status, output = self.logged([self.o.build / "bench/gpuopt_bench", *commit, "--continue", "--json",
                                      self.o.out / "record.json", "--markdown", self.o.out / "record.md",
                                      *shlex.split(self.o.bench)], env=env)
        lines = output.splitlines()
        if status not in (0, 3):
            print("\n".join(lines[-3:]))
        print("\n".join(line for line in lines if re.match(r"(ok|FAIL|short)  |met [0-9]", line)), flush=True)
        return status == 0

    def reports(self):
        return gpu_reports.record(self.scheduler, self.log, self.cli, self.o.out)

    def tune(self):
        """What tuning is worth, on random problems. A number that is short is a result, no failure."""
        env = dict(os.environ, GPUOPT_CPU_FALLBACK="never")
        if self.scheduler.gpus:
            env["CUDA_VISIBLE_DEVICES"] = self.scheduler.gpus[0]
        status, output = self.logged([self.cli, "tune", "suite", "--device", 0, "--tune-cache", self.o.out / "tuned.tune",
                                      "--record", self.o.out / "tuned.jsonl", *shlex.split(self.o.tune)], 20, env=env)
        if status == 0:
            print(output, end="", flush=True)
        return status == 0


def summary_of(record):
    """The section "## Summary" of a record."""
    match = re.search(r"^## Summary\n.*?(?=^## |\Z)", record.read_text(), re.M | re.S) if record.exists() else None
    return match[0] if match else ""


def main():
    begun = time.monotonic()
    o = parse_options(sys.argv[1:])
    for name in ("out", "build"):
        getattr(o, name).mkdir(parents=True, exist_ok=True)
        setattr(o, name, getattr(o, name).resolve())
    if o.done:
        o.done.parent.mkdir(parents=True, exist_ok=True)
        o.done = o.done.resolve()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    log = Log(o.out / "gpu.log")
    steps = Steps(o, log)
    rows, failed = [], False
    try:
        for name in [step for step in STEPS + ON_REQUEST if step in o.steps]:
            log.say(f"== {name}")
            start = time.monotonic()
            try:
                good = getattr(steps, name)()
            except (OSError, ValueError) as error:  # a program that is not there, or says what nobody understands
                log.say(f"{type(error).__name__}: {error}")
                good = False
            rows.append(f"{name:10} {'ok' if good else 'FAIL':5} {time.monotonic() - start:4.0f} s")
            failed = failed or not good
            if not good:
                log.say(f"== {name} FAILED")
                if name == "build":
                    break
    finally:
        steps.scheduler.close()
    log.say()
    if "bench" in o.steps:
        log.say(summary_of(o.out / "record.md"))
    log.say(f"step       result  time   ({time.monotonic() - begun:.0f} s in all; {log.path})")
    for row in rows:
        log.say(row)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
