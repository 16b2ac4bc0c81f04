"""check_arrays.py: checks of the cases about arrays that run."""

from printed import must


def step_and_throttle(printed):
    for task in (1, 4, 7, 10):
        printed.is_(f"{task}.out", f"{task} 4 1 10 3")
    must(printed.out.count(".out=") == 4, "no other output file")
    must(sorted(printed.all("task")) == ["10|COMPLETED", "1|COMPLETED", "4|COMPLETED", "7|COMPLETED"],
         "exactly these tasks, completed")
    printed.is_("at_once", "2")
    must(max(map(int, printed.all("running"))) == 2, "two running in squeue, never more")
    printed.is_("held_back", "7 JobArrayTaskLimit,10 JobArrayTaskLimit,")


def hundred_thousand(printed):
    printed.at_most("submit_ms", 2000)
    printed.is_("plain", f"{printed['id']}_[0-99999]")
    printed.is_("each", "100000")
    printed.at_most("each_ms", 5000)
    for name in ("grown_kb", "grown_at_end_kb"):
        printed.at_most(name, 100 * 1024)
    for when in ("held_ms", "running_ms"):
        took = sorted(map(int, printed.all(when)))
        must(len(took) == 20 and took[18] < 500, f"19 of 20 other submits below half a second, not {took}")
    printed.at_most("scancel_ms", 2000)
    printed.is_("left", "0")
    must(int(printed["begun"]) > 0, "some tasks started before scancel")
    must(int(printed["records_of_started"]) >= int(printed["begun"]), "a record for each task that started")
    printed.is_("tasks_of_started", printed["records_of_started"])
    printed.is_("neither", "0")
    must(int(printed["cancelled"]) > 0, "the rest is CANCELLED")
    printed.is_("told", "100000")
    printed.is_("told_most", "1")
