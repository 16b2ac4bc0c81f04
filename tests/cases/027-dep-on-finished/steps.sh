#!/bin/bash
. "$(dirname "$0")/../lib.sh" 027-dep-on-finished
a=$(jid -o /dev/null "$C/ok.sh"); b=$(jid -o /dev/null "$C/ko.sh"); c=$(jid -H -o /dev/null "$C/ok.sh"); scancel $c; wait_end $a 20; wait_end $b 20
try() {
  local j
  j=$(jid -o /dev/null --dependency=$1 "$C/ok.sh" 2>"$W/refusal")
  [ -n "$j" ] || { echo "$2.$3=refused $(tail -1 "$W/refusal")"; return; }
  wait_end $j 20; echo "$2.$3=$(state $j) $(fld $j Reason)"
}
all() {
  try afterok:$a $1 ok_a; try afterok:$b $1 ok_b; try afternotok:$b $1 notok_b; try afternotok:$a $1 notok_a
  try afterany:$c $1 any_c; try afterok:$c $1 ok_c; try afterok:$a:$b $1 ok_ab
}
all live
gone() { local i; for ((i=0;i<100;i++)); do scontrol show job $c >/dev/null 2>&1 || return 0; sleep .2; done; return 1; }
gone || echo "still in memory" >&2
all purged
echo "ids=$a $b $c"
