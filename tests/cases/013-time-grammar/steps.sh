#!/bin/bash
. "$(dirname "$0")/../lib.sh" 013-time-grammar
while IFS=$'\t' read -r t want; do
  if j=$(sbatch --parsable -H --time="$t" "$C/job.sh" 2>"$W/e"); then
    echo "row=$t|$want|$(fld $j TimeLimit)"; scancel $j
  else
    echo "row=$t|$want|refuse"; echo "[$t]=$(tr '\n' ' ' < "$W/e")"
  fi
done < "$C/table.tsv"
sbatch --time= "$C/job.sh" 2>"$W/e"; echo "empty=$?"; echo "[]=$(tr '\n' ' ' < "$W/e")"
j=$(jid --time=00:00:20 -o /dev/null --wrap 'sleep 2'); wait_end $j 20; echo "short=$(state $j)"
