"""What `gpuopt advise` is held to: reports of Nsight Compute on kernels of ours whose bottleneck is known.

    packaging/gpu.sh --steps build,reports      leaves reports.tar.gz in --out

Each row is a call that runs with one kernel forced; a file NAME.csv holds what ncu says of it. The rows of FULL are
recorded with ncu's whole set of metrics too, by both pages: what others send.
"""
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from gpu_jobs import Job

HEAD = re.compile(r'^"?ID"?,', re.M)  # of the table that ncu writes

# name: the call. A name is the kernel's, and what is special about the problem.
REPORTS = {
    "gemm_naive": "gemm --m 2048 --n 2048 --k 2048 --force gemm_naive",
    "gemm_uncoalesced": "gemm --m 2048 --n 2048 --k 2048 --force gemm_uncoalesced",
    "gemm_tiled_16": "gemm --m 4096 --n 4096 --k 4096 --force gemm_tiled_16",
    "gemm_tiled_32": "gemm --m 4096 --n 4096 --k 4096 --force gemm_tiled_32",
    "gemm_unrolled": "gemm --m 4096 --n 4096 --k 4096 --force gemm_unrolled",
    "gemm_vec4": "gemm --m 4096 --n 4096 --k 4096 --force gemm_vec4",
    "gemm_vec4_1024": "gemm --m 1024 --n 1024 --k 1024 --force gemm_vec4",
    "gemm_warptile_128x128": "gemm --m 4096 --n 4096 --k 4096 --force gemm_warptile_128x128",
    "gemm_wmma_f16": "gemm --m 4096 --n 4096 --k 4096 --type f16 --force gemm_wmma_f16",
    "gemm_mma_16bit_128x128": "gemm --m 4096 --n 4096 --k 4096 --type bf16 --force gemm_mma_16bit_128x128",
    "gemm_wgmma_16bit_128x256": "gemm --m 8192 --n 8192 --k 8192 --type bf16 --layout nt"
                                " --force gemm_wgmma_16bit_128x256",
    "gemm_naive_nt": "gemm --m 2048 --n 2048 --k 2048 --layout nt --force gemm_naive",
    "gemm_double_buffer_32": "gemm --m 4096 --n 4096 --k 4096 --force gemm_double_buffer_32",
    "gemm_spilled_8x8": "gemm --m 4096 --n 4096 --k 4096 --force gemm_spilled_8x8",
    "gemm_wmma_whole": "gemm --m 4096 --n 4096 --k 4096 --type f16 --d-type f32 --force gemm_wmma_whole",
    "transpose_naive": "transpose --rows 8192 --cols 8192 --force transpose_naive",
    "transpose_tiled": "transpose --rows 8192 --cols 8192 --force transpose_tiled",
    "transpose_padded": "transpose --rows 8192 --cols 8192 --force transpose_padded",
    "transpose_vec": "transpose --rows 8192 --cols 8192 --force transpose_vec",
    "reduce_interleaved": "reduce --rows 8192 --cols 8192 --axis all --force reduce_interleaved",
    "reduce_interleaved_strided": "reduce --rows 8192 --cols 8192 --axis all --force reduce_interleaved_strided",
    "reduce_ilp_4": "reduce --rows 8192 --cols 8192 --axis all --force reduce_ilp_4",
    "reduce_one_launch": "reduce --rows 8192 --cols 8192 --axis all --force reduce_one_launch",
    "reduce_one_launch_tiny": "reduce --rows 1 --cols 1000 --axis all --force reduce_one_launch",
    "reduce_atomic": "reduce --rows 8192 --cols 8192 --axis all --allow-nondeterministic --force reduce_atomic",
    "reduce_atomic_each": "reduce --rows 2048 --cols 2048 --axis all --allow-nondeterministic --force reduce_atomic_each",
    "reduce_shuffle": "reduce --rows 8192 --cols 8192 --axis all --force reduce_shuffle",
    "fused_act_branchy": "fused_act --rows 8192 --cols 8192 --stage tanh --force fused_act_branchy",
    "fused_act_predicated": "fused_act --rows 8192 --cols 8192 --stage tanh --force fused_act_predicated",
    "fused_act_scalar": "fused_act --rows 8192 --cols 8192 --stage relu --force fused_act_scalar",
    "fused_act_vec16": "fused_act --rows 8192 --cols 8192 --stage relu --force fused_act_vec16",
    "fused_act_access_strided_64": "fused_act --rows 8192 --cols 8192 --stage relu --force fused_act_access_strided_64",
    "fused_act_access_structures": "fused_act --rows 8388608 --cols 8 --stage relu --force fused_act_access_structures",
    "fused_act_access_float4": "fused_act --rows 8192 --cols 8192 --stage relu --force fused_act_access_float4",
    "fused_act_occupancy_shared_memory": "fused_act --rows 8192 --cols 8192 --stage relu"
                                         " --force fused_act_occupancy_shared_memory",
    "fused_act_occupancy_blocks_of_32": "fused_act --rows 8192 --cols 8192 --stage relu"
                                        " --force fused_act_occupancy_blocks_of_32",
    "fused_act_occupancy_registers": "fused_act --rows 8192 --cols 8192 --stage relu --force fused_act_occupancy_registers",
    "fused_act_parity_mixed": "fused_act --rows 8192 --cols 8192 --stage gelu --stage gelu --stage gelu --stage gelu"
                              " --force fused_act_parity_mixed",
    "fused_act_trips_uneven": "fused_act --rows 8192 --cols 8192 --stage gelu --stage gelu --stage gelu --stage gelu"
                              " --force fused_act_trips_uneven",
    "norm_naive": "norm --rows 8192 --cols 8192 --force norm_naive",
    "norm_block_row": "norm --rows 8192 --cols 8192 --force norm_block_row",
}
FULL = ["transpose_tiled", "gemm_naive", "fused_act_unfused"]
FULL_CALLS = {"fused_act_unfused": "fused_act --rows 8192 --cols 8192 --stage relu --stage add:scalar:0.5 --stage mul:scalar:2"
                                   " --force fused_act_unfused"}
