#!/bin/bash
. "$(dirname "$0")/../lib.sh" 049-network-cut
export DONE="$W/done" RUNS="$W/runs"; j=$(jid -n1 -t 5 -o /dev/null "$C/job.sh"); wait_state $j RUNNING 20
net cut; for ((i=0;i<100;i++)); do [ -s "$DONE" ] && break; sleep .1; done; sleep 2.5; echo "cut=$(state $j)"; net heal; healed=$(date +%s)
wait_end $j 20; echo "end=$(SLURM_TIME_FORMAT=%s sacct -X -n -P -j $j -o State,ExitCode,End)"; echo "done=$(cat "$DONE")"; echo "healed=$healed"
sleep 1; echo "runs=$(wc -l < "$RUNS")"; echo "node=$(node_state n1)"
watch_node() { # NAME SECONDS
  local until=$(($(date +%s) + $2)); while [ "$(date +%s)" -lt $until ]; do sinfo -N -h -o "$1=%T|%E"; sleep .1; done
}
net cut to_client; watch_node deaf 9; sinfo -N -h -o 'deaf_at_end=%T|%E'; net heal; wait_node n1 idle 20; watch_node back 1
k=$(jid -o /dev/null --wrap true); wait_end $k 20; echo "after=$(state $k)"
