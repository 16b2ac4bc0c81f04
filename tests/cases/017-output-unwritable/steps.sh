#!/bin/bash
. "$(dirname "$0")/../lib.sh" 017-output-unwritable
forbidden=/root/sluice-case-017.$$; long=$(printf 'a%.0s' $(seq 300))
plain_user mkdir "$W/u" && cd "$W/u" && plain_user bash -c 'mkdir ro adir; chmod 555 ro; : > locked; chmod 000 locked'
submit() { local name=$1 output=$2 j; j=$(plain_user jid -o "$output" "$C/job.sh"); wait_end $j 30; echo "$name=$(sacct -X -n -P -j $j -o State,ExitCode,Reason)"; }
submit read_only ro/x.out; submit folder adir; submit locked locked; submit proc /proc/1/nope; submit full /dev/full
submit roots $forbidden; submit long $long
ls -d $forbidden 2>/dev/null && { echo "appeared=$forbidden"; rm -f $forbidden; }
find . -type f ! -name locked ! -name 'slurm-*.out' -print | sed 's/^/appeared=/'; echo "node=$(sinfo -h -o %T)"
