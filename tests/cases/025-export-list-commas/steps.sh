#!/bin/bash
. "$(dirname "$0")/../lib.sh" 025-export-list-commas
export b=bee X=ex; run() { j=$(jid -o "$W/o" "$@" "$C/job.sh"); [ -n "$j" ] || { echo "refused"; return; }; wait_end $j 30; cat "$W/o"; }
run --export=ALL,FOO=a,b; run --export="ALL,FOO='a,b'"; run --export=FOO=1; run --export=X; run --export=NIL; run --export=; sbatch --export='1BAD=2' "$C/job.sh"; echo "rc=$?"
run --export=FOO=a,zzz
