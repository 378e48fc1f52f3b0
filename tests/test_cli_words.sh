#!/bin/sh
# The command line for somebody new: what it says of what is missing, misspelt or too wide, and that the manual has every option.
#   test_cli_words.sh <gpuopt> <source folder>
gpuopt=$1
source=$2
failed=0
. "$(dirname "$0")/expect_cli.sh"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# Every option that --help of a verb shows stands in the manual.
section() { sed -n "/^$1:/,/^\$/s/^  \([^ ]*\).*/\1/p"; }
options_of() { # its variables are of one turn: verbs below are asked for in subshells
  help=$("$gpuopt" "$@" --help)
  printf '%s\n' "$help" | section Options | tr , '\n' | grep -e '^--'
  for below in $(printf '%s\n' "$help" | section Subcommands); do (options_of "$@" "$below"); done
}
options=$(options_of | sort -u)
count=$(printf '%s\n' "$options" | wc -l)
[ "$count" -ge 100 ] || { echo "FAIL --help of all verbs shows $count options, which are not all" && failed=1; }
for option in $options; do
  cat "$source/docs/cli.md" "$source/docs/tuning.md" | grep -q -e "$option\([^a-z-]\|\$\)" || {
    echo "FAIL docs/cli.md has no word of $option"
    failed=1
  }
done

# All operations are named wherever some are.
ops="gemm, transpose, reduce, fused_act, norm, gemm_grouped"
expect 2 "explain: takes one of: $ops, --problem, --log" explain
for verb in run bench tune; do expect 2 "the call: is given by one of: $ops, --problem, --problems, --log" $verb; done
for verb in list check; do expect 0 "Only this op: $ops" $verb --help; done

# help, as somebody who does not know --help asks for it.
expect 0 "Subcommands:" help
expect 0 "Facts of another device" help explain
expect 0 "Columns of A, rows of B" help explain gemm
expect 2 "'explian' is no verb of gpuopt; nearest: explain" help explian

# No line is wider than the output, of the widest tables neither; in 40 columns all columns are there.
cat >"$folder/app.log" <<'LOG'
gpuopt,v2,exec,transpose,transpose_vec,cuda0:sm_90,transpose src=4096x4096:f32 dst=4096x4096:f32,predicted,0,31.000,0.056000
gpuopt,v2,exec,gemm,gemm_cpu_blocked,cpu,gemm compute=f32 a=8x8:f32 b=8x8:f32 d=8x8:f32,cpu-fallback,0,1.000,0.001000
LOG
fits() { # fits <columns> <paragraph that is the table> <arguments ...>
  columns=$1 paragraph=$2
  shift 2
  COLUMNS=$columns "$gpuopt" "$@" 2>/dev/null | awk -v RS= "NR == $paragraph" >"$folder/shown"
  [ -s "$folder/shown" ] || { echo "FAIL gpuopt $* shows nothing" && failed=1; }
  awk -v most="$columns" 'length > most { print; bad = 1 } END { exit bad }' "$folder/shown" || {
    echo "FAIL gpuopt $* has lines of more than $columns bytes"
    failed=1
  }
}
for columns in 40 60 80 120; do
  fits $columns 1 list
  fits $columns 2 log "$folder/app.log"
  fits $columns 2 explain --log "$folder/app.log" --device cpu
  fits $columns 1 lab list
  fits $columns 1 explain gemm --m 64 --n 64 --k 64 --pretend none
  fits $columns 1 tune --device cpu --seconds 0.01 gemm --m 8 --n 8 --k 8
done
COLUMNS=40 "$gpuopt" log "$folder/app.log" | tr -s ' \n' '  ' |
  grep -q 'calls ms % median us MB GFLOP x bound bound x predicted kernel how problem' || {
  echo "FAIL gpuopt log in 40 columns has lost columns"
  failed=1
}
[ "$("$gpuopt" log "$folder/app.log" | grep -c transpose_vec)" -eq 1 ] || { echo "FAIL gpuopt log" && failed=1; }

