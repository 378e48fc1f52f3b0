#!/bin/sh
# Tests gpuopt, starting from a bare Debian or Ubuntu: installs what is missing (with root or sudo; else says what to
# install), builds every configuration that this machine can, and runs all tests.
#   packaging/test.sh [step ...]      steps: format cpu asan tsan cuda gpu; default: all that apply here
#     format   clang-format 14 over the tree
#     cpu      preset cpu: all tests, the links of the installed package among them
#     asan     preset asan: all tests under AddressSanitizer and UBSan, and the fuzzers for 60 s
#     tsan     preset tsan: the thread tests, and gpuopt::dist between threads
#     cuda     where nvcc is: preset release, every architecture, strict; all tests, links included
#     gpu      where a GPU is: the GPU tests of preset release without the CPU fallback; a skip fails
# Ends with one line "N passed, N failed, N skipped" over all of it, and a non-zero status if anything failed.
# Tests of the source tree alone (label source) say the same in every build, so step cpu has them and no other.
# BUILD_ROOT: where to build (default: build/ in the tree). JOBS: compilers and tests at a time.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/packaging/setup.sh"

passed=0 failed=0 skipped=0 failures=
begun=$(date +%s)

# One result that is not ctest's.
count() {
  case $1 in
    passed) passed=$((passed + 1)) ;;
    skipped) skipped=$((skipped + 1)) && say "SKIPPED: $2" ;;
    *) failed=$((failed + 1)) && failures="$failures
  $2" && say "FAILED: $2" ;;
  esac
}

# timed <title> <command ...>: says how long it took; its status is the command's.
timed() {
  local title start status
  title=$1
  shift
  start=$(date +%s)
  "$@"
  status=$?
  say "-- $title: $(($(date +%s) - start)) s"
  return $status
}

# build <preset> <targets ...>: configures and builds; the log is shown when it fails.
build() {
  local preset log
  preset=$1
  shift
  log=$build_root/$preset.log
  if "$cmake" -S "$root" --preset "$preset" -B "$build_root/$preset" >"$log" 2>&1 &&
    "$cmake" --build "$build_root/$preset" -j "$jobs" ${1:+--target "$@"} -- -k 0 >>"$log" 2>&1; then
    count passed "build of $preset"
  else
    grep -v '^\[[0-9]*/[0-9]*\] [A-Z]' "$log" | tail -n 100
    count failed "build of preset $preset; $log"
    return 1
  fi
}

attribute() { sed -n "s/.*<testsuite[^>]* $2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1; }

# run_tests <preset> <name> <ctest arguments ...>: adds ctest's counts. No test at all is a failure.
run_tests() {
  local preset junit title ctest_status total bad off left
  preset=$1
  junit=$build_root/$preset-$2.xml
  title="tests of $preset, $2"
  shift 2
  rm -f "$junit" "$junit.line"
  "$ctest" --test-dir "$build_root/$preset" --no-tests=error --output-on-failure --timeout 900 -j "$jobs" \
    --output-junit "$junit" "$@" >"$junit.log" 2>&1
  ctest_status=$?
  [ -f "$junit" ] && tr '\n\t' '  ' <"$junit" >"$junit.line"
  total=$(attribute "$junit.line" tests 2>/dev/null)
  bad=$(attribute "$junit.line" failures 2>/dev/null)
  off=$(attribute "$junit.line" disabled 2>/dev/null)
  left=$(attribute "$junit.line" skipped 2>/dev/null)
  left=$((${left:-0} + ${off:-0}))
  if [ "${total:-0}" -eq 0 ]; then
    tail -n 30 "$junit.log"
    count failed "$title: no test ran"
    return 1
  fi
  say "   $title: $((total - bad - left)) passed, $bad failed, $left skipped"
  passed=$((passed + total - bad - left)) skipped=$((skipped + left))
  if [ "$bad" -gt 0 ]; then
    failed=$((failed + bad))
    sed -n '/The following tests FAILED/,$p' "$junit.log" >"$junit.failed"
    grep -v -e '^ *[0-9]*/' -e '^ *Start ' "$junit.log" | tail -n 150
    failures="$failures
$(sed -n "s/^[[:space:]]*[0-9]* - \(.*\)/  $preset: \1/p" "$junit.failed" | grep -v '(Skipped)')"
  elif [ $ctest_status -ne 0 ]; then
    tail -n 30 "$junit.log"
    count failed "$title: ctest ended with $ctest_status"
  fi
}

step_format() {
  # Another major version formats otherwise.
  for candidate in clang-format-14 clang-format; do
    case $("$candidate" --version 2>/dev/null) in
      *"version 14."*)
        (cd "$root" && find bench examples include packaging src tests tools -type f \( -name '*.h' -o -name '*.hpp' \
          -o -name '*.c' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' \) -print0 |
          xargs -0 "$candidate" --dry-run -Werror) >"$build_root/format.log" 2>&1
        if [ $? -eq 0 ]; then
          count passed format
        else
          grep -E 'error:' "$build_root/format.log" | sed 's|:[0-9]*:[0-9]*:.*||' | sort | uniq -c
          count failed "clang-format 14: the files above"
        fi
        return
        ;;
    esac
  done
  count skipped "clang-format: version 14 is not here"
}

# doctest registers no test for a case that is decorated with skip(), so it would vanish without a trace; and one whose
# name holds a semicolon is registered as two that match nothing; an open bracket swallows those that follow.
step_hidden_cases() {
  grep -rnE 'doctest::(skip|may_fail|should_fail)|TEST_CASE\("[^"]*[][;]' "$root/tests" --include='*.cpp' --include='*.h'
  case $? in
    0) count failed "the test cases above are hidden, excused or named with a semicolon or bracket" ;;
    1) count passed "no hidden cases" ;;
    *) count failed "the tests could not be searched for hidden cases" ;;
  esac
}

