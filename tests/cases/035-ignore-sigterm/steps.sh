#!/bin/bash
. "$(dirname "$0")/../lib.sh" 035-ignore-sigterm
export NAP=$((1000000+$$))
j=$(jid -t 10 -o "$W/o" "$C/job.sh"); wait_state $j RUNNING 20; for ((i=0;i<100;i++)); do grep -q up "$W/o" && break; sleep .1; done
t0=$(date +%s%N); scancel $j; echo "rc=$?"; echo "scancel_ms=$(( ($(date +%s%N)-t0)/1000000 ))"; wait_end $j 90; echo "took_ms=$(( ($(date +%s%N)-t0)/1000000 ))"
echo "job=$(sacct -X -n -P -j $j -o State)"; echo "batch=$(sacct -n -P -j $j -o JobID,ExitCode | sed -n 's/.*batch|//p')"; echo "node=$(sinfo -h -o %T)"; echo "alive=$(pgrep -cf "^sleep $NAP")"
