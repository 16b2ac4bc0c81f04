#!/bin/bash
. "$(dirname "$0")/../lib.sh" 060-malformed-rpc
TIMEFORMAT='submit_s=%R'; before="$(ctld_pid) $(agent_pid n1)"
sbatch -o /dev/null --wrap true >/dev/null; r=$(rss_ctld); python3 "$C/fuzz.py" 127.0.0.1 "$(config_of SlurmctldPort)" & f=$!
for ((i=0;i<300;i++)); do [ -e "$W/held" ] && break; sleep .1; done; for i in 1 2 3 4 5 6 7 8; do time sbatch -o /dev/null --wrap true >/dev/null; done 2>&1; wait $f
echo "rss_kb=$(( $(rss_ctld)-r ))"; kill -0 $before && [ "$before" = "$(ctld_pid) $(agent_pid n1)" ] && echo "pids=same"; wait_node n1 'idle|mixed|alloc' 10; echo "node=$(node_state n1)"
