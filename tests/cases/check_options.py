"""check_options.py: checks of the cases about what sbatch is told: options, directives, times, arrays' lists."""

import re

from printed import must


def seconds(limit):
    """[D-]HH:MM:SS in seconds."""
    days, _, clock = limit.rpartition("-")
    hours, minutes, rest = map(int, clock.split(":"))
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + rest


def blank_and_comment_lines(printed):
    printed.is_("JobName", "spaced")
    printed.is_("Comment", "tabbed")
    printed.is_("TimeLimit", "00:05:00")
    printed.is_("MinMemoryNode", "64M")
    printed.is_("state", "COMPLETED")
    hints = dict(re.findall(r"job\.sh:(\d+): .*?(#\s?\w+ -J \w+)", printed.error))
    must(hints == {"7": "# SBATCH -J disabled2", "10": "#sbatch -J lower", "11": "#SBATCHX -J glued"},
         f"a hint for each line that looks like a mistyped directive and for no other, not {hints}")


def precedence(printed):
    printed.is_("environment", "00:20:00|200M|fromenv|fromscript|")
    printed.is_("command_line", "00:30:00|200M|cli|fromscript|")
    printed.is_("last_wins", "00:07:00|100M|fromscript|fromscript|")
    for option, value, source in (("time", "00:30:00", "command line"), ("mem", "200M", "environment"),
                                  ("job-name", "cli", "command line"), ("comment", "fromscript", "script")):
        must(re.search(rf"^sbatch: {option} +: {value} .*{source}", printed.error, re.M),
             f"-v says that --{option}={value} came from the {source}")


def bad_arrays(printed):
    tries, messages = printed.all("refused"), printed.all("message")
    must(len(tries) == len(messages) == 13, "13 lists tried")
    for text, message in zip(tries, messages):
        code, took_ms, spec = text.split(" ", 2)
        must(code not in ("0", "124"), f"{spec!r} refused, not {code}")
        must(int(took_ms) <= 1000, f"{spec!r} refused within a second, not {took_ms} ms")
        must(f'"{spec}"' in message, f"{spec!r} quoted in {message!r}")
    printed.is_("queued", "0")
    printed.at_most("grown_kb", 8 * 1024)
    printed.is_("controller", "same")
    printed.is_("tasks", "1 2 3 ")


def array_limit(printed):
    must(printed["too_many"] != "0" and printed["one_too_many"] != "0", "more tasks than the limit refused")
    for asked in (2000, 1002):
        must(any("MaxArraySize=1001" in line and str(asked) in line and "tasks" in line
                 for line in printed.error.splitlines()), f"the limit, what it bounds and {asked} are named")
    printed.is_("[1001-2000]", "0 1000")
    printed.is_("[0-1000]", "0 1001")
    printed.is_("[1000-2000]", "0 1001")
    printed.is_("config", "1001")


def time_grammar(printed):
    rows = [row.split("|") for row in printed.all("row")]
    must(len(rows) == 19, "19 spellings")
    for text, wanted, shown in rows:
        if wanted == "refuse":
            must(shown == "refuse", f"{text!r} refused, not {shown}")
            told_with_grammar(printed, text)
        elif wanted == "unlimited":
            must(shown == "UNLIMITED", f"{text!r} is unlimited, not {shown}")
        else:
            must(shown != "refuse", f"{text!r} accepted")
            must(0 <= seconds(shown) - int(wanted) < 60, f"{text!r} is {wanted} s or up to a minute, not {shown}")
    must(printed["empty"] != "0", "the empty value refused")
    told_with_grammar(printed, "")
    printed.is_("short", "COMPLETED")


def told_with_grammar(printed, text):
    message = printed[f"[{text}]"]
    must(f'"{text}"' in message, f"{text!r} named in {message!r}")
    for form in ("MINUTES", "HOURS:MINUTES:SECONDS", "DAYS-HOURS", "UNLIMITED"):
        must(form in message, f"{form} among the accepted forms in {message!r}")


def broken_name(printed):
    if printed["rc"] != "0":
        must("UTF-8" in printed.error, "a clear message")
    for name in ("listed", "recorded"):
        must(printed.all(name) == [printed["jobs"]] * 2, f"all jobs {name}")
    must(printed["C"] == printed["C.UTF-8"], "the same under every locale")
    in_json = printed.all("json")
    must(len(in_json) == 2 and len(set(in_json)) == 1, "valid JSON, the same under every locale")
    must(in_json[0].split()[0::2] == printed["jobs"].split(), f"all jobs in it, not {in_json[0]!r}")
    must("'good'" in in_json[0], "with their names")


def daylight_saving(printed):
    must(printed["spring"] in ("refused", "1806197400"), f"02:30 that day is refused or 03:30, not {printed['spring']}")
    must("2027-03-28" in printed["spring_note"], f"with a note, not {printed['spring_note']!r}")
    printed.is_("autumn", "1824942600")
    printed.is_("summer", "1814401800")
    printed.is_("winter", "1827624600")
    for plain in ("summer", "winter"):
        printed.is_(f"{plain}_note", "")
    must(len(set(printed.all("epochs"))) == 1 and len(printed.all("epochs")) == 3, "the same for every reader")
    start, end, elapsed = printed.all("epochs")[0].split("|")
    ran = printed["ran"].split("|")
    must(abs(int(start) - int(ran[0])) <= 1 and abs(int(end) - int(ran[1])) <= 1, "and true")
    must(elapsed in ("00:00:03", "00:00:04"), f"elapsed 3 to 4 s, not {elapsed}")
    must(printed.all("shown") == [start] * 3, "scontrol says the same")
    must(printed.all("text") == printed.all("wanted_text") and len(set(printed.all("text"))) == 3,
         "texts are in the reader's zone")
    must([text[:3] for text in printed.all("offset")] in (["+00", "-05", "+05"], ["+00", "-04", "+05"]),
         f"%z shows the offset, not {printed.all('offset')}")
    must(printed.all("found") == [printed["job"]] * 3, "-S now-1hour finds it from any zone")
    must(printed.all("not_found") == [""] * 3, "-S now+1hour does not")


def json_contract(printed):
    printed.is_("bad", "0")
    printed.is_("up_rc", "0")
    printed.is_("up_errors", "0")
    printed.is_("stable", "0")
    must(printed["down_rc"] != "0", "without a controller the exit code is not 0")
    must(int(printed["down_errors"]) > 0, "what is wrong stands in the document")
    for name in ("up_has_version", "down_has_version"):
        printed.is_(name, "True")
