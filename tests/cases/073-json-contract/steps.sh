#!/bin/bash
. "$(dirname "$0")/../lib.sh" 073-json-contract
# DOCUMENT NAME: what of it a tool relies on first
tell() { python3 -c '
import json, sys
document = json.load(open(sys.argv[1]))
print(sys.argv[2] + "_errors=" + str(len(document["errors"])))
print(sys.argv[2] + "_has_version=" + str("meta" in document))' "$1" "$2"; }
jid -H -o /dev/null --wrap true >/dev/null; j=$(jid -o /dev/null --wrap 'sleep 30'); wait_state "$j" RUNNING 20
python3 "$C/check.py" >&2; echo "bad=$?"
squeue --json > "$W/up.json"; echo "up_rc=$?"; tell "$W/up.json" up
SQUEUE_FORMAT='%i' SLURM_TIME_FORMAT='%s' squeue --json > "$W/other.json"
# All but elapsed_time, which is another in the next second.
without_time() { python3 -c '
import json, sys
jobs = json.load(open(sys.argv[1]))["jobs"]
for job in jobs: del job["elapsed_time"]
print(json.dumps(jobs, sort_keys=True))' "$1"; }
[ "$(without_time "$W/up.json")" = "$(without_time "$W/other.json")" ]; echo "stable=$?"
ctld_kill9; squeue --json > "$W/down.json" 2>/dev/null; echo "down_rc=$?"; tell "$W/down.json" down; ctld_start
scancel "$j"
