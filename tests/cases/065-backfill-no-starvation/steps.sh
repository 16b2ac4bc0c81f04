#!/bin/bash
. "$(dirname "$0")/../lib.sh" 065-backfill-no-starvation
seconds() { date -d "$1" +%s; }
one_node() { jid -N1 --exclusive -o /dev/null "$@"; }
# A stream that keeps all three nodes busy.
( for ((i=0;i<20;i++)); do one_node -t 1 "$C/small.sh" >/dev/null; sleep 1; done ) &
wait_for 20 '[ "$(squeue -h -t R | wc -l)" = 3 ] && [ "$(squeue -h -t PD | wc -l)" -gt 0 ]'
# An administrator's goes first; anybody else's behind those that wait already.
if [ "$(id -u)" = 0 ]; then first=--nice=-100 ahead=0; else first=--nice=0 ahead=$(squeue -h -t PD | wc -l); fi
b=$(jid -N3 --exclusive -t 1 "$first" -o /dev/null "$C/big.sh"); t0=$(date +%s); echo "ahead=$ahead"
wait_for 10 "date -d \"\$(fld $b StartTime)\" >/dev/null 2>&1"
echo "listed=$(squeue --start -h -j "$b" | wc -l)"; est=$(fld "$b" StartTime); echo "est=$(($(seconds "$est") - t0))"
wait_state "$b" 'RUNNING|COMPLETED' 100
echo "late=$(($(seconds "$(sacct -X -n -P -j "$b" -o Start)") - $(seconds "$est")))"
echo "waited=$(($(seconds "$(sacct -X -n -P -j "$b" -o Start)") - t0))"
wait; scancel -u "$(id -un)"; while [ -n "$(squeue -h)" ]; do sleep .2; done
# Holes before a planned start.
long=$(one_node -w n1 -t 3 --wrap 'sleep 8'); wait_state "$long" RUNNING 20
b=$(jid -N3 --exclusive -t 1 -o /dev/null "$C/big.sh"); wait_reason "$b"
echo "reason=$(fld "$b" Reason)"; echo "why=$(sluice why "$b" | tr '\n' ';')"; echo "planned=$(fld "$b" SchedNodeList)"
short=$(one_node -t 1 --wrap 'sleep 1'); too_long=$(one_node -t 10 --wrap 'sleep 1'); wait_end "$short" 20
echo "short=$(state "$short") too_long=$(state "$too_long") big=$(state "$b")"
wait_end "$b" 60; echo "big=$(state "$b")"; wait_end "$too_long" 30
echo "order=$([ "$(seconds "$(sacct -X -n -P -j "$b" -o Start)")" -le "$(seconds "$(sacct -X -n -P -j "$too_long" -o Start)")" ] && echo kept)"
