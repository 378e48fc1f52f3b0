#!/usr/bin/env bash
# The GPU command: builds for Hopper, tests, checks every kernel against the oracle, runs compute-sanitizer's four tools,
# measures, and leaves one record. Run it on a machine with a Hopper GPU; nothing of the machine is changed.
#   packaging/gpu.sh [options]           exit 0: every step passed
#     --out DIR        where record.json, record.md and gpu.log go (build/gpu-record)
#     --steps A,B,...  some of build,test,check,sanitize,bench (all)
#     --build DIR      build folder (build/gpu)
#     --jobs N         processes that share the GPU in test and sanitize, threads of a process in check (16, or the cores
#                      if fewer)
#     --problems N     random problems for each kernel and data type in check (500)
#     --seconds N      length of the test with eight threads (60)
#     --kernel GLOBS   check and sanitize only kernels whose names match one of a comma list
#     --shard I/N      of the processes of check and sanitize, every N-th from the I-th on (1/1): N calls do it all, each in
#                      a share of the time
#     --bench ARGS     arguments of gpuopt_bench in place of none, e.g. "--quick --suite gemm"; record.json is continued
#                      where it is already there, of the same GPU and commit, so that several calls make one record
#     --commit TEXT    what the record names as commit (git is asked otherwise)
#     --cli11 DIR      folder with CLI/CLI.hpp, where CLI11 is not installed
#     --cmake ARGS     more arguments for cmake's configure step
# shellcheck disable=SC2317  # steps are called by name
# shellcheck disable=SC2016  # the inner shell expands
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/build/gpu-record build=$root/build/gpu steps=build,test,check,sanitize,bench
cores=$(nproc)
jobs=$((cores < 16 ? cores : 16)) problems=500 shard=1/1 seconds=60 kernel_glob='*' bench_args='' commit='' cli11='' cmake_args=''

usage() {
  sed -n '2,/^# shellcheck/p' "${BASH_SOURCE[0]}" | sed -n '/^# shellcheck/!s/^# \{0,1\}//p'
  exit "$1"
}
while (($#)); do
  case $1 in
    --out | --steps | --build | --jobs | --problems | --seconds | --kernel | --shard | --bench | --commit | --cli11 | --cmake)
      (($# > 1)) || { echo "gpu.sh: $1 needs a value" >&2; exit 2; }
      case $1 in
        --out) out=$2 ;;
        --steps) steps=$2 ;;
        --build) build=$2 ;;
        --jobs) jobs=$2 ;;
        --problems) problems=$2 ;;
        --seconds) seconds=$2 ;;
        --kernel) kernel_glob=$2 ;;
        --shard) shard=$2 ;;
        --bench) bench_args=$2 ;;
        --commit) commit=$2 ;;
        --cli11) cli11=$(cd "$2" && pwd) || exit 2 ;;
        --cmake) cmake_args=$2 ;;
      esac
      shift 2
      ;;
    -h | --help) usage 0 ;;
    *) echo "gpu.sh: unknown option $1" >&2; usage 2 >&2 ;;
  esac
