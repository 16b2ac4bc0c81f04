"""run.py: runs one case: its steps.sh in a fresh cluster of `sluice dev`, then checks what the steps printed
against the MUSTs of its case.md.

    run.py NNN     exit code 77: skipped, and why

The steps print `name=value` lines; a check reads them. A new case is a folder and a row of CASES.
"""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import threading
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))
import harness  # noqa: E402
import check_arrays  # noqa: E402
import check_faults  # noqa: E402
import check_files  # noqa: E402
import check_options  # noqa: E402
import check_policy  # noqa: E402
from printed import Printed, must  # noqa: E402

SKIPPED = 77


# --- the checks, one a case ---------------------------------------------------------------------------

def check_dos_line_ends(printed):
    for code in printed.all("rc"):
        must(code != "0", "refused")
    must(len(printed.all("rc")) == 2, "two tries")
    printed.is_("queued", "0")
    printed.says("DOS line breaks", "job.sh")
    must(not list(printed.cluster.work.glob("crlf*")), "no output file")


def check_stray_words(printed):
    must(re.findall(r"(\w+) rc=(\d+)", printed.out) != [], "three tries")
    for name, code in re.findall(r"(\w+) rc=(\d+)", printed.out):
        must(code != "0", f"{name} refused")
    for file, line, token in (("a_space.sh", 2, "simulation"), ("b_paren.sh", 2, "(sets"),
                              ("c_unknown.sh", 2, "--tmie")):
        must(any(file in text and str(line) in text and token in text
                 for text in printed.error.splitlines()), f"{file} told with line {line} and {token}")


def check_long_script(printed):
    if printed["rc"] != "0":
        printed.says(printed["size"])
        must("exceed MaxScriptSize=" in printed.error, "the limit is named")
        return
    must(f"end-of-script {printed['hash']}" in printed.out, "the last line ran, with the same hash")
    printed.is_("copy", "same")


def check_large_environment(printed):
    if printed["rc"] == "0":
        printed.is_("environment", "same")
    else:
        must(re.search(r"\d{6,}", printed.error), "the refusal names the size")
    must("refused" not in printed.out, "ordinary submits go on")
    printed.is_("held", "10")


def check_odd_environment(printed):
    lines = printed.out.splitlines()
    must("same" in lines, "every odd value arrives")
    must("T_1=x" in lines, "a name that a shell cannot hold does not disturb the others")


def check_double_fork(printed):
    printed.is_("alive", "0")
    printed.is_("state", "COMPLETED")
    must(not printed.all("cgroup"), "the cgroup is gone")
    must("clean" in printed.out.splitlines(), "the next job sees none of them")


def check_ignored_sigterm(printed):
    printed.is_("rc", "0")
    printed.at_most("scancel_ms", 1000)
    printed.at_most("took_ms", 1000 * (KILL_WAIT_S + 5))
    must(printed["job"].startswith("CANCELLED"), "cancelled")
    printed.is_("batch", "0:9")
    printed.is_("node", "idle")
    printed.is_("alive", "0")


def check_timeouts(printed):
    jobs = [line.split("|") for line in printed.all("job")]
    must(len(jobs) == 3, "three jobs")
    for state, elapsed in jobs:
        must(state == "TIMEOUT", f"TIMEOUT, not {state}")
        must(60 <= int(elapsed) <= 60 + KILL_WAIT_S + 5, f"elapsed about a minute, not {elapsed}")
    printed.is_("catches", "saved")
    must(len(printed.all("dependent")) == 3, "three dependents")
    must("COMPLETED" not in printed.all("dependent"), "no dependent is released")
    must("released" not in printed.out, "no dependent ran")


def check_closed_stdio(printed):
    state, code, elapsed = printed["closed"].split("|")
    must((state, code) == ("COMPLETED", "0:0"), "completed")
    must(3 <= int(elapsed) <= 5, "the end of the pipes is not the end of the job")
    must("read rc=1 eof\n0" in printed.out, "standard input is empty")
    printed.at_most("leaked", 0)


