#!/bin/bash
. "$(dirname "$0")/../lib.sh" 042-closed-stdio
fds() { ls "/proc/$(agent_pid n1)/fd" | wc -l; }
j=$(jid -o "$W/closed" "$C/job.sh"); wait_end $j 20; sacct -X -n -P -j $j -o State,ExitCode,ElapsedRaw | sed 's/^/closed=/'
k=$(jid -o "$W/o" "$C/readin.sh"); wait_end $k 20; cat "$W/o"
before=$(fds); a=$(jid -a 1-100 -o /dev/null --wrap true); wait_end $a 60; for ((i=0;i<50;i++)); do after=$(fds); [ $after -le $before ] && break; sleep .1; done; echo "leaked=$((after-before))"
