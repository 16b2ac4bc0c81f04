#!/bin/bash
. "$(dirname "$0")/../lib.sh" 036-timeout-is-timeout
for f in polite stubborn catches; do j[${#j[@]}]=$(jid -t 1 -o "$W/$f" "$C/$f.sh"); d[${#d[@]}]=$(jid -d afterok:${j[-1]} -o "$W/dependent" --wrap 'echo released'); done
sleep 60; for k in "${j[@]}"; do wait_end $k 30; done
sacct -X -n -P -j "$(IFS=,; echo "${j[*]}")" -o State,ElapsedRaw | sed 's/^/job=/'; echo "catches=$(grep -x saved "$W/catches")"
for k in "${d[@]}"; do echo "dependent=$(state $k)"; done; [ -e "$W/dependent" ] && cat "$W/dependent"
