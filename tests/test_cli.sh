#!/bin/sh
# The command line: what it prints and its exit codes.
#   test_cli.sh <gpuopt> <source folder> <1: the build has gpuopt::dist, 0: it has not>
gpuopt=$1
source=$2
have_dist=$3
failed=0

. "$(dirname "$0")/expect_cli.sh"

expect 0 gemm_cpu_reference list
expect 0 transpose_cpu_reference list --op transpose
expect 0 '"op": "gemm"' list --json --kernel 'gemm_cpu_r*'
expect 0 '| `gemm_cpu_reference` |' list --markdown
expect 0 GPUOPT_STAGE_ADD_OUTER list --tables
expect 1 "no kernel matches" list --kernel nothing
if "$gpuopt" --version | grep -q ', CUDA '; then
  expect 0 "fused_act_scalar" list --occupancy --pretend sm_90 --op fused_act
  expect 0 '"limiter": "' list --occupancy --pretend sm_90 --json
  expect 0 '| `gemm_naive` |' list --occupancy --pretend sm_90 --markdown --kernel gemm_naive
else
  expect 1 "no entry function of a CUDA kernel matches on sm_90" list --occupancy --pretend sm_90
fi
expect 1 "no entry function of a CUDA kernel matches" list --occupancy --pretend sm_90 --kernel nothing
expect 2 "--pretend: 'sm_1'" list --occupancy --pretend sm_1
expect 2 "--pretend: requires --occupancy or --sass" list --pretend sm_90
expect 0 gemm_cpu_reference list --kernel 'nothing,gemm_cpu_[q-s]*'
expect 1 "no kernel matches" list --kernel 'gemm_cpu_[!a-z]*'
expect 1 "gemm_cpu_reference runs on the CPU: it has no SASS" list --sass gemm_cpu_reference
expect 2 "--sass: 'gemm_cpu_referense' must be a kernel; nearest: gemm_cpu_reference" list --sass gemm_cpu_referense
expect 2 "excludes" list --sass gemm_cpu_reference --occupancy
if "$gpuopt" --version | grep -q ', CUDA .* 90[,)]'; then
  sass=$(PATH=$PATH:${CUDA_HOME:+$CUDA_HOME/bin:}${CUDA_PATH:+$CUDA_PATH/bin:}/usr/local/cuda/bin && command -v cuobjdump)
  [ -z "$sass" ] || expect 0 "Function : " list --sass gemm_naive --pretend sm_90
fi
expect 2 "--op: 'gem' must be one of: gemm, transpose, reduce, fused_act" list --op gem

expect 0 CHOSEN explain gemm --m 64 --n 32 --k 16 --device cpu
expect 0 CHOSEN explain gemm --m 64 --n 32 --k 16 --type bf16 --layout nt --stage relu --stage add:per_col:f32 --device cpu
expect 0 CHOSEN explain transpose --rows 5 --cols 7 --type b128 --device cpu
expect 0 CHOSEN explain transpose --rows 7 --cols 7 --in-place --device cpu
expect 0 CHOSEN explain reduce --rows 5 --cols 7 --reduce argmax --axis all --value --device cpu
expect 0 CHOSEN explain reduce --rows 5 --cols 7 --type i8 --reduce dot --axis col --device cpu
expect 0 CHOSEN explain fused_act --rows 5 --cols 7 --out-type e4m3 --stage clamp:-1:1 --stage add_outer:f16:2 --device cpu
expect 0 "forced" explain gemm --m 8 --n 8 --k 8 --force gemm_cpu_reference --device cpu
expect 0 '"verdict": "chosen"' explain gemm --m 8 --n 8 --k 8 --json --device cpu
expect 0 "pretended" explain gemm --m 8 --n 8 --k 8 --pretend sm_90 --space host

# Over ranks that are not there, where the build has gpuopt::dist.
if [ "$have_dist" = 1 ]; then
  expect 0 "CHOSEN    dist_" explain all_gather_gemm --m 8192 --n 57344 --k 8192 --ranks 64 --link nvlink
  expect 0 "rejected  dist_peer" explain gemm_all_reduce --m 512 --n 7168 --k 18432 --ranks 8 --link ib400
  expect 0 "chosen,dist_chunked,4,2," explain gemm_reduce_scatter --m 512 --n 64 --k 64 --ranks 4 --plan dist_chunked:2 --csv
  expect 2 "options.link=rope is none of nvlink, ib400, memory" explain gemm_all_reduce --m 8 --n 8 --k 8 --link rope
  expect 2 "needs --m, --n and --k" explain gemm_all_reduce --m 8 --n 8
  expect 1 "plan='dist_pear': 'dist_pear' is no plan" explain gemm_all_reduce --m 8 --n 8 --k 8 --plan dist_pear
fi

# What is tuned is chosen, and explain says by which line of which file.
tuned=$(mktemp) || exit 1
cat >"$tuned" <<'END'
gpuopt tune 1
exact device=CPU isa=avx512 threads=8 op=gemm compute=f32 m=64 n=32 k=16 batch=1 a=f32:row:align16:ld64 b=f32:row:align16:ld128 d=f32:row:align16:ld128 kernel=gemm_cpu_reference version=1
END
GPUOPT_TUNE_CACHE=$tuned
export GPUOPT_TUNE_CACHE
expect 0 "tuned; can run; by exact entry $tuned:2" explain gemm --m 64 --n 32 --k 16 --pretend none
expect 0 '"how": "tuned"' explain gemm --m 64 --n 32 --k 16 --pretend none --json
expect 0 "can run; by exact entry" explain gemm --m 64 --n 32 --k 16 --pretend none --json
expect 0 "predicted; can run" explain gemm --m 65 --n 32 --k 16 --pretend none
GPUOPT_TUNE_CACHE=none
expect 0 "predicted; can run" explain gemm --m 64 --n 32 --k 16 --pretend none
unset GPUOPT_TUNE_CACHE
rm -f "$tuned"

