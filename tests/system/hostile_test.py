#!/usr/bin/env python3
"""hostile_test.py: messages that no command sends, through the controller's socket as any local user
may: it refuses them, or does what they say, and goes on. One file for one class of attack: values that
decode but must not be believed."""

import socket
import struct
import time

import harness

SUBMIT_JOB, CANCEL_JOBS, QUERY_JOBS = 10, 12, 20
ERROR_REPLY = 1


# The encoding of common/wire/codec.h.
def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(name, payload):
    tag = 2166136261
    for byte in name.encode():
        tag = (tag ^ byte) * 16777619 & 0xFFFFFFFF
    return struct.pack("<H", (tag ^ tag >> 16) & 0xFFFF) + varint(len(payload)) + payload


def elements(*payloads):
    return b"".join(varint(len(payload)) + payload for payload in payloads)


def tasks(first, last, step):
    numbers = field("first", varint(first)) + field("last", varint(last)) + field("step", varint(step))
    return field("tasks", field("ranges", elements(numbers)))


def selecting(job, first, last, step=1):
    return field("filter", field("jobs", elements(field("job", varint(job)) + tasks(first, last, step))))


class Hostile(harness.SystemTest):
    nodes = 1
    config = harness.SHORT_TIMES

    def setUp(self):
        self.controller = self.cluster.pid("controller")

    def tearDown(self):
        self.cluster.out("sluice", "ping")
        self.assertEqual(self.cluster.pid("controller"), self.controller)

    def answer(self, message_type, payload):
        """The type of the controller's answer; None: it closed the connection."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(20)
            line.connect(self.cluster.setting("SluiceControllerSocket"))
            line.sendall(b"SLU1" + struct.pack("<IHHI", len(payload), message_type, 0, 1) + payload)
            try:
                header = line.recv(16, socket.MSG_WAITALL)
            except ConnectionResetError:
                return None
            return struct.unpack("<H", header[8:10])[0] if header else None

    def test_an_array_whose_tasks_never_end_is_refused(self):
        for first, last, step in ((0, 5, 0), (5, 0, 1), (0, 7, 2)):
            spec = field("spec", field("start", field("array", tasks(first, last, step))))
            self.assertIn(self.answer(SUBMIT_JOB, field("key", b"k" * 16) + spec), (ERROR_REPLY, None))

    def test_a_selection_with_step_zero_is_refused(self):
        for message_type in (CANCEL_JOBS, QUERY_JOBS):
            self.assertIn(self.answer(message_type, selecting(1, 0, 5, step=0)), (ERROR_REPLY, None))

    def test_a_list_of_nothing_does_not_fill_the_memory(self):
        many = field("gres_per_node", b"\0" * 30_000_000)
        payload = field("key", b"k" * 16) + field("spec", field("request", many))
        self.assertIn(self.answer(SUBMIT_JOB, payload), (ERROR_REPLY, None))
        with open(f"/proc/{self.controller}/status", encoding="ascii") as status:
            peak_kb = int(status.read().split("VmHWM:")[1].split()[0])
        self.assertLess(peak_kb, 300_000)  # they would be two gigabytes

    def test_naming_all_tasks_there_can_be_keeps_nobody_waiting(self):
        job = self.cluster.submit("-H", "--array=0-9", "--wrap", "true")
        begin = time.monotonic()
        self.cluster.out("squeue", "-h", "-j", f"{job}_[0-2147483647]")
        self.cluster.out("scancel", f"{job}_[0-2147483647]")
        self.assertLess(time.monotonic() - begin, 10)  # walking through them all takes minutes
        self.cluster.wait_end(job)


if __name__ == "__main__":
    harness.main()
