"""harness.py: what system tests stand on: a private cluster of real daemons (`sluice dev`), commands
run against it, faults, and waiting for a condition with a deadline. Always ends what it started.
Must not sleep as synchronisation, and must not look into the daemons' files.

A test file is one program: classes derived from SystemTest, and harness.main() at its end.

    class Jobs(harness.SystemTest):
        nodes = 1

        def test_a_job_runs_to_its_end(self):
            job = self.cluster.submit("--wrap", "true")
            self.cluster.wait_state(job, "COMPLETED")

Where the programs are: $SLUICE_BIN, set by ctest; else build/release/bin of this checkout.
"""

import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from proxy import Proxy

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SLUICE_BIN", REPOSITORY / "build/release/bin"))
# Any ordinary user does for "another user"; this one exists on every Debian.
OTHER_UID = 65534

IS_ROOT = os.geteuid() == 0
needs_root = unittest.skipUnless(IS_ROOT, "needs root")

# For tests of faults: what takes a minute in production is over in seconds.
SHORT_TIMES = """
SluiceHeartbeat=200ms
SluiceLease=4
SlurmdTimeout=3
KillWait=1
MessageTimeout=3
"""

ENDED = {
    "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED",
    "DEADLINE", "BOOT_FAIL",
}


def wait_for(condition, what, limit_s=20.0, every_s=0.02):
    """Calls condition() until it gives something true, which is returned. Fails after limit_s with
    the last value seen."""
    give_up_at = time.monotonic() + limit_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > give_up_at:
            raise AssertionError(f"waited {limit_s:g} s in vain for: {what}; last seen: {value!r}")
        time.sleep(every_s)


