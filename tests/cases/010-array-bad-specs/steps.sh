#!/bin/bash
. "$(dirname "$0")/../lib.sh" 010-array-bad-specs
pid=$(ctld_pid); before=$(rss_ctld)
for a in '0-10:0' '5-1' '1,,2' 'a-b' '-1' '1-' '' '1-3%x' '1-3%-1' '1-9223372036854775808' '1-3:99999999999' '1;rm' '0x10'; do
  from=$(date +%s%3N); timeout 5 sbatch --array="$a" "$C/job.sh" >/dev/null 2>"$W/e"; rc=$?
  echo "refused=$rc $(($(date +%s%3N) - from)) $a"; echo "message=$(tr '\n' ' ' < "$W/e")"
done
echo "queued=$(squeue -h | wc -l)"
echo "grown_kb=$(($(rss_ctld) - before))"; [ "$(ctld_pid)" = "$pid" ] && kill -0 "$pid" && echo "controller=same"
j=$(jid -H --array=3,1,1-2,2 "$C/job.sh"); echo "tasks=$(squeue -h -r -j $j -o %K | sort -n | tr '\n' ' ')"; scancel $j
