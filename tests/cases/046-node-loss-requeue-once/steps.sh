#!/bin/bash
. "$(dirname "$0")/../lib.sh" 046-node-loss-requeue-once
export RUNLOG="$W/run"; j=$(jid -n1 -o /dev/null "$C/job.sh"); wait_state $j RUNNING 20; n=$(fld $j NodeList); k=$(jid -n1 --no-requeue -w $n -o /dev/null --wrap 'sleep 100'); wait_state $k RUNNING 20
node_kill9 $n; lost=$(date +%s)
for ((i=0;i<300;i++)); do [ "$(grep -c restart=1 "$RUNLOG")" = 1 ] && break; sleep .1; done; echo "lost=$n"; wait_end $j 60; wait_end $k 30
sed 's/^/run=/' "$RUNLOG"; sacct -X -D -n -P -j $j -o JobID,State,ElapsedRaw,NodeList | sed 's/^/record=/'; echo "k=$(state $k)"
agent_start $n; wait_node $n idle 20; echo "node=$(node_state $n)"; echo "k=$(state $k)"; echo "alloc=$(scontrol show node $n | tr ' ' '\n' | sed -n 's/^CPUAlloc=//p')"
