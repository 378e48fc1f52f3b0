#!/bin/sh
# The command line with a kernel that offers algorithms. Usage: test_cli_algorithms.sh <gpuopt> <plugin>
gpuopt=$1
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -r "$work"' EXIT
kernel=plugin:algorithms/transpose_loops
call="transpose --rows 60 --cols 40 --device cpu --plugin $2"  # short beside a turn of the scheduler, on a loaded machine too

. "$(dirname "$0")/../expect_cli.sh"

# Named as every kernel is, and refused by name.
expect 0 "kernel: $kernel@once (forced" run $call --force "$kernel@once"
expect 1 "there is no algorithm twice" run $call --force "$kernel@twice"
expect 1 "transpose_cpu_blocked offers no algorithms" run $call --force transpose_cpu_blocked@once

# bench: the best beside the kernel's own choice, all, or none.
expect 0 "$kernel@once" bench $call --seconds 0.02
expect 0 "the best of 1 more algorithms of libraries" bench $call --seconds 0.02
expect 0 "$kernel@once" bench $call --repeat 2 --algorithms all --json
expect 1 "there is no algorithm never" run $call --force "$kernel@never"
expect 2 "--algorithms" bench $call --algorithms some
if "$gpuopt" bench $call --repeat 2 --algorithms none | grep -q @; then
  echo "FAIL gpuopt bench --algorithms none shows one"
  failed=1
fi

# tune: the algorithm is measured, held to the oracle and written; a call and explain then name it.
# Kernels of the library are left out by --within: of a prediction of a nanosecond they are far.
# A machine that is busy with other things may not be sure at first, and then nothing is replaced.
# What is offered and refused is no fault.
for turn in 1 2 3 4 5; do
  said=$("$gpuopt" tune $call --seconds 0.3 --within 2 --tune-cache "$work/t.tune" 2>&1) || {
    echo "FAIL gpuopt tune: $said"
    failed=1
  }
  case $said in *"1 tuned, 1 of them to another kernel"*) break ;; esac
  rm -f "$work/t.tune"
done
grep -q "kernel=$kernel version=7 algorithm=once us=" "$work/t.tune" || {
  echo "FAIL gpuopt tune did not write the algorithm: $said $(cat "$work/t.tune")"
  failed=1
}
expect 0 "$kernel@once  CHOSEN" explain $call --tune-cache "$work/t.tune"
expect 0 "kernel: $kernel@once (tuned" run $call --tune-cache "$work/t.tune"
# What stands is known by kernel and algorithm.
expect 0 "\"standing\": \"$kernel@once\"" tune $call --seconds 0.3 --within 2 --tune-cache "$work/t.tune" --json

# One that the kernel has no longer gives way to its own choice.
sed 's/algorithm=once/algorithm=gone/' "$work/t.tune" >"$work/stale.tune"
expect 0 "kernel: $kernel (tuned" run $call --tune-cache "$work/stale.tune"

# A table of it for the library to carry: times alone, in the versions of this build, under the device's name.
expect 0 "entries of single problems were left out" tune table "$work/t.tune" --into "$work" --plugin "$2"

table=$(ls "$work"/*.tune | grep -v -e /t.tune -e /stale.tune)
if [ "$(grep -c '^measured device=.*:7:'"$kernel@once" "$table")" != 1 ] || grep -q -e '^exact' -e ' us=' "$table"; then
  echo "FAIL gpuopt tune table: $(cat "$table")"
  failed=1
fi
expect 0 "$kernel@once  CHOSEN" explain $call --tune-cache "$table"
sed 's/version=7/version=6/; s/:7:/:6:/g; s/time=[^ ]*:1:[^ ]*//g' "$work/t.tune" >"$work/old.tune"
expect 1 "left out, for it is not as in this build" tune table "$work/old.tune" --into "$work/none" 
exit $failed
