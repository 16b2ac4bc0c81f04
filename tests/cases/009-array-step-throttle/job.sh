#!/bin/bash
#SBATCH -J arr --array=1-10:3%2 -t 2 -n1
#SBATCH -o %A_%a.out
echo "$SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_COUNT $SLURM_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_MAX $SLURM_ARRAY_TASK_STEP"
echo "$(date +%s%N) 1" >> times; sleep 3; echo "$(date +%s%N) -1" >> times
