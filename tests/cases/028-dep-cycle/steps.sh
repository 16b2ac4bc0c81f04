#!/bin/bash
. "$(dirname "$0")/../lib.sh" 028-dep-cycle
a=$(jid -H -o /dev/null "$C/job.sh"); b=$(jid -H -o /dev/null --dependency=afterok:$a "$C/job.sh"); c=$(jid -H -o /dev/null --dependency=afterok:$b "$C/job.sh")
scontrol update jobid=$a dependency=afterok:$c; echo "cycle=$?"; scontrol update jobid=$a dependency=afterok:$a; echo "self=$?"
echo "ids=$a $b $c"; echo "kept=$(fld $a Dependency)"
scontrol release $a $b $c; wait_end $c 40
for j in $a $b $c; do echo "state=$(state $j)"; sacct -X -n -P -j $j -o Start,End | sed 's/^/times=/'; done
