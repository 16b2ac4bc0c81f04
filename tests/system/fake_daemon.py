#!/usr/bin/python3
"""fake_daemon.py: stands in for sluiced, sluice-agent and sinfo where the test is of `sluice dev`
itself. Must not know anything of jobs."""

import ctypes
import os
import signal
import socket
import sys
import threading


def play_sinfo():
    folder = os.path.dirname(os.environ["SLUICE_CONF"])
    for entry in sorted(os.listdir(folder)):
        if entry.startswith("spool."):
            print(entry.removeprefix("spool."), "down" if os.environ.get("FAKE_DAEMON_FAILS") else "idle")


def listen():
    folder = os.path.dirname(sys.argv[sys.argv.index("-f") + 1])
    name = sys.argv[sys.argv.index("--name") + 1] if "--name" in sys.argv else "controller"
    path = f"{folder}/run/{name}.sock"
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    return listener


def leave_the_first_thread():
    """Another thread goes on: the kernel shows such a process as a zombie."""
    threading.Thread(target=threading.Event().wait).start()
    ctypes.CDLL(None).pthread_exit(None)


def play_daemon():
    print("started as", *sys.argv, flush=True)
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(0))
    listener = listen()  # kept open while this function runs
    if os.environ.get("FAKE_DAEMON_LEAVES_FIRST_THREAD"):
        leave_the_first_thread()
    while listener:
        signal.pause()


if os.path.basename(sys.argv[0]) == "sinfo":
    play_sinfo()
elif os.environ.get("FAKE_DAEMON_FAILS"):
    sys.exit("no such luck")
else:
    play_daemon()
