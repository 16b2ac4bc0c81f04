#!/bin/bash
. "$(dirname "$0")/../lib.sh" 075-read-your-writes
miss=0; for i in $(seq 60); do j=$(jid -o /dev/null --wrap true); squeue -h -j $j >/dev/null 2>&1 && [ -n "$(sacct -X -n -P -j $j -o State)" ] || miss=$((miss+1)); done; echo "invisible=$miss"
gap=0; for i in $(seq 15); do j=$(jid -o /dev/null --wrap 'sleep 0.3'); while [ -n "$(squeue -h -j $j 2>/dev/null)" ]; do :; done; s=$(sacct -X -n -P -j $j -o State); [ "$s" = COMPLETED ] || { gap=$((gap+1)); echo "gap=$j $s"; }; done; echo "gaps=$gap"; sbatch --wait -o /dev/null --wrap 'exit 9' >/dev/null; echo "wait=$?"
