#!/usr/bin/env bash
# The GPU command: builds for Hopper, tests, checks every kernel against the oracle, runs compute-sanitizer's four tools,
# measures, and leaves one record. Run it on a machine with a Hopper GPU; nothing of the machine is changed.
#   packaging/gpu.sh [options]           exit 0: every step passed
#     --out DIR        where record.json, record.md and gpu.log go (build/gpu-record)
#     --steps A,B,...  some of build,test,check,sanitize,bench (all)
#     --build DIR      build folder (build/gpu)
#     --gpus A,B,...   CUDA ordinals that test, check and sanitize spread over (all; bench runs on the first)
#     --jobs N         for each GPU: processes that share it in test and sanitize, threads of a process in check (16, or
#                      the cores there are for it if fewer)
#     --problems N     random problems for each kernel and data type in check (500)
#     --seconds N      length of the test with eight threads (60)
#     --kernel GLOBS   check and sanitize only kernels whose names match one of a comma list
#     --shard I/N      of the processes of check and sanitize, every N-th from the I-th on (1/1): N calls do it all, each in
#                      a share of the time
#     --limit N        seconds that a process of test, check and sanitize may take (540); beyond it has failed
#     --within N       test, check and sanitize start nothing more N seconds after the start of all, and what runs then is
#                      stopped; what is left fails the step
#     --done FILE      notes there what passes as it passes, and does not run again what passed with the same sources: so
#                      calls with --within, or calls that were cut off, go on where the last one stopped
#     --bench ARGS     arguments of gpuopt_bench in place of none, e.g. "--quick --suite gemm"; record.json is continued
#                      where it is already there, of the same GPU and commit, so that several calls make one record
#                      "--suite targets": the numbers the library is held to, each met or short (some 2 minutes; --filter
#                      gemm does a part); one that is short fails nothing
#     --commit TEXT    what the record names as commit (git is asked otherwise)
#     --cli11 DIR      folder with CLI/CLI.hpp, where CLI11 is not installed
#     --cmake ARGS     more arguments for cmake's configure step
# shellcheck disable=SC2317  # steps are called by name
# shellcheck disable=SC2016  # the inner shell expands
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/build/gpu-record build=$root/build/gpu steps=build,test,check,sanitize,bench
cores=$(nproc)
jobs=0 gpu_option='' limit=540 within='' done_file='' problems=500 shard=1/1 seconds=60 kernel_glob='*' bench_args=''
commit='' cli11='' cmake_args=''

usage() {
  sed -n '2,/^# shellcheck/p' "${BASH_SOURCE[0]}" | sed -n '/^# shellcheck/!s/^# \{0,1\}//p'
  exit "$1"
}
while (($#)); do
  case $1 in
    --out | --steps | --build | --jobs | --problems | --seconds | --kernel | --shard | --gpus | --limit | --within | \
      --done | --bench | --commit | --cli11 | --cmake)
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
        --gpus) gpu_option=$2 ;;
        --limit) limit=$2 ;;
        --within) within=$2 ;;
        --done) done_file=$2 ;;
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

for number in "$jobs" "$limit" "${within:-1}"; do
  [[ $number =~ ^[0-9]+$ ]] || { echo "gpu.sh: '$number' is not a number" >&2; exit 2; }
done

mkdir -p "$out" "$build" || exit 1
out=$(cd "$out" && pwd) build=$(cd "$build" && pwd)
if [[ -n $done_file ]]; then
  mkdir -p "$(dirname "$done_file")" && touch "$done_file" || exit 1
  done_file=$(cd "$(dirname "$done_file")" && pwd)/$(basename "$done_file")
fi
deadline=$(($(date +%s) + ${within:-1000000000}))
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
log=$out/gpu.log
: > "$log"
cli=$build/tools/gpuopt/gpuopt
summary=()
failed=0