# The chosen one first, then what can run by predicted time, then the reasons with their counts.
expect 0 "  accepted  " explain gemm --m 64 --n 32 --k 16 --device cpu
expect 0 "more can run: without --top they are shown" explain gemm --m 64 --n 32 --k 16 --device cpu --top 1
expect 1 "DEVICE_DATA: the data is in device memory and it runs on the CPU" explain gemm --m 8 --n 8 --k 8 --pretend sm_90 \
  --disable 'gemm_[!c]*' --force gemm_cpu_reference --rejected
expect 2 "--rejected excludes --accepted" explain gemm --m 8 --n 8 --k 8 --accepted --rejected
expect 0 "NVIDIA H100 80GB HBM3 (sm_90), pretended" explain gemm --m 8 --n 8 --k 8 --pretend H100 --space host
expect 0 "NVIDIA A100-SXM4-80GB (sm_80), pretended" explain gemm --m 8 --n 8 --k 8 --pretend a100 --space host
expect 0 "NVIDIA L40S (sm_89), pretended" explain gemm --m 8 --n 8 --k 8 --pretend l40s --space host
expect 0 "NVIDIA B200 (sm_100), pretended" explain gemm --m 8 --n 8 --k 8 --pretend b200 --space host
if ! "$gpuopt" --version | grep -q ', CUDA '; then
  expect 0 "this build has no CUDA kernels" explain gemm --m 8 --n 8 --k 8 --pretend h100 --space host
  expect 0 '"note": "this build has no CUDA kernels' explain gemm --m 8 --n 8 --k 8 --pretend h100 --space host --json
fi
case $("$gpuopt" explain gemm --m 8 --n 8 --k 8 --device cpu --accepted; "$gpuopt" explain gemm --m 8 --n 8 --k 8 --device cpu) in
  *"this build"*)
    echo "FAIL gpuopt explain --device cpu speaks of CUDA kernels"
    failed=1
    ;;
esac
first=$("$gpuopt" explain gemm --m 64 --n 32 --k 16 --device cpu | sed -n 3p)
case $first in
  *CHOSEN*) ;;
  *)
    echo "FAIL gpuopt explain gemm shows first: $first"
    failed=1
    ;;
esac
longest=$(COLUMNS=72 "$gpuopt" explain gemm --m 8 --n 8 --k 8 --pretend sm_90 --all-needs 2>/dev/null |
  awk 'length > most { most = length } END { print most + 0 }')
if [ "$longest" -eq 0 ] || [ "$longest" -gt 72 ]; then
  echo "FAIL gpuopt explain in 72 columns has a line of $longest"
  failed=1
fi
if "$gpuopt" explain gemm --m 8 --n 8 --k 8 --device cpu | grep -q "$(printf '\033')"; then
  echo "FAIL gpuopt explain colours what is no terminal"
  failed=1
fi
expect 2 "'explian' is no verb of gpuopt; nearest: explain" explian gemm --m 8
expect 2 "'gem' is no verb of explain; nearest: gemm" explain gem --m 8
expect 2 "'--pretned' is no option of explain gemm; nearest: --pretend" explain gemm --m 8 --n 8 --k 8 --pretned h100
expect 2 "'--markdwn' is no option of list; nearest: --markdown" list --markdwn=1
expect 2 "not expected: seven" list seven
expect 2 "'bnech' is no verb of gpuopt; nearest: bench" bnech

expect 1 KERNEL_NOT_FOUND explain gemm --m 8 --n 8 --k 8 --force gemm_cpu_referense --device cpu
expect 1 DEVICE_DATA explain gemm --m 8 --n 8 --k 8 --pretend sm_90 --disable 'gemm_[!c]*' --force gemm_cpu_reference
expect 2 "--k is required" explain gemm --m 8 --n 8
expect 2 "--type: 'f23' must be one of: f32" explain gemm --m 8 --n 8 --k 8 --type f23
expect 2 "--layout: 'xy' must be one of: nn, nt, tn, tt" explain gemm --m 8 --n 8 --k 8 --layout xy
expect 2 "--stage: 'relux' must be one of: relu" explain gemm --m 8 --n 8 --k 8 --stage relux
expect 2 "must be written as leaky_relu:SLOPE" explain fused_act --rows 8 --cols 8 --stage leaky_relu
expect 2 "--pretend: 'sm_1' is not one of none, sm_75" explain gemm --m 8 --n 8 --k 8 --pretend sm_1
expect 2 "--rows: '-8' must be an integer within 0 and 9223372036854775807" explain transpose --rows -8 --cols 8 --device cpu
expect 2 "GPUOPT_GEMM_TABLE" explain gemm --m 8 --n 8 --k 8 --type u8 --device cpu

# Kernels that are soon checked, for what the command says; check.kernels has all of them.
expect 0 "seed 9: " check --kernel '[ft]*_cpu_reference' --problems 3 --seed 9 --device cpu
expect 0 "agree transpose on the CPU: 5 problems" check --op transpose --problems 0 --agree 5 --size tiny --device cpu
expect 0 "seed 1: 2 passed" check --kernel 'fused_act_cpu_r*,transpose_cpu_r*' --problems 1 --device cpu
expect 0 "declared" check --kernel 'fused_act_cpu_r*,transpose_cpu_r*' --problems 600 --threads 3 --device cpu
expect 0 "transpose_cpu_reference" check --kernel transpose_cpu_reference --problems 3 --runs 50 --device cpu
expect 0 "1 passed" check --kernel gemm_cpu_blocked --problems 3 --random-only --workspace 4096 --device cpu
expect 0 " captured, by 3 threads in 1 s; host memory " check --soak 1 --threads 3 --size tiny --device cpu
expect 0 '"name": "soak"' check --soak 1 --size tiny --device cpu --json
"$gpuopt" check --soak 1 --size tiny --device cpu --json | python3 -c 'import json, sys; json.load(sys.stdin)' || {
  echo "FAIL gpuopt check --soak --json is no JSON"
  failed=1
}
case $("$gpuopt" check --soak 1 --size tiny --device cpu --csv) in
  "name,verdict,problems,calls,captured,threads,seconds,host_bytes,device_bytes,owning_graphs,kept_by_cuda,failures
soak,passed,"*) ;;
  *) echo "FAIL gpuopt check --soak --csv is no table" && failed=1 ;;
