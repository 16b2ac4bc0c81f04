#!/bin/bash
. "$(dirname "$0")/../lib.sh" 056-sql-metacharacters
x="x'); DELETE FROM jobs;--"; old=$(jid -H -J old "$C/job.sh"); n0=$(sacct -X -n -S now-1day | wc -l)
for o in --job-name --comment --account --wckey --qos --partition --reservation --constraint --licenses --chdir --output --mail-user; do
  extra=; [ $o = --mail-user ] && extra=--mail-type=ALL
  j=$(sbatch --parsable -H $extra $o="$x" "$C/job.sh" 2>"$W/e"); echo "$o=$?"; echo "${o}_id=$j"; echo "${o}_error=$(tr '\n' ' ' < "$W/e")"
done
for f in --name --user --account --partition --state --jobs --nodelist --qos --wckeys; do
  for v in "x' OR '1'='1" "%" "_"; do echo "filter=$f $(sacct -X -n $f="$v" 2>"$W/e" | wc -l) $v|$(tr '\n' ' ' < "$W/e")"; done
done
for f in --name --user --account --partition --states --jobs --nodelist --qos; do
  for v in "x' OR '1'='1" "%" "_"; do echo "queue_filter=$f $(squeue -h $f="$v" 2>/dev/null | wc -l) $v"; done
done
echo "exact=$(sacct -X -n -P --name="$x" -o JobName)"
jobs=$(sacct -X -n -P -S now-1day -o JobID | wc -l); [ "$jobs" -gt "$n0" ] && echo "history=kept"; [ -n "$(state $old)" ] && echo "old=kept"
ctld_kill9; ctld_start; echo "after_restart=$([ "$(sacct -X -n -P -S now-1day -o JobID | wc -l)" = "$jobs" ] && echo same)"
for j in $(squeue -h -o %i); do
  echo "stored=$j $(sacct -X -n -P -j $j -o JobName,Comment,Account,WCKey,QOS)"; scontrol show job $j | sed -n "s/^ *\(WorkDir\|StdOut\|MailUser\)=/$j.\1=/p"
done
