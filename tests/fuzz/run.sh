#!/bin/sh
# Runs the fuzzers of a build.   run.sh <build folder> <seconds in total> [fuzzer ...]
# Fails on any finding and on a fuzzer that did not run; the input that shows a finding stays in <build>/tests/fuzz/found.
# GPUOPT_FUZZ_SEED chooses the seed; it is printed.
set -u
build=$(cd "$1" && pwd) || exit 2
total=$2
shift 2
[ $# -gt 0 ] || set -- fuzz_calls fuzz_calls fuzz_settings fuzz_digits_csv
each=$((total / $#))
[ "$each" -gt 0 ] || each=1
seed=${GPUOPT_FUZZ_SEED:-$(date +%s)}
for name in $(env | sed -n 's/^\(GPUOPT_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
status=0
for fuzzer in "$@"; do
  seed=$((seed + 1))
  found=$build/tests/fuzz/found/$fuzzer
  corpus=$build/tests/fuzz/corpus/$fuzzer
  log=$build/tests/fuzz/$fuzzer.log
  mkdir -p "$found" "$corpus"
  "$build/tests/fuzz/$fuzzer" -max_total_time="$each" -seed=$seed -max_len=2048 -timeout=20 -rss_limit_mb=3000 \
    -print_final_stats=1 -artifact_prefix="$found/" "$corpus" >"$log" 2>&1
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if [ $code -ne 0 ] || [ "${runs:-0}" -lt 100 ]; then
    tail -n 60 "$log"
    echo "FAILED $fuzzer: exit status $code, ${runs:-0} inputs, seed $seed; see $found"
    status=1
  else
    echo "$fuzzer: $runs inputs in $each s, seed $seed, no finding"
  fi
done
exit $status
