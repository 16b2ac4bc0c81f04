#!/bin/bash
. "$(dirname "$0")/../lib.sh" 004-directive-after-command
j=$(jid -o /dev/null "$C/job.sh"); echo "rc=$?"; scontrol show job "$j" | grep -oE 'JobName=[^ ]+'
