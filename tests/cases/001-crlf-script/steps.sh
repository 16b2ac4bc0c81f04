#!/bin/bash
. "$(dirname "$0")/../lib.sh" 001-crlf-script
n0=$(squeue -h | wc -l); sbatch "$C/job.sh"; echo "rc=$?"; n1=$(squeue -h | wc -l)
sbatch --test-only "$C/job.sh"; echo "rc=$?"
echo "queued=$((n1-n0))"
