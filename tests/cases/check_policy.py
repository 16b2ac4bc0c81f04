"""check_policy.py: checks of the cases about backfill, reservations and limits."""

from printed import must


def no_starvation(printed):
    must(int(printed["listed"]) >= 1, "squeue --start lists it")
    limit_s = 65 + 60 * int(printed["ahead"])
    must(0 <= int(printed["est"]) <= limit_s, f"planned within a limit of the small ones, not {printed['est']} s")
    printed.at_most("late", 3)
    printed.at_most("waited", 65)
    must(printed["reason"] == "Resources", f"it waits for nodes, not {printed['reason']}")
    must("n1" in printed["why"], "what it waits for is named")
    must("short=COMPLETED too_long=PENDING big=PENDING" in printed.out, "what ends before it fills the hole")
    must(printed.all("big")[-1] == "COMPLETED", "it starts when the nodes are there")
    printed.is_("order", "kept")


def maintenance(printed):
    must(printed["s"].split()[0] in ("RUNNING", "COMPLETED"), "the short one runs at once")
    for job in ("l", "n"):
        state, reason = printed[job].split()
        must(state == "PENDING" and reason in ("Reservation", "ReqNodeNotAvail"), f"{job} waits, not {reason}")
        must("maint" in printed[f"{job}_why"], f"{job}: the reservation is named")
    printed.is_("l_start", printed["end"])
    must("DefaultTime" in printed["n_why"] or "MaxTime" in printed["n_why"],
         f"the default limit is named: {printed['n_why']}")
    must(printed["freed"].split()[0] in ("RUNNING", "COMPLETED"), "without the window it starts")
    must(printed["rc"] != "0", "an unknown reservation is refused")
    must("held" not in printed.out.lower(), "nobody is held")


def limits_tell_numbers(printed):
    must(printed["b"] == "PENDING AssocGrpCpuLimit", f"b waits for its limit, not {printed['b']}")
    must(printed["c"] == "PENDING AssocGrpCpuLimit", f"c waits for its limit, not {printed['c']}")
    must("is 4: 4 in use, 1 more asked" in printed["b_why"], f"the user's numbers: {printed['b_why']}")
    must("account a is 6: 4 in use, 4 more asked; held by root 4" in printed["c_why"], f"the group's: {printed['c_why']}")
    must(printed["rc"] != "0", "above the limit for ever is refused")
    printed.says("AssocGrpCpuLimit")
    printed.is_("then", "RUNNING RUNNING")
    printed.is_("whole", "RUNNING RUNNING PENDING")
    must("account a is 6: 6 in use, 1 more asked" in printed["h_why"], f"nothing leaked: {printed['h_why']}")
