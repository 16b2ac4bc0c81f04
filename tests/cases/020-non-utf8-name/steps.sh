#!/bin/bash
. "$(dirname "$0")/../lib.sh" 020-non-utf8-name
good=$(jid -H -J good "$C/job.sh")
n=$(printf 'caf\xe9\xff'); j=$(sbatch --parsable -H -J "$n" --comment="$n" "$C/job.sh"); echo "rc=$?"
show() { LC_ALL=$1 "${@:2}" | sha256sum | sed "s/^/$2 /; s/ *-$//"; }
for l in C C.UTF-8; do
  echo "listed=$(LC_ALL=$l squeue -h -o %i | sort -n | tr '\n' ' ')"
  echo "recorded=$(LC_ALL=$l sacct -X -n -P -o JobID | sort -n | tr '\n' ' ')"
  echo "$l=$(show $l squeue -h -o '%i %j %k') $(show $l sacct -X -n -P -o JobID,JobName,Comment) $(show $l scontrol show jobs)"
  echo "json=$(LC_ALL=$l squeue --json | python3 -c 'import json, sys
for job in json.loads(sys.stdin.buffer.read().decode("utf-8", "strict"))["jobs"]: print(job["job_id"], ascii(job["name"]), end=" ")')"
done
echo "jobs=$good${j:+ $j} "
