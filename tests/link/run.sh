#!/bin/sh
# Consumes an installed gpuopt in every way a user can; each way must start, show exactly the build tree's kernels, and
# compute rightly.
#   run.sh <build folder> <install prefix> [install | case]
# Without a case: installs, then runs every case of cases.sh and page.sh. Needs no network. Exit status: 0 passed; 1 failed; 77 the
# case was skipped because a tool is missing (with GPUOPT_TEST_COMPLETE=1 that is a failure).
set -u
source_dir=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$source_dir/../.." && pwd)
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  sed -n '2,6s/^# //p' "$0"
  exit 2
fi
build=$(cd "$1" && pwd) && mkdir -p "$2" && prefix=$(cd "$2" && pwd) || exit 2
work=$build/tests/link/work
mkdir -p "$work"
. "$build/tests/link/settings.sh"

# The cases choose for themselves; a developer's settings must not.
complete=${GPUOPT_TEST_COMPLETE:-0}
for name in $(env | sed -n 's/^\(GPUOPT_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
unset LD_LIBRARY_PATH LD_PRELOAD CFLAGS CXXFLAGS LDFLAGS PKG_CONFIG_PATH CMAKE_PREFIX_PATH gpuopt_DIR gpuopt_ROOT
LC_ALL=C
export LC_ALL

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
skip() {
  [ "$complete" = 1 ] && fail "must not be skipped where all tools are required: $*"
  echo "SKIP: $*"
  exit 77
}
need() {
  for tool in "$@"; do command -v "$tool" >/dev/null 2>&1 || skip "no $tool"; done
}
say() {
  echo "+ $*" >&2
  "$@"
}

. "$source_dir/checks.sh"
. "$source_dir/cases.sh"
. "$source_dir/page.sh"

# Installs the build, and asks the build tree which kernels there are.
install_build() (
  rm -rf "$prefix" "$work/expected.txt"
  say "$cmake" --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; fail "install"; }
  "$build/tests/link/link_expected" >"$work/expected.tmp"
  count=$(wc -l <"$work/expected.tmp")
  [ "$count" -gt 0 ] || fail "the build tree shows no kernels"
  "$build/tests/link/link_expected" "$count" >/dev/null || fail "the build tree's own program"
  spans=$(nm -g --defined-only "$prefix/$libdir/libgpuopt.a" 2>/dev/null | grep -c ' gpuopt_kernels_')
  files=$(grep -c '^extern const' "$build/generated/manifest.cpp")
  [ "$spans" -eq "$files" ] || fail "$spans kernel files in the archive, $files in the manifest"
  mv "$work/expected.tmp" "$work/expected.txt"
  echo "$count kernels of $files files, archive $(wc -c <"$prefix/$libdir/libgpuopt.a") bytes"
)

# In a subshell: a failure ends the case, not the run.
run_case() (
  rm -rf "$work/$1" && mkdir -p "$work/$1" && cd "$work/$1" || exit 1
  [ -s "$work/expected.txt" ] || fail "nothing is installed: run the install step first"
  expected=$(wc -l <"$work/expected.txt")
  "case_$1"
)

if [ $# -eq 3 ]; then
  if [ "$3" = install ]; then install_build; else run_case "$3"; fi
  exit
fi
install_build || exit 1
passed=0 failed=0 skipped=0
for name in $(sed -n 's/^case_\([a-z0-9_]*\)().*/\1/p' "$source_dir/cases.sh" "$source_dir/page.sh"); do
  case $cuda:$name in FALSE:cuda_* | TRUE:cpu_*) continue ;; esac
  run_case "$name" >"$work/$name.log" 2>&1
  case $? in
    0) passed=$((passed + 1)); echo "passed   $name" ;;
    77) skipped=$((skipped + 1)); echo "skipped  $name: $(tail -n 1 "$work/$name.log")" ;;
    *) failed=$((failed + 1)); echo "FAILED   $name"; sed 's/^/    /' "$work/$name.log" ;;
  esac
done
echo "link: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
