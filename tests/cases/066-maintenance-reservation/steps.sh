#!/bin/bash
. "$(dirname "$0")/../lib.sh" 066-maintenance-reservation
seconds() { date -d "$1" +%s; }
scontrol create reservation name=maint start=now+3minutes duration=2 nodes=ALL flags=maint users=root
end=$(scontrol -o show reservation maint | tr ' ' '\n' | sed -n 's/^EndTime=//p')
l=$(jid -n1 -t 10 -o /dev/null "$C/job.sh"); s=$(jid -n1 -t 1 -o /dev/null "$C/job.sh"); n=$(jid -n1 -o /dev/null "$C/job.sh")
wait_state "$s" 'RUNNING|COMPLETED' 20; wait_reason "$l"; wait_reason "$n"
for j in l s n; do
  echo "$j=$(state "${!j}") $(fld "${!j}" Reason)"; echo "${j}_start=$(fld "${!j}" StartTime)"; echo "${j}_why=$(sluice why "${!j}" | tr '\n' ';')"
done
echo "end=$end"
scontrol delete reservation maint; wait_state "$l" 'RUNNING|COMPLETED' 10; echo "freed=$(state "$l") $(state "$n")"
sbatch --reservation=maint -o /dev/null "$C/job.sh"; echo "rc=$?"
