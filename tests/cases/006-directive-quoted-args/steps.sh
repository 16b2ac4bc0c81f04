#!/bin/bash
. "$(dirname "$0")/../lib.sh" 006-directive-quoted-args
cd "$W"; mkdir "out dir"; j=$(jid "$C/job.sh"); wait_end "$j" 30; cat "out dir/$j.txt"
squeue -h -t all -j "$j" -o 'name=%j'; squeue -h -t all -j "$j" -o 'comment=%k'; echo "state=$(state "$j")"
