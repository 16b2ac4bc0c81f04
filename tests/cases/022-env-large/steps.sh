#!/bin/bash
. "$(dirname "$0")/../lib.sh" 022-env-large
for i in $(seq 15); do export BIG_$i="$(head -c 75000 /dev/urandom | base64 -w0)"; done; bash "$C/job.sh" > "$W/want"
j=$(jid -o "$W/got" "$C/job.sh"); for i in $(seq 15); do unset BIG_$i; done; [ -n "$j" ]; echo "rc=$?"
[ -n "$j" ] && { wait_end $j 30; state $j; cmp "$W/want" "$W/got" && echo "environment=same"; }
for i in $(seq 10); do sbatch -H --wrap true >/dev/null || echo "refused"; done; echo "held=$(squeue -h | wc -l)"