esac
expect 2 "--soak: '0' must be an integer within 1 and 86400" check --soak 0
expect 2 "--runs: 'x' must be an integer within 1 and 1000000" check --runs x
expect 2 "matches no kernel" check --kernel nothing --device cpu
expect 2 "--problems" check --problems -1
expect 2 "--device: 'gpu' must be auto, cpu, or a CUDA ordinal" check --device gpu
expect 1 "device 4711" check --device 4711 --kernel '*_cpu_reference' --problems 1
expect 2 "subcommand is required"
expect 0 "Exit codes" --help

# A call as text, and logs of them.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
problem='gemm compute=f32 a=64x16:f32:by=16 b=16x32:f32:col:ld=24 d=64x32:f32 stage=RELU'
expect 0 CHOSEN explain --problem "$problem" --device cpu
expect 0 '"verdict": "chosen"' explain --problem "$problem" --device cpu --json
expect 0 "forced" explain --problem "$problem" --force gemm_cpu_reference --device cpu
expect 1 "DEVICE_DATA" explain --problem "$problem" --space device --force gemm_cpu_reference --pretend sm_90
expect 0 "cpu-fallback" explain --problem "transpose space=host src=3x5:f32 dst=5x3:f32" --pretend sm_90
expect 2 "--problem: word 3 (column 16) 'b=5x6:f33': the type 'f33' must be one of: f32" \
  explain --problem 'gemm a=4x5:f32 b=5x6:f33'
expect 2 "--problem: it is empty" explain --problem ' '
expect 2 "--problem: gpuopt_call_text: src is 3x5 and dst is 3x5: dst must be 5x3" explain --problem 'transpose src=3x5:f32 dst=3x5:f32'
expect 2 "takes the place of 'gemm'" explain --problem "$problem" gemm --m 8 --n 8 --k 8
expect 2 "takes one of: gemm, transpose" explain
expect 2 "takes one of: gemm, transpose" explain --problem "$problem" --log x
log=$folder/app.log
cat >"$log" <<'LOG'
epoch 1
gpuopt,v2,info,template:exec,op,kernel,device,problem,how,workspace,predicted_us,ms
gpuopt,v2,device,cuda0:sm_90,NVIDIA H200,132,1980,4800,62914560,150000000000,8,2,gpuopt 0.1.0; CUDA 13.0
gpuopt,v2,exec,transpose,transpose_vec,cuda0:sm_90,transpose src=4096x4096:f32 dst=4096x4096:f32,predicted,0,31.000,0.056000
gpuopt,v2,exec,transpose,transpose_naive,cuda0:sm_90,transpose src=4096x4096:f32 dst=4096x4096:f32,forced,0,,0.042000
gpuopt,v2,exec,gemm,gemm_cpu_blocked,cpu,gemm compute=f32 a=8x8:f32 b=8x8:f32 d=8x8:f32,cpu-fallback,0,1.000,0.001000
gpuopt,v1,exec,gemm,gemm_cpu_blocked,cpu,m3n5k4:f32:row:f32:row>f32:f32,predicted,0,0.020681
gpuopt,v2,exec,gemm,torn
gpuopt,v2,warn,log,lost,3 lines could not be written
LOG
printf 'gpuopt,v2,exec,gemm,gemm_cpu_bl' >>"$log"
expect 0 "10 lines, 3 calls of 2 problems" log "$log"
expect 0 "1 line is of version 1" log "$log"
expect 0 "1 line does not read; the first, line 8: an exec line has 11 fields" log "$log"
expect 0 "1 line is not the library's" log "$log"
expect 0 "the last line is cut off" log "$log"
expect 0 "3 lines were lost" log "$log"
expect 0 "56.00     134.2          -     2.00  memory         1.81  transpose_vec " log "$log"
expect 0 "tuning could win 0.014 ms of 0.099 (14.1 %)" log "$log"
expect 0 "bounds by 4800 GB/s and 132 SMs at 1980 MHz, as the log says of NVIDIA H200" log "$log"
expect 0 "1 more that took less time" log "$log" --top 1
expect 0 '"best_kernel": "transpose_naive"' log "$log" --json
expect 0 gemm_cpu_blocked explain --log "$log" --device cpu
expect 0 '"log_kernel": "transpose_vec"' explain --log "$log" --device cpu --json
expect 1 NOT_SUPPORTED explain --log "$log" --pretend sm_75 --disable '*'
expect 2 "FILE: '$folder/none' cannot be opened: No such file or directory" log "$folder/none"
expect 2 "--log: '$folder' cannot be read: Is a directory" explain --log "$folder"
expect 2 "FILE is required" log
expect 2 "--top: '0' must be an integer within 1 and" log "$log" --top 0
head -n 1 "$log" >"$folder/empty"
expect 1 "no call to sum up" log "$folder/empty"
expect 1 "no call to explain" explain --log "$folder/empty"
if [ "$("$gpuopt" log - <"$log")" != "$("$gpuopt" log "$log")" ]; then
  echo "FAIL gpuopt log - reads standard input otherwise than the file"
  failed=1
fi

# bench: predicted beside measured, sweeps, data, CSV, and what became slower.
expect 0 "x predicted" bench gemm --m 16 --n 16 --k 16 --device cpu --seconds 0.02
expect 0 "FLOP/B" bench gemm --m 16 --n 16 --k 16 --device cpu --seconds 0.02
expect 0 "gemm compute=f32 a=32x8:bf16 b=8x8:bf16 d=32x8:bf16" \
  bench gemm --m 8,16:32:x2 --n 8 --k 8 --type f32,bf16 --device cpu --seconds 0.01
rows=$("$gpuopt" bench gemm --m 8,16:32:x2 --n 8 --k 8:24:8 --type f32,bf16 --device cpu --repeat 2 --csv --kernel '*_blocked' | wc -l)
if [ "$rows" -ne 19 ]; then
  echo "FAIL gpuopt bench --csv of 3 x 3 extents and 2 types has $rows lines"
  failed=1
