#!/bin/bash
#SBATCH -J pat
echo begun
for ((i=0;i<100;i++)); do [ -e go ] && break; sleep .1; done
