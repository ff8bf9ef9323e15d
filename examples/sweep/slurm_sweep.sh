#!/bin/bash
#SBATCH --array=0-99
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
# Task k of an array of a hundred makes the table of every hundredth run. A task that is run again goes on where it was.
set -u
mkdir -p tables
srun ./dolmen-sweep "$@" --threads "$SLURM_CPUS_PER_TASK" \
  --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --out "tables/$SLURM_ARRAY_TASK_ID.csv"
