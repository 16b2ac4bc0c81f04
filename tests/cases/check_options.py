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