done
for step in ${steps//,/ }; do
  [[ " build test check sanitize bench " == *" $step "* ]] || { echo "gpu.sh: no step '$step'" >&2; exit 2; }
done

if ! [[ $shard =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ && ${BASH_REMATCH[1]} -le ${BASH_REMATCH[2]} ]]; then
  echo "gpu.sh: --shard $shard is not I/N with I from 1 to N" >&2
  exit 2
fi

mkdir -p "$out" "$build" || exit 1
out=$(cd "$out" && pwd) build=$(cd "$build" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
log=$out/gpu.log
: > "$log"
cli=$build/tools/gpuopt/gpuopt
summary=()
failed=0

say() { printf '%s\n' "$*" | tee -a "$log"; }

# run_step NAME: runs step_NAME, its output into the log, and notes how it went and how long it took. What the step writes
# to file descriptor 3 is for the screen too.
run_step() {
  local name=$1 start=$SECONDS status
  say "== $name"
  step_"$name" 3> >(tee -a "$log") >> "$log" 2>&1
  status=$?
  summary+=("$(printf '%-10s %-5s %4d s' "$name" "$([[ $status == 0 ]] && echo ok || echo FAIL)" $((SECONDS - start)))")
  if ((status)); then
    failed=1
    say "== $name FAILED"
  fi
  return $status
}

# parallel N: reads lines "name<TAB>command", runs N at a time, notes each one's end in the log as it comes (a call that is
# cut short leaves what it found), then appends every output, shows the end of those that failed, and returns whether all
# succeeded.
parallel() {
  local folder bad=0 name
  folder=$(mktemp -d -p "$scratch")
  xargs -P "$1" -d '\n' -n 1 bash -c '
    name=${3%%$'"'\\t'"'*}
    start=$SECONDS
    bash -c "${3#*$'"'\\t'"'}" > "$1/$name.log" 2>&1
    status=$?
    echo "[$name: exit $status, $((SECONDS - start)) s]" | tee -a "$2" >> "$1/$name.log"
    if ((status)); then touch "$1/$name.failed"; fi' _ "$folder" "$log"
  for name in "$folder"/*.log; do
    name=${name%.log}
    echo "-- ${name##*/}"
    cat "$name.log"
    if [[ -e $name.failed ]]; then
      bad=$((bad + 1))
      { echo "FAILED: ${name##*/}"; tail -n 12 "$name.log" | cut -c1-400 | sed 's/^/    /'; } >&3
    fi
  done
  ((bad == 0))
}

# Of the lines of standard input, those of this shard.
this_shard() { awk -v of="$shard" 'BEGIN { split(of, s, "/") } NR % s[2] == s[1] % s[2]'; }

step_build() {
  local extra=()
  [[ -n $cli11 ]] && extra+=("-DGPUOPT_CLI11_INCLUDE_DIR=$cli11")
  # shellcheck disable=SC2086
  if ! (cd "$root" && cmake --preset gpu -B "$build" "${extra[@]}" $cmake_args); then
    grep -q CLI11 "$log" && echo "CLI11 is not installed? Pass --cli11 a folder that holds CLI/CLI.hpp." >&3
    tail -n 15 "$log" >&3
    return 1
  fi
  if ! cmake --build "$build" -j "$cores"; then
    grep -E 'error|FAILED|undefined' "$log" | head -n 20 >&3
    return 1
  fi
}

# A skipped test is a failed one: this machine has a GPU.
step_test() {
  local status=0 text seed
  text=$(cd "$build" && GPUOPT_CPU_FALLBACK=never GPUOPT_TEST_REQUIRE_GPU=1 GPUOPT_TEST_SECONDS=$seconds \
    ctest -R '^gpu\.' -j "$jobs" --output-on-failure --no-tests=error 2>&1) || status=1
  printf '%s\n' "$text"
  if grep -q '\*\*\*Skipped' <<< "$text"; then status=1; fi
  grep -E '\*\*\*|tests passed|^ERROR|No tests' <<< "$text" | head -n 30 >&3
  ((status)) && grep -E 'ERROR|values:|logged:' <<< "$text" | head -n 20 >&3
  # The example of the README, on the GPU: same accuracy, and no kernel of the CPU.
  for seed in 1 2 3; do
    text=$("$build"/examples/digits/digits --seed $seed --device 0 2>&1) || status=1
    printf '%s\n' "$text"
    grep -q '_cpu_' <<< "$text" && { echo "digits, seed $seed: a CPU kernel ran" >&3; status=1; }
    grep 'held-out accuracy' <<< "$text" | sed "s/^/digits, seed $seed: /" >&3 || status=1
  done
  return $status
}

# "name op rows" of every kernel that runs on a GPU; rows: how many combinations of types its random problems draw from.
gpu_kernels() {
  "$cli" list --kernel "$kernel_glob" --json | grep -v '"flags": \[[^]]*"host"' |
    awk -F'"' '/"name"/ {
      rows = $0
      sub(/.*"types": \[/, "", rows)
      sub(/\].*/, "", rows)
      count = gsub(/", "/, "", rows) + 1
      # A signature of these ops stands for many combinations.
      if ($8 == "transpose") count = 11
      if ($8 == "reduce") count = 30
      if ($8 == "fused_act" || $8 == "norm") count = 10
      print $4, $8, count
    }'
}

