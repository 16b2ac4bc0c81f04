#!/bin/bash
. "$(dirname "$0")/../lib.sh" 033-dst-and-timezones
export TZ=Europe/Berlin
begin() { # NAME WHEN
  if j=$(sbatch --parsable --begin=$2 -o /dev/null "$C/job.sh" 2>"$W/e"); then
    echo "$1=$(SLURM_TIME_FORMAT=%s scontrol show job $j | tr ' ' '\n' | sed -n 's/^EligibleTime=//p')"; scancel $j
  else echo "$1=refused"; fi; echo "$1_note=$(tr '\n' ' ' < "$W/e")"
}
begin spring 2027-03-28T02:30:00; begin autumn 2027-10-31T02:30:00; begin summer 2027-07-01T02:30:00; begin winter 2027-12-01T02:30:00
j=$(jid -o "$W/o" "$C/job.sh"); wait_end $j 20; read -r from to < <(tr '\n' ' ' < "$W/o"); echo "ran=$from|$to"
for z in UTC America/New_York Asia/Kolkata; do
  export TZ=$z
  echo "epochs=$(SLURM_TIME_FORMAT=%s sacct -X -n -P -j $j -o Start,End,Elapsed)"
  echo "shown=$(SLURM_TIME_FORMAT=%s scontrol show job $j | tr ' ' '\n' | sed -n 's/^StartTime=//p')"
  echo "wanted_text=$(date -d @$(SLURM_TIME_FORMAT=%s sacct -X -n -P -j $j -o Start) +%Y-%m-%dT%H:%M:%S)"
  echo "text=$(sacct -X -n -P -j $j -o Start)"
  echo "offset=$(SLURM_TIME_FORMAT=%z sacct -X -n -P -j $j -o Start)"
done
for z in Asia/Tokyo UTC America/New_York; do echo "found=$(TZ=$z sacct -X -n -P -S now-1hour -j $j -o JobID)"; echo "not_found=$(TZ=$z sacct -X -n -P -S now+1hour -j $j -o JobID)"; done; echo "job=$j"
