"""printed.py: what the steps of a case printed, and how a check says what must hold of it. Must not start
or end anything."""

import re


class Printed:
    """What the steps of a case printed."""

    def __init__(self, done, cluster):
        self.out = done.stdout
        self.error = done.stderr
        self.cluster = cluster

    def all(self, name):
        return re.findall(rf"^{re.escape(name)}=(.*)$", self.out, re.M)

    def __getitem__(self, name):
        values = self.all(name)
        assert len(values) == 1, f"one line {name}=..., not {values}"
        return values[0]

    def is_(self, name, *wanted):
        assert self[name] in wanted, f"{name} is {self[name]!r}, must be {' or '.join(wanted)}"

    def at_most(self, name, limit):
        assert float(self[name]) <= limit, f"{name} is {self[name]}, must be at most {limit}"

    def says(self, *words):
        for word in words:
            assert word in self.error, f"{word!r} must be on standard error"


def must(condition, what):
    assert condition, f"must be: {what}"
