#!/bin/bash
. "$(dirname "$0")/../lib.sh" 067-pending-reasons-table
# One job with these options: "NAME=REFUSED why", or its reason and the controller's own account of it.
p() {
  local name=$1 j reason i; shift
  j=$(sbatch --parsable -o /dev/null "$@" "$C/job.sh" 2>"$W/e") || { echo "$name=REFUSED $(tr '\n' ' ' <"$W/e")"; return; }
  for ((i=0;i<50;i++)); do reason=$(squeue -h -j "$j" -o %r); [ "$reason" != None ] && break; sleep .1; done
  echo "$name=$reason $(fld "$j" Reason) $(sluice why "$j" | tr '\n' ';')"; scancel "$j"
}
p held -H; p begin --begin=now+1hour; p cpus -n1 -c64; p mem --mem=100T; p feature -C nosuchfeature
p node -w nosuchnode; p partition -p nosuchpart; p licence --licenses=none:1; p gres --gres=gpu:99
f=$(jid -N2 --exclusive -o /dev/null "$C/job.sh"); wait_state "$f" RUNNING 20
p full -n1
ahead=$(jid -N2 --exclusive -o /dev/null "$C/job.sh"); p behind -N2 --exclusive; scancel "$ahead"
scontrol update nodename=n1 state=drain reason=test; p drained -w n1; scontrol update nodename=n1 state=resume
scancel "$f"; wait_end "$f" 20
agent_kill9 n2; wait_node n2 down 30; p down -w n2; agent_start n2; wait_node n2 idle 30
j=$(jid -n1 -o /dev/null "$C/job.sh"); wait_state "$j" RUNNING 20; echo "idle=$(state "$j")"; scancel "$j"
