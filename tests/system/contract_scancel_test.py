"""contract_scancel_test.py: what the clients of scancel rely on: selectors, words and exit codes."""

import getpass
import os

import harness


class Scancel(harness.SystemTest):
    nodes = 1
    cpus = 16

    def held(self, *options):
        return self.cluster.submit("-H", "-o", "/dev/null", *options, "--wrap", "true")

    def running(self, *options, command="exec sleep 300"):
        job = self.cluster.submit("-o", "/dev/null", *options, "--wrap", command)
        self.cluster.wait_state(job, "RUNNING")
        return job

    def cancel(self, *words, **options):
        done = self.cluster.run("scancel", *words, check=False, **options)
        return done.returncode, done.stdout, done.stderr

    def alive(self, *jobs):
        return [job for job in jobs if self.cluster.state(job) == "PENDING"]

    def test_one_job_and_several(self):
        jobs = [self.held() for _ in range(4)]
        self.assertEqual(self.cancel(jobs[0]), (0, "", ""))
        self.assertEqual(self.cancel(jobs[1], jobs[2]), (0, "", ""))
        self.assertEqual(self.alive(*jobs), [jobs[3]])
        self.assertEqual(self.cancel("--clusters=nosuch", jobs[3])[0], 1)
        self.assertEqual(self.alive(*jobs), [jobs[3]])
        self.assertEqual(self.cancel("--clusters=dev", jobs[3]), (0, "", ""))
        jobs.append(self.held())
        self.assertEqual(self.cancel("--clusters=all", jobs[4]), (0, "", ""))
        self.assertEqual(self.alive(*jobs), [])

    def test_what_is_over_or_never_was_is_silence(self):
        job = self.held()
        self.cancel(job)
        for words in ((job,), ("-Q", job), ("99999999",), ("-Q", "99999999"), (f"{job}_99",)):
            self.assertEqual(self.cancel(*words), (0, "", ""))
        self.assertEqual(self.cancel("-v", "99999999"),
                         (0, "", "scancel: Terminating job 99999999\n"
                                 "scancel: error: Kill job error on job id 99999999: Invalid job id specified\n"))
        self.assertEqual(self.cancel("-s", "USR1", "99999999"),
                         (1, "", "scancel: error: Kill job error on job id 99999999: Invalid job id specified\n"))

    def test_mistakes(self):
        for words, text in ((("abc",), "scancel: error: Invalid job id abc\n"), (("0",), "scancel: error: Invalid job id 0\n"),
                            ((), "scancel: error: No job identification provided\n"),
                            (("5.99",), "scancel: error: Kill job error on job step id 5.99: Invalid job id specified\n"),
                            (("-t", "BOGUS"), "scancel: error: Invalid job state specified: BOGUS\n"
                                              "scancel: error: Valid job states are PENDING, RUNNING, and SUSPENDED\n"),
                            (("-u", "nosuchuser"), "scancel: error: Invalid user name: nosuchuser\n"),
                            (("--nosuch",), "scancel: unrecognized option '--nosuch'\nTry \"scancel --help\" for more information\n")):
            with self.subTest(words=words):
                self.assertEqual(self.cancel(*words), (1, "", text))
        code, out, err = self.cancel("-s", "NOSUCH", "5")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("Unknown job signal: NOSUCH", err)

    def test_verbose_says_what_it_does_on_stderr(self):
        job = self.held()
        self.assertEqual(self.cancel("-v", job), (0, "", f"scancel: Terminating job {job}\n"))

    def test_every_selector(self):
        for words in (("-n", "sel"), ("--name=sel",), ("--jobname", "sel"), ("-A", "acct"), ("--account=acct",), ("--wckey", "key"),
                      ("--me", "-n", "sel"), ("-u", getpass.getuser(), "-n", "sel"), ("-p", "main", "-n", "sel"),
                      ("-t", "PENDING", "-n", "sel"), ("--state=PD", "-n", "sel"), ("--user", str(os.getuid()), "-n", "sel")):
            with self.subTest(words=words):
                job, other = self.held("-J", "sel", "-A", "acct", "--wckey", "key"), self.held("-J", "other")
                self.assertEqual(self.cancel(*words), (0, "", ""))
                self.assertEqual(self.alive(job, other), [other])
                self.cancel(other)

    def test_a_selector_that_fits_nothing_leaves_all(self):
        job = self.held("-J", "sel")
        for words in (("-n", "nosuch"), ("-n", "sel", "-p", "nosuch"), ("-n", "sel", "-t", "RUNNING"), ("-A", "nope"), ("-q", "nope", "-n", "sel"),
                      ("-w", "nosuch", "-n", "sel"), ("-R", "nosuch", "-n", "sel"), (job, "-n", "other"), ("-u", "nobody", "-n", "sel")):
            self.assertEqual(self.cancel(*words), (0, "", ""))
        self.assertEqual(self.cancel("-v", "-n", "nosuch"),
                         (0, "", "scancel: error: No active jobs match ALL job filters, including: job_name=nosuch \n"))
        self.assertEqual(self.alive(job), [job])
        self.cancel(job)

    def test_running_jobs_by_node_and_state(self):
        job, waits = self.running("-J", "here"), self.held("-J", "here")
        self.assertEqual(self.cancel("-w", "n1", "-n", "here"), (0, "", ""))
        self.cluster.wait_state(job, "CANCELLED")
        self.assertEqual(self.alive(waits), [waits])
        self.cancel(waits)

    def test_parts_of_an_array(self):
        job = self.held("-a", "0-9")
        left = lambda: self.cluster.out("squeue", "-h", "-j", job, "-o", "%K")
        self.assertEqual(self.cancel(f"{job}_3"), (0, "", ""))
        self.assertEqual(left(), "0-2,4-9")
        self.assertEqual(self.cancel(f"{job}_[0-2,9]"), (0, "", ""))
        self.assertEqual(left(), "4-8")
        self.assertEqual(self.cancel(job), (0, "", ""))
        self.assertEqual(left(), "")

    def test_a_signal_reaches_the_script_and_the_option_may_stand_last(self):
        script = self.cluster.script("trap 'echo got usr1 >>$1; exit 0' USR1\ntrap 'echo got usr2 >>$1' USR2\necho ready >>$1\n"
                                     "while :; do sleep 0.1; done\n")
        out = self.cluster.work / "signals.txt"
        job = self.cluster.submit("-o", "/dev/null", script, out)
        self.cluster.wait_text(out, "ready")
        self.assertEqual(self.cancel("-v", "-b", "--signal", "USR2", job), (0, "", f"scancel: Signal 12 to batch job {job}\n"))
        self.cluster.wait_text(out, "got usr2")
        self.assertEqual(self.cancel("-v", "-f", job, "--signal", "SIGUSR1"), (0, "", f"scancel: Signal 10 to job {job}\n"))
        self.cluster.wait_text(out, "got usr1")
        self.cluster.wait_state(job, "COMPLETED")

    def test_whom_a_signal_reaches(self):
        child = self.cluster.script("trap 'echo $1 child >>$2' USR1 USR2 HUP\necho $1 child up >>$2\n"
                                    "while :; do sleep 0.1; done\n", "child.sh")
        script = self.cluster.script("trap 'echo shell >>$2' USR1 USR2 HUP\nsh $1 its $2 &\nwhile :; do wait; done\n")
        out = self.cluster.work / "reach.txt"
        job = self.cluster.submit("-o", "/dev/null", script, child, out)
        self.cluster.wait_text(out, "child up")
        # Each one is waited for before the next: what it must not reach would have been told by then.
        for words, wanted in ((("-s", "USR1"), ["its child"]), (("-b", "-s", "USR2"), ["shell"]),
                              (("-f", "-s", "HUP"), ["its child", "shell"]), (("-b", "-f", "-s", "HUP"), ["its child", "shell"])):
            out.write_text("")
            self.assertEqual(self.cancel(*words, job), (0, "", ""))
            harness.wait_for(lambda: sorted(out.read_text().splitlines()) == wanted, f"{words}: {wanted}")
        self.cancel(job)

    def test_a_signal_that_finds_nobody_is_no_error(self):
        job = self.running()
        self.assertEqual(self.cancel("-v", "-s", "USR1", job), (0, "", f"scancel: Signal 10 to job {job}\n"))
        self.cancel(job)
        self.assertEqual(self.cluster.wait_end(job), ["CANCELLED"])

    def test_kill_and_term_end_a_job(self):
        for options, state, code in ((("-f", "--signal=TERM"), "FAILED", "0:15"), (("--signal=KILL",), "CANCELLED", "0:9"),
                                     (("-f", "-s", "9"), "CANCELLED", "0:9"), (("-b", "-s", "KILL"), "FAILED", "0:9")):
            job = self.running()
            self.assertEqual(self.cancel(*options, job)[0], 0)
            self.assertEqual(self.cluster.wait_end(job), [state])
            self.assertEqual(self.cluster.out("sacct", "-n", "-P", "-j", f"{job}.batch", "-o", "ExitCode"), code)

    def test_interactive_asks_for_each(self):
        job = self.held("-J", "asked")
        question = f"Cancel job_id={job} name=asked partition=main [y/n]? "
        self.assertEqual(self.cancel("-i", job, input="n\n"), (0, question, ""))
        self.assertEqual(self.cancel("-i", job, input=""), (0, question, ""))
        self.assertEqual(self.alive(job), [job])
        self.assertEqual(self.cancel("-i", job, input="y\n"), (0, question, ""))
        self.assertEqual(self.alive(job), [])

    def test_the_environment_says_what_the_line_does_not(self):
        job = self.held("-J", "sel")
        self.assertEqual(self.cancel(env={"SCANCEL_NAME": "sel", "SCANCEL_VERBOSE": "1"}), (0, "", f"scancel: Terminating job {job}\n"))
        self.assertEqual(self.alive(job), [])


if __name__ == "__main__":
    harness.main()
