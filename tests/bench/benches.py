"""benches.py: the benches, a function each, listed in BENCHES. A bench measures one run; tests/bench/run
repeats and interleaves them. What a line says was measured: `accepted` (answered, and by Sluice's rule
durable), `process_ran` (the job's own command did something), `end_recorded` (accounting knows the end)."""

import os
import subprocess
import time

import measure
from harness import IS_ROOT, OTHER_UID, Cluster, wait_for

CPUS = 64
ARRAY_JOBS = 600
BIG_ARRAY_TASKS = 100_000
PENDING_JOBS = 100_000
FINISHED_JOBS = 1_000_000
GROWTH_JOBS = 20_000
POLLED_JOBS = 1000
POLLED_SUBMITS = 2000


class SluiceUnderTest(Cluster):
    """A private cluster with the members the benches ask a scheduler for."""
    name = "sluice"
    cgroups = "on" if os.geteuid() == 0 else "off (not root)"

    def __init__(self, nodes=1, cpus=CPUS, config=""):
        super().__init__(nodes=nodes, cpus=cpus, mem="20000M", config=config)

    def background(self, *command):
        return subprocess.Popen([str(word) for word in command], env=self.environment, text=True,
                                stdout=subprocess.PIPE)

    @property
    def state_file(self):
        return self.dir / "state/state.db"

    def restart_controller(self):
        self.dev("restart", "controller")


class Bench:
    """What a bench works with. `schedulers` are those to measure, in turn."""

    def __init__(self, tools, report, schedulers):
        self.tools = tools
        self.report = report
        self.schedulers = schedulers
        self.frozen_first = False


def drain(scheduler, limit_s=300):
    """Cancels what waits or runs, and waits until nothing of it is left."""
    scheduler.run("scancel", "-u", "root" if os.geteuid() == 0 else os.getlogin(), check=False,
                  limit_s=limit_s)
    wait_for(lambda: scheduler.run("squeue", "-h", limit_s=limit_s).stdout.strip() == "",
             f"an empty queue of {scheduler.name}", limit_s, every_s=0.1)


def bench_machine(bench):
    bench.report.add("machine", "machine", "limits", **bench.tools.limits())


def bench_start(bench):
    """Start-up of a command and of the shepherd against that of an empty program."""
    sluice = bench.schedulers[0]
    empty = bench.tools.repeat(sluice, bench.tools.folder / "empty_program", times=300)
    # Without the folder of a run a shepherd says how it is called, and ends with 2.
    for name, command, code in (("command", ["sbatch", "--version"], 0), ("shepherd", ["sluice-shepherd"], 2)):
        seen = bench.tools.repeat(sluice, *command, times=300, exit_code=code)
        bench.report.add("start", "sluice", f"start_of_{name}", p50_ms=seen["p50_ms"],
                         empty_p50_ms=empty["p50_ms"], ratio_to_empty=seen["p50_ms"] / empty["p50_ms"])


def bench_array(bench):
    """An array of real `true` jobs: from before the submit until the last ran, and until all ended."""
    spawn2 = bench.tools.limit("spawn2")
    for scheduler in bench.schedulers:
        file = scheduler.work / "ran"
        file.unlink(missing_ok=True)
        meter = measure.CpuMeter(scheduler, "n1")
        from_s = time.time()
        scheduler.run("sbatch", "-o", "/dev/null", f"--array=0-{ARRAY_JOBS - 1}", "--wrap",
                      f"/bin/true; printf . >> {file}")
        ran_s = measure.wait_for_size(file, ARRAY_JOBS, 300) - from_s
        wait_for(lambda: scheduler.run("squeue", "-h").stdout.strip() == "", "the end of the array", 120)
        ended_s = time.time() - from_s
        # A job starts a shepherd (or step daemon), a shell and `true`.
        bench.report.add("array", scheduler.name, "process_ran", jobs=ARRAY_JOBS,
                         jobs_per_s=ARRAY_JOBS / ran_s, processes_per_s=3 * ARRAY_JOBS / ran_s,
                         share_of_spawn2=3 * ARRAY_JOBS / ran_s / spawn2, cgroups=scheduler.cgroups,
                         **meter.per_job_ms(ARRAY_JOBS))
        bench.report.add("array", scheduler.name, "end_recorded", jobs_per_s=ARRAY_JOBS / ended_s)


