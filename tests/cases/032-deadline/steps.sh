#!/bin/bash
. "$(dirname "$0")/../lib.sh" 032-deadline
f=$(jid -n1 -t 5 -o /dev/null "$C/job.sh"); wait_state $f RUNNING 20
sbatch -t 60 --deadline=now+10minutes "$C/job.sh" >/dev/null; echo "impossible_rc=$?"
sbatch -t 1 --deadline="$(date -d '+20 sec' +%Y-%m-%dT%H:%M:%S)" "$C/job.sh" >/dev/null; echo "soon_rc=$?"
deadline=$(($(date +%s) + 66))
j=$(jid -n1 -t 1 --deadline=uts$deadline -o /dev/null "$C/job.sh")
a=$(jid -H -d afterany:$j -o /dev/null "$C/job.sh")
echo "first_state=$(state $j)"
wait_end $j 30; echo "early=$(( $(date +%s) <= deadline ))"
echo "state=$(state $j)"; echo "reason=$(fld $j Reason)"; echo "shown=$(fld $j Deadline)"
echo "wanted=$(date -d @$deadline +%Y-%m-%dT%H:%M:%S)"
echo "dependency=$(fld $a Dependency)"
scancel $f $a
