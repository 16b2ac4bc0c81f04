# Helpers of the cases; sourced by each steps.sh:  . ../lib.sh NNN-slug
# $W is a work folder that jobs of any user may write to, $C the folder of the case. What touches daemons
# is a hook in env.sh. run.py sets both up and checks what the steps print.
CASE_LIB=${BASH_SOURCE[0]}; export CASE_LIB
CASE_DIR=$(cd "$(dirname "$CASE_LIB")" && pwd)
: "${SBATCH:=$(command -v sbatch)}"; export SBATCH
[ -n "$1" ] && C="$CASE_DIR/$1"; export C
: "${W:?run.py sets it}"
jid()        { sbatch --parsable "$@" | cut -d';' -f1; }                   # submit, print the id
state()      { sacct -X -n -P -j "$1" -o State 2>/dev/null | head -1 | awk '{print $1}'; }
fld()        { scontrol show job "$1" 2>/dev/null | tr ' ' '\n' | sed -n "s/^$2=//p" | head -1; }
ENDED='COMPLETED|FAILED|CANCELLED|TIMEOUT|OUT_OF_MEMORY|NODE_FAIL|DEADLINE|PREEMPTED|BOOT_FAIL'
ended()      { [[ $(state "$1") =~ ^($ENDED)$ ]]; }
all_ended()  { local s; s=$(sacct -X -n -P -j "$1" -o State | awk '{print $1}'); [ -n "$s" ] && ! grep -qvE "^($ENDED)$" <<<"$s"; }
wait_end()   { local i; for ((i=0;i<$2*5;i++)); do all_ended "$1" && return 0; sleep .2; done; echo "TIMEOUT waiting for the end of $1 ($(state "$1"))" >&2; return 1; }
wait_state() { local i; for ((i=0;i<$3*5;i++)); do [[ $(state "$1") =~ ^($2) ]] && return 0; sleep .2; done; echo "TIMEOUT waiting for $1 to be $2 ($(state "$1"))" >&2; return 1; }
as_uid()     { local u=$1; shift; setpriv --reuid="$u" --regid="$u" --clear-groups bash -c '. "$CASE_LIB"; "$@"' _ "$@"; }
plain_user() { if [ "$(id -u)" = 0 ]; then as_uid 65534 "$@"; else "$@"; fi; }
wait_for()   { local i; for ((i=0;i<$1*10;i++)); do eval "$2" && return 0; sleep .1; done; echo "TIMEOUT waiting for: $2" >&2; return 1; }
wait_reason() { wait_for 20 "[ \"\$(fld $1 Reason)\" != None ]"; }
wait_text()  { local i; for ((i=0;i<200;i++)); do grep -rqs -- "$2" "$1" && return 0; sleep .1; done; echo "TIMEOUT waiting for $2 in $1" >&2; return 1; }
rss()        { awk '/VmRSS/{print $2}' "/proc/$1/status" 2>/dev/null || echo 0; }
rss_ctld()   { rss "$(ctld_pid)"; }
rss_agent()  { rss "$(agent_pid "$1")"; }
. "$CASE_DIR/env.sh"
