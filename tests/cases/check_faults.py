"""check_faults.py: checks of the cases about what is away: the controller, the line, the state, the data."""

import re

from printed import must


def network_cut(printed):
    printed.is_("cut", "RUNNING")
    state, code, end = printed["end"].split("|")
    must((state, code) == ("FAILED", "4:0"), f"FAILED 4:0, not {state} {code}")
    must(abs(int(end) - int(printed["done"])) <= 1 < int(printed["healed"]) - int(printed["done"]),
         "its end is when it ended, not when the line healed")
    printed.is_("runs", "1")
    printed.is_("node", "idle")
    seen = [text.split("|", 1)[0] for text in printed.all("deaf")]
    changes = [state for i, state in enumerate(seen) if i == 0 or seen[i - 1] != state]
    must(changes in (["idle", "down*"], ["idle", "idle*", "down*"]), f"no flapping, not {changes}")
    must(re.search(r"is heard.*not hear", printed["deaf_at_end"]), f"named, not {printed['deaf_at_end']!r}")
    must(set(printed.all("back")) == {"idle|none"}, f"healed, with nothing left, not {set(printed.all('back'))}")
    printed.is_("after", "COMPLETED")


HOSTILE = "x'); DELETE FROM jobs;--"


def metacharacters(printed):
    work = printed.cluster.work
    columns = {"--job-name": 0, "--comment": 1, "--account": 2, "--wckey": 3, "--qos": 4}
    for option in ("--job-name", "--comment", "--account", "--wckey", "--qos", "--partition", "--reservation",
                   "--constraint", "--licenses", "--chdir", "--output", "--mail-user"):
        job, error = printed[f"{option}_id"], printed[f"{option}_error"]
        if printed[option] != "0":
            stated = {"--constraint": "feature", "--licenses": "license"}.get(option, option.split("-")[2])
            must(not job and stated in error, f"{option}: refused for a stated reason, not {error!r}")
            continue
        stored = next(text.split(" ", 1)[1] for text in printed.all("stored") if text.split(" ")[0] == job)
        shown = {"--chdir": ("WorkDir", f"{work}/{HOSTILE}"), "--output": ("StdOut", f"{work}/{HOSTILE}"),
                 "--mail-user": ("MailUser", HOSTILE)}
        if option in columns:
            value = stored.split("|")[columns[option]]
            must(value == HOSTILE, f"{option} is stored byte for byte, not {value!r}")
        else:
            printed.is_(f"{job}.{shown[option][0]}", shown[option][1])
    check_filters(printed)
    printed.is_("exact", HOSTILE)
    for name in ("history", "old"):
        printed.is_(name, "kept")
    printed.is_("after_restart", "same")


def check_filters(printed):
    filters = printed.all("filter")
    must(len(filters) == 27 and len(printed.all("queue_filter")) == 24, "all filters tried")
    for text in (*filters, *printed.all("queue_filter")):
        name, lines, value = text.split(" ", 2)
        must(lines == "0", f"{name} with {value!r} matches nothing, not {lines} lines")
    for text in filters:
        name, _lines, rest = text.split(" ", 2)
        value, error = rest.split("|", 1)
        must(name != "--jobs" or (re.search("(Bad|Invalid) job", error) and value in error),
             f"an id that is no number is refused as such, not {error!r}")


def not_found(printed):
    def told(name, command):
        code, lines, error = printed[f"{name} [{command}]"].split(" ", 2)
        return int(code), int(lines), error

    job = printed["job"]
    must(told("up", f"squeue -h -j {job}") == (0, 0, ""), "a finished id is known and not in the queue")
    for command in (f"squeue -h -t all -j {job}", f"scontrol show job {job}", f"sacct -X -n -j {job}"):
        code, lines, error = told("up", command)
        must(code == 0 and lines >= 1 and not error, f"{command} shows it")
    must(told("up", f"scancel {job}") == (0, 0, ""), "scancel of a finished job is silent")
    must(told("up", "scancel 99999999") == (0, 0, ""), "and of an unknown one")
    must(told("up", "sacct -X -n -j 99999999") == (0, 0, ""), "sacct of an unknown one too")
    for command in ("squeue -h -j", "scontrol show job"):
        unknown, usage = told("up", f"{command} 99999999"), told("up", f"{command} abc")
        must((unknown[0], unknown[1], usage[0], usage[1]) == (1, 0, 1, 0), f"{command}: exit code 1")
        must("Invalid job id specified" in unknown[2], f"unknown id told by {command}")
    for command in ("squeue -h -j", "scancel", "sacct -X -n -j"):
        usage = told("up", f"{command} abc")
        must(usage[0] == 1 and "abc" in usage[2], f"{command} abc is bad usage, not {usage}")
    must(told("up", "squeue -h -j abc")[2] != told("up", "squeue -h -j 99999999")[2], "and other words")
    must(told("up", "sinfo -h")[:2] == (0, 1), "what is asked rightly is answered")
    for command, code in (("sinfo", 1), ("squeue", 1), ("sbatch", 255)):
        bad = told("up", f"{command} --nonsense" + (" --wrap true" if command == "sbatch" else ""))
        must(bad[0] == code and "unrecognized option '--nonsense'" in bad[2], f"{command}: bad usage is {code}")
    check_away(printed)


def check_away(printed):
    down = re.findall(r"^down \[(.*?)\]=(\d+) (\d+) (.*)$", printed.out, re.M)
    must(len(down) == 8, "eight commands without a controller")
    frozen = re.findall(r"^frozen \[(.*?)\]=(\d+) (\d+) (.*)$", printed.out, re.M)
    must(len(frozen) == 5, "five commands with a frozen one")
    codes = {code for _, code, _, _ in down}
    unknown = {code for _, code, _, _ in frozen}
    must(len(codes) == 1 and len(unknown) == 1, f"one exit code each, not {codes} and {unknown}")
    must(not (codes | unknown) & {"0", "1", "124", "255"} and codes != unknown, f"of their own, not {codes} {unknown}")
    for command, _code, lines, error in (*down, *frozen):
        must(lines == "0" and error, f"{command} says so, and nothing on standard output")
    for command, _code, _lines, error in down:
        must("Unable to contact slurm controller" in error and printed["socket"] in error,
             f"{command} names the address tried, not {error!r}")


def backup_and_restore(printed):
    for name in ("backup", "restore", "again"):
        printed.is_(name, "0")
    printed.is_("submits", "60")
    printed.is_("copy", "[('ok',)] []")
    printed.is_("former", "kept")
    given, unknown, new = map(int, printed["ids"].split())
    must(int(unknown) < given < new, "no id is given twice")
    missed = int(printed["missed"])
    must(0 < missed < 60, f"a copy from the middle of the submits, without {missed} of them")
    must(printed["known"] == printed["unknown"] == "RUNNING", "what ran runs on, known or not")
    printed.is_("ends", "COMPLETED,COMPLETED")
    must(printed.all("wrote") == ["2 begun", "2 ended"], "each ran once, to its end")
    must(str(unknown) in printed["listed"], "what the backup did not know is listed as such")
    must(printed["downgrade"] == "1", "an older controller refuses a newer state")
    must(re.search(r"newer version.*schema 99.*up to \d+", printed["refusal"]), "and names both versions")
    printed.is_("newer", "untouched")
    printed.is_("queued_again", str(60 - missed + 2))
