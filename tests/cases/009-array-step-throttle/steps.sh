#!/bin/bash
. "$(dirname "$0")/../lib.sh" 009-array-step-throttle
cd "$W"; j=$(jid "$C/job.sh")
for ((i=0;i<100;i++)); do
  all_ended "$j" && break
  echo "running=$(squeue -h -r -j $j -t RUNNING | wc -l)"
  [ -z "$once" ] && [ "$(cat times 2>/dev/null | wc -l)" = 2 ] && once=1 && echo "held_back=$(squeue -h -r -j $j -t PENDING -o '%K %r' | tr '\n' ',')"
  sleep .1
done
wait_end "$j" 20; echo "at_once=$(sort -n times | awk '{n += $2; if (n > most) most = n} END {print most}')"
for f in ${j}_*.out; do echo "${f#"${j}_"}=$(cat $f)"; done
sacct -X -n -P -j $j -o JobID,State | sed "s/^${j}_/task=/"
