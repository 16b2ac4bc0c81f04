#!/bin/bash
. "$(dirname "$0")/../lib.sh" 068-limit-reason-numbers
me=$(id -un); other=nobody
sacctmgr -i add account a grptres=cpu=6 >/dev/null
sacctmgr -i add user "$me" account=a grptres=cpu=4 >/dev/null; sacctmgr -i add user "$other" account=a grptres=cpu=4 >/dev/null
as_other() { as_uid 65534 "$@"; }
a=$(jid -A a -n1 -c4 -o /dev/null "$C/job.sh"); wait_state "$a" RUNNING 20
b=$(jid -A a -n1 -c1 -o /dev/null "$C/job.sh"); c=$(cd "$W" && as_other jid -A a -n1 -c4 -o /dev/null "$C/job.sh"); wait_reason "$b"; wait_reason "$c"
for j in b c; do echo "$j=$(state "${!j}") $(fld "${!j}" Reason)"; echo "${j}_why=$(sluice why "${!j}" | tr '\n' ';')"; done
sbatch -A a -n1 -c8 -o /dev/null "$C/job.sh"; echo "rc=$?"
scontrol requeue "$a"; wait_for 20 "[ \"\$(fld $a Restarts)\" = 1 ]"; scancel "$a"; wait_state "$b" RUNNING 20; wait_state "$c" RUNNING 20; echo "then=$(state "$b") $(state "$c")"
for ((i=0;i<8;i++)); do x=$(jid -A a -n1 -c1 -o /dev/null --wrap 'exit 1'); wait_end "$x" 20; scontrol requeue "$x" 2>/dev/null; scancel "$x"; done
ctld_kill9; ctld_start; scancel "$b" "$c"; wait_end "$b,$c" 20; while [ -n "$(squeue -h)" ]; do sleep .2; done
# All of the limits is there again, and not more.
f=$(jid -A a -n1 -c4 -o /dev/null "$C/job.sh"); g=$(cd "$W" && as_other jid -A a -n1 -c2 -o /dev/null "$C/job.sh"); h=$(cd "$W" && as_other jid -A a -n1 -c1 -o /dev/null "$C/job.sh")
wait_state "$f" RUNNING 20; wait_state "$g" RUNNING 20; wait_reason "$h"; echo "whole=$(state "$f") $(state "$g") $(state "$h")"; echo "h_why=$(sluice why "$h" | tr '\n' ';')"
scancel "$f" "$g" "$h"
