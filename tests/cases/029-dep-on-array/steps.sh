#!/bin/bash
. "$(dirname "$0")/../lib.sh" 029-dep-on-array
a=$(jid -o /dev/null "$C/arr.sh"); t() { jid -o /dev/null "$@" "$C/t.sh"; }
k=$(t --dependency=afterok:$a); n=$(t --dependency=afternotok:$a); y=$(t --dependency=afterany:$a); o=$(t --dependency=afterok:${a}_1)
c=$(jid --array=0-3 --dependency=aftercorr:$a -o "$W/c_%a" "$C/t.sh")
for j in $k $n $y $o $c; do wait_end $j 30; done
for j in k n y o; do echo "$j=$(state ${!j}) $(fld ${!j} Reason)"; done
sacct -X -n -P -j $c -o JobID,State | sed "s/^${c}_/corr=/"
epoch() { SLURM_TIME_FORMAT=%s sacct -X -n -P -j "$1" -o "$2"; }
for i in 0 1 3; do echo "lag$i=$(( $(epoch ${c}_$i Start) - $(epoch ${a}_$i End) ))"; done
echo "after_last=$(( $(epoch $y Start) >= $(for i in 0 1 2 3; do epoch ${a}_$i End; done | sort -n | tail -1) ))"
echo "task_lag=$(( $(epoch $o Start) - $(epoch ${a}_1 End) ))"
ls "$W" | grep '^c_' | sed 's/^/file=/'
