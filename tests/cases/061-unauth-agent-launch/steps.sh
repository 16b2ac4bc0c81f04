#!/bin/bash
. "$(dirname "$0")/../lib.sh" 061-unauth-agent-launch
before=$(pgrep -c -f LAUNCHMARK); setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 "$C/probe.py" 127.0.0.1 "$(config_of SlurmctldPort)" "$AGENT_PORT" "$LAUNCH_BLOB"; sleep 1
echo "extra=$(( $(pgrep -c -f LAUNCHMARK) - before ))"; grep -c "127.0.0.1:[0-9]* refused" "$CONTROLLER_LOG" | sed 's/^/logged=/'
for f in "$CLUSTER_KEY" "$STATEDIR" "$SLUICE_DEV_DIR/spool.n1/runs"; do setpriv --reuid=65534 --regid=65534 --clear-groups ls -l "$f"/. 2>/dev/null; setpriv --reuid=65534 --regid=65534 --clear-groups cat "$f" 2>/dev/null; done | sed 's/^/readable=/'
