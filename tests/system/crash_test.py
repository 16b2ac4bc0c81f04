"""crash_test.py: kill -9 of the controller and of an agent: nothing accepted is lost, running jobs do
not notice."""

import harness


class Crashes(harness.SystemTest):
    def test_a_job_runs_through_a_crash_of_the_controller(self):
        job = self.cluster.submit("-o", "through.out", "--wrap",
                                  "echo begins; while [ ! -e go ]; do sleep 0.05; done; echo ends")
        self.cluster.wait_text("through.out", "begins")
        self.cluster.kill9("controller")
        self.cluster.restart("controller")
        # The agent says again what it knows; the controller may have died before it was written.
        self.cluster.wait_state(job, "RUNNING")
        (self.cluster.work / "go").touch()
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual((self.cluster.work / "through.out").read_text(), "begins\nends\n")

    def test_a_job_that_ends_while_the_controller_is_away_is_recorded(self):
        job = self.cluster.submit("-o", "away.out", "--wrap",
                                  "echo begins; while [ ! -e leave ]; do sleep 0.05; done; echo ends; exit 7")
        self.cluster.wait_text("away.out", "begins")
        self.cluster.kill9("controller")
        (self.cluster.work / "leave").touch()
        self.cluster.wait_text("away.out", "ends")
        self.cluster.restart("controller")
        self.cluster.wait_state(job, "FAILED")
        self.assertEqual(self.cluster.field(job, "ExitCode"), "7:0")

    def test_a_restarted_agent_adopts_its_jobs(self):
        job = self.cluster.submit("-o", "adopted.out", "--wrap",
                                  "echo begins; while [ ! -e on ]; do sleep 0.05; done; echo ends")
        self.cluster.wait_text("adopted.out", "begins")
        self.cluster.kill9("n1")
        self.cluster.restart("n1")
        (self.cluster.work / "on").touch()
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual((self.cluster.work / "adopted.out").read_text(), "begins\nends\n")

    def test_accepted_jobs_and_their_ids_survive(self):
        before = [self.cluster.submit("-H", "-o", "/dev/null", "--wrap", "true") for _ in range(20)]
        self.cluster.kill9("controller")
        self.cluster.restart("controller")
        waiting = self.cluster.out("squeue", "-h", "-t", "PD", "-o", "%i").split()
        self.assertEqual(sorted(set(before) - set(waiting)), [])
        after = self.cluster.submit("-H", "-o", "/dev/null", "--wrap", "true")
        self.assertGreater(int(after), max(map(int, before)))
        self.cluster.run("scancel", *before, after)


if __name__ == "__main__":
    harness.main()
