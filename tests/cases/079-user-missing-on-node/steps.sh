#!/bin/bash
. "$(dirname "$0")/../lib.sh" 079-user-missing-on-node
# run.py made /etc/passwd and /etc/group copies that only this case sees, with ghost (54399) and its groups.
as_ghost() { setpriv --reuid=54399 --regid=54399 --init-groups bash -c '. "$CASE_LIB"; "$@"' _ "$@"; }
j=$(as_ghost jid -D /tmp -o "$W/ghost.o" "$C/job.sh"); wait_end $j 20; echo "ghost=$(state $j)"; cat "$W/ghost.o"
j=$(as_uid 54321 jid -D /tmp -o "$W/g2.o" "$C/job.sh"); echo "rc=$?"
[ -n "$j" ] && { wait_end "$j" 20; sacct -X -n -P -j "$j" -o State,Reason | sed 's/^/unknown=/'; }; echo "node=$(sinfo -h -o %T)"
sbatch --uid=65534 --wrap id; echo "nobody=$?"; sbatch --uid=0 --wrap id; echo "root=$?"; echo "queued=$(squeue -h | wc -l)"
