"""listings_test.py: what squeue, sinfo, scontrol and sacct show of a living cluster."""

import harness


class Listings(harness.SystemTest):
    nodes = 2

    def squeue(self, *arguments):
        return self.cluster.out("squeue", "-h", *arguments).splitlines()

    def test_an_array_is_one_line_until_each_task_is_asked_for(self):
        job = self.cluster.submit("-H", "-a", "1-7:2%2", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.squeue("-j", job, "-o", "%i|%K|%F|%t"), [f"{job}_[1,3,5,7%2]|1,3,5,7%2|{job}|PD"])
        self.assertEqual(self.squeue("-r", "-j", job, "-o", "%i"), [f"{job}_{task}" for task in (1, 3, 5, 7)])
        self.assertEqual(self.squeue("-j", f"{job}_3", "-o", "%i"), [f"{job}_3"])
        self.assertEqual(self.squeue("-j", f"{job}_4", "-o", "%i"), [])
        self.cluster.run("scontrol", "update", f"JobId={job}", "ArrayTaskThrottle=3")
        self.assertEqual(self.squeue("-j", job, "-o", "%i"), [f"{job}_[1,3,5,7%3]"])
        self.cluster.run("scancel", job)

    def test_a_hundred_thousand_tasks_are_listed_one_by_one(self):
        job = self.cluster.submit("-H", "-a", "0-99999", "-o", "/dev/null", "--wrap", "true")
        lines = self.squeue("-r", "-j", job, "-o", "%i")
        self.assertEqual((len(lines), lines[0], lines[-1]), (100000, f"{job}_0", f"{job}_99999"))
        self.cluster.run("scancel", job)

    def test_the_words_between_the_letters_are_the_callers(self):
        job = self.cluster.submit("-H", "-J", "a b", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.squeue("-j", job, "-o", '{"i": %%i, "n": "%j"}'), [f'{{"i": {job}, "n": "a b"}}'])
        self.assertEqual(self.squeue("-j", job, "-O", "jobid:\x1f,statecompact:4,reason:.12"),
                         [f"{job}\x1fPD   JobHeldUser"])
        self.cluster.run("scancel", job)

    def test_only_what_lives_is_shown_unless_states_are_named(self):
        job = self.cluster.submit("-o", "/dev/null", "--wrap", "exit 3")
        self.cluster.wait_state(job, "FAILED")
        self.assertEqual(self.squeue("-j", job), [])
        self.assertEqual(self.squeue("-j", job, "-t", "all", "-o", "%i %T %r"), [f"{job} FAILED NonZeroExitCode"])
        self.assertEqual(self.squeue("-j", job, "-t", "R,F", "-o", "%i"), [job])

    def test_one_unknown_id_is_a_mistake_and_one_of_two_is_not(self):
        done = self.cluster.run("squeue", "-h", "-j", "999999", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "slurm_load_jobs error: Invalid job id specified\n"))
        self.assertEqual(self.squeue("-j", "999999,999998"), [])

    def test_a_drained_node_says_why(self):
        self.cluster.run("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=fan is loud")
        self.assertEqual(self.cluster.out("sinfo", "-h", "-N", "-n", "n2", "-o", "%t|%E|%C"), "drain|fan is loud|0/0/4/4")
        self.assertIn("State=IDLE+DRAIN ", self.cluster.out("scontrol", "show", "node", "n2"))
        self.assertIn("fan is loud", self.cluster.out("sinfo", "-R"))
        self.cluster.run("scontrol", "update", "NodeName=n2", "State=RESUME")
        self.cluster.wait_node("n2", "idle")
        self.assertEqual(self.cluster.out("sinfo", "-h", "-n", "n2", "-o", "%D,%T"), "1,idle")

    def test_what_a_node_has_in_use_agrees_everywhere(self):
        job = self.cluster.submit("-n", "2", "-w", "n1", "-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        self.assertEqual(self.cluster.out("sinfo", "-h", "-o", "%C"), "2/6/0/8")
        self.assertIn("CPUAlloc=2 ", self.cluster.out("scontrol", "show", "node", "n1"))
        self.assertEqual(self.cluster.show(job)["NumCPUs"], "2")
        self.assertEqual(self.cluster.field(job, "AllocCPUS,NodeList"), "2|n1")
        self.cluster.run("scancel", job)
        self.cluster.wait_state(job, "CANCELLED")

    def test_a_cancelled_job_names_the_user_and_its_step_the_signal(self):
        job = self.cluster.submit("-o", "/dev/null", "--wrap", "exec sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        self.cluster.run("scancel", job)
        self.cluster.wait_state(job, "CANCELLED")
        uid = self.cluster.show(job)["UserId"].split("(")[1].rstrip(")")
        rows = self.cluster.out("sacct", "-n", "-P", "-j", job, "-o", "jobid,state,exitcode")
        self.assertEqual(rows.splitlines(), [f"{job}|CANCELLED by {uid}|0:0", f"{job}.batch|CANCELLED|0:15"])
        step = self.cluster.out("sacct", "-n", "-P", "-j", f"{job}.batch", "-o", "jobid,state")
        self.assertEqual(step, f"{job}.batch|CANCELLED")

    def test_the_script_comes_back_byte_by_byte(self):
        script = self.cluster.script("#!/bin/sh\n: caf\u00e9\ttab\n" + "# filler\n" * 50000 + "true")
        job = self.cluster.submit("-H", "-o", "/dev/null", script)
        copy = self.cluster.work / "copy"
        done = self.cluster.run("scontrol", "write", "batch_script", job, copy)
        self.assertEqual(done.stdout, f"batch script for job {job} written to {copy}\n")
        self.assertEqual(copy.read_bytes(), script.read_bytes())
        self.cluster.run("scancel", job)

    def test_every_run_of_a_requeued_job_is_told_with_duplicates(self):
        job = self.cluster.submit("-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        self.cluster.run("scontrol", "requeue", job)
        harness.wait_for(lambda: self.cluster.show(job)["Restarts"] == "1", "the second run")
        self.cluster.wait_state(job, "RUNNING")
        rows = self.cluster.out("sacct", "-D", "-X", "-n", "-P", "-j", job, "-o", "jobid,state").splitlines()
        self.assertEqual((len(rows), rows[1]), (2, f"{job}|RUNNING"))
        self.assertEqual(self.cluster.state(job), "RUNNING")
        self.cluster.run("scancel", job)

    def test_times_follow_the_callers_format(self):
        job = self.cluster.submit("-o", "/dev/null", "--wrap", "true")
        self.cluster.wait_state(job, "COMPLETED")
        start, end = self.cluster.out("sacct", "-X", "-n", "-P", "-j", job, "-o", "start,end",
                                      env={"SLURM_TIME_FORMAT": "%s"}).split("|")
        self.assertLessEqual(int(start), int(end))

    def test_status_shows_own_jobs_and_why_they_wait(self):
        job = self.cluster.submit("-H", "-o", "/dev/null", "--wrap", "true")
        self.assertRegex(self.cluster.out("sluice"), rf"{job} +wrap +PENDING .*JobHeldUser")
        self.assertIn("JobHeldUser", self.cluster.out("sluice", "why", job))
        self.cluster.run("scancel", job)


if __name__ == "__main__":
    harness.main()
