#!/bin/bash
. "$(dirname "$0")/../lib.sh" 012-array-limit-message
sbatch -H --array=1-2000 "$C/job.sh"; echo "too_many=$?"
for tasks in 1001-2000 0-1000 1000-2000; do
  j=$(sbatch --parsable -H --array=$tasks "$C/job.sh"); echo "[$tasks]=$? $(squeue -h -r -j "$j" | wc -l)"; scancel $j
done
sbatch -H --array=1000-2001 "$C/job.sh"; echo "one_too_many=$?"
echo "config=$(scontrol show config | sed -n 's/^MaxArraySize *= //p')"
