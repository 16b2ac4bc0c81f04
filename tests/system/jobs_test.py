"""jobs_test.py: batch jobs from submit to accounting, as a user sees them."""

import harness


class Jobs(harness.SystemTest):
    def test_a_job_runs_and_is_accounted_for(self):
        script = self.cluster.script("#SBATCH -J first\n#SBATCH -o first-%j.out\n"
                                     "echo hello from $SLURM_JOB_ID on $SLURMD_NODENAME\n")
        job = self.cluster.submit(script)
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual((self.cluster.work / f"first-{job}.out").read_text(), f"hello from {job} on n1\n")
        rows = self.cluster.out("sacct", "-n", "-P", "-j", job, "-o", "JobID,JobName,State,ExitCode")
        self.assertEqual(rows.splitlines(),
                         [f"{job}|first|COMPLETED|0:0", f"{job}.batch|batch|COMPLETED|0:0"])

    def test_output_lands_in_the_folder_of_the_submit(self):
        job = self.cluster.submit("--wrap", "pwd; echo oops >&2")
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual((self.cluster.work / f"slurm-{job}.out").read_text(), f"{self.cluster.work}\noops\n")

    def test_exit_codes_and_signals_are_told_apart(self):
        for command, state, code in (("exit 3", "FAILED", "3:0"), ("kill -9 $$", "FAILED", "0:9"),
                                     ("exit 137", "FAILED", "137:0"), ("exit 0", "COMPLETED", "0:0")):
            with self.subTest(command):
                job = self.cluster.submit("-o", "/dev/null", "--wrap", command)
                self.cluster.wait_state(job, state)
                self.assertEqual(self.cluster.field(job, "ExitCode"), code)

    def test_wait_ends_with_the_code_of_the_job(self):
        done = self.cluster.run("sbatch", "-W", "-o", "/dev/null", "--wrap", "exit 5", check=False)
        self.assertEqual(done.returncode, 5)

    def test_a_job_waits_while_the_cpus_are_taken(self):
        first = self.cluster.submit("-n", "4", "-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(first, "RUNNING")
        second = self.cluster.submit("-n", "1", "-o", "/dev/null", "--wrap", "true")
        shown = self.cluster.out("squeue", "-h", "-j", second, "-o", "%t %r")
        self.assertEqual(shown, "PD Resources")
        self.cluster.run("scancel", first)
        self.cluster.wait_state(second, "COMPLETED")

    def test_a_running_job_is_cancelled(self):
        job = self.cluster.submit("-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        self.cluster.run("scancel", job)
        self.cluster.wait_state(job, "CANCELLED")
        self.assertEqual(self.cluster.out("squeue", "-h", "-j", job, check=False), "")

    def test_a_waiting_job_is_held_released_and_runs(self):
        job = self.cluster.submit("-H", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.cluster.out("squeue", "-h", "-j", job, "-o", "%r"), "JobHeldUser")
        self.cluster.run("scontrol", "release", job)
        self.cluster.wait_state(job, "COMPLETED")

    def test_tasks_of_an_array_know_their_index(self):
        job = self.cluster.submit("-a", "1-5:2", "-o", "task-%a.out", "--wrap", "echo $SLURM_ARRAY_TASK_ID")
        self.assertEqual(self.cluster.wait_end(job), ["COMPLETED"] * 3)
        for task in (1, 3, 5):
            self.assertEqual((self.cluster.work / f"task-{task}.out").read_text(), f"{task}\n")

    def test_one_task_of_an_array_is_cancelled_alone(self):
        job = self.cluster.submit("-H", "-a", "0-3", "-o", "/dev/null", "--wrap", "true")
        self.cluster.run("scancel", f"{job}_2")
        self.cluster.run("scontrol", "release", job)
        self.assertEqual(self.cluster.wait_end(job), ["CANCELLED"] + ["COMPLETED"] * 3)

    def test_an_array_is_held_while_a_task_of_it_runs(self):
        job = self.cluster.submit("-a", "0-5%1", "-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(f"{job}_0", "RUNNING")
        self.cluster.run("scontrol", "hold", job)
        held = "JobHeldAdmin" if harness.IS_ROOT else "JobHeldUser"
        waiting = ("squeue", "-h", "-t", "PD", "-j", job, "-o", "%K %r")
        self.assertEqual(self.cluster.out(*waiting), f"1-5%1 {held}")
        self.cluster.run("scontrol", "release", f"{job}_2")
        self.assertEqual(self.cluster.out(*waiting).splitlines(),
                         ["2 JobArrayTaskLimit", f"1,3-5%1 {held}"])
        done = self.cluster.run("scontrol", "hold", f"{job}_0", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"Job is no longer pending execution for job {job}_0", done.stderr)
        self.cluster.run("scancel", job)

    def test_a_dependent_job_waits_for_success(self):
        first = self.cluster.submit("-H", "-o", "/dev/null", "--wrap", "true")
        second = self.cluster.submit("-d", f"afterok:{first}", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.cluster.out("squeue", "-h", "-j", second, "-o", "%r"), "Dependency")
        self.cluster.run("scontrol", "release", first)
        self.cluster.wait_state(second, "COMPLETED")

    @harness.needs_root
    def test_a_job_runs_as_the_user_who_submitted_it(self):
        job = self.cluster.submit("-o", "who-%j", "--wrap", "id -u", uid=harness.OTHER_UID)
        self.cluster.wait_state(job, "COMPLETED")
        path = self.cluster.work / f"who-{job}"
        self.assertEqual((path.read_text(), path.stat().st_uid), (f"{harness.OTHER_UID}\n", harness.OTHER_UID))

    @harness.needs_root
    def test_another_users_job_cannot_be_cancelled(self):
        job = self.cluster.submit("-H", "-o", "/dev/null", "--wrap", "true")
        done = self.cluster.run("scancel", job, uid=harness.OTHER_UID, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Access/permission denied", done.stderr)
        self.assertEqual(self.cluster.out("squeue", "-h", "-j", job, "-o", "%t"), "PD")
        self.cluster.run("scancel", job)


if __name__ == "__main__":
    harness.main()
