"""time_limit_test.py: limits that change while the job runs. Limits are whole minutes, so this takes one."""

import harness

SPEED = "slow"


class TimeLimit(harness.SystemTest):
    def test_the_time_limit_of_a_running_job_changes_and_survives_all_restarts(self):
        job = self.cluster.submit("-t", "60", "-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        self.cluster.run("scontrol", "update", f"jobid={job}", "timelimit-=20")
        self.cluster.kill9("n1")
        self.cluster.run("scontrol", "update", f"jobid={job}", "timelimit=1")
        self.cluster.kill9("controller")
        self.cluster.restart("controller")
        self.cluster.restart("n1")
        self.assertEqual(self.cluster.show(job)["TimeLimit"], "00:01:00")
        self.cluster.wait_state(job, "TIMEOUT", limit_s=90)
        self.assertLess(int(self.cluster.field(job, "ElapsedRaw")), 75)


if __name__ == "__main__":
    harness.main()
