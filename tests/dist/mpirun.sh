#!/bin/sh
# mpirun.sh <mpirun> <ranks> <program> <what>: on however few processors, as whatever user. "lost" kills a rank itself: the others
# must end well, and it must not be mpirun that ends them.
mpirun=$1 ranks=$2 program=$3 what=$4
unset DISPLAY
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
if [ "$what" != lost ]; then
  exec "$mpirun" -n "$ranks" "$program" "$what"
fi
OMPI_MCA_orte_enable_recovery=1
export OMPI_MCA_orte_enable_recovery
said=$("$mpirun" -n "$ranks" "$program" lost 2>&1)
echo "$said"
[ "$(echo "$said" | grep -c 'outlived rank')" -eq $((ranks - 1)) ] && ! echo "$said" | grep -q FAILED
