#!/bin/bash
. "$(dirname "$0")/../lib.sh" 018-output-patterns
cd "$W"; mkdir p; echo "user=$(id -un)"
files() { (cd "$W" && find . -type f | sort | tr '\n' ' '); }
views() { echo "$1=$(fld $2 StdOut)"; echo "$1=$(scontrol show job $2 -o | tr ' ' '\n' | sed -n 's/^StdOut=//p')"; }
j=$(jid -o 'p/%x-%j-%5j-%u-%N-%%-%%j.out' "$C/job.sh"); wait_text p 'begun'; echo "node=$(fld $j NodeList)"
views shown $j; touch go; wait_end $j 20; views shown $j; echo "job=$j"; echo "files=$(files)"; rm -r p; mkdir p
a=$(jid --array=7 -o 'p/%A_%a-%4a' "$C/job.sh"); wait_end $a 20; views array_shown ${a}_7; echo "array=$a"; echo "array_files=$(files)"; rm -r p; mkdir p
j=$(jid -J '../up/../x' -o 'p/%x.out' "$C/job.sh"); wait_end $j 20; echo "slash=$(state $j)"; views slash_shown $j; echo "slash_files=$(files)"
find "$W/.." "$W" -maxdepth 1 \( -name up -o -name 'x.out' -o -name '*.out' \) | sed 's/^/moved=/'; rm -r p; mkdir p
j=$(sbatch --parsable -o 'p/%Z%q.out' "$C/job.sh"); echo "unknown_rc=$?"; [ -n "$j" ] && wait_end $j 20; echo "unknown_files=$(files)"; rm -r p; mkdir p
j=$(jid -o none -e p/e "$C/job.sh"); wait_end $j 20; echo "none_out=$(fld $j StdOut)"; echo "none_err=$(fld $j StdErr)"; echo "none_files=$(files)"