def check_exit_codes(printed):
    for when in ("live", "restarted"):
        values = printed.all(when)
        must(len(values) == 15, "all rows of the table")
        must(set(values) == {"ok"}, f"{when}: all ok, not {set(values)}")


def check_requeued_once(printed):
    runs = re.findall(r"^run=(\d+) restart=(\d) node=(\S+)", printed.out, re.M)
    must([run[1] for run in runs] == ["0", "1"], "two runs")
    must(runs[0][0] == runs[1][0], "the same job id")
    must(runs[0][2] == printed["lost"] != runs[1][2], "on different nodes")
    must("TWO AT ONCE" not in printed.out, "never two at once")
    records = [record.split("|")[1:] for record in printed.all("record")]
    must([record[0] for record in records] == ["NODE_FAIL", "COMPLETED"], "two records")
    must([record[2] for record in records] == [runs[0][2], runs[1][2]], "each with its node")
    must(printed.all("k") == ["NODE_FAIL"] * 2, "a job that may not be requeued ends with its node")
    printed.is_("node", "idle")
    printed.is_("alloc", "0")


def check_adopted(printed):
    must("gone=RUNNING other=PENDING" in printed.out, "its resources stay booked without the agent")
    must("adopted=RUNNING other=PENDING" in printed.out, "adopted")
    state, code, elapsed = printed["job"].split("|")
    must((state, code) == ("FAILED", "5:0"), "the exit code is kept")
    must(10 <= int(elapsed) <= 12, f"elapsed 10 to 12, not {elapsed}")
    printed.is_("lines", "10")
    printed.is_("away", "FAILED|7:0")
    must("cancelled=CANCELLED alive=0" in printed.out, "scancel kills what was adopted")


def check_frozen_agent(printed):
    must(not printed.all("twice"), "never two copies in the same second")
    copies = [copy.split()[1:] for copy in printed.all("copy")]
    must(copies[0][0] == printed["first"], "the first copy ran on the frozen node")
    if len(copies) > 1:
        must([copy[1] for copy in copies] == [str(i) for i in range(len(copies))], "each run once")
        must(copies[1][0] != copies[0][0], "the second ran elsewhere")
    must(re.search(r"thawed=(RUNNING|PENDING)", printed.out), "no stale end overwrites the new run")
    must(printed["end"].startswith("CANCELLED"), "ended by scancel")
    must(printed.all("node")[-1] == "idle", "the node is used again")


def check_duplicate_name(printed):
    must("127.0.0.1" in printed["other"] and "since" in printed["other"],
         "refused with the address and since-when of the first")
    must(printed["n1"] in ("idle", "mixed"), "the first keeps its state")
    printed.is_("jobs", "COMPLETED,COMPLETED")
    printed.is_("restarted", "idle")
    must(printed["nodes"].split() == ["n1", "n2"], "variants are the node or clearly another")


def check_garbage(printed):
    seconds = [float(value) for value in printed.all("submit_s")]
    must(len(seconds) == 8 and max(seconds) < 1, f"submits under a second, not {seconds}")
    printed.at_most("rss_kb", 100 * 1024)
    must(int(printed["held"]) >= 1000, "many connections stood")
    printed.is_("pids", "same")
    must(printed["node"] in ("idle", "mixed", "allocated"), "the node is well")


def check_replayed_launch(printed):
    printed.is_("extra", "0")
    must(len(printed.all("probe")) == 4, "four tries")
    must(not re.search(r"datagram=[1-9]", printed.out), "the agent answers nothing")
    must(int(printed["logged"]) >= 1, "the refusal is logged with the peer's address")
    must(not printed.all("readable"), "key, state and spool are unreadable for others")


def check_own_writes(printed):
    printed.is_("invisible", "0")
    printed.is_("gaps", "0")
    printed.is_("wait", "9")


def check_missing_user(printed):
    printed.is_("ghost", "COMPLETED")
    must("54399(ghost)" in printed.out, "runs as ghost")
    must(re.search(r"54399.* 54400", printed.out), "with all supplementary groups")
    if printed["rc"] == "0":
        state, reason = printed["unknown"].split("|", 1)
        must(state == "FAILED", f"one try, no loop, not {state}")
        must("54321" in reason and "n1" in reason, f"the reason names uid and node, not {reason!r}")
    else:
        printed.says("54321")
    printed.is_("node", "idle")
    must(printed["nobody"] != "0" and printed["root"] != "0", "jobs of root and nobody are refused")
    printed.is_("queued", "0")


