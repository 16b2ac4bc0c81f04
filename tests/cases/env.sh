# env.sh: the hooks of lib.sh on the cluster of `sluice dev` that run.py started ($SLUICE_DEV_DIR).
STATEDIR=$SLUICE_DEV_DIR/state CLUSTER_KEY=$SLUICE_DEV_DIR/cluster.key CONTROLLER_LOG=$SLUICE_DEV_DIR/log/controller.log
config_of()    { sed -n "s/^$1=//p" "$SLUICE_CONF" | tail -1; }
pid_of()       { cut -d' ' -f1 "$SLUICE_DEV_DIR/run/$1.pid"; }
answers()      { local i; for ((i=0;i<100;i++)); do sinfo -h >/dev/null 2>&1 && return 0; sleep .1; done; echo "the controller does not answer" >&2; return 1; }
ctld_pid()     { pid_of controller; }
ctld_start()   { sluice-dev restart controller && answers; }
ctld_kill9()   { sluice-dev kill9 controller; }
ctld_sigstop() { sluice-dev freeze controller; }
ctld_sigcont() { sluice-dev thaw controller; }
ctld_log()     { case $1 in second) cat "$W/second.log";; *) cat "$CONTROLLER_LOG";; esac; }
state_backup() { sluice admin backup "$1"; }
state_restore() { sluice admin restore "$1"; }
db_check()     { python3 -c 'import sqlite3, sys; d = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True); print(d.execute("PRAGMA integrity_check").fetchall(), d.execute("PRAGMA foreign_key_check").fetchall())' "$1"; }
agent_pid()    { pid_of "$1"; }
agent_start()  { sluice-dev restart "$1"; }
agent_kill9()  { sluice-dev kill9 "$1"; }                # the agent process only
agent_stop()   { sluice-dev freeze "$1"; }
agent_cont()   { sluice-dev thaw "$1"; }
node_kill9()   { sluice-dev kill9 "$1" --part all; }     # as if the machine was gone
node_state()   { sinfo -N -h -n "$1" -o %T; }
wait_node()    { local i; for ((i=0;i<$3*5;i++)); do [[ $(node_state "$1") =~ ^($2) ]] && return 0; sleep .2; done; echo "TIMEOUT waiting for $1 to be $2 ($(node_state "$1"))" >&2; return 1; }
# A controller beside the first one, on the same state; must give up by itself.
ctld_start_second() { timeout 20 sluiced -f "$SLUICE_CONF" >"$W/second.log" 2>&1; }
# The line between node n1 and the controller, where run.py put a proxy: cut, cut to_client, heal.
net()          { echo "$@" > "$NET_CONTROL"; }
# An agent that takes a name from "another host": a spool, a socket and a log of its own.
OTHERS=()
agent_start_as() {
  local folder=$W/other.${#OTHERS[@]}
  mkdir "$folder"
  { echo "Include $SLUICE_CONF"; printf '%s\n' "SlurmdLogFile=$folder/log" "SluiceAgentSocket=$folder/sock"; } >"$folder/conf"
  sluice-agent --name "$1" -f "$folder/conf" --spool "$folder/spool" >>"$folder/log" 2>&1 &
  OTHERS+=($!)
}
agent_log()    { case $1 in other) cat "$W"/other.*/log;; *) cat "$SLUICE_DEV_DIR/log/$1.log";; esac; }
end_others()   { [ ${#OTHERS[@]} = 0 ] || kill "${OTHERS[@]}" 2>/dev/null; wait; OTHERS=(); }
trap end_others EXIT
# Adds seconds to the wall clock of the whole cluster, or of its agents alone.
shift_file()   { python3 -c 'import sys; f = open(sys.argv[1], "r+b"); n = int.from_bytes(f.read(8), sys.byteorder, signed=True); f.seek(0); f.write((n + int(sys.argv[2])).to_bytes(8, sys.byteorder, signed=True))' "$SLUICE_CLOCK_SHIFT/$1" "$2"; }
clock_shift()  { shift_file all "$1"; }
agents_clock_shift() { shift_file sluice-agent "$1"; }
key_reload()   { case $1 in ctld) kill -HUP "$(ctld_pid)";; *) kill -HUP "$(agent_pid "$1")";; esac; }
