#!/bin/sh
# Runs the fuzzers of a build.   run.sh <build folder> <seconds in total> [fuzzer ...]
# The seconds are shared out evenly; as many fuzzers run at a time as there are cores (or JOBS).
# Fails on any finding and on a fuzzer that did not run; the input that shows a finding stays in <build>/tests/fuzz/found.
# FUZZ_SEED chooses the seed; it is printed.
set -u
build=$(cd "$1" && pwd) || exit 2
seeds=$(cd "$(dirname "$0")" && pwd)/seeds
total=$2
shift 2
[ $# -gt 0 ] || set -- fuzz_calls fuzz_calls fuzz_settings fuzz_call_text fuzz_log fuzz_advise fuzz_tune_file fuzz_plugins fuzz_digits_csv
each=$((total / $#))
[ "$each" -gt 0 ] || each=1
first_seed=${FUZZ_SEED:-$(date +%s)}
lanes=${JOBS:-$(nproc)}
for name in $(env | sed -n 's/^\(GPUOPT_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

# run_one <fuzzer> <its number>
run_one() {
  fuzzer=$1
  seed=$((first_seed + $2))
  found=$build/tests/fuzz/found/$fuzzer
  corpus=$build/tests/fuzz/corpus/$fuzzer
  log=$build/tests/fuzz/$fuzzer-$2.log
  mkdir -p "$found" "$corpus"
  # Inputs long enough to make a whole call, and those that were written for it; the corpus of earlier runs stays.
  for seed_file in "$seeds/$fuzzer"/*; do [ ! -f "$seed_file" ] || cp "$seed_file" "$corpus/"; done
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do head -c 300 /dev/urandom >"$corpus/random-$i"; done
  "$build/tests/fuzz/$fuzzer" -max_total_time="$each" -seed=$seed -max_len=2048 -len_control=0 -timeout=20 -rss_limit_mb=3000 \
    -print_final_stats=1 -artifact_prefix="$found/" "$corpus" >"$log" 2>&1
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if [ $code -ne 0 ] || [ "${runs:-0}" -lt 100 ]; then
    sed -n '/runtime error\|^==[0-9]*==\|FINDING\|SUMMARY/,$p' "$log" | head -n 60
    echo "FAILED $fuzzer: exit status $code, ${runs:-0} inputs, seed $seed; see $found"
    return 1
  fi
  echo "$fuzzer: $runs inputs in $each s, seed $seed, no finding"
}

# run_lane <lane> <fuzzer ...>: every lanes-th of the fuzzers.
run_lane() {
  lane=$1
  shift
  number=0
  lane_status=0
  for fuzzer in "$@"; do
    number=$((number + 1))
    [ $((number % lanes)) -eq "$lane" ] || continue
    run_one "$fuzzer" $number || lane_status=1
  done
  return $lane_status
}

processes=
lane=0
while [ $lane -lt "$lanes" ]; do
  run_lane $lane "$@" &
  processes="$processes $!"
  lane=$((lane + 1))
done
status=0
for process in $processes; do wait "$process" || status=1; done
exit $status
