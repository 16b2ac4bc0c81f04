#!/bin/bash
. "$(dirname "$0")/../lib.sh" 085-key-rotation
cp "$CLUSTER_KEY" "$W/old"; r=$(jid -n1 -o /dev/null --wrap 'sleep 6'); wait_state $r RUNNING 20
(umask 077; head -c 64 /dev/urandom | base64 > "$CLUSTER_KEY"); sbatch -o /dev/null --wrap true >/dev/null; echo "submit=$?"; agent_start n2; sleep 1
ctld_log first | grep -m1 'cluster keys differ' | sed 's/^/controller=/'; agent_log n2 | grep -m1 'cluster keys differ' | sed 's/^/agent=/'
key_reload ctld; wait_node n2 idle 10; sbatch -o /dev/null --wrap true >/dev/null; echo "submit=$?"; key_reload n1; key_reload n2; wait_node n2 idle 10; wait_end $r 30; wait_node n1 idle 10; echo "nodes=$(node_state n1),$(node_state n2)"; echo "r=$(state $r)"
chmod 644 "$CLUSTER_KEY"; ctld_kill9; timeout 10 sluiced -f "$SLUICE_CONF" 2>&1 | tail -1 | sed 's/^/loose=/'; echo "loose_rc=${PIPESTATUS[0]}"; chmod 600 "$CLUSTER_KEY"; ctld_start