def submit_lone_jobs(bench, scheduler, *options):
    """Figures of 30 jobs, one after the other: from the start of sbatch until the job's first command."""
    for old in scheduler.work.glob("alone.*"):
        old.unlink()
    return bench.tools.repeat(scheduler, "sbatch", "-o", "/dev/null", *options, "--wrap",
                              f": > {scheduler.work}/alone.{{i}}", times=30,
                              wait_file=f"{scheduler.work}/alone.{{i}}")


def bench_alone(bench):
    """One job on an idle cluster: start of sbatch until the job's first command ran."""
    for scheduler in bench.schedulers:
        seen = submit_lone_jobs(bench, scheduler)
        bench.report.add("alone", scheduler.name, "process_ran", p50_ms=seen["p50_ms"],
                         p99_ms=seen["p99_ms"], sbatch_p50_ms=seen["cmd_p50_ms"],
                         cgroups=scheduler.cgroups)


def bench_submit(bench):
    """sbatch -H by command, one and four at a time; and many jobs by one connection (Sluice only)."""
    for scheduler in bench.schedulers:
        for at_once in (1, 4):
            seen = bench.tools.repeat(scheduler, "sbatch", "-H", "-o", "/dev/null", "--wrap", "true",
                                      times=200, at_once=at_once)
            bench.report.add("submit", scheduler.name, f"accepted_{at_once}_at_a_time",
                             per_s=seen["per_s"], p50_ms=seen["p50_ms"], p99_ms=seen["p99_ms"])
        if scheduler.name == "sluice":
            seen = bench.tools.submit_by_one_connection(scheduler, jobs=5000, in_flight=128)
            bench.report.add("submit", "sluice", "accepted_by_one_connection", per_s=seen["per_s"])
        drain(scheduler)


def bench_big(bench):
    """An array of 100,000 tasks: accepting it, listing it, listing one job."""
    for scheduler in bench.schedulers:
        accepted = bench.tools.repeat(scheduler, "sbatch", "-H", "-o", "/dev/null",
                                      f"--array=0-{BIG_ARRAY_TASKS - 1}", "--wrap", "true", times=1)
        job = scheduler.run("squeue", "-h", "-o", "%A").stdout.split()[0]
        listed = bench.tools.repeat(scheduler, "squeue", "-h", "-r", times=3)
        one = bench.tools.repeat(scheduler, "squeue", "-h", "-j", job, times=30)
        bench.report.add("big", scheduler.name, "array_of_100000", accept_ms=accepted["p50_ms"],
                         squeue_r_ms=listed["p50_ms"], squeue_j_ms=one["p50_ms"])
        drain(scheduler)


def bench_few_among_many(bench, sluice):
    """One user's ten jobs among those that are there."""
    if not IS_ROOT:
        return
    for _ in range(10):
        sluice.run("sbatch", "-H", "-o", "/dev/null", "--wrap", "true", uid=OTHER_UID)
    user = sluice.out("id", "-un", OTHER_UID)
    asked = {name: bench.tools.repeat(sluice, "squeue", *options, "-u", user, times=50)["p50_ms"]
             for name, options in (("json_ms", ["--json"]), ("text_ms", ["-h"]))}
    bench.report.add("pending", "sluice", "ten_jobs_of_a_user", **asked)


