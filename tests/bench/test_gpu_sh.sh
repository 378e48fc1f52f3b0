#!/usr/bin/env bash
# packaging/gpu.sh without a GPU: programs that only note how they were called stand in for gpuopt, compute-sanitizer,
# nvidia-smi and the tests. Usage: test_gpu_sh.sh <source tree>
# shellcheck disable=SC2016,SC2317  # the stubs expand; expect calls by name
set -uo pipefail

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tree=$work/tree build=$work/build calls=$work/calls failures=0
mkdir -p "$tree"/{packaging/cmake,include,src,tools,tests,examples} "$work/bin" \
  "$build"/{tools/gpuopt,tests,examples/digits,obj/src/kernels/gemm}
cp "$1"/packaging/{gpu.sh,gpu_steps.py,gpu_jobs.py,gpu_reports.py} "$tree/packaging/"
touch "$tree/CMakeLists.txt"
echo one > "$tree/src/source"

stub() {
  { echo '#!/usr/bin/env bash' && cat; } > "$1"
  chmod +x "$1"
}
stub "$work/bin/nvidia-smi" <<< 'printf "0\n1\n"'
# Runs what it is asked to watch.
stub "$work/bin/compute-sanitizer" << 'EOF'
echo "sanitizer $2" >> "$CALLS"
while [[ $1 == --* ]]; do shift 2; done
exec "$@"
EOF
# Kernels: what is in their name is what their check does.
stub "$build/tools/gpuopt/gpuopt" << 'EOF'
if [[ $1 == list ]]; then
  echo '['
  for kernel in $KERNELS; do
    echo '  {"name": "'"$kernel"'", "op": "gemm", "version": 1, "types": ["f32", "f64"], "flags": [], "summary": ""},'
  done
  echo '  {"name": "gemm_cpu", "op": "gemm", "version": 1, "types": ["f32"], "flags": ["host"], "summary": ""}'
  echo ']'
  exit "${LISTED-0}"
fi
[[ $* == *--soak* ]] && { echo "soak ${CUDA_VISIBLE_DEVICES-none} of $*" >> "$CALLS"; sleep 0.5; echo "${SOAKED-ok}  soak: 9 calls"; exit; }
[[ $* == *--runs* ]] && { echo "runs ${CUDA_VISIBLE_DEVICES-none} of $*" >> "$CALLS"; sleep 0.5; exit; }
kernel=$(sed 's/.*--kernel \([^ ]*\).*/\1/' <<< "$*")
echo "gpuopt $kernel gpu ${CUDA_VISIBLE_DEVICES-none}" >> "$CALLS"
[[ $kernel == *slow* ]] && sleep 30
[[ $kernel == *short* ]] && sleep 0.3
[[ $kernel == *second* ]] && sleep 1
[[ $kernel == *killer* && ! -e $CALLS.survived ]] && { touch "$CALLS.survived"; kill -9 $PPID; }  # what watches over it
[[ $kernel == *broken* && ! -e $CALLS.mended ]] && { echo "wrong result"; exit 1; }
exit 0
EOF
stub "$build/tests/gpuopt_gpu_tests" <<< 'echo "all tests under ${CUDA_VISIBLE_DEVICES-none}" >> "$CALLS"'
stub "$build/examples/digits/digits" <<< 'echo "held-out accuracy 97 %, seed $2"'
for test in a b c d; do
  echo "add_test(gpu.$test sh -c \"echo test $test gpu \$CUDA_VISIBLE_DEVICES >> $calls\")"
done > "$build/tests/CTestTestfile.cmake"

# gpu_sh KERNELS OPTIONS...: exit status in $status, what it printed in $text, what was called in $calls.
gpu_sh() {
  : > "$calls"
  text=$(KERNELS=$1 CALLS=$calls PATH=$work/bin:$PATH "$tree/packaging/gpu.sh" --build "$build" --out "$work/out" \
    --jobs 2 "${@:2}" 2>&1)
  status=$?
}
expect() { # expect WHAT COMMAND...
  "${@:2}" && return
  failures=$((failures + 1))
  printf 'FAILED: %s\n%s\n' "$1" "$text"
  cat "$calls"
}
says() { grep -qF -- "$1" <<< "$text"; }
called() { [[ $(grep -cE -- "$1" "$calls") == "$2" ]]; }
called_often() { [[ $(grep -cE -- "$1" "$calls") -ge "$2" ]]; }
unset CUDA_VISIBLE_DEVICES