# What a build without CUDA kernels lacks is said wherever somebody asks for one of them.
if ! "$gpuopt" --version | grep -q ', CUDA '; then
  none="this build has no CUDA kernels"
  expect 1 "$none" explain gemm --m 8 --n 8 --k 8 --force gemm_naive
  expect 1 "$none" bench gemm --m 8 --n 8 --k 8 --force gemm_naive
  expect 1 "$none" run gemm --m 8 --n 8 --k 8 --force gemm_naive
  expect 1 "$none" explain --log "$folder/app.log" --pretend h100
  expect 1 "$none" list --occupancy
  expect 2 "$none" list --sass gemm_naive
  case $("$gpuopt" explain gemm --m 8 --n 8 --k 8 --lda 2 2>&1) in
    *"$none"*) echo "FAIL a leading dimension that is too small has nothing to do with the build" && failed=1 ;;
  esac
fi

# Files of values as spreadsheets write them; names that are none are told before anything is computed.
printf '\357\273\277+1,2\r\n3,+4e0\r\n' >"$folder/a.csv"
expect 0 right run transpose --rows 2 --cols 2 --device cpu --read "src=$folder/a.csv" --write "dst=$folder/t.csv"
[ "$(tr '\n' ' ' <"$folder/t.csv")" = "1,3 2,4 " ] || { echo "FAIL gpuopt run reads $(cat "$folder/t.csv")" && failed=1; }
printf '1,2\n3,1e400\n' >"$folder/a.csv"
expect 2 "line 2: '1e400' is beyond the range of a double" \
  run transpose --rows 2 --cols 2 --device cpu --read "src=$folder/a.csv"
printf '1,2\n3,+-4\n' >"$folder/a.csv"
expect 2 "line 2: '+-4' is no number" run transpose --rows 2 --cols 2 --device cpu --read "src=$folder/a.csv"
expect 2 "--write: 'x.txt' must end in .npy or .csv" run transpose --rows 2 --cols 2 --device cpu --write dst=x.txt
expect 2 "--read: 'src' must be given one file" \
  run transpose --rows 2 --cols 2 --device cpu --read "src=$folder/t.csv" --read "src=$folder/t.csv"
expect 2 "--tune-cache: 'none' is no file" tune transpose --rows 2 --cols 2 --device cpu --tune-cache none
expect 1 "'$folder/t.csv' has no call: 2 lines, 0 calls of 0 problems; 2 lines are not the library's" bench --log "$folder/t.csv"
expect 1 "gpuopt: gpuopt_create: device 4711" run transpose --rows 2 --cols 2 --device 4711
printf 'transpose src=3x4:f32 dst=4x3:f32\r\n# none\r\n\r\n' >"$folder/calls"
expect 0 right run --problems "$folder/calls" --device cpu
# What is wrong with the command line is told before anything is begun.
case $("$gpuopt" check --size huge 2>/dev/null) in
  *seed*) echo "FAIL gpuopt check --size huge begins to check" && failed=1 ;;
esac
# CSV has the rows of the JSON, with all digits.
"$gpuopt" bench transpose --rows 1000003 --cols 3 --device cpu --repeat 1 --kernel '*blocked' --csv >"$folder/bench.csv"
grep -q '^device,problem,flops,bytes,intensity,bound_us,bound_by,kernel,chosen,us,' "$folder/bench.csv" &&
  grep -q ',24000072,.*,transpose_cpu_blocked,true,' "$folder/bench.csv" || { cat "$folder/bench.csv" && failed=1; }
expect 0 "FLOP/B  problem" bench gemm --m 8,16 --n 8 --k 8 --device cpu --repeat 1
# On a terminal, what takes more than a second says where it is, and takes that back.
python3 - "$gpuopt" <<'PYTHON' || failed=1
import os, pty, subprocess, sys
def shown(rows):
    ours, theirs = pty.openpty()
    program = subprocess.Popen([sys.argv[1], *f"run norm --rows {rows} --cols 8192 --device cpu".split()],
                               stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    text = b""
    try:
        while more := os.read(ours, 4096):
            text += more
    except OSError:  # the other end is closed
        pass
    program.wait()
    os.close(ours)
    return text
for rows in 300, 1000, 3000, 10000:  # what takes a second on this machine and in this build
    if text := shown(rows):
        break
if b"\r\033[Krun, 1 s, " not in text or not text.endswith(b"\r\033[K"):
    sys.exit(f"FAIL gpuopt run says on a terminal: {text}")
PYTHON
[ $failed -eq 0 ] && echo "all cases passed"
exit $failed
