#!/bin/bash
. "$(dirname "$0")/../lib.sh" 011-array-100k
now_ms() { date +%s%3N; }
took() { local from; from=$(now_ms); "${@:2}"; echo "$1_ms=$(($(now_ms) - from))"; }
submits() { local i from; for i in $(seq 20); do from=$(now_ms); sbatch -o /dev/null --wrap true >/dev/null && echo "$1_ms=$(($(now_ms) - from))"; done; }
r0=$(rss_ctld); took submit eval 'j=$(jid -H "$C/job.sh")'; echo "id=$j"
took plain eval 'squeue -h -j $j -o %i > "$W/plain"'; sed 's/^/plain=/' "$W/plain"
took each eval 'squeue -h -r -j $j -o %i > "$W/each"'; echo "each=$(sort -u "$W/each" | wc -l)"
echo "grown_kb=$(($(rss_ctld) - r0))"; submits held
took release scontrol release $j; submits running; echo "begun=$(sacct -X -n -P -j $j -s R,CD,CG -o JobID | wc -l)"
took scancel scancel $j; for ((i=0;i<150;i++)); do [ -z "$(squeue -h -j $j)" ] && break; sleep .1; done; echo "left=$(squeue -h -j $j | wc -l)"
took history eval 'sacct -X -n -P -j $j -o JobID,State,NodeList > "$W/history"'
python3 "$C/count.py" "$j" < "$W/history"; echo "grown_at_end_kb=$(($(rss_ctld) - r0))"
