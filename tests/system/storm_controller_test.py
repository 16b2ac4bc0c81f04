"""storm_controller_test.py: kill -9 of the controller at random moments of a submit storm. No accepted job
is lost, no id is given twice, every job ends with a recorded cause, running jobs notice nothing, and
each script ran exactly once. SLUICE_ROUNDS: kills (default 30). Prints its seed (SLUICE_SEED)."""

SPEED = "slow"

import collections
import os
import random
import threading
import time

import harness

ROUNDS = int(os.environ.get("SLUICE_ROUNDS", 30))
SEED = int(os.environ.get("SLUICE_SEED", time.time_ns() % 1_000_000))
SUBMITTERS = 3
# Said by sbatch when it sent the job and never heard of it again: the job may or may not be there.
OUTCOME_UNKNOWN = 75
NO_CONTROLLER = 69

# O_APPEND: one write of a short line is whole, whoever else writes.
JOB = 'echo "$SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $$ $1" >> ran; exit 3'


class Submitter(threading.Thread):
    """Submits one job after the other until told to stop. Notes what it was told."""

    def __init__(self, cluster, number):
        super().__init__(daemon=True)
        self.cluster = cluster
        self.number = number
        self.accepted = {}   # what was submitted -> its id
        self.refused = []
        self.unknown = []
        self.stop = threading.Event()

    def run(self):
        count = 0
        while not self.stop.is_set():
            name = f"s{self.number}.{count}"
            count += 1
            done = self.cluster.run("sbatch", "--parsable", "-o", "/dev/null", "-J", name, "job.sh",
                                    name, check=False)
            if done.returncode == 0:
                self.accepted[name] = done.stdout.strip()
            elif done.returncode == NO_CONTROLLER:
                self.stop.wait(0.05)
            elif done.returncode == OUTCOME_UNKNOWN:
                self.unknown.append(name)
            else:
                self.refused.append(f"{name}: {done.returncode} {done.stderr}")


class StormOnController(harness.SystemTest):
    nodes = 2
    cpus = 8
    config = harness.SHORT_TIMES.replace("MessageTimeout=3", "MessageTimeout=20")

    def test_nothing_accepted_is_lost(self):
        print(f"seed {SEED}, {ROUNDS} rounds")
        chance = random.Random(SEED)
        self.cluster.script(JOB)
        long = [self.cluster.submit("-o", "/dev/null", "--wrap",
                                    f'echo start {i} $$ >> long; while [ ! -e stop ]; do sleep 0.1; done; '
                                    f'echo end {i} $$ >> long') for i in range(2)]
        for job in long:
            self.cluster.wait_state(job, "RUNNING")
        submitters = [Submitter(self.cluster, i) for i in range(SUBMITTERS)]
        for submitter in submitters:
            submitter.start()
        for _ in range(ROUNDS):
            # The moment of the fault is what is drawn; nothing waits for this time to pass.
            time.sleep(chance.uniform(0.05, 1.2))
            self.cluster.kill9("controller")
            self.cluster.restart("controller")
        for submitter in submitters:
            submitter.stop.set()
        for submitter in submitters:
            submitter.join(60)
            self.assertFalse(submitter.is_alive())
        self.check(submitters, long)

    def check(self, submitters, long):
        accepted = {name: job for submitter in submitters for name, job in submitter.accepted.items()}
        unknown = [name for submitter in submitters for name in submitter.unknown]
        self.assertEqual([text for submitter in submitters for text in submitter.refused], [])
        self.assertGreater(len(accepted), ROUNDS, "the storm was none")
        self.assertEqual(len(set(accepted.values())), len(accepted), "an id was given twice")
        harness.wait_for(lambda: set(self.cluster.out("squeue", "-h", "-o", "%i").split()) == set(long),
                         "all of the storm's jobs to end", 90)

        rows = [line.split("|") for line in self.cluster.out(
            "sacct", "-X", "-n", "-P", "-o", "JobID,JobName,State,ExitCode").splitlines()]
        told = {name: (job, state, code) for job, name, state, code in rows}
        self.assertEqual(len(rows), len({row[0] for row in rows}), "an id twice in accounting")
        for name, job in accepted.items():
            self.assertEqual(told.get(name), (job, "FAILED", "3:0"), f"{name} was accepted as {job}")
        extra = set(told) - set(accepted) - {"wrap"}
        self.assertLessEqual(extra, set(unknown), "jobs that nobody was told of")

        ran = [line.split() for line in (self.cluster.work / "ran").read_text().splitlines()]
        often = collections.Counter(job for job, _, _, _ in ran)
        self.assertEqual({job: count for job, count in often.items() if count > 1}, {}, "ran twice")
        self.assertEqual({restart for _, restart, _, _ in ran}, {"0"})
        self.assertEqual({job: name for job, _, _, name in ran},
                         {job: name for name, (job, _, _) in told.items() if name != "wrap"})
        self.check_long_jobs(long)
        print(f"{len(accepted)} accepted, {len(unknown)} of unknown outcome")

    def check_long_jobs(self, long):
        (self.cluster.work / "stop").touch()
        for job in long:
            self.assertEqual(self.cluster.wait_end(job), ["COMPLETED"])
        lines = [line.split() for line in (self.cluster.work / "long").read_text().splitlines()]
        starts = sorted(line[1:] for line in lines if line[0] == "start")
        ends = sorted(line[1:] for line in lines if line[0] == "end")
        self.assertEqual(len(starts), len(long))
        self.assertEqual(starts, ends, "running jobs were touched")


if __name__ == "__main__":
    harness.main()
