#!/bin/bash
# hello.sh: a first batch job. Lines of #SBATCH are options of sbatch.
#SBATCH --job-name=hello
#SBATCH --cpus-per-task=1
#SBATCH --mem=100M
#SBATCH --time=1
#SBATCH --output=hello-%j.out

echo "Hello from job $SLURM_JOB_ID on node $SLURMD_NODENAME, run by $(id -un)"
echo "I may use $SLURM_CPUS_ON_NODE CPU for a minute; I was submitted from $SLURM_SUBMIT_DIR"
sleep 2
