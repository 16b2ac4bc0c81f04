#!/bin/bash
#SBATCH -N2 -n2 -t 1
echo "please do not srun this"   # srun sbatch mpirun
MSG='srun hostname'
echo "nodes=$SLURM_JOB_NUM_NODES list=$SLURM_JOB_NODELIST host=$SLURMD_NODENAME job=$SLURM_JOB_ID"
echo "$SLURMD_NODENAME" >> runs
