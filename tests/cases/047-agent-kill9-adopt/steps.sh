#!/bin/bash
. "$(dirname "$0")/../lib.sh" 047-agent-kill9-adopt
export NAP=$((2000000+$$))
j=$(jid -n1 -o "$W/o" "$C/job.sh"); wait_state $j RUNNING 20; sleep 1; agent_kill9 n1; p=$(jid -N1 --exclusive -o /dev/null --wrap true); sleep 4; echo "gone=$(state $j) other=$(state $p)"
agent_start n1; wait_node n1 'mixed|allocated' 20; echo "adopted=$(fld $j JobState) other=$(state $p)"; wait_end $j 60; sacct -X -n -P -j $j -o State,ExitCode,ElapsedRaw | sed 's/^/job=/'; echo "lines=$(wc -l < "$W/o")"; wait_end $p 20
a=$(jid --wrap 'exit 3' -o /dev/null -H); q=$(jid -o /dev/null --wrap 'sleep 2; exit 7'); wait_state $q RUNNING 20; agent_kill9 n1; sleep 3; agent_start n1; wait_end $q 20; sacct -X -n -P -j $q -o State,ExitCode | sed 's/^/away=/'; scancel $a
j2=$(jid -o /dev/null --wrap "sleep $NAP"); wait_state $j2 RUNNING 20; agent_kill9 n1; agent_start n1; wait_node n1 'mixed|allocated' 20; scancel $j2; wait_end $j2 20; echo "cancelled=$(state $j2) alive=$(pgrep -cf "^sleep $NAP")"
