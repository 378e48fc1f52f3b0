"""The scheduler of gpu.sh: runs Jobs, several at a time on each GPU, each within a limit of time. What passed is noted
in --done's file as it passes, and every output in the log, so that a call that is cut short leaves what it found.
"""
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Log:
    """gpu.log, and the screen for what a person wants to see at once."""

    def __init__(self, path):
        self.path, self.file, self.lock = path, open(path, "w", errors="replace"), threading.Lock()

    def note(self, text):
        with self.lock:
            self.file.write(text if text.endswith("\n") else text + "\n")
            self.file.flush()

    def say(self, text=""):
        self.note(text)
        print(text, flush=True)


@dataclass
class Job:
    name: str
    command: list
    env: dict = field(default_factory=dict)
    folder: Path = None
    wants: str = ""    # a pattern that the output must have
    forbids: str = ""  # one that it must not have
    output: str = ""
    end: str = ""  # ok, before (an earlier call's ok), fail, left (not begun, or stopped by --within)


class Scheduler:
    def __init__(self, options, log):
        self.log, self.limit, self.done = log, options.limit, options.done
        self.build, self.deadline = options.build, None
        if options.within is not None:
            self.deadline = time.monotonic() + options.within
        self.gpus = gpus_of(options)
        self.gpu_count = max(1, len(self.gpus))
        self.scratch = tempfile.mkdtemp(prefix="gpuopt-gpu.")
        self.running, self.stopped = set(), False
        self.sources = sources_id(options.cmake) if self.done else ""

    def key(self, job):
        """The same sources and the same command, wherever they lie."""
        text = json.dumps([job.command, job.env], default=str)
        for place in (self.build, self.scratch):
            text = text.replace(str(place) + "/", "")
        return f"{self.sources}\t{job.name}\t{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def run(self, jobs, each_gpu):
        """Runs jobs, each_gpu at a time on every GPU; whether all have passed, now or before."""
        passed = set()
        if self.done:
            self.done.touch()
            lines = [line.split("\t") for line in self.done.read_text().splitlines()]
            passed = {"\t".join(words[:3]) for words in lines if words[3:4] == ["ok"]}
        waiting = queue.SimpleQueue()
        for job in jobs:
            job.end = "before" if self.done and self.key(job) in passed else ""
            if not job.end:
                waiting.put(job)

        def work(slot):
            while not self.stopped:
                try:
                    self.run_one(waiting.get_nowait(), self.gpus[slot % len(self.gpus)] if self.gpus else None)
                except queue.Empty:
                    return

        workers = [threading.Thread(target=work, args=(slot,)) for slot in range(each_gpu * self.gpu_count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        count = {end: sum(job.end == end for job in jobs) for end in ("ok", "before", "fail")}
        left = len(jobs) - sum(count.values())
        self.log.say(f"{len(jobs)} processes: {count['ok']} passed, {count['before']} had passed before, "
                     f"{count['fail']} failed, {left} left to do")
        if left:
            self.log.say("with the same --done another call does what is left")
        return count["fail"] == 0 and left == 0

    def run_one(self, job, gpu):
        limit, begun = self.limit, time.monotonic()
        if self.deadline is not None:
            limit = min(limit, self.deadline - begun)
        if limit <= 0:
            return
        env = {**os.environ, **job.env, **({"CUDA_VISIBLE_DEVICES": gpu} if gpu is not None else {})}
        with tempfile.TemporaryFile(dir=self.scratch) as output:
            try:
                process = subprocess.Popen([str(word) for word in job.command], stdout=output, stderr=subprocess.STDOUT,
                                           stdin=subprocess.DEVNULL, env=env, cwd=job.folder, start_new_session=True)
                self.running.add(process)
                if self.stopped:
                    stop(process)
                status, what = None, ""
                try:
                    status = process.wait(limit)
                except subprocess.TimeoutExpired:
                    stop(process)
                self.running.discard(process)
            except OSError as error:
                status, what = 127, f"{error}, "
            output.seek(0)
            job.output = output.read().decode(errors="replace")
        what += f"exit {status}" if status is not None else f"stopped after {limit:.0f} s"
        job.end = "ok" if status == 0 else "fail"
        if status is None and limit < self.limit:
            job.end = "left"
        if job.end == "ok" and job.wants and not re.search(job.wants, job.output):
            job.end, what = "fail", f"no '{job.wants}' in its output"
        if job.end == "ok" and job.forbids and re.search(job.forbids, job.output):
            job.end, what = "fail", f"'{job.forbids}' in its output"
        seconds = round(time.monotonic() - begun)
        text = job.output + ("" if job.output.endswith("\n") or not job.output else "\n")
        self.log.note(f"-- {job.name}\n{text}[{job.name}: {what}, {seconds} s{f', GPU {gpu}' if gpu else ''}]")
        if job.end == "fail":
            shown = [f"    {line[:400]}" for line in text.splitlines()[-12:]]
            print("\n".join([f"FAILED: {job.name}, {what}"] + shown), flush=True)
        if self.done:
            with self.log.lock, open(self.done, "a") as file:
                file.write(f"{self.key(job)}\t{job.end}\t{seconds}\n")

    def close(self):
        self.stopped = True
        for process in list(self.running):
            stop(process)
        shutil.rmtree(self.scratch, ignore_errors=True)


def stop(process):
    """The process and all that it started: asked first, killed five seconds later."""
    for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass


def gpus_of(options):
    """Those asked for, those that the caller lets us see, all. None: the one that CUDA takes first."""
    text = options.gpus or os.environ.get("CUDA_VISIBLE_DEVICES", "")
    if not text and shutil.which("nvidia-smi"):
        text = subprocess.run(["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout.replace("\n", ",")
    return [gpu.strip() for gpu in text.split(",") if gpu.strip()]


def sources_id(cmake_args):
    """What is built, so that --done knows it again on another machine."""
    known = hashlib.sha256(cmake_args.encode())
    for place in ("CMakeLists.txt", "include", "src", "tools", "tests", "examples", "packaging/cmake"):
        files = [ROOT / place] if (ROOT / place).is_file() else sorted((ROOT / place).rglob("*"))
        for file in files:
            if file.is_file():
                known.update(f"{file.relative_to(ROOT)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return known.hexdigest()[:16]