fi
expect 0 "uniform data" bench transpose --rows 8 --cols 8 --device cpu --repeat 7 --data uniform --cache cold
expect 0 "cold cache, operands flushed before each" bench gemm --m 64 --n 64 --k 64 --device cpu --repeat 7 --cache cold
expect 0 "zeros data" bench --problem "$problem" --device cpu --repeat 7 --data zeros
expect 0 "a=8x8:bf16:by=2 b=8x8:bf16:by=2 d=8x8:f32:by=4 stage=ADD:per_col:1 sa=1x8:bf16:by=8" \
  bench gemm --m 8 --n 8 --k 8 --type bf16 --d-type f32 --stage add:per_col:bf16 --align 2 --stage-align 8 --device cpu --repeat 3
expect 0 "transpose src=9x9:f32:by=4 dst=9x9:f32:at=src" run transpose --rows 9 --cols 9 --in-place --align 4 --device cpu
expect 0 "transpose src=4096x4096:f32" bench --log "$log" --device cpu --repeat 1 --top 1
GPUOPT_DISABLE=gemm_cpu_blocked
export GPUOPT_DISABLE
expect 1 "gemm_cpu_blocked cannot run: DISABLED" bench gemm --m 8 --n 8 --k 8 --device cpu --kernel gemm_cpu_blocked --repeat 1
expect 1 "KERNEL_REJECTED: gpuopt_explain: forced kernel gemm_cpu_blocked cannot run this call: DISABLED" \
  bench gemm --m 8 --n 8 --k 8 --device cpu --force gemm_cpu_blocked
unset GPUOPT_DISABLE
expect 1 "no kernel that --kernel 'nothing' names can run here" bench gemm --m 8 --n 8 --k 8 --device cpu --kernel nothing --repeat 1
expect 1 "KERNEL_NOT_FOUND" bench gemm --m 8 --n 8 --k 8 --device cpu --force gemm_cpu_blokced
expect 2 "--data: 'ones' must be one of: normal, uniform, zeros" bench transpose --rows 8 --cols 8 --device cpu --data ones
expect 2 "--cache: 'warm' must be one of: cold, resident" bench transpose --rows 8 --cols 8 --device cpu --cache warm
expect 2 "--noise: '0' must be a finite number above 0" bench transpose --rows 8 --cols 8 --noise 0
expect 2 "--m: '4'" bench gemm --m 8:4:2 --n 8 --k 8
expect 2 "--m: '4:8' must be N, LOW:HIGH:STEP or LOW:HIGH:xFACTOR" bench gemm --m 4:8 --n 8 --k 8
expect 2 "calls with the other options, the most is 10000" bench gemm --m 1:1000:1 --n 1:1000:1 --k 8
expect 2 "the call: is given by one of" bench
expect 2 "excludes --" bench transpose --rows 8 --cols 8 --csv --json
"$gpuopt" bench transpose --rows 64 --cols 64 --device cpu --seconds 0.05 --json >"$folder/old.json"
sed 's/"us": .*/"us": 0.001,/' "$folder/old.json" >"$folder/fast.json"
sed 's/"us": .*/"us": 1e9,/' "$folder/old.json" >"$folder/slow.json"
expect 1 "SLOWER" bench transpose --rows 64 --cols 64 --device cpu --seconds 0.05 --compare "$folder/fast.json"
expect 0 "faster by more than noise" bench transpose --rows 64 --cols 64 --device cpu --seconds 0.05 --compare "$folder/slow.json"
# Of three samples nothing can be said, here or there, however far the times are apart.
expect 1 "beside $folder/fast.json: 0 compared" bench transpose --rows 64 --cols 64 --device cpu --repeat 3 --compare "$folder/fast.json"
expect 1 "fewer than 6 samples" bench transpose --rows 64 --cols 64 --device cpu --repeat 3 --compare "$folder/fast.json"
sed 's/"noise": .*/"noise": 1.0,/' "$folder/old.json" >"$folder/few.json"
expect 1 "fewer than 6 samples" bench transpose --rows 64 --cols 64 --device cpu --repeat 7 --compare "$folder/few.json"
expect 1 "has none of these problems" bench transpose --rows 64 --cols 65 --device cpu --repeat 1 --compare "$folder/old.json"
expect 2 "is not what bench --json writes" bench transpose --rows 64 --cols 65 --device cpu --compare "$log"
expect 2 "cannot be opened" bench transpose --rows 64 --cols 65 --device cpu --compare "$folder/none"
expect 2 "--compare: '$folder' cannot be read: Is a directory" \
  bench transpose --rows 64 --cols 65 --device cpu --repeat 1 --compare "$folder"

# tune: what it writes decides calls; what stands is replaced by what wins, and a good choice stays.
tune="tune --device cpu --seconds 0.05 --within 1e9 --tune-cache $folder/t.tune"
expect 0 "2 entries added, 0 replaced" $tune gemm --m 32 --n 32 --k 32
expect 0 "tuned; can run; by exact entry $folder/t.tune:2" \
  explain gemm --m 32 --n 32 --k 32 --device cpu --tune-cache "$folder/t.tune"
expect 0 "0 entries added, 2 replaced" $tune gemm --m 32 --n 32 --k 32
sed 's/kernel=gemm_cpu_blocked/kernel=gemm_cpu_reference/' "$folder/t.tune" >"$folder/t2.tune" && mv "$folder/t2.tune" "$folder/t.tune"
expect 0 "gemm_cpu_reference  CHOSEN" explain gemm --m 32 --n 32 --k 32 --device cpu --tune-cache "$folder/t.tune"
expect 0 '"standing": "gemm_cpu_reference"' $tune gemm --m 32 --n 32 --k 32 --json
if ! grep -q 'kernel=gemm_cpu_blocked version=' "$folder/t.tune" || grep -q kernel=gemm_cpu_reference "$folder/t.tune"; then
  echo "FAIL gpuopt tune left the slower kernel: $(cat "$folder/t.tune")"
  failed=1
