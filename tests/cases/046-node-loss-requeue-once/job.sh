#!/bin/bash
#SBATCH --requeue -t 10
echo "$SLURM_JOB_ID restart=${SLURM_RESTART_COUNT:-0} node=$SLURMD_NODENAME $(date +%s)" >> "$RUNLOG"
exec 9>"$RUNLOG.lock"; flock -n 9 || echo "TWO AT ONCE" >> "$RUNLOG"
sleep 3