def check_second_controller(printed):
    printed.is_("rc", "1")
    printed.is_("frozen_rc", "1")
    must(printed["first"] in printed["second"], "the holder's pid is named")
    printed.is_("j", "COMPLETED")
    must("k=COMPLETED ran=1 jobs=2" in printed.out, "one job, which ran once")
    must(printed.all("db") == ["[('ok',)]"], "the state is whole")


def check_key_rotation(printed):
    must(printed.all("submit") == ["0", "0"], "submits go on")
    for side in ("controller", "agent"):
        must(len(set(re.findall(r"key ([0-9a-f]{8})", printed[side]))) == 2, f"{side} names both keys")
        must("cluster.key, loaded 20" in printed[side], f"{side} names file and time")
    printed.is_("nodes", "idle,idle")
    printed.is_("r", "COMPLETED")
    printed.is_("loose_rc", "1")
    must("cluster.key" in printed["loose"], "a key that others can read is refused with its path")


# --- what a case needs --------------------------------------------------------------------------------

KILL_WAIT_S = 1


def with_recorded_launch(cluster):
    """Records what the controller sends to an agent while it launches a job."""
    line = cluster.put_proxy_before("n1")
    mark = len(line.from_server)
    job = cluster.submit("-o", "/dev/null", "--wrap", "exec -a LAUNCHMARK sleep 0.1")
    cluster.wait_end(job)
    blob = cluster.work / "blob"
    blob.write_bytes(line.from_server[mark:])
    cluster.environment.update(LAUNCH_BLOB=str(blob), AGENT_PORT=node_port(cluster, "n1"))


def with_line_to_cut(cluster):
    """Node n1 behind a proxy that the steps cut and heal, by a line to a pipe."""
    line = cluster.put_proxy_before("n1")
    control = cluster.work / "net-control"
    os.mkfifo(control)
    cluster.environment.update(NET_CONTROL=str(control))
    threading.Thread(target=obey, args=(line, control), daemon=True).start()


def obey(line, control):
    orders = {"cut": line.cut, "cut to_client": lambda: line.cut(("to client",)), "heal": line.heal}
    while True:
        orders[control.read_text().strip()]()


def with_hidden_folder(cluster):
    """A folder that is there, but not for node n2, whose agent runs where an empty file system lies over
    the folder above it. For root only; the rest of the case does without."""
    if not harness.IS_ROOT:
        return
    folder = cluster.work / "shared" / "hidden"
    folder.mkdir(parents=True)
    cluster.kill9("n2")
    cluster.start_agent("n2", "unshare", "-m", "sh", "-c",
                        'mount -t tmpfs none "$0" && exec "$@"', str(folder.parent))
    cluster.environment.update(HIDDEN=str(folder))


def node_port(cluster, node):
    return re.search(rf"NodeName={node} .*\bPort=(\d+)",
                     (cluster.dir / "slurm.conf").read_text())[1]


def in_private_accounts():
    """Runs the rest of this program where /etc/passwd and /etc/group are copies with the user ghost."""
    if os.environ.get("ACCOUNTS_ARE_COPIES"):
        return
    folder = pathlib.Path(subprocess.check_output(
        ["mktemp", "-d", "/tmp/sluice-accounts.XXXXXX"], text=True).strip())
    (folder / "passwd").write_text(pathlib.Path("/etc/passwd").read_text()
                                   + "ghost:x:54399:54399::/nonexistent:/usr/sbin/nologin\n")
    (folder / "group").write_text(pathlib.Path("/etc/group").read_text()
                                  + "ghost:x:54399:\nghosts:x:54400:ghost\n")
    script = ('mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/group" /etc/group || exit 77; '
              'rm -r "$0" 2>/dev/null; exec "$@"')
    os.environ["ACCOUNTS_ARE_COPIES"] = "1"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, str(folder), sys.executable, "-B",
                           *sys.argv])
    subprocess.run(["rm", "-rf", str(folder)])
    sys.exit(done.returncode)