fi
# One that is far slower than others neither stays nor takes a race's time, and no kernel failed for want of time.
few="tune --device cpu --seconds 0.0001 --within 1e9 --unchecked --tune-cache $folder/far.tune gemm --m 200 --n 200 --k 200"
expect 0 "1 tuned" $few
sed 's/kernel=gemm_cpu_blocked/kernel=gemm_cpu_reference/' "$folder/far.tune" >"$folder/far2.tune" &&
  mv "$folder/far2.tune" "$folder/far.tune"
expect 0 '"standing": "gemm_cpu_reference"' $few --json
case $(printf '%s' "$output" | tr -d '\n ') in
  *'"kernel":"gemm_cpu_blocked","us"'*'{"kernel":"gemm_cpu_reference","us":'*',"again_us":0.0,'*) ;;
  *)
    echo "FAIL gpuopt tune races a kernel that is far behind: $output"
    failed=1
    ;;
esac
# The times of its kernels stand beside it, for problems near it.
grep -q '^measured device=.* m=32 n=32 k=32 .* time=[0-9.e+-]*:1:gemm_cpu_reference' "$folder/t.tune" || {
  echo "FAIL gpuopt tune wrote no times: $(cat "$folder/t.tune")"
  failed=1
}
expect 0 "1 entries added, 0 replaced" $tune gemm --m 16 --n 16 --k 16 --exact-only
expect 0 "2 tuned" $tune --problem "$problem" --problem 'norm x=8x64:f32 out=8x64:f32'
printf '# calls\nreduce axis=row x=64x64:f32 out=64x1:f32\n\n' >"$folder/calls"
expect 0 "1 tuned" $tune --problems "$folder/calls"
printf 'reduce axis=row x=64x64:f33 out=64x1:f32\n' >"$folder/calls"
expect 2 "--problems: line 1: word 3" $tune --problems "$folder/calls"
printf 'transpose src=32x48:f32 dst=48x32:f32\n' >"$folder/calls"
expect 0 "1 tuned" $tune --problems - <"$folder/calls"
expect 0 "nothing was written: --tune-cache FILE keeps it" tune transpose --rows 8 --cols 8 --device cpu --seconds 0.01
expect 2 "--tune-cache: '$log': it does not begin with 'gpuopt tune 1'" tune transpose --rows 8 --cols 8 --device cpu --tune-cache "$log"
expect 2 "--tune-cache: '$folder': it " tune transpose --rows 8 --cols 8 --device cpu --tune-cache "$folder"
expect 2 "gpuopt_call_text: " tune gemm --m 8 --n 8 --k 8 --type u8 --device cpu

# tune suite: some problems, both halves; what was done is not done again, and another suite's record is refused.
of_record="tune suite --device cpu --ops reduce --count 6 --each 0.002 --seconds 60 --tune-cache $folder/s.tune --record"
suite="$of_record $folder/s.jsonl"
expect 0 "other half, untuned / automatic, geometric mean: " $suite
lines=$(wc -l <"$folder/s.jsonl")
printf '{"tuned": {"prob' >>"$folder/s.jsonl"  # cut off there
expect 0 "tuned half, best candidate / automatic, least: " $suite
[ "$(grep -c . "$folder/s.jsonl")" -le $((lines + 3)) ] || { echo "FAIL gpuopt tune suite did it again"; failed=1; }
expect 0 '"numbers": [' $suite --json
expect 2 "is the record of another suite" $suite --seed 2
# A problem that ended the process twice is left out.
begun=$(sed -n 's/^{"begun":"\([^"]*\)"}/\1/p' "$folder/s.jsonl" | head -n 1)
{
  head -n 1 "$folder/s.jsonl"
  printf '{"begun":"%s"}\n{"begun":"%s"}\n' "$begun" "$begun"
} >"$folder/s2.jsonl"
expect 0 "it ended the process, 2 times, of $begun" $of_record "$folder/s2.jsonl"
expect 2 "--ops" tune suite --ops gemmm --tune-cache "$folder/s.tune"
expect 2 "does not begin with 'gpuopt tune 1'" tune suite --tune-cache "$log"
expect 1 "there is no entry to take" tune table "$folder/s.tune" --into "$folder" --device-name None
expect 2 "cannot be opened" tune table "$folder/none.tune" --into "$folder"

# CSV: the rows of the JSON, of every verb that has some.
expect 0 "kernel,verdict,how,reject" explain gemm --m 8 --n 8 --k 8 --pretend none --csv
expect 0 "name,op,version,types,devices,flags" list --op norm --csv
expect 0 "norm_cpu_reference,norm,1," list --op norm --csv
expect 0 "name,verdict,skipped,declared" check --kernel norm_cpu_reference --problems 1 --random-only --device cpu --csv
expect 0 '"verdict": "passed"' check --kernel norm_cpu_reference --problems 1 --random-only --device cpu --json
expect 0 "problem,device,note,kernel,how" run gemm --m 8 --n 8 --k 8 --device cpu --csv
expect 0 "problem,untuned,standing,tuned,kernel,us" tune transpose --rows 8 --cols 8 --device cpu --seconds 0.01 --csv
expect 0 "device,problem,bytes,flops" log "$log" --csv
printf 'gpuopt,v2,exec,gemm,a\rb,cpu,gemm compute=f32 a=8x8:f32 b=8x8:f32 d=8x8:f32,predicted,0,,\n' >"$folder/return"
expect 0 "\"$(printf 'a\rb')\"," log "$folder/return" --csv
expect 2 "excludes" list --csv --json

# run: one call, its data from files or a distribution, held to the oracle.
expect 0 "right: 2048 elements; largest error " run --problem "$problem" --device cpu
expect 0 "kernel: gemm_cpu_reference (forced" run gemm --m 8 --n 8 --k 8 --device cpu --force gemm_cpu_reference --data uniform
expect 0 '"right": true' run norm --rows 8 --cols 8 --device cpu --seed 7 --repeat 1 --json
# A call without output runs no kernel.
for empty in 'transpose src=0x4:f32 dst=4x0:f32' 'norm norm=RMSNORM x=0x4:f32 out=0x4:f32' 'gemm a=4x8:f32 b=8x0:f32 d=4x0:f32'; do
  expect 0 "kernel: none, for the call writes nothing" run --problem "$empty" --device cpu
  expect 0 '"kernel": ""' run --problem "$empty" --device cpu --json
