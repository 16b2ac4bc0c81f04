#!/bin/bash
. "$(dirname "$0")/../lib.sh" 005-directive-blank-and-comment-lines
j=$(jid -H -o /dev/null "$C/job.sh")
for field in JobName Comment TimeLimit MinMemoryNode; do echo "$field=$(fld $j $field)"; done
scontrol release $j; wait_end $j 20; echo "state=$(state $j)"