gpu_sh 'k_short_1 k_short_2 k_short_3 k_short_4 k_short_5 k_short_6 k_short_7 k_short_8' --steps check
expect 'every kernel is checked' called 'gpuopt' 8
expect 'some on one GPU' called_often 'gpu 0$' 2
expect 'some on the other' called_often 'gpu 1$' 2
expect 'exit 0' [ "$status" = 0 ]
expect 'counts' says '8 processes: 8 passed, 0 had passed before, 0 failed, 0 left to do'

gpu_sh 'k_1 k_2' --steps check --gpus 5
expect 'the GPUs asked for' called 'gpu 5$' 2
CUDA_VISIBLE_DEVICES=GPU-abc gpu_sh 'k_1 k_2' --steps check
expect 'the GPUs that are visible' called 'gpu GPU-abc$' 2

gpu_sh 'k_1 k_broken k_2' --steps check --done "$work/done"
expect 'a failure fails' [ "$status" = 1 ]
expect 'and is named' says 'FAILED: k_broken'
expect 'and shown' says 'wrong result'
touch "$calls.mended"
gpu_sh 'k_1 k_broken k_2' --steps check --done "$work/done"
expect 'only what failed runs again' called 'gpuopt' 1
expect 'and passes' [ "$status" = 0 ]
expect 'all told' says '3 processes: 1 passed, 2 had passed before, 0 failed, 0 left to do'
gpu_sh 'k_1 k_broken k_2' --steps check --done "$work/done"
expect 'nothing is left' called 'gpuopt' 0
expect 'and that is a pass' [ "$status" = 0 ]
gpu_sh 'k_1 k_broken k_2' --steps check --done "$work/done" --problems 7
expect 'other problems are another process' called 'gpuopt' 3
echo two > "$tree/src/source"
gpu_sh 'k_1 k_broken k_2' --steps check --done "$work/done"
expect 'other sources are another process' called 'gpuopt' 3

gpu_sh 'k_slow k_1' --steps check --limit 4
expect 'a process has a limit' says 'stopped after 4 s'
expect 'beyond which it has failed' [ "$status" = 1 ]
expect 'the others are not its business' says '2 processes: 1 passed, 0 had passed before, 1 failed, 0 left to do'

rm "$work/done"
gpu_sh 'k_1 k_2 k_killer k_short_1 k_short_2 k_3' --steps check --gpus 0 --done "$work/done"
expect 'what was never begun has not passed' [ "$status" != 0 ]
first=$(grep -c ok "$work/done")
gpu_sh 'k_1 k_2 k_killer k_short_1 k_short_2 k_3' --steps check --gpus 0 --done "$work/done"
expect 'the next call does it' [ "$status" = 0 ]
expect 'and what was cut off' called 'gpuopt k_killer' 1
expect 'and only that' says "6 processes: $((6 - first)) passed, $first had passed before, 0 failed, 0 left to do"
rm "$work/done"

seconds=$(printf 'k_second_%d ' {1..8})
gpu_sh "$seconds" --steps check --gpus 0 --within 2 --done "$work/done"
expect 'the end comes in time' [ "$status" = 1 ]
expect 'some are left' says 'with the same --done another call does what is left'
first=$(grep -c ok "$work/done")
gpu_sh "$seconds" --steps check --gpus 0 --done "$work/done"
expect 'the rest is done' says "8 processes: $((8 - first)) passed, $first had passed before, 0 failed, 0 left to do"
expect 'and only that' called 'gpuopt' $((8 - first))

head -c 5000000 /dev/zero > "$build/obj/src/kernels/gemm/gemm_big.cu.o"
touch "$build/obj/src/kernels/gemm/gemm_a.cu.o"
head -c 9000 /dev/zero > "$build/obj/src/kernels/gemm/gemm_b.cu.o"
gpu_sh 'gemm_a_16 gemm_big_64 gemm_b_32' --steps sanitize --gpus 0 --jobs 1
expect 'four tools a kernel, two for the tests' says '14 processes: 14 passed'
order=$(grep -oE '^\[[a-z]+check\.[a-z0-9_]+' "$work/out/gpu.log" | head -n 14 | tr -d '[' | paste -sd' ')
longest_first="memcheck.tests initcheck.tests racecheck.gemm_big_64 initcheck.gemm_big_64 memcheck.gemm_big_64 \
synccheck.gemm_big_64 racecheck.gemm_b_32 racecheck.gemm_a_16 initcheck.gemm_b_32 memcheck.gemm_b_32 synccheck.gemm_b_32 \
initcheck.gemm_a_16 memcheck.gemm_a_16 synccheck.gemm_a_16"
expect 'the longest first' [ "$order" = "$longest_first" ]

