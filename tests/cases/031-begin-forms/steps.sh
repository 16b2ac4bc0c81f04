#!/bin/bash
. "$(dirname "$0")/../lib.sh" 031-begin-forms
for b in now+1hour now+60 now+2minutes now+3days tomorrow noon midnight 16:00 2030-01-20 2030-01-20T12:34:00 2030-01-20T12:34 01/20/30 now-1hour 2001-01-01 25:00 '' now+ 2030-02-30 now+99999999999days; do
  before=$(date +%s)
  if j=$(sbatch --parsable --begin="$b" -o /dev/null "$C/job.sh" 2>"$W/e"); then
    reason=$(fld $j Reason)
    [ "$reason" = BeginTime ] || wait_end $j 20
    eligible=$(fld $j EligibleTime); start=$(fld $j StartTime)
    echo "[$b]=$(date -d "$eligible" +%s) $(date -d "$start" +%s) $reason $before $j"
  else
    echo "[$b]=refused"; cat "$W/e" >&2
  fi
done
echo "noon=$(date -d "$( [ "$(date +%H)" -lt 12 ] && echo today || echo tomorrow) 12:00" +%s)"
echo "midnight=$(date -d 'tomorrow 00:00' +%s)"
echo "2030=$(date -d '2030-01-20 00:00' +%s)"
echo "1234=$(date -d '2030-01-20 12:34' +%s)"
