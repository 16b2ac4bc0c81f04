#!/bin/bash
. "$(dirname "$0")/../lib.sh" 077-chdir-missing
tell() { # NAME JOB: how it ended
  wait_end $2 20; echo "$1=$(sacct -X -n -P -j $2 -o State,ExitCode,NodeList,Reason)"; echo "$1_runs=$(sacct -X -D -n -P -j $2 -o JobID | wc -l)"
}
export HERE=here.$$; cd "$W"; j=$(sbatch --parsable -D /no/such/dir -o "$W/nowhere.o" "$C/job.sh" 2>"$W/e"); echo "nowhere_rc=$?"; echo "nowhere_error=$(tr '\n' ' ' < "$W/e")"
[ -n "$j" ] && tell nowhere $j
mkdir gone; j=$(jid -H -D "$W/gone" -o "$W/gone.o" "$C/job.sh"); rmdir gone; scontrol release $j; tell gone $j
: > file; j=$(jid -D "$W/file" -o "$W/file.o" "$C/job.sh"); tell file $j
mkdir there; [ -n "$HIDDEN" ] && { j=$(jid -w n2 -D "$HIDDEN" -o "$W/hidden.o" "$C/job.sh"); tell hidden $j; j=$(jid -w n1 -D "$HIDDEN" -o "$W/seen.o" "$C/job.sh"); tell seen $j; }
j=$(jid -D "$W/there" -o "$W/there.o" "$C/job.sh"); tell there $j
find / "$W" /tmp "$HOME" -maxdepth 1 -name "$HERE" 2>/dev/null | sed 's/^/strayed=/'; find "$W" -name "$HERE" | sed 's/^/here=/'
echo "work=$W"; echo "hidden_folder=$HIDDEN"; echo "nodes=$(sinfo -N -h -o %T | sort -u | tr '\n' ' ')"
