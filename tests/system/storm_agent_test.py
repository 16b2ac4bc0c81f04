"""storm_agent_test.py: kill -9 of agents and shepherds while jobs run. An agent's death is noticed by no
job: each goes on, is adopted, ends with its own exit code and ran once. A shepherd's death ends its run
with its cause; the job runs again if it may, and nothing of the first run stays alive.
SLUICE_ROUNDS: kills (default 30). Prints its seed (SLUICE_SEED)."""

SPEED = "slow"

import collections
import os
import random
import time

import harness

ROUNDS = int(os.environ.get("SLUICE_ROUNDS", 30))
SEED = int(os.environ.get("SLUICE_SEED", time.time_ns() % 1_000_000))


class StormOnAgents(harness.SystemTest):
    nodes = 2
    cpus = 16
    # A node may be away for long: only its agent dies here, and no job may be given up for that.
    config = harness.SHORT_TIMES + "SlurmdTimeout=60\nSluiceLease=30\n"

    def test_jobs_notice_nothing(self):
        print(f"seed {SEED}, {ROUNDS} rounds")
        chance = random.Random(SEED)
        self.cluster.script('echo "$SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $$" >> ran\n'
                            'sleep $1; exit $2')
        wanted = {}
        for round_number in range(ROUNDS):
            for _ in range(6):
                code = chance.randrange(0, 100)
                job = self.cluster.submit("-o", "/dev/null", "job.sh",
                                          f"{chance.uniform(0.1, 3):.2f}", str(code))
                wanted[job] = f"{code}:0"
            node = f"n{1 + round_number % 2}"
            # The moment of the fault is what is drawn; nothing waits for this time to pass.
            time.sleep(chance.uniform(0.0, 0.6))
            self.cluster.kill9(node)
            time.sleep(chance.uniform(0.0, 0.6))
            self.cluster.restart(node)
        for job in wanted:
            self.cluster.wait_end(job, 60)
        self.assertEqual({job: self.cluster.field(job, "ExitCode") for job in wanted}, wanted)
        ran = [line.split() for line in (self.cluster.work / "ran").read_text().splitlines()]
        self.assertEqual({job for job, _, _ in ran}, set(wanted))
        often = collections.Counter(job for job, _, _ in ran)
        self.assertEqual({job: count for job, count in often.items() if count > 1}, {}, "ran twice")
        for node in ("n1", "n2"):
            self.cluster.wait_node(node, "idle")


class DeathOfShepherds(harness.SystemTest):
    nodes = 1
    config = harness.SHORT_TIMES

    def start_job(self, *options):
        """A job whose processes can be told by a sleep of a length of its own."""
        length = f"{1000 + time.time_ns() % 1_000_000}.5"
        job = self.cluster.submit("-o", "/dev/null", *options, "--wrap",
                                  f'echo "$SLURM_JOB_ID ${{SLURM_RESTART_COUNT:-0}}" >> ran\n'
                                  f'[ "${{SLURM_RESTART_COUNT:-0}}" = 0 ] || exit 0\n'
                                  f'(setsid sleep {length} &)\nsleep {length}')
        harness.wait_for(lambda: len(self.alive(length)) == 2, "both processes of the job")
        return job, length

    @staticmethod
    def alive(length):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if file.read() == b"sleep\0" + length.encode() + b"\0":
                        found.append(pid)
            except OSError:
                pass  # it has ended meanwhile
        return found

    def runs_of(self, job):
        lines = (self.cluster.work / "ran").read_text().splitlines()
        return [line.split()[1] for line in lines if line.split()[0] == job]

    def test_a_job_that_may_run_again_does_once_all_of_the_first_run_is_dead(self):
        job, length = self.start_job("--requeue")
        self.cluster.kill9("n1", "shepherds")
        self.assertEqual(self.cluster.wait_end(job), ["COMPLETED"])
        self.assertEqual(self.runs_of(job), ["0", "1"])
        self.assertEqual(self.alive(length), [])
        records = self.cluster.out("sacct", "-X", "-D", "-n", "-P", "-j", job, "-o", "State").split()
        self.assertEqual(records, ["NODE_FAIL", "COMPLETED"])

    def test_a_job_that_may_not_ends_node_fail_with_the_cause(self):
        job, length = self.start_job("--no-requeue")
        self.cluster.kill9("n1", "shepherds")
        self.assertEqual(self.cluster.wait_end(job), ["NODE_FAIL"])
        self.assertEqual(self.runs_of(job), ["0"])
        self.assertEqual(self.alive(length), [])
        self.assertIn("supervisor", self.cluster.out("sluice", "why", job))

    def test_a_shepherd_that_dies_while_the_agent_is_away_is_noticed_too(self):
        job, length = self.start_job("--no-requeue")
        self.cluster.kill9("n1")
        self.cluster.kill9("n1", "shepherds")
        self.cluster.restart("n1")
        self.assertEqual(self.cluster.wait_end(job), ["NODE_FAIL"])
        self.assertEqual(self.alive(length), [])
        self.cluster.wait_node("n1", "idle")


if __name__ == "__main__":
    harness.main()