gpu_sh 'gemm_big_64 gemm_other' --steps sanitize --gpus 0 --jobs 1
order=$(grep -oE '^\[racecheck\.[a-z0-9_]+' "$work/out/gpu.log" | head -n 2 | paste -sd' ')
expect 'a kernel of an unknown file counts as the largest' [ "$order" = '[racecheck.gemm_big_64 [racecheck.gemm_other' ]
first_memcheck=$(grep -nm1 'memcheck.gemm' "$work/out/gpu.log" | cut -d: -f1)
last_racecheck=$(grep -nm1 'racecheck.gemm_other' "$work/out/gpu.log" | cut -d: -f1)
expect 'and so its racecheck precedes every memcheck' [ "$last_racecheck" -lt "$first_memcheck" ]

gpu_sh '' --steps test
expect 'tests pass' [ "$status" = 0 ]
expect 'half on one GPU' called 'test . gpu 0' 2
expect 'half on the other' called 'test . gpu 1' 2
expect 'the example runs thrice' says 'digits, seed 3: held-out accuracy 97 %'
cat >> "$build/tests/CTestTestfile.cmake" << 'EOF'
add_test(gpu.e sh -c "echo SKIP:")
set_tests_properties(gpu.e PROPERTIES SKIP_REGULAR_EXPRESSION "SKIP:")
EOF
gpu_sh '' --steps test
expect 'a skipped test fails' [ "$status" = 1 ]
expect 'and is named' says '***Skipped'

gpu_sh '' --steps soak --soak 7
expect 'the soak passes' [ "$status" = 0 ]
expect 'for as long as asked, on each GPU' called 'soak [01] of check --device 0 --soak 7 --threads 16' 2
expect 'with every problem many times beside it' called 'runs [01] of check --device 0 --runs 50' 2
expect 'two processes on one GPU' called '(soak|runs) 0' 2
expect 'and it says how much it did' says 'soak.2: ok  soak: 9 calls'
SOAKED=FAIL gpu_sh '' --steps soak
expect 'a soak that does not end well fails' [ "$status" = 1 ]

# An ncu that knows all metrics but two, and writes a report of whatever runs.
stub "$work/bin/ncu" << 'EOF'
[[ $* == *lts__t_sectors_op_red.sum* || $* == *stalled_gmma* ]] && { echo '==ERROR== no such metric'; exit 1; }
[[ $* == *"${UNPROFILED-nothing}"* ]] || table='"ID","Kernel Name","gpu__time_duration.sum"'
log=$(sed -n 's/.*--log-file \([^ ]*\).*/\1/p' <<< "$*")
printf '==PROF== Disconnected\n%s\n' "$table" > "${log:-/dev/stdout}"
EOF
gpu_sh '' --steps reports --gpus 0
expect 'reports pass' [ "$status" = 0 ]
expect 'metrics that are not known are left out by name' \
  says 'not lts__t_sectors_op_red.sum, smsp__average_warps_issue_stalled_gmma'
expect 'all in one file' [ "$(tar -tzf "$work/out/reports.tar.gz" | grep -c '\.csv$')" -ge 30 ]
UNPROFILED='--force gemm_naive' gpu_sh '' --steps reports --gpus 0
expect 'a report without a kernel fails' [ "$status" = 1 ]
expect 'and is named' says 'report.gemm_naive: no report'

gpu_sh '' --steps sanitize
expect 'no kernel to sanitize is a failure' [ "$status" = 1 ]
expect 'and is named' says 'no GPU kernel matches'
for step in check sanitize; do
  LISTED=1 gpu_sh 'k_1' --steps $step
  expect "a list of kernels that fails is a failure of $step" [ "$status" = 1 ]
  expect 'and is named' says 'gpuopt list ended with 1'
done
gpu_sh '' --steps ''
expect 'no step is a wrong command line' [ "$status" = 2 ]

gpu_sh '' --steps check --within soon
expect 'a number is a number' [ "$status" = 2 ]

((failures == 0)) && echo "all as expected"
exit $((failures > 0))