def check_begin_forms(printed):
    def form(text):
        eligible, start, reason, before, _job = printed[f"[{text}]"].split()
        return int(eligible), int(start), reason, int(before)

    offsets = {"now+1hour": 3600, "now+60": 60, "now+2minutes": 120, "now+3days": 3 * 86400}
    for text, offset in offsets.items():
        eligible, start, reason, before = form(text)
        must(reason == "BeginTime" and start >= eligible, f"{text}: waits for its begin time")
        must(offset <= eligible - before <= offset + 5, f"{text}: {eligible - before} s from then")
    points = {"tomorrow": "midnight", "noon": "noon", "midnight": "midnight", "2030-01-20": "2030",
              "01/20/30": "2030", "2030-01-20T12:34:00": "1234", "2030-01-20T12:34": "1234"}
    for text, point in points.items():
        eligible, start, reason, _before = form(text)
        must(reason == "BeginTime" and start >= eligible == int(printed[point]), f"{text} is {point}")
    must(form("16:00")[2] == "BeginTime", "16:00 is ahead")
    for text in ("now-1hour", "2001-01-01"):
        _eligible, start, reason, before = form(text)
        must(reason != "BeginTime" and start - before < 10, f"{text} starts at once")
    for text in ("25:00", "", "now+", "2030-02-30", "now+99999999999days"):
        printed.is_(f"[{text}]", "refused")
    printed.says("Invalid --begin specification")


def check_deadline(printed):
    for name in ("impossible_rc", "soon_rc"):
        must(printed[name] != "0", f"{name}: refused")
    printed.is_("first_state", "PENDING")
    printed.is_("state", "DEADLINE")
    printed.is_("reason", "DeadLine")
    printed.is_("early", "1")
    printed.is_("shown", printed["wanted"])
    printed.is_("dependency", "(null)")


def check_clock_jumps(printed):
    for moment in ("forward", "back", "skewed"):
        printed.is_(f"{moment}_node", "idle", "mixed")
    for moment in ("forward", "back"):
        printed.is_(f"{moment}_state", "RUNNING")
    must(printed["begun"] != "PENDING", "a begin time follows the wall clock")
    printed.is_("submit_rc", "0")
    must(int(printed["later_id"]) > int(printed["first_id"]), "ids in order")
    printed.is_("state", "COMPLETED")
    must(12 <= int(printed["elapsed"]) <= 15, "elapsed by a clock that nobody sets")
    printed.is_("usable", "COMPLETED")


def check_reasons(printed):
    refused = {"cpus": ("cpus=64", "largest: 4"), "mem": ("mem_mb=104857600", "largest: 4096"),
               "feature": ("nosuchfeature", "features there: none"), "node": ("nosuchnode", "n[1-2]"),
               "partition": ("nosuchpart", "known: main"), "licence": ("none", "there are: none"),
               "gres": ("gpu", "there are: none")}
    for name, words in refused.items():
        for word in ("REFUSED", *words):
            must(word in printed[name], f"{name}: {word} in {printed[name]!r}")
    waits = {"held": ("JobHeldUser",), "begin": ("BeginTime",),
             "full": ("Resources", "place in line of partition main: 1 "),
             "behind": ("Priority", "place in line of partition main: 2 "),
             "drained": ("ReqNodeNotAvail", "n1 is drained: test"),
             "down": ("ReqNodeNotAvail", "n2 is down since ")}
    for name, (reason, *words) in waits.items():
        must(printed[name].startswith(f"{reason} {reason} "), f"{name} waits for {reason}")
        for word in words:
            must(word in printed[name], f"{name}: {word} in {printed[name]!r}")
    kept_by = {name: printed[name].split("what would start it")[0] for name in ("drained", "down")}
    must("n2" not in kept_by["drained"] and "n1" not in kept_by["down"], "healthy nodes are not listed")
    printed.is_("idle", "RUNNING")


