#!/bin/bash
. "$(dirname "$0")/../lib.sh" 081-second-controller
ctld_start_second; echo "rc=$?"; ctld_log second | tail -1 | sed 's/^/second=/'; echo "first=$(ctld_pid)"; j=$(jid -o /dev/null --wrap true); wait_end $j 20; echo "j=$(state $j)"
ctld_sigstop; ctld_start_second; echo "frozen_rc=$?"; (sbatch --parsable -o /dev/null --wrap "echo x >> $W/ran" > "$W/k") & s=$!; sleep 2; ctld_sigcont; wait $s; k=$(cat "$W/k"); wait_end "$k" 20; echo "k=$(state "$k") ran=$(wc -l < "$W/ran") jobs=$(sacct -X -n -P -o JobID | wc -l)"
ctld_kill9; for f in "$STATEDIR"/*.db "$STATEDIR"/*.sqlite; do [ -e "$f" ] && python3 -c 'import sqlite3, sys; print("db=" + str(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchall() + sqlite3.connect(sys.argv[1]).execute("PRAGMA foreign_key_check").fetchall()))' "$f"; done; ctld_start
