#!/bin/sh
# The command line with plugins. Usage: test_cli_plugins.sh <gpuopt> <sound plugin> <hostile plugin>
gpuopt=$1
sound=$2
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -r "$work"' EXIT
cp "$3" "$work/hostile.so"
name=plugin:sound/transpose_plain

. "$(dirname "$0")/../expect_cli.sh"

expect 0 "$name" list --plugin "$sound" --kernel 'plugin:*'
expect 0 "\"origin\": \"$sound\"" list --plugin "$sound" --kernel "$name" --json
expect 0 '"origin": "built-in"' list --kernel gemm_cpu_reference --json
expect 1 'no kernel matches' list --kernel 'plugin:*'
expect 0 "$name" explain transpose --rows 5 --cols 7 --device cpu --plugin "$sound"
expect 0 forced explain transpose --rows 5 --cols 7 --device cpu --plugin "$sound" --force plugin:sound/transpose_loop
expect 0 "ok    $name" check --plugin "$sound" --kernel 'plugin:sound/*' --device cpu --problems 50
expect 0 "$name" bench transpose --rows 8 --cols 8 --repeat 3 --device cpu --plugin "$sound"
# A glob finds a kernel by a former name.
for verb in bench roofline; do
  expect 0 "$name" $verb --problem 'transpose src=8x8:f32 dst=8x8:f32' --kernel 'plugin:sound/transpose_l*' --device cpu \
    --plugin "$sound"
done
expect 2 '--plugin: gpuopt_load_plugin: path: refused: /nowhere.so: No such file or directory' list --plugin /nowhere.so
expect 0 "kernel  $name: a plain loop" plugin check "$sound"
# What the current folder holds is what a command line means by a name without a folder.
(cd "${sound%/*}" && "$gpuopt" list --plugin "${sound##*/}" --kernel "$name" >/dev/null 2>&1) || {
  echo "FAIL a file of the current folder"
  failed=1
}

# A manifest with PTX, and one with a line that is wrong.
printf '//\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry add(.param .u64 p)\n{\n\tret;\n}\n' >"$work/add.ptx"
hash=$(sha256sum "$work/add.ptx")
cat >"$work/twins.gpuopt" <<END
gpuopt = 1
[vector_add]
op = fused_act
summary = x + y
types = f32,f32
stages = add:matrix:f32
entry = add
block = 128
grid = ceil_div(rows * cols, 1024)
args = x.ptr, stage0.a.ptr, out.ptr, rows * cols:i32
time_ns = 2000
image.ptx = add.ptx
sha256.ptx = ${hash%% *}
END
sed 's/1024/1024 - 4 * 256/' "$work/twins.gpuopt" >"$work/zero.gpuopt"
twin=plugin:twins/vector_add
expect 0 "kernel  $twin: x + y" plugin check "$work/twins.gpuopt"
expect 0 "$twin" list --plugin "$work/twins.gpuopt" --kernel 'plugin:*'
expect 0 'forced; can run' explain fused_act --rows 5 --cols 7 --stage add:matrix:f32 --pretend sm_90 --force $twin \
  --plugin "$work/twins.gpuopt"
expect 0 "skip  $twin" check --plugin "$work/twins.gpuopt" --kernel 'plugin:*' --device cpu --problems 50
expect 1 'FAULT  line 9, column 8: grid: this divides by zero' plugin check "$work/zero.gpuopt"
expect 2 'refused: ' list --plugin "$work/zero.gpuopt"
echo '//' >>"$work/add.ptx"
expect 1 "FAULT  line 13, column 14: the sha256 of 'add.ptx' is " plugin check "$work/twins.gpuopt"

# Everything that is wrong at once, the fate of a process that loads it, and files in turn.
GPUOPT_VERBOSE=none
export GPUOPT_VERBOSE
fault() {
  GPUOPT_TEST_FAULT=$1
  export GPUOPT_TEST_FAULT
  shift
  expect 1 "$@"
  unset GPUOPT_TEST_FAULT
}
fault 'many faults' "FAULT  kernel 0 'gemm_first': align has a value that is not 0 or a power of two up to 256
FAULT  the kernel's name 'gemm_Other' has a character outside [a-z0-9_]" plugin check "$work/hostile.so"
fault 'start hangs' 'FAULT  it did not return within 1 s from being loaded' plugin check --seconds 1 "$work/hostile.so"
fault 'query hangs' 'FAULT  it did not return within 1 s from being loaded' plugin check --seconds 1 "$work/hostile.so"
fault 'start throws' 'FAULT  ' plugin check "$work/hostile.so"
fault 'start exits' 'FAULT  it ended the process that loaded it: exit status 42' plugin check "$work/hostile.so"
for exits in 'start exits as if all were well' 'query exits as if all were well'; do
  fault "$exits" 'FAULT  it ended the process that loaded it: exit status 0' plugin check "$work/hostile.so"
done
fault 'start exits as one that is at fault' 'FAULT  it ended the process that loaded it: exit status 1' \
  plugin check "$work/hostile.so"
fault 'query crashes' 'FAULT  it ended the process that loaded it: ' plugin check "$work/hostile.so"
# tune: an untuned kernel that fails is behind by no known time, and has no part in the mean of gains.
# Problems that it does not take have one: of two, the mean is the other's own.
tune="tune --device cpu --seconds 0.01 --within 1e9 --plugin $work/hostile.so"
fails='gemm compute=f32 a=32x32:f32 b=32x32:f32 d=32x32:f32'
runs='transpose src=32x48:f32 dst=48x32:f32'
fault 'chosen and fails' 'no gain is known, for every untuned kernel failed' $tune --problem "$fails"
fault 'chosen and fails' '"gain": null' $tune --problem "$fails" --json
fault 'chosen and fails' '1 of them without a gain, for the untuned kernel failed' $tune --problem "$fails" --problem "$runs"
fault 'chosen and fails' '1 tuned, 1 of them' $tune --problem "$fails" --tune-cache "$work/t.tune"
grep -q '^exact .* kernel=gemm_cpu_[a-z]* version=' "$work/t.tune" || {
  echo "FAIL tune where the untuned kernel fails wrote $(cat "$work/t.tune")"
  failed=1
}
fault 'wrong ABI' 'FAULT  its abi_major is 2' plugin check "$sound" "$work/hostile.so"
expect 1 'FAULT  No such file or directory' plugin check "$work/gone.so"
expect 2 'FILE is required' plugin check
expect 2 "--seconds: '0' must be an integer within 1 and 3600" plugin check --seconds 0 "$sound"
"$gpuopt" plugin check "$sound" >/dev/full 2>/dev/null && {
  echo "FAIL plugin check on a full device"
  failed=1
}
[ $failed -eq 0 ] && echo "all cases passed"
exit $failed