def check_late_directives(printed):
    printed.is_("rc", "0")
    printed.is_("JobName", "early")
    printed.says("job.sh:4: ignored", "job.sh:5: ignored")


def check_quoted_directives(printed):
    printed.is_("name", "two words")
    printed.is_("comment", 'say "hi" #5')
    printed.is_("state", "COMPLETED")
    must("a,b c\ntwo words\n" in printed.out, "variable and name arrive whole")


def check_export_lists(printed):
    values = re.findall(r"^(?:FOO=\[.*|refused)$", printed.out, re.M)
    wanted = (r"FOO=\[a\] b=\[bee\]", r"FOO=\[a,b\]", r"FOO=\[1\] b=\[unset\] X=\[unset\] PATHOK=y",
              r"FOO=\[\] b=\[unset\] X=\[ex\]", r"FOO=\[\] b=\[unset\] X=\[unset\]",
              r"FOO=\[\] b=\[unset\] X=\[unset\]|refused", r"FOO=\[a\]")
    must(len(values) == len(wanted), f"{len(wanted)} jobs, not {values}")
    for value, pattern in zip(values, wanted):
        must(re.match(pattern, value), f"{pattern}, not {value}")
    must(printed["rc"] != "0", "an impossible name is refused")
    printed.says("zzz")


def check_ends_of_parents(printed):
    ids = printed["ids"].split()
    for when in ("live", "purged"):
        for name in ("ok_a", "notok_b", "any_c"):
            printed.is_(f"{when}.{name}", "COMPLETED None")
        for name, job, how in (("ok_b", ids[1], "FAILED"), ("notok_a", ids[0], "ended well"),
                               ("ok_c", ids[2], "CANCELLED"), ("ok_ab", ids[1], "FAILED")):
            text = printed[f"{when}.{name}"]
            must(text.startswith("refused") and f":{job} can never be met" in text and how in text,
                 f"{when}.{name}: refused with the id and how it ended, not {text}")


def check_cycles(printed):
    a, b, c = printed["ids"].split()
    for name in ("cycle", "self"):
        must(printed[name] != "0", f"{name}: refused")
    printed.says(f"{a} -> {c} -> {b} -> {a}", f"{a} -> {a}")
    printed.is_("kept", "(null)")
    must(printed.all("state") == ["COMPLETED"] * 3, "all three completed")
    times = [line.split("|") for line in printed.all("times")]
    must(times[0][1] <= times[1][0] and times[1][1] <= times[2][0], "in their order")


def check_array_parents(printed):
    printed.is_("k", "CANCELLED DependencyNeverSatisfied")
    for name in "nyo":
        printed.is_(name, "COMPLETED None")
    must(sorted(printed.all("corr")) == ["0|COMPLETED", "1|COMPLETED", "2|CANCELLED", "3|COMPLETED"],
         f"each task goes as its partner, not {printed.all('corr')}")
    for name in ("lag0", "lag1", "lag3", "task_lag"):
        printed.at_most(name, 2)
    printed.is_("after_last", "1")
    must(printed.all("file") == ["c_0", "c_1", "c_3"], "task 2 never ran")


def check_singleton(printed):
    printed.is_("b", "PENDING Dependency")
    printed.is_("e", "PENDING Dependency")
    for name in ("b_after_a", "c_beside_a", "d_beside_a"):
        printed.is_(name, "1")
    must(60 <= int(printed["e_delay"]) <= 65, f"a minute after the start, not {printed['e_delay']} s")


@dataclasses.dataclass
class Case:
    check: typing.Callable
    nodes: int = 1
    config: str = ""
    needs_root: bool = False
    before: typing.Callable = None       # with nothing started yet
    prepare: typing.Callable = None      # with the cluster
    limit_s: int = 120
    cpus: int = 4                        # of a node
    has_clock: bool = False              # may set the cluster's wall clock