step_check() {
  local name rows status=0
  # A process for each kernel, so that one that breaks the CUDA context breaks nothing else. Processes take turns on the GPU;
  # threads of one do not. Two at a time, for while one starts or ends.
  while read -r name _ rows; do
    # Rows are drawn evenly: --problems for each, and a fifth more so that chance leaves none with less.
    printf '%s\t%s\n' "$name" \
      "'$cli' check --device 0 --no-skip --kernel $name --problems $((problems * rows * 12 / 10)) --threads $jobs"
  done < <(gpu_kernels) | this_shard > "$scratch/check"
  [[ -s $scratch/check ]] || { echo "no GPU kernel matches" >&3; return 1; }
  parallel 2 < "$scratch/check" || status=1
  echo "$(wc -l < "$scratch/check") kernels of shard $shard, random problems:" \
    "$(awk '{ for (i = 1; i < NF; ++i) if ($i == "--problems") n += $(i + 1) } END { print n + 0 }' "$scratch/check")" >&3
  return $status
}

step_sanitize() {
  local tool name sanitizer status=0
  local -A tool_problems=([memcheck]=40 [initcheck]=40 [racecheck]=12 [synccheck]=12)
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2> /dev/null)
  [[ -n $sanitizer ]] || { echo "compute-sanitizer is not installed" >&3; return 1; }
  # Errors that calls return are the library's own business, and some tests provoke them.
  command_of() {
    echo "'$sanitizer' --tool $1 --error-exitcode 99$([[ $1 == memcheck ]] && echo ' --report-api-errors no')"
  }
  {
    # The tests touch every module, and what racecheck and synccheck do to a module's code takes them tens of seconds each:
    # those two see the kernels one by one, below.
    for tool in memcheck initcheck; do
      printf '%s\t%s\n' "$tool.tests" "GPUOPT_TEST_REDUCED=1 GPUOPT_TEST_SECONDS=5 GPUOPT_CPU_FALLBACK=never \
        GPUOPT_TEST_REQUIRE_GPU=1 $(command_of "$tool") '$build/tests/gpuopt_gpu_tests'"
    done
    # A process for each kernel and tool, the tools that take longest first; the last ops have the largest modules.
    for tool in racecheck synccheck memcheck initcheck; do
      while read -r name _; do
        printf '%s\t%s\n' "$tool.$name" "$(command_of "$tool") '$cli' check --device 0 --no-skip --size tiny \
          --problems ${tool_problems[$tool]} --kernel $name"
      done < <(gpu_kernels | tac)
    done
  } | this_shard > "$scratch/sanitize"
  parallel "$jobs" < "$scratch/sanitize" || status=1
  echo "$(wc -l < "$scratch/sanitize") processes of shard $shard: memcheck, racecheck, initcheck, synccheck on every kernel" \
    "and the tests" >&3
  return $status
}

step_bench() {
  local status=0 extra=()
  [[ -n $commit ]] && extra+=(--commit "$commit")
  # shellcheck disable=SC2086
  (cd "$root" && "$build"/bench/gpuopt_bench "${extra[@]}" --continue --json "$out/record.json" --markdown "$out/record.md" \
    $bench_args) > "$scratch/bench" 2>&1 || status=$?
  cat "$scratch/bench"
  ((status && status != 3)) && tail -n 3 "$scratch/bench" >&3
  grep -E '^(ok|FAIL)  ' "$scratch/bench" >&3
  return $status
}

ok=1
for step in build test check sanitize bench; do
  [[ ,$steps, == *,$step,* ]] || continue
  run_step $step || { [[ $step == build ]] && ok=0; }
  ((ok)) || break
done
sleep 0.2  # the last lines of a step's tee
say ""
if [[ -e $out/record.md && ,$steps, == *,bench,* ]]; then sed -n '/^## Summary/,/^## [^S]/p' "$out/record.md" | sed '$d' | tee -a "$log"; fi
say "step       result  time   ($SECONDS s in all; $log)"
for line in "${summary[@]}"; do say "$line"; done
exit $failed
