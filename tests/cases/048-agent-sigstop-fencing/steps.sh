#!/bin/bash
. "$(dirname "$0")/../lib.sh" 048-agent-sigstop-fencing
export RUNLOG="$W/run"; j=$(jid -n1 -o /dev/null "$C/job.sh"); wait_state $j RUNNING 20; sleep 1; n=$(fld $j NodeList); echo "first=$n"; agent_stop $n   # SIGSTOP to the agent only, the job keeps writing
sleep 15; echo "frozen=$(node_state $n)"; echo "state=$(state $j) node=$(fld $j NodeList) restarts=$(fld $j Restarts)"; agent_cont $n; sleep 4; echo "thawed=$(state $j) node=$(fld $j NodeList)"
awk '{print $1}' "$RUNLOG" | sort | uniq -d | sed 's/^/twice=/'; sort -u -k2,3 "$RUNLOG" | sed 's/^/copy=/'; scancel $j; wait_end $j 30; echo "end=$(state $j)"; wait_node $n idle 20; echo "node=$(node_state $n)"
