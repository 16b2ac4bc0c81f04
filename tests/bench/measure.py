"""measure.py: what the benches measure with: the machine's limits, repeated commands, CPU time and
memory of daemons, and the table of medians at the end. Decides nothing and asserts no time."""

import collections
import os
import pathlib
import statistics
import subprocess
import time

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def figures(line):
    """The key=value words of a line; numbers as float."""
    found = {}
    for word in line.split():
        key, _, value = word.partition("=")
        try:
            found[key] = float(value)
        except ValueError:
            found[key] = value
    return found


class Tools:
    """The measuring programs, built beside bin/."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def limit(self, what):
        """Per second: spawn, spawn2, fdatasync, loopback."""
        done = subprocess.run([self.folder / "machine_limits", what], capture_output=True, text=True,
                              check=True)
        return figures(done.stdout)["per_s"]

    def limits(self):
        return {f"{what}_per_s": self.limit(what) for what in ("spawn", "spawn2", "fdatasync", "loopback")}

    def repeat(self, scheduler, *command, times, at_once=1, wait_file=None, exit_code=0):
        """Figures of repeat_command, run against the scheduler."""
        options = ["-n", times, "-p", at_once, "-e", exit_code] + (["-w", wait_file] if wait_file else [])
        words = [self.folder / "repeat_command", *options, "--", *command]
        done = subprocess.run([str(word) for word in words], env=scheduler.environment,
                              cwd=scheduler.work, capture_output=True, text=True, timeout=1800)
        found = figures(done.stdout)
        if not found or found.get("failed"):
            raise RuntimeError(f"{command}: {done.stdout} {done.stderr[-500:]}")
        return found

    def submit_by_one_connection(self, scheduler, jobs, in_flight, hold=True, around=()):
        words = [*around, self.folder / "submit_jobs", "-n", jobs, "-w", in_flight,
                 *(["-H"] if hold else [])]
        done = subprocess.run([str(word) for word in words], env=scheduler.environment, check=True,
                              capture_output=True, text=True, timeout=1800)
        return figures(done.stdout)

    def fill_history(self, state_file, jobs):
        """Finished jobs into the state file of a controller that does not run."""
        words = [self.folder / "fill_history", "-s", state_file, "-n", jobs]
        done = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)
        return figures(done.stdout)


class Pollers:
    """Connections that ask for the queue as fast as they are answered, on one processor."""

    def __init__(self, tools, scheduler, job, connections=50, cpu=0):
        words = ["taskset", "-c", cpu, tools.folder / "poll_jobs", "-c", connections, "-j", job]
        self.process = subprocess.Popen([str(word) for word in words], env=scheduler.environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.figures = {}

    def __enter__(self):
        if self.process.stdout.readline() != "polling\n":
            raise RuntimeError("the pollers do not poll")
        return self

    def __exit__(self, *unused):
        self.process.stdin.close()
        self.figures = figures(self.process.stdout.read())
        self.process.wait()


def cpu_s(pid):
    """CPU seconds of a process, without its children."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def resident_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def machine_cpu_s():
    """CPU seconds of all processes since boot."""
    words = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, soft = map(int, words[:7])
    return (user + nice + system + irq + soft) / TICKS_PER_S


class CpuMeter:
    """CPU ms a job of the controller, the agent, and everything else (shepherds, shells, commands)."""

    def __init__(self, scheduler, agent):
        self.pids = {"controller": scheduler.pid("controller"), "agent": scheduler.pid(agent)}
        self.before = self._read()

    def _read(self):
        seconds = {name: cpu_s(pid) for name, pid in self.pids.items()}
        seconds["rest"] = machine_cpu_s() - sum(seconds.values())
        return seconds

    def per_job_ms(self, jobs):
        now = self._read()
        return {f"{name}_cpu_ms": (now[name] - self.before[name]) * 1000 / jobs for name in now}


def wait_for_size(path, size, limit_s):
    """Waits until jobs have appended `size` bytes; gives the time of the last (Unix time)."""
    give_up_at = time.monotonic() + limit_s
    while not path.exists() or path.stat().st_size < size:
        if time.monotonic() > give_up_at:
            seen = path.stat().st_size if path.exists() else 0
            raise RuntimeError(f"{seen} of {size} jobs ran in {limit_s} s")
        time.sleep(0.005)
    return path.stat().st_mtime


class Report:
    """Prints a line for each measurement, and the medians of all runs at the end."""

    def __init__(self):
        self.rows = collections.defaultdict(lambda: collections.defaultdict(list))

    def add(self, bench, who, what, **values):
        shown = " ".join(f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}"
                         for key, value in values.items())
        print(f"bench={bench} who={who} what={what} {shown}", flush=True)
        for key, value in values.items():
            if isinstance(value, (int, float)):
                self.rows[(bench, what)][(who, key)].append(value)

    def median(self, bench, who, what, key):
        """None: not measured."""
        values = self.rows[(bench, what)].get((who, key))
        return statistics.median(values) if values else None

    def print_medians(self):
        print("\n# medians [smallest..largest]; ratio: Sluice / Slurm, of the same run")
        for (bench, what), columns in self.rows.items():
            for (who, key), values in columns.items():
                line = f"{bench:<9} {what:<26} {who:<7} {key:<20} {statistics.median(values):>10.4g}"
                if len(values) > 1:
                    line += f"  [{min(values):.4g}..{max(values):.4g}]"
                peer = columns.get(("slurm", key))
                if who == "sluice" and peer and statistics.median(peer):
                    line += f"  ratio {statistics.median(values) / statistics.median(peer):.3g}"
                print(line)