def bench_pending(bench):
    """100,000 separate pending jobs of Sluice, own name and script each: submit, restart, memory."""
    sluice = bench.schedulers[0]
    before_mb = measure.resident_mb(sluice.pid("controller"))
    filled = bench.tools.submit_by_one_connection(sluice, jobs=PENDING_JOBS, in_flight=256)
    seen = bench.tools.repeat(sluice, "sbatch", "-H", "-o", "/dev/null", "--wrap", "true", times=200)
    grown_mb = measure.resident_mb(sluice.pid("controller")) - before_mb
    bench_few_among_many(bench, sluice)
    sluice.kill9("controller")
    from_s = time.monotonic()
    sluice.restart_controller()
    sluice.run("sinfo", "-h")
    bench.report.add("pending", "sluice", "100000_separate_jobs", fill_per_s=filled["per_s"],
                     submit_p50_ms=seen["p50_ms"], submit_p99_ms=seen["p99_ms"],
                     restart_s=time.monotonic() - from_s, mb_per_1000_jobs=grown_mb * 1000 / PENDING_JOBS)
    drain(sluice, 600)


def bench_idle(bench):
    """Memory and CPU of a controller that has had no jobs yet."""
    with SluiceUnderTest() as sluice:
        pid, window_s = sluice.pid("controller"), 20
        before = measure.cpu_s(pid)
        time.sleep(window_s)
        bench.report.add("idle", "sluice", "controller", resident_mb=measure.resident_mb(pid),
                         cpu_percent=(measure.cpu_s(pid) - before) * 100 / window_s)


def throughput(cluster, jobs):
    """Jobs a second of an array over all nodes that work."""
    file = cluster.work / "ran"
    file.unlink(missing_ok=True)
    from_s = time.time()
    cluster.run("sbatch", "-o", "/dev/null", f"--array=0-{jobs - 1}", "-x", "n10", "--wrap",
                f"/bin/true; printf . >> {file}")
    rate = jobs / (measure.wait_for_size(file, jobs, 300) - from_s)
    wait_for(lambda: cluster.run("squeue", "-h").stdout.strip() == "", "the end of the array", 120)
    return rate


def bench_frozen(bench):
    """Ten agents, one of them frozen or not: throughput of the other nine, and the longest wait of a lone
    job there. Every other run begins with the frozen half."""
    rates, waits_ms = {}, {}
    bench.frozen_first = not bench.frozen_first
    with SluiceUnderTest(nodes=10, cpus=6) as cluster:
        for frozen in (bench.frozen_first, not bench.frozen_first):
            if frozen:
                cluster.freeze("n10")
            waits_ms[frozen] = submit_lone_jobs(bench, cluster, "-x", "n10")["max_ms"]
            rates[frozen] = throughput(cluster, ARRAY_JOBS)
            if frozen:
                cluster.thaw("n10")
    bench.report.add("frozen", "sluice", "process_ran", jobs_per_s=rates[False],
                     jobs_per_s_frozen=rates[True], ratio_frozen=rates[True] / rates[False],
                     wait_max_ms=waits_ms[False], wait_max_ms_frozen=waits_ms[True],
                     wait_longer_ms=waits_ms[True] - waits_ms[False])


def bench_history(bench):
    """A million finished jobs: one of them, its user's last day, a start of the controller; and half of them
    purged, with the time of a submit meanwhile."""
    with SluiceUnderTest() as sluice:
        sluice.kill9("controller")
        filled = bench.tools.fill_history(sluice.state_file, FINISHED_JOBS)
        from_s = time.monotonic()
        sluice.restart_controller()
        sluice.run("sinfo", "-h")
        restart_s = time.monotonic() - from_s
        one = int(filled["first"]) + FINISHED_JOBS // 2
        if not sluice.out("sacct", "-n", "-j", one):
            raise RuntimeError(f"sacct does not know job {one}")
        asked = {name: bench.tools.repeat(sluice, "sacct", "-n", *options, times=50)["p50_ms"]
                 for name, options in (("sacct_j_ms", ["-j", one]), ("json_ms", ["--json", "-j", one]),
                                       ("today_ms", ["-a", "-S", "now-1day"]))}
        bench.report.add("history", "sluice", "1000000_finished", **asked, restart_s=restart_s,
                         file_bytes_per_job=filled["bytes_per_job"],
                         resident_mb=measure.resident_mb(sluice.pid("controller")))
        bench_purge(bench, sluice)


