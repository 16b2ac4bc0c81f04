#!/bin/bash
. "$(dirname "$0")/../lib.sh" 030-dep-singleton-after-delay
t() { jid -o /dev/null "$@" "$C/job.sh"; }
a=$(t -J one); b=$(t -J one --dependency=singleton); c=$(t -J two --dependency=singleton)
d=$(as_uid 65534 jid -J one --dependency=singleton -o /dev/null "$C/job.sh"); e=$(t --dependency=after:$a+1)
wait_state $c 'RUNNING|COMPLETED' 20; wait_state $d 'RUNNING|COMPLETED' 20
echo "b=$(state $b) $(fld $b Reason)"; echo "e=$(state $e) $(fld $e Reason)"
for j in c d; do echo "$j=$(state ${!j})"; done
wait_end $e 90
epoch() { SLURM_TIME_FORMAT=%s sacct -X -n -P -j "$1" -o "$2"; }
echo "b_after_a=$(( $(epoch $b Start) >= $(epoch $a End) ))"; echo "c_beside_a=$(( $(epoch $c Start) < $(epoch $a End) ))"
echo "d_beside_a=$(( $(epoch $d Start) < $(epoch $a End) ))"; echo "e_delay=$(( $(epoch $e Start) - $(epoch $a Start) ))"
