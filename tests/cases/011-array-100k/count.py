"""count.py: counts the tasks that sacct's lines (JobID,State,NodeList) of array argv[1] stand for, those that
started apart from the rest."""

import collections
import re
import sys


def tasks(text):
    for element in re.sub(r"%\d+", "", text.strip("[]")).split(","):
        first, _, last = element.partition("-")
        yield from range(int(first), int(last or first) + 1)


counts = collections.Counter()
seen = collections.Counter()
for line in sys.stdin:
    job, state, nodes = line.rstrip("\n").split("|")
    array, _, index = job.partition("_")
    assert array == sys.argv[1], line
    found = list(tasks(index))
    seen.update(found)
    began = nodes != "None assigned"
    if began:
        counts["records_of_started"] += 1
        counts["tasks_of_started"] += len(found)
    elif state.split()[0] == "CANCELLED":
        counts["cancelled"] += len(found)
    else:
        counts["neither"] += len(found)
for name in ("records_of_started", "tasks_of_started", "cancelled", "neither"):
    print(f"{name}={counts[name]}")
print(f"told={len(seen)}")
print(f"told_most={max(seen.values(), default=0)}")
