#!/bin/sh
# The GPU command: builds for Hopper, tests, checks every kernel against the oracle, runs compute-sanitizer's four tools,
# measures, and leaves one record. Run it on a machine with a Hopper GPU; nothing of the machine is changed.
#   packaging/gpu.sh [options]     exit 0: every step passed; --help lists the options
command -v python3 >/dev/null 2>&1 || { echo "gpu.sh: there is no python3" >&2; exit 2; }
exec python3 "$(dirname "$0")/gpu_steps.py" "$@"