step_cpu() { timed "build cpu" build cpu && timed "tests cpu" run_tests cpu all; }

step_asan() {
  timed "build asan" build asan || return
  timed "tests asan" run_tests asan all -E '^fuzz\.' -LE '^source$'
  if timed "fuzzers" sh "$root/tests/fuzz/run.sh" "$build_root/asan" 60; then
    count passed fuzzers
  else
    count failed "the fuzzers; see above"
  fi
}

step_tsan() {
  timed "build tsan" build tsan gpuopt_thread_tests gpuopt_dist_tests gpuopt_load_cycles &&
    timed "tests tsan" run_tests tsan threads -R 'thread|^dist\.dist:'
}

step_cuda() {
  if [ "$have_nvcc" = 0 ]; then
    count skipped "CUDA: there is no nvcc on PATH"
    return
  fi
  timed "build release" build release || return
  timed "tests release" run_tests release all -E '^gpu\.' -LE '^source$'
  [ "$have_gpu" = 1 ] || run_tests release gpu-without-gpu -R '^gpu\.'
}

# On a machine with a GPU no GPU test has a reason to skip.
step_gpu() {
  if [ "$have_gpu" = 0 ]; then
    count skipped "GPU tests: there is no NVIDIA GPU with a working driver"
    return
  fi
  if [ "$have_nvcc" = 0 ]; then
    count failed "there is a GPU and no nvcc to build for it"
    return
  fi
  timed "build release" build release || return
  before=$skipped
  GPUOPT_TEST_REQUIRE_GPU=1 timed "tests on the GPU" run_tests release gpu -R '^gpu\.' -j 1
  [ "$skipped" -eq "$before" ] || count failed "GPU tests were skipped on a machine with a GPU"
}

case " $* " in *" -h "* | *" --help "*)
  sed -n '2,14s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
esac
for step in "$@"; do
  case $step in format | cpu | asan | tsan | cuda | gpu) ;; *) die "there is no step '$step'; --help lists them" ;; esac
done
timed "set-up" setup_tools test
# A tool that is missing makes a link test fail here instead of skipping it.
GPUOPT_TEST_COMPLETE=1
export GPUOPT_TEST_COMPLETE
# Presets cpu and release and the links of the package compile the same C++ files with the same options: each once.
CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
CCACHE_DIR=$build_root/ccache CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_CONFIGPATH=/dev/null
export CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DIR CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_CONFIGPATH
step_hidden_cases
for step in ${*:-format cpu asan tsan cuda gpu}; do
  say "== $step"
  timed "$step in all" "step_$step"
done

say "== $(($(date +%s) - begun)) s in all"
[ -z "$failures" ] || say "Failed:$failures"
say "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
