#!/bin/bash
. "$(dirname "$0")/../lib.sh" 067-pending-reasons-table
# Prints NAME_rc, NAME_error and, of an accepted job, NAME=STATE|Reason|%r|ReasonDetail once its reason is not None.
wait_of() { # NAME SBATCH-ARGUMENT...
  local name=$1 i; shift
  j=$(sbatch --parsable -o /dev/null "$@" "$C/job.sh" 2>"$W/e"); echo "${name}_rc=$?"; echo "${name}_error=$(tr '\n' ' ' < "$W/e")"
  [ -n "$j" ] || return
  for ((i=0;i<10;i++)); do [ "$(fld $j Reason)" != None ] && break; sleep .1; done
  echo "$name=$(state $j)|$(fld $j Reason)|$(squeue -h -j $j -o %r)|$(scontrol show job $j | sed -n 's/^ *ReasonDetail=//p')"
}
alone() { wait_of "$@"; [ -n "$j" ] && scancel $j; }
alone cpus -n1 -c64; alone mem --mem=100T; alone feature -C nosuchfeature; alone node -w nosuchnode
alone partition -p nosuchpart; alone gres --gres=gpu:99; alone nodes -N 9
alone held -H; alone begin --begin=now+1hour
f=$(jid -N2 --exclusive -o /dev/null "$C/job.sh"); wait_state $f RUNNING 20
wait_of first -n1; first=$j; wait_of second -N2 --exclusive; echo "place=$(sluice why $j | sed -n 's/.*place in line of partition main: \([0-9]*\).*/\1/p')"; scancel $j $first
scancel $f; wait_end $f 20
r=$(jid -w n1 -n1 -o /dev/null "$C/job.sh"); wait_state $r RUNNING 20
scontrol update nodename=n1 state=drain reason=test; alone drained -w n1 -n1; wait_of both -w n1,n2 -N2; scancel $j
scontrol update nodename=n1 state=resume; scancel $r; wait_end $r 20
agent_kill9 n2; wait_node n2 'down' 20; alone down -w n2; alone healthy_and_down -N2
i=$(jid -n1 -o /dev/null "$C/job.sh"); wait_state $i RUNNING 5; echo "healthy=$(state $i)"; scancel $i
agent_start n2; wait_node n2 idle 20; i=$(jid -w n2 -o /dev/null "$C/job.sh"); wait_state $i RUNNING 5; echo "back=$(state $i)"; scancel $i