CASES = {
    "001": Case(check_dos_line_ends),
    "003": Case(check_files.first_lines),
    "004": Case(check_late_directives),
    "005": Case(check_options.blank_and_comment_lines),
    "006": Case(check_quoted_directives),
    "007": Case(check_stray_words),
    "008": Case(check_options.precedence),
    "009": Case(check_arrays.step_and_throttle, nodes=2),
    "010": Case(check_options.bad_arrays),
    "011": Case(check_arrays.hundred_thousand, config="MaxArraySize=200000\n"),
    "012": Case(check_options.array_limit, config="MaxArraySize=1001\n"),
    "013": Case(check_options.time_grammar),
    "017": Case(check_files.unwritable_output),
    "018": Case(check_files.patterns, nodes=2),
    "020": Case(check_options.broken_name),
    "021": Case(check_long_script, nodes=2),
    "022": Case(check_large_environment),
    "023": Case(check_odd_environment),
    "025": Case(check_export_lists),
    "027": Case(check_ends_of_parents, config="MinJobAge=10\n"),
    "028": Case(check_cycles),
    "029": Case(check_array_parents, nodes=2),
    "030": Case(check_singleton, nodes=2, needs_root=True),
    "031": Case(check_begin_forms),
    "032": Case(check_deadline, cpus=1),
    "033": Case(check_options.daylight_saving),
    "034": Case(check_double_fork),
    "035": Case(check_ignored_sigterm),
    "036": Case(check_timeouts),
    "042": Case(check_closed_stdio),
    "044": Case(check_exit_codes),
    "046": Case(check_requeued_once, nodes=2),
    "047": Case(check_adopted, config="SlurmdTimeout=30\n"),
    "048": Case(check_frozen_agent, nodes=2),
    "049": Case(check_faults.network_cut, prepare=with_line_to_cut, config="SlurmdTimeout=5\nMessageTimeout=6\n"),
    "053": Case(check_clock_jumps, has_clock=True),
    "054": Case(check_duplicate_name, nodes=2),
    "056": Case(check_faults.metacharacters),
    "058": Case(check_files.links_to_roots_files, needs_root=True),
    "060": Case(check_garbage),
    "061": Case(check_replayed_launch, needs_root=True, prepare=with_recorded_launch),
    "065": Case(check_policy.no_starvation, nodes=3),
    "066": Case(check_policy.maintenance, nodes=2),
    "067": Case(check_reasons, nodes=2),
    "068": Case(check_policy.limits_tell_numbers, nodes=2, cpus=8, needs_root=True,
                config="AccountingStorageEnforce=associations,limits\n"),
    "073": Case(check_options.json_contract),
    "074": Case(check_faults.not_found),
    "075": Case(check_own_writes),
    "077": Case(check_files.missing_folder, nodes=2, prepare=with_hidden_folder),
    "079": Case(check_missing_user, needs_root=True, before=in_private_accounts,
                config="DisableRootJobs=YES\n"),
    "080": Case(check_faults.backup_and_restore, nodes=2),
    "081": Case(check_second_controller, config="MessageTimeout=20\n"),
    "084": Case(check_files.words_of_a_script, nodes=2),
    "085": Case(check_key_rotation, nodes=2),
}


def run(number, case):
    folder = next(HERE.glob(f"{number}-*"))
    if case.needs_root and not harness.IS_ROOT:
        print(f"SKIPPED: case {number}: needs root")
        return SKIPPED
    if case.before:
        case.before()
    with harness.Cluster(nodes=case.nodes, cpus=case.cpus, has_clock=case.has_clock,
                         config=harness.SHORT_TIMES + case.config) as cluster:
        if case.prepare:
            case.prepare(cluster)
        # What they print is seen also when they come to no end.
        done = cluster.run("timeout", case.limit_s, "bash", folder / "steps.sh", check=False,
                           limit_s=case.limit_s + 10, env={"W": str(cluster.work)})
        print(done.stdout, done.stderr, sep="\n--- standard error\n")
        try:
            case.check(Printed(done, cluster))
        except AssertionError as wrong:
            print("\n".join(cluster.log_ends()))
            print(f"FAILED: case {folder.name}: {wrong}")
            return 1
    return 0


def main():
    return run(sys.argv[1], CASES[sys.argv[1]])


if __name__ == "__main__":
    sys.exit(main())