done
printf '1,2,3\n4,5,6\n' >"$folder/a.csv"
printf ' 1, 0\n0 ,1\n\n1,1e0\n' >"$folder/b.csv"
expect 0 "right: 4 elements" run gemm --m 2 --n 2 --k 3 --device cpu --read "a=$folder/a.csv" --read "b=$folder/b.csv" \
  --write "d=$folder/d.csv" --write "d=$folder/d.npy"
if [ "$(cat "$folder/d.csv")" != "4,5
10,11" ]; then
  echo "FAIL gpuopt run --write wrote $(cat "$folder/d.csv")"
  failed=1
fi
expect 0 "right: 4 elements" run transpose --rows 2 --cols 2 --device cpu --read "src=$folder/d.npy" --write "dst=$folder/t.csv"
# The first index fastest, as NumPy saves transposed views, of doubles; and a batch of bytes.
python3 - "$folder" <<'PYTHON'
import struct, sys
def save(name, descr, fortran, shape, data):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    text += ' ' * (63 - (10 + len(text)) % 64) + '\n'
    open(sys.argv[1] + '/' + name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode() + data)
save('f.npy', '<f8', True, (2, 3), struct.pack('<6d', 1, 4, 2, 5, 3, 6))
save('i.npy', '|i1', False, (2, 1, 3), struct.pack('6b', 1, 2, 3, -4, -5, -128))
save('short.npy', '<f4', False, (2, 3), b'\0' * 20)
save('big.npy', '>f4', False, (2, 3), b'\0' * 24)
PYTHON
expect 0 "right" run transpose --rows 2 --cols 3 --device cpu --type f64 --read "src=$folder/f.npy" --write "dst=$folder/f.csv"
expect 0 "right" run reduce --rows 1 --cols 3 --batch 2 --type i8 --device cpu --read "x=$folder/i.npy" --write "out=$folder/i.csv"
if [ "$(cat "$folder/t.csv" "$folder/f.csv" "$folder/i.csv" | tr '\n' ' ')" != "4,10 5,11 1,4 2,5 3,6 6 -137 " ]; then
  echo "FAIL gpuopt run reads .npy as $(cat "$folder/t.csv" "$folder/f.csv" "$folder/i.csv")"
  failed=1
fi
expect 2 "--read: '$folder/a.csv': it is 2x3, and the operand 2x4" run gemm --m 2 --n 2 --k 4 --device cpu --read "a=$folder/a.csv"
expect 2 "--read: '$folder/short.npy': its shape and type take 24 bytes and it has 20" \
  run transpose --rows 2 --cols 3 --device cpu --read "src=$folder/short.npy"
expect 2 "its type '>f4' is not one of" run transpose --rows 2 --cols 3 --device cpu --read "src=$folder/big.npy"
cp "$log" "$folder/log.csv" && cp "$log" "$folder/log.npy"
expect 2 "line 1: 'epoch 1' is no number" run transpose --rows 2 --cols 3 --device cpu --read "src=$folder/log.csv"
expect 2 "it does not begin as an .npy file" run transpose --rows 2 --cols 3 --device cpu --read "src=$folder/log.npy"
expect 2 "must end in .npy or .csv" run transpose --rows 2 --cols 3 --device cpu --read "src=$log"
printf '1,2.5\n' >"$folder/half.csv"
expect 2 "2.5 is none of the integers of i8" run transpose --rows 1 --cols 2 --type i8 --device cpu --read "src=$folder/half.csv"
# Offsets of groups decide what is right, beyond the rows too; a list has addresses.
grouped="run gemm_grouped --m 6 --n 4 --k 4 --groups 2 --device cpu --read"
for offsets in 0,6,6 0,1,5 2,2,6 -3,4,99; do
  printf '%s\n' "$offsets" >"$folder/offsets.csv"
  expect 0 "right: " $grouped "offsets=$folder/offsets.csv"
done
printf '0,6,3\n' >"$folder/offsets.csv"
expect 2 "offsets.csv': offsets[2]=3 is less than the one before it=6: they must ascend" $grouped "offsets=$folder/offsets.csv"
expect 2 "offsets.csv': a list holds addresses" run --device cpu --read "list=$folder/offsets.csv" \
  --problem 'gemm_grouped groups=2 compute=f32 a=8x4:f32 b=4x4:f32 d=8x4:f32 list=8x4x4'
printf '1,300\n' >"$folder/half.csv"
expect 2 "300 is none of the integers of u8" run transpose --rows 1 --cols 2 --type u8 --device cpu --read "src=$folder/half.csv"
expect 2 "--read: 'x' must be written as OPERAND=FILE" run transpose --rows 2 --cols 3 --read x
expect 2 "--read: 'x' must be an operand of the call" run transpose --rows 2 --cols 3 --device cpu --read x=y
expect 2 "--write: 'src' must be an operand that the call writes" run transpose --rows 2 --cols 3 --device cpu --write src=y.csv
expect 2 "--write: '$folder/none/y.csv': it cannot be written: " \
  run transpose --rows 2 --cols 3 --device cpu --write "dst=$folder/none/y.csv"
# Where the disk is full the earlier file stays as it was, and nothing beside it; no file can have a byte here.
mkdir "$folder/full"
for kind in csv npy; do
  printf 'old\n' >"$folder/full/t.$kind"
  output=$(trap '' XFSZ && ulimit -f 0 && "$gpuopt" run transpose --rows 2 --cols 3 --device cpu --write "dst=$folder/full/t.$kind" 2>&1)
  code=$?
  case $code:$output in
    "1:gpuopt run: --write: '$folder/full/t.$kind': "*"cannot be written: "*) ;;
    *)
      echo "FAIL gpuopt run --write to a full disk: exit code $code, $output"
      failed=1
      ;;
  esac
