#!/bin/bash
. "$(dirname "$0")/../lib.sh" 054-duplicate-node-name
r=$(jid -w n1 -o /dev/null --wrap 'sleep 3'); wait_state $r RUNNING 20; p=$(agent_pid n1)
agent_start_as n1; for ((i=0;i<100;i++)); do grep -q 'already registered' "$W/other.0/log" && break; sleep .1; done; grep -m1 'already registered' "$W/other.0/log" | sed 's/^/other=/'; echo "n1=$(node_state n1)"; j=$(jid -w n1 -o /dev/null --wrap 'sleep 1; hostname'); wait_end $j 30; wait_end $r 30; echo "jobs=$(state $j),$(state $r)"
end_others; agent_start n1; wait_node n1 idle 5; echo "restarted=$(node_state n1)"
agent_start_as N1; agent_start_as n1.example.org; sleep 2; echo "nodes=$(sinfo -N -h -o %N | sort -u | tr '\n' ' ')"