LAUNCHES = {"fused_act_unfused": 3}  # of a call; of the others the first

# Beside those that the rules read (gpuopt advise --metrics), what could tell two verdicts apart when a rule is reconsidered.
STALLS = ["barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle", "long_scoreboard",
          "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected",
          "short_scoreboard", "sleeping", "tex_throttle", "wait"]
OF_ELAPSED, OF_ACTIVE = ".avg.pct_of_peak_sustained_elapsed", ".avg.pct_of_peak_sustained_active"
METRICS = [
    "gpu__time_duration.sum", "sm__throughput" + OF_ELAPSED, "gpu__compute_memory_throughput" + OF_ELAPSED,
    "gpu__dram_throughput" + OF_ELAPSED, "dram__throughput" + OF_ELAPSED, "dram__bytes_read.sum", "dram__bytes_write.sum",
    "lts__throughput" + OF_ELAPSED, "lts__t_sector_hit_rate.pct", "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
    "lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum", "lts__d_atomic_input_cycles_active" + OF_ELAPSED,
    "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed",
    "l1tex__throughput" + OF_ACTIVE, "l1tex__t_sector_hit_rate.pct", "l1tex__data_pipe_lsu_wavefronts" + OF_ELAPSED,
    "l1tex__data_pipe_lsu_wavefronts.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared" + OF_ELAPSED,
    "l1tex__lsuin_requests" + OF_ELAPSED,
    *[f"l1tex__data_pipe_lsu_wavefronts_mem_shared{way}.sum" for way in ("", "_op_ld", "_op_st")],
    *[f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared{way}.sum" for way in ("", "_op_ld", "_op_st", "_op_atom")],
    *[f"l1tex__t_{what}_pipe_lsu_mem_{where}.sum" for what in ("requests", "sectors")
      for where in ("global_op_ld", "global_op_st", "global_op_atom", "global_op_red", "local_op_ld", "local_op_st")],
    *[f"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_{way}.ratio" for way in ("ld", "st")],
    *[f"smsp__sass_average_data_bytes_per_sector_mem_global_op_{way}.ratio" for way in ("ld", "st")],
    "smsp__inst_executed.sum", "smsp__issue_active" + OF_ACTIVE, "smsp__warps_eligible.avg.per_cycle_active",
    "smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    "sm__warps_active" + OF_ACTIVE, "sm__maximum_warps_per_active_cycle_pct", "sm__cycles_active.avg", "sm__cycles_active.max",
    "sm__cycles_elapsed.max",
    *[f"sm__pipe_{pipe}_cycles_active{OF_ACTIVE}" for pipe in ("tensor", "fma", "alu", "fp64")],
    *[f"sm__inst_executed_pipe_{pipe}{OF_ACTIVE}" for pipe in ("fma", "alu", "fp64", "lsu", "xu", "tensor_op_hmma")],
    *[f"launch__{what}" for what in ("block_size", "grid_size", "registers_per_thread", "shared_mem_per_block",
                                     "shared_mem_per_block_static", "shared_mem_per_block_dynamic",
                                     "waves_per_multiprocessor", "occupancy_limit_blocks", "occupancy_limit_registers",
                                     "occupancy_limit_shared_mem", "occupancy_limit_warps")],
    "device__attribute_multiprocessor_count",
    *[f"smsp__average_warps_issue_stalled_{why}_per_issue_active.ratio" for why in STALLS],
]


def called(cli, call):
    return [str(word) for word in (cli, "run", *call.split(), "--device", 0, "--repeat", 1, "--data", "uniform", "--unchecked")]


class Trial:
    """A small call under ncu."""

    def __init__(self, ncu, cli):
        self.ncu, self.call, self.output = ncu, called(cli, REPORTS["reduce_one_launch_tiny"]), ""

    def works(self, metrics):
        done = subprocess.run([self.ncu, "--csv", "--page", "raw", "--clock-control", "none", "--launch-count", "1",
                               "--metrics", ",".join(metrics), *self.call], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.output = done.stdout
        return done.returncode == 0 and HEAD.search(done.stdout) is not None

    def usable(self, metrics):
        """Those that this ncu and this GPU know: one that they do not know would fail every report. ncu's error names it,
        mostly; else it is found by halves."""
        if self.works(metrics):
            return metrics
        told = "\n".join(line for line in self.output.splitlines() if line.startswith("==ERROR=="))
        left = [metric for metric in metrics if not re.search(re.escape(metric) + r"(?![\w.])", told)]
        if 0 < len(left) < len(metrics):
            return self.usable(left)
        half = len(metrics) // 2
        return self.usable(metrics[:half]) + self.usable(metrics[half:]) if half else []


def jobs(ncu, cli, metrics, folder):
    """The calls of ncu. Caches are flushed before each pass (its default), clocks are left alone."""
    made = []

    def report(name, call, *what):
        launches = LAUNCHES.get(name.partition(".")[0], 1)
        made.append(Job(f"report.{name}",
                        [ncu, "--csv", "--clock-control", "none", "--launch-count", launches, "--log-file",
                         folder / f"{name}.csv", *what, *called(cli, call)], env={"GPUOPT_CPU_FALLBACK": "never"}))

    for name, call in REPORTS.items():
        report(name, call, "--page", "raw", "--metrics", ",".join(metrics))
    for name in FULL:
        for page in ("raw", "details"):
            report(f"{name}.full_{page}", FULL_CALLS.get(name) or REPORTS[name], "--page", page, "--set", "full")
    return made


def record(scheduler, log, cli, out):
    """Whether every report was made; out/reports.tar.gz holds those that were, and what ncu wrote where it failed."""
    ncu = shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    if not os.path.exists(ncu):
        log.say("ncu of Nsight Compute is not installed")
        return False
    folder = Path(scheduler.scratch) / "reports"
    folder.mkdir()
    trial = Trial(ncu, cli)
    if not trial.works(METRICS[:1]):
        log.say(f"ncu makes no report here: {trial.output[-2000:]}")
        return False
    read = subprocess.run([cli, "advise", "--metrics"], stdout=subprocess.PIPE, text=True).stdout.strip().split(",")
    wanted = METRICS + [metric for metric in read if metric and metric not in METRICS]
    metrics = trial.usable(wanted)
    if metrics != wanted:
        log.say(f"{len(metrics)} of {len(wanted)} metrics; not {', '.join(m for m in wanted if m not in metrics)[:2000]}")
    made = jobs(ncu, cli, metrics, folder)
    passed = scheduler.run(made, 1)
    for job in made:  # ncu ends with 0 where it profiled nothing
        file = folder / (job.name.partition(".")[2] + ".csv")
        text = file.read_text(errors="replace") if file.exists() else ""
        if not HEAD.search(text):
            log.say(f"{job.name}: no report: {(text.strip().splitlines() or ['ncu wrote nothing'])[-1][:300]}")
            passed = False
    with tarfile.open(out / "reports.tar.gz", "w:gz") as tar:
        tar.add(folder, "reports")
    log.say(f"{out / 'reports.tar.gz'}: {len(list(folder.iterdir()))} reports")
    return passed