done
if [ "$(cat "$folder/full/t.csv" "$folder/full/t.npy")" != "old
old" ] || [ "$(ls -A "$folder/full" | wc -l)" -ne 2 ]; then
  echo "FAIL gpuopt run --write to a full disk leaves $(ls -lA "$folder/full")"
  failed=1
fi
expect 2 "the call: must be one; these are 2" run gemm --m 4,8 --n 1 --k 1
expect 1 "KERNEL_NOT_FOUND" run gemm --m 4 --n 1 --k 1 --device cpu --force gemm_cpu_blokced
expect 2 "gpuopt_call_text: " run gemm --m 8 --n 8 --k 8 --type u8 --device cpu
expect 0 "right" run --problem 'fused_act captured space=host x=8x8:f32 out=8x8:f32:at=x stage=RELU' --device cpu
# The command of a log's call makes it again.
command=$(GPUOPT_VERBOSE=command "$gpuopt" run gemm --m 4 --n 4 --k 4 --device cpu --repeat 1 2>&1 >/dev/null |
  grep '^gpuopt,v2,command,gemm,' | head -n 1 | sed 's/^gpuopt,v2,command,gemm,gpuopt //')
if ! eval "\"\$gpuopt\" $command --device cpu" >/dev/null; then
  echo "FAIL the command of a call does not run: gpuopt $command"
  failed=1
fi

# Numbers: what is none or out of range is refused with argument, value and rule.
gemm="explain gemm --n 8 --k 8 --device cpu"
most=9223372036854775807
for bad in 9223372036854775808 -1 1e3 0x10 8x '' ' 8' +8 99999999999999999999999; do
  expect 2 "--m: '$bad' must be an integer within 0 and $most" $gemm --m "$bad"
done
expect 2 "64-bit offsets" $gemm --m $most
for argument in --batch --lda --ldb --ldc --ldd; do
  expect 2 "$argument: '-1' must be an integer within 0 and $most" $gemm --m 8 $argument -1
done
for argument in --alpha --beta; do
  for bad in 1e999 1e-999 1,5 x ''; do
    expect 2 "$argument: '$bad' must be a number within the range of a double" $gemm --m 8 $argument "$bad"
  done
done
expect 0 CHOSEN $gemm --m 8 --alpha nan --beta -2.5e-3
for argument in --align --stage-align; do
  for bad in 3 -4 2147483648 x; do
    expect 2 "$argument: '$bad' must be 0 or a power of two" $gemm --m 8 $argument $bad
  done
done
for bad in 1x -1 4294967296 ''; do
  expect 2 "--device: '$bad' must be auto, cpu, or a CUDA ordinal" explain gemm --m 8 --n 8 --k 8 --device "$bad"
  expect 2 "--device: '$bad' must be auto, cpu, or a CUDA ordinal" check --device "$bad"
  expect 2 "--device: '$bad' must be auto, cpu, or a CUDA ordinal" bench transpose --rows 8 --cols 8 --device "$bad"
done
expect 2 "--stage: '1e999' must be a number within the range of a double" $gemm --m 8 --stage mul:scalar:1e999
expect 2 "--threads: '0' must be an integer within 1 and 256" check --threads 0
expect 2 "--seed: '-1' must be an integer within 0 and 18446744073709551615" check --seed -1
expect 2 "--first: '18446744073709551615' must be an integer within 0 and" check --first 18446744073709551615
expect 2 "--repeat: '4294967297' must be an integer within 1 and 1000000" bench transpose --rows 8 --cols 8 --repeat 4294967297
expect 2 "--rows: '0' must be an integer within 1 and" bench transpose --rows 0 --cols 8
expect 2 "2097152x2097152 of f32 in a batch of 1 must be within 2^40 bytes" \
  bench transpose --rows 2097152 --cols 2097152 --device cpu

# Reports of Nsight Compute, and an ncu that writes one.
made=$source/tests/data/advise/made
expect 0 "bound by  uncoalesced access" advise "$made/raw.csv"
expect 0 "sectors a global store of a warp: 32  l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum" advise "$made/raw.csv"
expect 0 "bound by  DRAM bandwidth, at its limit" advise "$made/details.csv" --kernel 'copy*'
expect 0 '"bound": "launch-too-small"' advise "$made/raw.csv" --kernel 'tiny*' --json
expect 1 "no kernel of the report matches 'gemm*'" advise "$made/raw.csv" --kernel 'gemm*'
expect 0 "gpu__time_duration.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed," advise --metrics
expect 2 "FILE: must be a report of ncu" advise
expect 2 "'/nowhere' cannot be opened: No such file" advise /nowhere
expect 2 "is a folder" advise "$folder"
head -c 1300 "$made/raw.csv" >"$folder/cut.csv"
expect 2 "cut.csv', line 7: " advise "$made/raw.csv" "$folder/cut.csv"
expect 2 "--run: must be followed by -- and a command" advise --run
expect 2 "KERNEL: must be given before the call" profile gemm --m 8 --n 8 --k 8
expect 2 "KERNEL: 'gemm_naiv' must be a kernel of this build" profile gemm_naiv gemm --m 8 --n 8 --k 8
expect 2 "must be a kernel that runs on a GPU" profile gemm_cpu_reference gemm --m 8 --n 8 --k 8
without_ncu() {
  output=$(PATH=/nowhere CUDA_HOME=/nowhere "$gpuopt" "$@" 2>&1)
  case $?$output in
    "1"*"ncu of Nsight Compute is in no folder of PATH"*) ;;
    *) [ -x /usr/local/cuda/bin/ncu ] || { echo "FAIL gpuopt $* without ncu: $output" && failed=1; } ;;
  esac
}
without_ncu advise --run -- true
without_ncu advise "$folder/none.ncu-rep"
mkdir "$folder/bin"
cat >"$folder/bin/ncu" <<'STUB'
#!/bin/sh
# Writes $REPORT where the table goes, runs what it is given, or, for --import, prints it.
[ "$1" = --import ] && exec cat "$REPORT"
while [ $# -gt 0 ]; do
  case $1 in
    --csv | -f) shift ;;
    --log-file) cat "$REPORT" >"$2"; shift 2 ;;
    --*) shift 2 ;;
    *) exec "$@" ;;
  esac
