#!/bin/bash
. "$(dirname "$0")/../lib.sh" 080-backup-restore-upgrade
STATE=$STATEDIR/state.db
hold() { sbatch --parsable -H -o /dev/null --wrap true; }
sqlite() { python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[2]); print(*(row[0] for row in d.execute(sys.argv[1]))); d.close()' "$@"; }
sum_of() { (cd "$1" && find . -type f -size +0 ! -name lock ! -name "*-shm" -exec sha256sum {} + | sort | sha256sum); }
r=$(jid -n1 -w n1 -o "$W/r.o" "$C/job.sh"); wait_text r.o begun
touch "$W/given"; for i in $(seq 60); do hold >> "$W/given"; done & submits=$!
for ((i=0;i<200;i++)); do [ "$(cat "$W/given" | wc -l)" -ge 20 ] && break; sleep .05; done; state_backup "$W/bk" >/dev/null; echo "backup=$?"; wait $submits
echo "submits=$(wc -l < "$W/given")"; db_check "$W/bk" | sed 's/^/copy=/'
u=$(jid -n1 -w n2 -o "$W/u.o" "$C/job.sh"); wait_text u.o begun; last=$(hold); echo "$last" >> "$W/given"
ctld_kill9; state_restore "$W/bk" >"$W/restored"; echo "restore=$?"; grep -q 'kept as' "$W/restored" && echo "former=kept"
ctld_start; wait_node n1 "mixed" 20; wait_node n2 "mixed" 20
n=$(hold); echo "ids=$(sort -n "$W/given" | tail -1) $u $n"
squeue -h -o %i > "$W/queued"; missed=$(sort "$W/given" | comm -23 - <(sort "$W/queued") | wc -l); echo "missed=$missed"
echo "known=$(state $r)"; echo "unknown=$(state $u)"; ctld_log | grep -m1 'not known' | sed 's/^/listed=/'
touch "$W/go"; wait_end $r 20; wait_end $u 20; echo "ends=$(state $r),$(state $u)"; sort "$W/r.o" "$W/u.o" | uniq -c | sed 's/ *\([0-9]*\) /wrote=\1 /'
# An older controller meets a newer state: here the state says that it is newer.
ctld_kill9; schema=$(sqlite 'PRAGMA user_version' "$STATE"); sqlite 'PRAGMA user_version = 99' "$STATE"; newer=$(sum_of "$STATEDIR")
timeout 20 sluiced -f "$SLUICE_CONF" >"$W/second.log" 2>&1; echo "downgrade=$?"; grep -h 'schema' "$W/second.log" "$CONTROLLER_LOG" | tail -1 | sed 's/^/refusal=/'
[ "$newer" = "$(sum_of "$STATEDIR")" ] && echo "newer=untouched"
sqlite "PRAGMA user_version = $schema" "$STATE"; ctld_start; echo "again=$?"; echo "queued_again=$(squeue -h | wc -l)"
