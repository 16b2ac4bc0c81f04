#!/bin/bash
. "$(dirname "$0")/../lib.sh" 034-double-fork-escape
export MARK="ESCAPE_$$"
j=$(jid -n1 --mem=64M "$C/job.sh"); wait_end $j 60; echo "alive=$(pgrep -cf "^$MARK")"; echo "state=$(state $j)"
find /sys/fs/cgroup -type d -path "*sluice/n1.$(head -c 8 "$SLUICE_DEV_DIR/spool.n1/spool_id")*/job_${j}_*" 2>/dev/null | sed 's/^/cgroup=/'
j2=$(jid -w "$(fld $j NodeList)" --exclusive --wrap 'pgrep -af "^$MARK" || echo clean' -o "$W/o"); wait_end $j2 60; cat "$W/o"