def bench_purge(bench, sluice):
    quiet = bench.tools.submit_by_one_connection(sluice, jobs=1000, in_flight=1)
    size_mb, from_s = sluice.state_file.stat().st_size / 1e6, time.monotonic()
    purge = sluice.background("sluice", "admin", "purge", "--older", "1y", "--to", sluice.work / "archive.db")
    meanwhile = bench.tools.submit_by_one_connection(sluice, jobs=1000, in_flight=1)
    was_over = purge.poll() is not None
    moved = int(purge.communicate()[0].split()[0])
    bench.report.add("history", "sluice", "purge", jobs_per_s=moved / (time.monotonic() - from_s),
                     submit_p50_ms=quiet["p50_ms"], meanwhile_p50_ms=meanwhile["p50_ms"],
                     submit_p99_ms=quiet["p99_ms"], meanwhile_p99_ms=meanwhile["p99_ms"],
                     was_over=int(was_over), file_mb_before=size_mb,
                     file_mb=sluice.state_file.stat().st_size / 1e6)


def bench_growth(bench):
    """What a finished job leaves behind when it is forgotten: memory of the controller, and its file. The
    first round is not counted: what it needs once, later jobs use again."""
    with SluiceUnderTest(config="MinJobAge=1\n") as sluice:
        seen = []
        for _ in range(2):
            bench.tools.submit_by_one_connection(sluice, jobs=GROWTH_JOBS, in_flight=256)
            drain(sluice)
            wait_for(lambda: sluice.run("squeue", "-h", "-t", "all").stdout == "", "jobs to be forgotten", 60)
            seen.append((measure.resident_mb(sluice.pid("controller")), sluice.state_file.stat().st_size))
        (mb_before, bytes_before), (mb, size) = seen
        bench.report.add("growth", "sluice", "finished_job", memory_bytes=(mb - mb_before) * 2**20 / GROWTH_JOBS,
                         file_bytes=(size - bytes_before) / GROWTH_JOBS)


def bench_pollers(bench):
    """Submits one by one while 50 connections ask for the queue as fast as they are answered: they on one
    processor, the controller on another. The submitter is before them on theirs (as root)."""
    around = ["taskset", "-c", "0", *(["chrt", "-f", "10"] if IS_ROOT else [])]
    with SluiceUnderTest() as sluice:
        bench.tools.submit_by_one_connection(sluice, jobs=POLLED_JOBS, in_flight=256)
        job = sluice.out("squeue", "-h", "-o", "%A").split()[0]
        sluice.run("taskset", "-a", "-p", "-c", "1", sluice.pid("controller"))

        def submit():
            return bench.tools.submit_by_one_connection(sluice, jobs=POLLED_SUBMITS, in_flight=1, around=around)
        submit()
        quiet = submit()
        with measure.Pollers(bench.tools, sluice, job) as pollers:
            polled = submit()
        bench.report.add("pollers", "sluice", "accepted", answers_per_s=pollers.figures["answers_per_s"],
                         p50_ms=quiet["p50_ms"], polled_p50_ms=polled["p50_ms"],
                         p50_ratio=polled["p50_ms"] / quiet["p50_ms"],
                         p99_ms=quiet["p99_ms"], polled_p99_ms=polled["p99_ms"],
                         p99_ratio=polled["p99_ms"] / quiet["p99_ms"])


BENCHES = {
    "machine": bench_machine,
    "start": bench_start,
    "array": bench_array,
    "alone": bench_alone,
    "submit": bench_submit,
    "big": bench_big,
    "pending": bench_pending,
    "history": bench_history,
    "growth": bench_growth,
    "pollers": bench_pollers,
    "idle": bench_idle,
    "frozen": bench_frozen,
}
