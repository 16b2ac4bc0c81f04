#!/bin/bash
. "$(dirname "$0")/../lib.sh" 008-option-precedence
values() { for field in TimeLimit MinMemoryNode JobName Comment; do printf '%s|' "$(fld $1 $field)"; done; echo; }
export SBATCH_TIMELIMIT=20 SBATCH_MEM_PER_NODE=200M SBATCH_JOB_NAME=fromenv
echo "environment=$(values "$(jid -H "$C/job.sh")")"
echo "command_line=$(values "$(jid -v -H --time=30 -J cli "$C/job.sh")")"
unset SBATCH_TIMELIMIT SBATCH_MEM_PER_NODE SBATCH_JOB_NAME
echo "last_wins=$(values "$(jid -H --time=5 --time=7 "$C/job.sh")")"