done
STUB
chmod +x "$folder/bin/ncu"
path=$PATH
PATH=$folder/bin:$PATH REPORT=$made/raw.csv
export PATH REPORT
expect 0 "bound by  uncoalesced access" advise --run -- echo said by the application
expect 0 "said by the application" advise --run -- echo said by the application
case $("$gpuopt" advise --json --run -- echo said by the application 2>/dev/null) in
  '['*) ;;
  *) echo "FAIL advise --json --run: what the application says is among the JSON" && failed=1 ;;
esac
expect 0 "bound by  uncoalesced access" advise any.ncu-rep
printf '==ERROR== ERR_NVGPUCTRPERM - no permission\n' >"$folder/refused"
REPORT=$folder/refused
expect 1 "ERR_NVGPUCTRPERM - no permission" advise --run -- true
PATH=$path
unset REPORT

# An output that is not written in full is a failure, of every verb and of CLI11's own texts. A read-only descriptor in the
# place of a closed one must not become some file's.
output_fails() {
  "$gpuopt" "$@" 2>/dev/null >/dev/full
  full=$?
  "$gpuopt" "$@" 2>/dev/null >&-
  closed=$?
  if [ $full -ne 1 ] || [ $closed -ne 1 ]; then
    echo "FAIL gpuopt $*: exit codes $full on a full device and $closed on a closed stdout, must be 1"
    failed=1
  fi
}
output_fails list
output_fails list --json
output_fails list --tables
output_fails $gemm --m 8
output_fails $gemm --m 8 --json
output_fails check --kernel transpose_cpu_reference --problems 1 --device cpu
output_fails bench transpose --rows 8 --cols 8 --repeat 3 --device cpu
output_fails bench transpose --rows 8 --cols 8 --repeat 3 --device cpu --csv
output_fails tune transpose --rows 8 --cols 8 --seconds 0.01 --device cpu
output_fails run transpose --rows 8 --cols 8 --device cpu
output_fails log "$log"
output_fails log "$log" --json
output_fails explain --log "$log" --device cpu
output_fails --help
output_fails --version
output=$("$gpuopt" list 2>&1 >/dev/full)
case $output in
  "gpuopt: stdout could not be written: "*) ;;
  *)
    echo "FAIL gpuopt list >/dev/full says: $output"
    failed=1
    ;;
esac

# JSON is valid UTF-8, whatever bytes the arguments and the environment hold.
bytes=$(printf 'a\001\377\300\200\355\240\200\342\202"\\\303\251')
printf 'gpuopt,v2,exec,gemm,%s,cpu,gemm compute=f32 a=8x8:f32 b=8x8:f32 d=8x8:f32,predicted,0,,\n' "$bytes" >"$folder/bytes"
for json in "$($gpuopt $gemm --m 8 --json --force "$bytes")" "$(GPUOPT_KERNEL=$bytes $gpuopt $gemm --m 8 --json)" \
  "$($gpuopt $gemm --m 8 --json)" "$($gpuopt list --json)" \
  "$($gpuopt bench transpose --rows 8 --cols 8 --repeat 3 --device cpu --json)" \
  "$($gpuopt log "$folder/bytes" --json)" "$($gpuopt explain --log "$folder/bytes" --device cpu --json)"; do
  printf '%s' "$json" | python3 -c 'import json, sys; json.loads(sys.stdin.buffer.read().decode("utf-8"))' || {
    echo "FAIL no JSON: $json"
    failed=1
  }
done
# Each sequence that begins no character becomes one U+FFFD, as Unicode has it.
replaced=$(printf '\357\277\275%.0s' 1 2 3 4 5 6 7)
case $("$gpuopt" $gemm --m 8 --json --force "$bytes") in
  *'a\u0001'"$replaced"'\"\\é'*) ;;
  *)
    echo "FAIL explain --json shows '$bytes' as $("$gpuopt" $gemm --m 8 --json --force "$bytes" | head -c 300)"
    failed=1
    ;;
esac
expect 0 "gpuopt 0" --version

if ! "$gpuopt" list --tables | cmp -s - "$source/docs/tables.md"; then
  echo "FAIL docs/tables.md is not what 'gpuopt list --tables' prints"
  failed=1
fi
if ! "$gpuopt" advise --rules | cmp -s - "$source/docs/rules.md"; then
  echo "FAIL docs/rules.md is not what 'gpuopt advise --rules' prints"
  failed=1
fi
# The roofline of a CPU, drawn.
drawn=$(mktemp -d) || exit 1
expect 0 "fp64 FMA" roofline --device cpu --problem 'reduce reduce=SUM axis=all x=64x64:f32 out=1x1:f32' --kernel 'reduce_cpu_b*' \
  --svg "$drawn/r.svg" --html "$drawn/r.html"
case $(cat "$drawn/r.svg" "$drawn/r.html") in
  *"reduce_cpu_blocked"*"</svg>"*"reduce_cpu_blocked"*"</html>"*) ;;
  *)
    echo "FAIL gpuopt roofline --svg --html draws no reduce_cpu_blocked"
    failed=1
    ;;
esac
rm -rf "$drawn"
expect 2 "--svg: '/nowhere/r.svg': it cannot be written: No such file" roofline --device cpu --svg /nowhere/r.svg

expect 2 "--problem: word 1 (column 1)" roofline --device cpu --problem zzz
expect 2 "--problem: gpuopt_call_text: " roofline --device cpu --problem 'transpose src=3x5:f32 dst=3x5:f32'

# The experiments are listed everywhere; what a CPU cannot run says so.
expect 0 "004.10c" lab list
expect 0 '"claimed": 6.5' lab list --json
expect 2 "ID: '004.1z' must be list, all, triton or an experiment; nearest: 004.1" lab 004.1z
expect 2 "ID is required" lab
expect 1 "note: needs a GPU" lab 003.2b --device cpu
expect 1 "verdict: not run" lab 004.8c --device cpu
expect 0 "reduce_cpu_blocked" lab 004.3b --device cpu --seconds 0.01
expect 0 '"verdict": "not run"' lab 004.3b --device cpu --seconds 0.01 --json
[ $failed -eq 0 ] && echo "all cases passed"
exit $failed
