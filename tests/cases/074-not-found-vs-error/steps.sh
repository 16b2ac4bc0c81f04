#!/bin/bash
. "$(dirname "$0")/../lib.sh" 074-not-found-vs-error
tell() { # NAME COMMAND...
  local name=$1 o=$W/tell.$BASHPID; shift; timeout 20 "$@" >"$o" 2>"$o.e"; echo "$name [$*]=$? $(wc -l < "$o") $(head -1 "$o.e")"
}
j=$(jid -o /dev/null --wrap true); wait_end $j 20; echo "job=$j"
tell up squeue -h -j $j; tell up squeue -h -t all -j $j; tell up scontrol show job $j; tell up sacct -X -n -j $j; tell up scancel $j
for id in 99999999 abc; do
  tell up squeue -h -j $id; tell up scontrol show job $id; tell up sacct -X -n -j $id; tell up scancel $id
done
tell up sinfo -h; tell up sinfo --nonsense; tell up squeue --nonsense; tell up sbatch --nonsense --wrap true
commands() { tell $1 squeue -h -j $j; tell $1 squeue -h; tell $1 sacct -X -n -j $j; tell $1 scancel $j; tell $1 sbatch -o /dev/null --wrap true; tell $1 sinfo -h; tell $1 scontrol show job $j; tell $1 scontrol hold $j; }
echo "socket=$(config_of SluiceControllerSocket)"
ctld_kill9; commands down; ctld_start
ctld_sigstop; for c in "sbatch -o /dev/null --wrap true" "squeue -h" "scancel $j" "sinfo -h" "sacct -n"; do ( tell frozen $c ) > "$W/frozen.${c%% *}" & done
for pid in $(jobs -p); do wait $pid; done; cat "$W"/frozen.*; ctld_sigcont; answers
