"""freeze_test.py: SIGSTOP of an agent, of shepherds, of both, of the controller. Whatever wakes up late: never
two runs of a job alive in the same second, and a job that may run again does, elsewhere."""

SPEED = "slow"

import harness

# A line a tenth of a second: second, node, run.
WRITER = ('while [ ! -e stop ]; do echo "$(date +%s) $SLURMD_NODENAME ${SLURM_RESTART_COUNT:-0}" >> log.$1; '
          'sleep 0.1; done')


class Freeze(harness.SystemTest):
    nodes = 3
    # A node is shown down well before its leases lapse.
    config = harness.SHORT_TIMES + "SlurmdTimeout=2\nSluiceLease=8\n"

    def setUp(self):
        self.cluster.script(WRITER)
        self.name = self.id().split(".")[-1]
        for node in ("n1", "n2", "n3"):
            self.cluster.wait_node(node, "idle")

    def start_writer(self, *options):
        job = self.cluster.submit("-o", "/dev/null", *options, "job.sh", self.name)
        self.wait_run(0)
        return job

    def lines(self):
        path = self.cluster.work / f"log.{self.name}"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def wait_run(self, run):
        return harness.wait_for(lambda: next((line[1] for line in self.lines() if line[2] == str(run)), ""),
                                f"run {run} to write", 40)

    def wait_quiet(self):
        """Waits until the job has written nothing for a while."""
        seen = {"count": -1, "times": 0}
        def condition():
            count = len(self.lines())
            seen["times"] = seen["times"] + 1 if count == seen["count"] else 0
            seen["count"] = count
            return seen["times"] >= 15
        harness.wait_for(condition, "the job to write no more", 20, every_s=0.1)

    def check_and_end(self, job, runs):
        """No second has two runs; the runs are these, one after the other; ends the job."""
        seconds = {}
        for second, node, run in self.lines():
            seconds.setdefault(second, set()).add((node, run))
        self.assertEqual({second: who for second, who in seconds.items() if len(who) > 1}, {})
        order = list(dict.fromkeys(line[2] for line in self.lines()))
        self.assertEqual(order, [str(run) for run in range(runs)])
        self.cluster.run("scancel", job)
        self.assertEqual(self.cluster.wait_end(job), ["CANCELLED"])
        count = len(self.lines())
        self.wait_quiet()
        self.assertEqual(len(self.lines()), count, "a copy lives on after the end")
        self.cluster.wait_node("n1", "idle")

    def freeze_until_elsewhere(self, part):
        job = self.start_writer()
        first = self.wait_run(0)
        self.cluster.freeze(first, part)
        try:
            second = self.wait_run(1)
        finally:
            self.cluster.thaw(first, part)
        self.assertNotEqual(first, second)
        self.cluster.wait_node(first, "idle", "mixed")
        self.check_and_end(job, 2)

    def test_an_agent_frozen_for_long(self):
        self.freeze_until_elsewhere(None)

    def test_an_agent_with_its_shepherds_and_jobs_frozen_for_long(self):
        self.freeze_until_elsewhere("all")

    def test_an_agent_frozen_shortly_keeps_its_job(self):
        job = self.start_writer()
        node = self.wait_run(0)
        self.cluster.freeze(node)
        self.cluster.wait_node(node, "down", limit_s=8)  # shown so, and not given up yet
        self.cluster.thaw(node)
        self.cluster.wait_node(node, "mixed")
        self.assertEqual(self.cluster.state(job), "RUNNING")
        self.check_and_end(job, 1)

    def test_a_frozen_shepherd_does_not_end_its_job(self):
        job = self.start_writer()
        node = self.wait_run(0)
        self.cluster.freeze(node, "shepherds")
        count = len(self.lines())
        harness.wait_for(lambda: len(self.lines()) > count + 20, "the job to go on")
        self.cluster.thaw(node, "shepherds")
        self.assertEqual(self.cluster.state(job), "RUNNING")
        self.check_and_end(job, 1)

    def test_a_frozen_controller_ends_no_job(self):
        job = self.start_writer()
        self.cluster.freeze("controller")
        try:
            count = len(self.lines())
            # Longer than a lease: the witnesses tell that they hear nothing of the controller either.
            harness.wait_for(lambda: len(self.lines()) > count + 110, "the job to outlive a lease", 40)
        finally:
            self.cluster.thaw("controller")
        self.cluster.wait_answers()
        self.assertEqual(self.cluster.state(job), "RUNNING")
        self.check_and_end(job, 1)

    def test_a_dead_controller_ends_no_job(self):
        job = self.start_writer()
        self.cluster.kill9("controller")
        try:
            count = len(self.lines())
            harness.wait_for(lambda: len(self.lines()) > count + 110, "the job to outlive a lease", 40)
        finally:
            self.cluster.restart("controller")
        self.cluster.wait_state(job, "RUNNING")
        self.check_and_end(job, 1)


if __name__ == "__main__":
    harness.main()
