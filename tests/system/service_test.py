#!/usr/bin/env python3
"""service_test.py: both daemons under a service manager (Type=notify of systemd): what they tell it, when,
and that what they start tells it nothing."""

import os
import signal
import socket
import struct
import subprocess

import harness

CREDENTIALS = struct.calcsize("iii")


class Manager:
    """The manager's end of NOTIFY_SOCKET: messages with the process id that the kernel vouches for."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.bind(str(path))
        self.socket.settimeout(20)

    def next(self):
        """(pid, first line) of the next message."""
        text, control, _, _ = self.socket.recvmsg(256, socket.CMSG_SPACE(CREDENTIALS))
        pid = struct.unpack("iii", control[0][2][:CREDENTIALS])[0]
        return pid, text.decode().splitlines()[0]

    def is_quiet(self):
        self.socket.setblocking(False)
        try:
            self.socket.recv(256)
            return False
        except BlockingIOError:
            return True
        finally:
            self.socket.settimeout(20)


class Service(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = harness.Cluster()
        path = cls.cluster.folder / "notify"
        cls.manager = Manager(path)
        cls.cluster.environment["NOTIFY_SOCKET"] = str(path)
        cls.cluster.start()
        cls.controller, cls.agent = cls.cluster.pid("controller"), cls.cluster.pid("n1")

    def test_a_life(self):
        with self.subTest("each says once that it serves"):
            said = sorted([self.manager.next(), self.manager.next()])
            self.assertEqual(said, sorted([(self.controller, "READY=1"), (self.agent, "READY=1")]))
        with self.subTest("jobs neither speak nor can"):
            self.cluster.run("sbatch", "-W", "-o", "job.out", "--export=NONE", "--wrap", "env")
            self.assertNotIn("NOTIFY_SOCKET", (self.cluster.work / "job.out").read_text())
            self.assertTrue(self.manager.is_quiet())
        for name, pid in (("controller", self.controller), ("agent", self.agent)):
            with self.subTest("a reload has a beginning and an end", daemon=name):
                os.kill(pid, signal.SIGHUP)
                self.assertEqual(self.manager.next(), (pid, "RELOADING=1"))
                self.assertEqual(self.manager.next(), (pid, "READY=1"))
        for name, pid in (("agent", self.agent), ("controller", self.controller)):
            with self.subTest("it says that it ends", daemon=name):
                os.kill(pid, signal.SIGTERM)
                self.assertEqual(self.manager.next(), (pid, "STOPPING=1"))
        with self.subTest("a command that follows the word finds the controller there"):
            with subprocess.Popen([harness.BIN / "sluice-dev", "restart", "controller"],
                                  env=self.cluster.environment):
                self.assertEqual(self.manager.next()[1], "READY=1")
                self.assertTrue(self.cluster.out("sinfo", "-h"))


if __name__ == "__main__":
    harness.main()