def free_ports(count):
    """UDP ports that nobody uses: those of the nodes' witnesses."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class CommandFailed(AssertionError):
    def __init__(self, done):
        super().__init__(
            f"{shlex.join(map(str, done.args))} ended with {done.returncode}\n"
            f"stdout: {done.stdout!r}\nstderr: {done.stderr!r}")
        self.done = done


class Cluster:
    """A private cluster. Use as `with Cluster(nodes=2) as cluster:`, or start() and stop()."""

    def __init__(self, nodes=1, cpus=4, mem="4G", config="", arguments=(), has_clock=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-test.", dir="/tmp"))
        self.folder.chmod(0o755)
        self.dir = self.folder / "cluster"
        # Jobs of any user write here.
        self.work = self.folder / "work"
        self.work.mkdir()
        self.work.chmod(0o1777)
        self.config = self.folder / "extra.conf"
        self.config.write_text(config)
        self._proxies = []
        self._children = []
        self._up = ["up", "--nodes", str(nodes), "--cpus", str(cpus), "--mem", mem,
                    "--config", str(self.config), *arguments]
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("SLURM", "SLUICE", "SBATCH", "SQUEUE"))}
        self.environment.update(PATH=f"{BIN}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                                SLUICE_CONF=str(self.dir / "slurm.conf"),
                                SLUICE_DEV_DIR=str(self.dir))
        if has_clock:
            self._make_clock()

    def _make_clock(self):
        """A wall clock of the cluster's own: the seconds in these files are added to the machine's, in
        all programs or in those of one name (clock_shift.cpp)."""
        self.clock = self.folder / "clock"
        self.clock.mkdir()
        for name in ("all", "sluiced", "sluice-agent"):
            (self.clock / name).write_bytes(bytes(8))
        self.environment.update(LD_PRELOAD=str(BIN.parent / "testlib/clock_shift.so"),
                                SLUICE_CLOCK_SHIFT=str(self.clock))

    def shift_clock(self, seconds, of="all"):
        """Sets the clock forward, or back."""
        with open(self.clock / of, "r+b") as file:
            now = int.from_bytes(file.read(8), sys.byteorder, signed=True)
            file.seek(0)
            file.write((now + seconds).to_bytes(8, sys.byteorder, signed=True))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *unused):
        self.stop()

    def start(self):
        try:
            self.dev(*self._up)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def stop(self):
        if not self.folder.exists():
            return
        self.dev("down")
        for line in self._proxies:
            line.close()
        for child in self._children:
            child.wait()
        if os.environ.get("SLUICE_TEST_KEEP"):
            print(f"kept: {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    # --- commands --------------------------------------------------------------------------------

    def run(self, *command, check=True, uid=None, limit_s=60, env=None, **popen):
        """Runs a command in the work folder; gives subprocess.CompletedProcess with text output.
        check: an exit code other than 0 is a failure. uid: as that user (root only)."""
        if uid is not None:
            popen.update(user=uid, group=uid, extra_groups=[])
        popen.setdefault("cwd", self.work)
        popen.setdefault("stdin", subprocess.DEVNULL)
        if "input" in popen:
            del popen["stdin"]
        popen.setdefault("text", True)
        done = subprocess.run([str(word) for word in command], env={**self.environment, **(env or {})},
                              capture_output=True, timeout=limit_s, **popen)
        if check and done.returncode != 0:
            raise CommandFailed(done)
        return done

    def out(self, *command, **options):
        """Standard output of a command that must succeed, without blanks at its ends."""
        return self.run(*command, **options).stdout.strip()

    def submit(self, *arguments, **options):
        """sbatch with these arguments; the job's id, as text."""
        return self.out("sbatch", "--parsable", *arguments, **options).split(";")[0]

    def script(self, text, name="job.sh"):
        """A file in the work folder; a text without an interpreter line gets that of sh."""
        path = self.work / name
        path.write_text(text if text.startswith("#!") else "#!/bin/sh\n" + text)
        return path

    def state(self, job):
        """The state word of accounting; empty: accounting does not know the job."""
        lines = self.out("sacct", "-X", "-n", "-P", "-j", job, "-o", "State").splitlines()
        return lines[0].split()[0] if lines and lines[0].strip() else ""

    def states(self, job):
        """The state words of all tasks of an array, sorted."""
        lines = self.out("sacct", "-X", "-n", "-P", "-j", job, "-o", "State").splitlines()
        return sorted(line.split()[0] for line in lines if line.strip())

    def field(self, job, column):
        """One column of accounting's row of the job (-X)."""
        return self.out("sacct", "-X", "-n", "-P", "-j", job, "-o", column)

    def show(self, job):
        """`scontrol show job` as a dictionary."""
        words = self.out("scontrol", "show", "job", job).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait_state(self, job, *wanted, limit_s=30.0):
        """Waits until the job is in one of the states. Fails at once when it ended in another."""
        def condition():
            state = self.state(job)
            if state in ENDED and state not in wanted:
                raise AssertionError(f"job {job} ended {state}, expected {' or '.join(wanted)}")
            return state if state in wanted else None
        return wait_for(condition, f"job {job} to be {' or '.join(wanted)}", limit_s)

    def wait_end(self, job, limit_s=30.0):
        """Waits until all of the job has ended; gives its states."""
        def condition():
            states = self.states(job)
            return states if states and all(state in ENDED for state in states) else None
        return wait_for(condition, f"the end of job {job}", limit_s)

    def wait_text(self, file, wanted, limit_s=30.0):
        """Waits until a file of the work folder contains the text; gives all of the file."""
        path = self.work / file
        def condition():
            text = path.read_text(errors="replace") if path.exists() else ""
            return text if wanted in text else None
        return wait_for(condition, f"{wanted!r} in {path}", limit_s)

    # --- daemons and faults ----------------------------------------------------------------------

    def dev(self, *arguments, check=True):
        return self.run(BIN / "sluice-dev", *arguments, "--dir", str(self.dir), check=check,
                        cwd="/", limit_s=180)

    def kill9(self, daemon, part=None):
        self.dev("kill9", daemon, *(["--part", part] if part else []))

    def freeze(self, node, part=None):
        self.dev("freeze", node, *(["--part", part] if part else []))

    def thaw(self, node, part=None):
        self.dev("thaw", node, *(["--part", part] if part else []))

    def restart(self, daemon):
        """Starts the daemon (ends it first if it runs) and waits until the controller answers."""
        self.dev("restart", daemon)
        self.wait_answers()

    def wait_answers(self, limit_s=20.0):
        wait_for(lambda: self.run("sinfo", "-h", check=False).returncode == 0,
                 "the controller to answer", limit_s)

    def wait_node(self, node, *wanted, limit_s=60.0):
        """Waits until sinfo says one of these states (as %T) of the node."""
        def condition():
            done = self.run("sinfo", "-h", "-N", "-n", node, "-o", "%T", check=False)
            state = done.stdout.strip().rstrip("*")
            return state if state in wanted else None
        return wait_for(condition, f"node {node} to be {' or '.join(wanted)}", limit_s)

    def pid(self, daemon):
        """The pid of `controller` or of a node's agent, as last started."""
        return int((self.dir / "run" / f"{daemon}.pid").read_text().split()[0])

    def setting(self, key):
        """The value that counts of a key of slurm.conf."""
        lines = (self.dir / "slurm.conf").read_text().splitlines() + self.config.read_text().splitlines()
        return [line.split("=", 1)[1] for line in lines if line.startswith(key + "=")][-1]

    def put_proxy_before(self, node):
        """Ends the node's agent and starts it again so that it reaches the controller through a proxy,
        which is returned. `sluice dev` goes on to know it as the node's agent."""
        line = Proxy(int(self.setting("SlurmctldPort")))
        self._proxies.append(line)
        config = self.folder / f"through-proxy.{node}.conf"
        config.write_text(f"Include {self.dir}/slurm.conf\nSlurmctldPort={line.port}\n")
        self.kill9(node)
        self.start_agent(node, config=config)
        return line

    def start_agent(self, node, *around, config=None):
        """Starts the agent of a node that has none, as the last words of the command `around`, which becomes
        it. `sluice dev` knows it as the node's agent."""
        with open(self.dir / "log" / f"{node}.log", "a") as log:
            agent = subprocess.Popen([*around, BIN / "sluice-agent", "--name", node, "-f",
                                      config or self.dir / "slurm.conf"], cwd="/",
                                     env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                     stderr=log, start_new_session=True)
        self._children.append(agent)
        start = pathlib.Path(f"/proc/{agent.pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
        (self.dir / "run" / f"{node}.pid").write_text(f"{agent.pid} {start}\n")
        self.wait_node(node, "idle")

    def log(self, daemon):
        path = self.dir / "log" / f"{daemon}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def log_ends(self, lines=15):
        for path in sorted((self.dir / "log").glob("*.log")):
            yield f"--- end of {path.name}"
            yield from path.read_text(errors="replace").splitlines()[-lines:]


class SystemTest(unittest.TestCase):
    """One cluster for the tests of a class. Set the members below to have another."""

    nodes = 1
    cpus = 4
    mem = "4G"
    config = ""
    arguments = ()
    cluster = None

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls.nodes, cls.cpus, cls.mem, cls.config, cls.arguments)
        cls.cluster.start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()

    def end_all_jobs(self):
        """For tearDown(): what a test left in the queue."""
        jobs = self.cluster.out("squeue", "-h", "-o", "%A").split()
        if jobs:
            self.cluster.run("scancel", *jobs)
            for job in jobs:
                self.cluster.wait_end(job)

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > before and self.cluster:
            print("\n".join(self.cluster.log_ends()), file=sys.stderr)


def main():
    unittest.main(verbosity=2)