# The GPUs to use: those asked for, those the caller lets us see, all. None named: the one that CUDA takes first.
gpu_list=${gpu_option:-${CUDA_VISIBLE_DEVICES-}}
IFS=, read -r -a gpus <<< "${gpu_list:-$(nvidia-smi --query-gpu=index --format=csv,noheader 2> /dev/null | paste -sd,)}"
gpu_count=$((${#gpus[@]} > 0 ? ${#gpus[@]} : 1))
per_gpu=$((cores / gpu_count > 0 ? cores / gpu_count : 1))
((jobs)) || jobs=$((per_gpu < 16 ? per_gpu : 16))
sources=''

say() { printf '%s\n' "$*" | tee -a "$log"; }

# run_step NAME: runs step_NAME, its output into the log, and notes how it went and how long it took. What the step writes
# to file descriptor 3 is for the screen too.
run_step() {
  local name=$1 start=$SECONDS status
  say "== $name"
  # shellcheck disable=SC2094
  step_"$name" 3> >(tee -a "$log") >> "$log" 2>&1
  status=$?
  summary+=("$(printf '%-10s %-5s %4d s' "$name" "$([[ $status == 0 ]] && echo ok || echo FAIL)" $((SECONDS - start)))")
  if ((status)); then
    failed=1
    say "== $name FAILED"
  fi
  return "$status"
}

# What is built, so that --done knows it again on another machine.
sources_id() {
  (cd "$root" && {
    find CMakeLists.txt include src tools tests examples packaging/cmake -type f -print0 | sort -z | xargs -0 sha256sum
    echo "$cmake_args"
  } | sha256sum | cut -c1-16)
}

# parallel N: reads lines "name<TAB>command" and runs N at a time on each GPU, each with a limit of time. What passed
# before, as --done tells, is not run again. Notes each one's end in the log and in --done's file as it comes (a call that
# is cut short leaves what it found), then appends every output, shows the end of those that failed, and returns whether
# all have passed. $results: the folder of the outputs.
parallel() {
  local name key command count=0 before=0 good=0 bad=0 left
  results=$(mktemp -d -p "$scratch")
  [[ -z $done_file || -n $sources ]] || sources=$(sources_id)
  while IFS=$'\t' read -r name command; do
    count=$((count + 1))
    # The same sources and the same command, wherever they lie.
    key=${command//"$build"/}
    key=$(printf '%s' "${key//"$scratch"/}" | cksum | cut -d' ' -f1)
    if [[ -n $done_file ]] && grep -qF "$(printf '%s\t%s\t%s\tok\t' "$sources" "$name" "$key")" "$done_file"; then
      before=$((before + 1))
      continue
    fi
    printf '%s\t%s\t%s\n' "$name" "$key" "$command"
  done > "$results/list"
  # shellcheck disable=SC2016
  RESULTS=$results LOG=$log SOURCES=$sources DONE=$done_file LIMIT=$limit DEADLINE=$deadline GPUS=${gpus[*]} \
    xargs -a "$results/list" -P $(($1 * gpu_count)) --process-slot-var=SLOT -d '\n' -n 1 bash -c '
    IFS=$'"'\\t'"' read -r name key command <<< "$1"
    gpus=($GPUS)
    ((${#gpus[@]})) && export CUDA_VISIBLE_DEVICES=${gpus[SLOT % ${#gpus[@]}]}
    now=$(date +%s) limit=$LIMIT
    ((now + limit <= DEADLINE)) || limit=$((DEADLINE - now))
    ((limit > 0)) || exit 0
    timeout -k 5 "$limit" bash -c "$command" > "$RESULTS/$name.log" 2>&1 < /dev/null
    status=$?
    seconds=$(($(date +%s) - now)) word=fail what="exit $status"
    ((status)) || word=ok
    if ((status == 124 || status == 137)) && ((seconds >= limit)); then
      what="stopped after $limit s"
      ((limit < LIMIT)) && word=left
    fi
    gpu=${CUDA_VISIBLE_DEVICES:+, GPU $CUDA_VISIBLE_DEVICES}
    echo "[$name: $what, $seconds s$gpu]" | tee -a "$LOG" >> "$RESULTS/$name.log"
    [[ -z $DONE ]] || printf "%s\t%s\t%s\t%s\t%s\n" "$SOURCES" "$name" "$key" "$word" "$seconds" >> "$DONE"
    touch "$RESULTS/$name.$word"' _
  for name in "$results"/*.log; do
    [[ -e $name ]] || continue
    name=${name%.log}
    echo "-- ${name##*/}"
    cat "$name.log"
    [[ ! -e $name.ok ]] || good=$((good + 1))
    if [[ -e $name.fail ]]; then
      bad=$((bad + 1))
      { echo "FAILED: ${name##*/}"; tail -n 12 "$name.log" | cut -c1-400 | sed 's/^/    /'; } >&3
    fi
  done
  left=$((count - before - good - bad))  # not begun, stopped, or without a trace
  echo "$count processes: $good passed, $before had passed before, $bad failed, $left left to do" >&3
  ((left == 0)) || echo "with the same --done another call does what is left" >&3
  ((bad + left == 0))
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

# A skipped test is a failed one: this machine has a GPU. Each GPU has its share of the tests, by a folder of its own, for
# ctest writes where it runs.
step_test() {
  local status=0 share seed
  for ((share = 1; share <= gpu_count; ++share)); do
    mkdir -p "$scratch/tests$share"
    echo "subdirs(\"$build/tests\")" > "$scratch/tests$share/CTestTestfile.cmake"
    printf '%s\t%s\n' "tests.${share}of$gpu_count" "cd '$scratch/tests$share' && GPUOPT_CPU_FALLBACK=never \
      GPUOPT_TEST_REQUIRE_GPU=1 GPUOPT_TEST_SECONDS=$seconds ctest -R '^gpu\.' -I $share,,$gpu_count -j $jobs \
      --output-on-failure --no-tests=error > out 2>&1; status=\$?; cat out; ! grep -q '\*\*\*Skipped' out && exit \$status"
  done > "$scratch/tests"
  # The example of the README, on the GPU: same accuracy, and no kernel of the CPU.
  for seed in 1 2 3; do
    printf '%s\t%s\n' "digits.$seed" "'$build'/examples/digits/digits --seed $seed --device 0 > '$scratch/digits$seed' 2>&1; \
      status=\$?; cat '$scratch/digits$seed'; if grep '_cpu_' '$scratch/digits$seed'; then echo 'a CPU kernel ran'; exit 1; fi; \
      grep -q 'held-out accuracy' '$scratch/digits$seed' && exit \$status"
  done >> "$scratch/tests"
  parallel 1 < "$scratch/tests" || status=1
  grep -hE '\*\*\*|tests passed|^ERROR|No tests' "$results"/tests.*.log | head -n 30 >&3
  ((status)) && grep -hE 'ERROR|values:|logged:' "$results"/tests.*.log | head -n 20 >&3
  grep -H 'held-out accuracy' "$results"/digits.*.log | sed 's/.*digits\.\([0-9]*\)\.log:/digits, seed \1: /' >&3
  return "$status"
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
  return "$status"
}

# Of lines "name op ...": "weight tool name" for each tool, the heaviest first. Weight: the size of the object file that the
# kernel's name begins with, or of its op's largest, and 1 MB for what every process does.
weighed() {
  {
    find "$build" -path '*/src/kernels/*.cu.o' -not -path '*/tests/link/*' -printf 'file %f %s\n'
    sed 's/^/kernel /'
  } | awk '
    $1 == "file" { sub(/\.cu\.o$/, "", $2); size[$2] = $3 }
    $1 == "kernel" {
      best = ""
      for (stem in size) if (index($2, stem) == 1 && length(stem) > length(best)) best = stem
      if (best == "")
        for (stem in size) if (index(stem, $3) == 1 && (best == "" || size[stem] > size[best])) best = stem
      weight = 1e6 + (best == "" ? 0 : size[best])
      split("racecheck synccheck memcheck initcheck", tools, " ")
      for (t = 1; t <= 4; ++t) printf "%d %s %s\n", weight * (t == 1 ? 4 : 1), tools[t], $2
    }' | sort -k1,1nr -k2,2 -k3,3
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
    # A process for each kernel and tool, the longest first: a tool works on all machine code of a kernel's file before the
    # first launch, racecheck four times as long as the others. No filter by kernel names: one that matches nothing looks
    # like a clean run, and no tool says how many launches it has looked at.
    gpu_kernels | weighed | while IFS=' ' read -r _ tool name; do
      printf '%s\t%s\n' "$tool.$name" "$(command_of "$tool") '$cli' check --device 0 --no-skip --size tiny \
        --problems ${tool_problems[$tool]} --kernel $name"
    done
  } | this_shard > "$scratch/sanitize"
  parallel "$jobs" < "$scratch/sanitize" || status=1
  echo "$(wc -l < "$scratch/sanitize") processes of shard $shard: memcheck, racecheck, initcheck, synccheck on every kernel" \
    "and the tests" >&3
  return "$status"
}

step_bench() {
  local status=0 extra=()
  [[ -n $commit ]] && extra+=(--commit "$commit")
  # shellcheck disable=SC2086
  (cd "$root" && { ((${#gpus[@]} == 0)) || export CUDA_VISIBLE_DEVICES="${gpus[0]}"; } &&
    "$build"/bench/gpuopt_bench "${extra[@]}" --continue --json "$out/record.json" --markdown "$out/record.md" \
    $bench_args) > "$scratch/bench" 2>&1 || status=$?
  cat "$scratch/bench"
  ((status && status != 3)) && tail -n 3 "$scratch/bench" >&3
  grep -E '^(ok|FAIL|short)  |^met [0-9]' "$scratch/bench" >&3
  return "$status"
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
