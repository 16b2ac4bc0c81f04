#!/usr/bin/python3
"""fake_daemon.py: stands in for sluiced, sluice-agent and sinfo where the test is of `sluice dev`
itself. Must not know anything of jobs."""

import os
import signal
import sys


def play_sinfo():
    folder = os.path.dirname(os.environ["SLUICE_CONF"])
    for entry in sorted(os.listdir(folder)):
        if entry.startswith("spool."):
            print(entry.removeprefix("spool."), "down" if os.environ.get("FAKE_DAEMON_FAILS") else "idle")


def play_daemon():
    print("started as", *sys.argv, flush=True)
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(0))
    while True:
        signal.pause()


if os.path.basename(sys.argv[0]) == "sinfo":
    play_sinfo()
elif os.environ.get("FAKE_DAEMON_FAILS"):
    sys.exit("no such luck")
else:
    play_daemon()
