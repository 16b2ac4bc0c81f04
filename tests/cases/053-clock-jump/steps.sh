#!/bin/bash
. "$(dirname "$0")/../lib.sh" 053-clock-jump
j=$(jid -n1 -t 2 -o /dev/null "$C/job.sh"); p=$(jid -n1 --begin=now+1hour -o /dev/null "$C/job.sh"); wait_state $j RUNNING 20
echo "first_id=$j"
clock_shift +86400; wait_state $p 'RUNNING|COMPLETED' 20; sleep 1; echo "forward_state=$(state $j)"; echo "forward_node=$(node_state n1)"; echo "begun=$(state $p)"
clock_shift -90000; sleep 2; echo "back_state=$(state $j)"; echo "back_node=$(node_state n1)"
k=$(jid -o /dev/null --wrap true); echo "submit_rc=$?"; echo "later_id=$k"
clock_shift +3600; wait_end $j 30; echo "state=$(state $j)"; echo "elapsed=$(sacct -X -n -P -j $j -o ElapsedRaw)"
agents_clock_shift -7200; sleep 2; u=$(jid -o /dev/null --wrap true); wait_end $u 20; echo "usable=$(state $u)"; echo "skewed_node=$(node_state n1)"
