"""contract_sacct_test.py: what the clients of sacct rely on."""

import datetime
import getpass
import grp
import os

import harness

# What submitit, parsl, snakemake, reframe, ood, reportseff, jobstats, toil and AiiDA ask for.
FIELDS = ("JobID JobIDRaw State ExitCode NodeList End Start Submit Elapsed TotalCPU MaxRSS ReqMem AllocCPUS ReqCPUS NCPUS "
          "NNodes NTasks Timelimit TimelimitRaw User Group Account JobName Partition QOS Cluster Comment AdminComment "
          "AllocTRES ReqTRES Reason TRESUsageOutAve").split()


class Sacct(harness.SystemTest):
    nodes = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.done = cls.cluster.submit("-J", "fine", "-A", "acct", "--comment", "said so", "--wckey", "key", "-n", "2", "--mem=150",
                                      "-t", "5", "-o", "/dev/null", "--wrap", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
        cls.failed = cls.cluster.submit("-J", "bad", "-o", "/dev/null", "--wrap", "exit 3")
        cls.cancelled = cls.cluster.submit("-J", "gone", "-o", "/dev/null", "--wrap", "exec sleep 300")
        cls.array = cls.cluster.submit("-J", "array", "-a", "0-3%1", "-o", "/dev/null", "--wrap", "sleep 300")
        cls.cluster.wait_state(cls.cancelled, "RUNNING")
        cls.cluster.run("scancel", cls.cancelled)
        for job, state in ((cls.done, "COMPLETED"), (cls.failed, "FAILED"), (cls.cancelled, "CANCELLED")):
            cls.cluster.wait_state(job, state)
        cls.first = harness.wait_for(lambda: [row for row in cls.cluster.out("squeue", "-h", "-t", "R", "-j", cls.array, "-o", "%A").split()],
                                     "the first task")[0]

    def rows(self, *arguments, **options):
        return self.cluster.run("sacct", "-n", "-P", *arguments, **options).stdout.splitlines()

    def test_every_field_that_clients_ask_for(self):
        values = self.rows("-X", "-j", self.done, "-o", ",".join(FIELDS))[0].split("|")
        row = dict(zip(FIELDS, values))
        self.assertEqual((row["JobID"], row["JobIDRaw"], row["State"], row["ExitCode"], row["ReqMem"], row["NCPUS"], row["Timelimit"],
                          row["TimelimitRaw"], row["Account"], row["JobName"], row["Comment"], row["AllocTRES"]),
                         (self.done, self.done, "COMPLETED", "0:0", "150M", "2", "00:05:00", "5", "acct", "fine", "said so",
                          "billing=2,cpu=2,mem=150M,node=1"))
        self.assertRegex(row["TotalCPU"], r"^(\d+:)?\d\d:\d\d(\.\d{3})?$")
        self.assertRegex(row["NodeList"], "^n[12]$")

    def test_every_field_of_the_list_may_be_asked_for(self):
        names = self.cluster.out("sacct", "--helpformat").split()
        self.assertEqual(len(names), 109)
        heading, job, batch = self.cluster.run("sacct", "-P", "-j", self.done, "--format", ",".join(names).lower()).stdout.splitlines()
        self.assertEqual(heading.split("|"), names)
        self.assertEqual({len(line.split("|")) for line in (job, batch)}, {109})
        self.assertEqual(heading, self.cluster.run("sacct", "-P", "-j", self.done, "-o", "ALL").stdout.splitlines()[0])
        row = dict(zip(names, job.split("|")))
        self.assertRegex(row["SubmitLine"], "^.*sbatch --parsable -J fine -A acct ")
        self.assertEqual(row["WorkDir"], str(self.cluster.work))
        self.assertTrue(self.cluster.run("sacct", "-P", "-l", "-j", self.done).stdout.startswith("JobID|JobIDRaw|JobName|Partition|MaxVMSize|"))

    def test_the_default_columns_and_their_widths(self):
        heading, dashes, job, batch = self.cluster.run("sacct", "-j", self.done).stdout.splitlines()
        self.assertEqual(heading, "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode ")
        self.assertEqual(dashes, "------------ ---------- ---------- ---------- ---------- ---------- -------- ")
        self.assertEqual(job, f"{self.done:12} {'fine':>10} {'main':>10} {'acct':>10} {2:>10} {'COMPLETED':>10} {'0:0':>8} ")
        self.assertEqual(batch, f"{self.done + '.batch':12} {'batch':>10} {'':>10} {'acct':>10} {2:>10} {'COMPLETED':>10} {'0:0':>8} ")
        self.assertEqual(self.cluster.run("sacct", "-b", "-X", "-j", self.done).stdout.splitlines()[0], "JobID             State ExitCode ")

    def test_widths_sides_and_delimiters(self):
        out = lambda *words: self.cluster.run("sacct", *words).stdout
        self.assertEqual(out("-X", "-n", "-j", self.cancelled, "-o", "jobid,state"), f"{self.cancelled:12} CANCELLED+ \n")
        self.assertEqual(out("-X", "-n", "-j", self.failed, "-o", "state%20,nodelist%-6"), f"{'FAILED':>20} {self.rows('-X', '-j', self.failed, '-o', 'NodeList')[0]:6} \n")
        self.assertEqual(out("-X", "-n", "-p", "-j", self.failed, "-o", "jobid,exitcode"), f"{self.failed}|3:0|\n")
        self.assertEqual(out("-X", "--parsable2", "--noheader", "--delimiter", "^|^", "-j", self.failed, "--format=JobID,State"), f"{self.failed}^|^FAILED\n")
        self.assertEqual(out("-X", "-P", "--delimiter=\x1f", "-j", self.failed, "-o", "JOBID,STATE"), f"JobID\x1fState\n{self.failed}\x1fFAILED\n")

    def test_ids_add_up_and_an_unknown_one_is_no_mistake(self):
        self.assertEqual(self.rows("-X", "-j", self.done, "-j", self.failed, "-o", "jobid", "-o", "state"),
                         [f"{self.done}|COMPLETED", f"{self.failed}|FAILED"])
        self.assertEqual(self.rows("-X", "--jobs=" + ",".join((self.done, self.failed)), "-o", "jobid"), [self.done, self.failed])
        self.assertEqual(self.cluster.run("sacct", "-P", "-j", "999999", "-o", "jobid").stdout, "JobID\n")
        self.assertEqual(self.rows("-j", "999999"), [])
        self.assertEqual(self.rows("-j", f"{self.done}.batch", "-o", "jobid"), [f"{self.done}.batch"])

    def test_arrays(self):
        self.assertEqual(self.rows("-X", "-j", self.array, "-o", "JobID,JobIDRaw,State,NodeList")[-1],
                         f"{self.array}_[1-3%1]|{self.array}|PENDING|None assigned")
        self.assertRegex(self.rows("-j", self.array, "-o", "JobID,JobIDRaw,State")[0], rf"^{self.array}_0\|{self.first}\|RUNNING$")
        self.assertRegex(self.rows("-j", self.array, "-o", "JobID,JobIDRaw,State")[1], rf"^{self.array}_0.batch\|{self.first}.batch\|RUNNING$")

    def test_who_cancelled_is_told_of_the_job_and_not_of_its_step(self):
        self.assertEqual(self.rows("-j", self.cancelled, "-o", "state,exitcode"), [f"CANCELLED by {os.getuid()}|0:0", "CANCELLED|0:15"])

    def test_times(self):
        today = datetime.date.today()
        everything = [self.done, self.failed, self.cancelled]
        for start in ("1970-01-01", today.strftime("%F"), today.strftime("%FT00:00"), "now-1hour", today.strftime("%m%d%y"), "00:00",
                      today.strftime("%m/%d"), "midnight", "today", "now-2days"):
            with self.subTest(start=start):
                rows = self.rows("-X", "-S", start, "-E", "now", "-o", "jobid")
                self.assertEqual([job for job in everything if job in rows], everything)
        self.assertEqual(self.rows("-X", "--starttime", "now-10days", "--endtime", "now-9days", "-o", "jobid"), [])
        done = self.cluster.run("sacct", "-S", "bogus", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "Invalid time specification (pos=0): bogus\n"))
        self.assertRegex(self.rows("-X", "-j", self.done, "-o", "start,end", env={"SLURM_TIME_FORMAT": "%s"})[0], r"^\d{10}\|\d{10}$")

    def test_truncated_times_lie_within_the_window(self):
        start = self.rows("-X", "-j", self.first, "-o", "start")[0]
        later = harness.wait_for(lambda: (now := datetime.datetime.now().strftime("%FT%T")) > start and now, "a second to pass")
        self.assertEqual(self.rows("-X", "-j", self.first, "-S", later, "-o", "start"), [start])
        self.assertEqual(self.rows("-X", "-T", "-j", self.first, "-S", later, "-o", "start"), [later])

    def test_filters(self):
        rows = lambda *words: self.rows("-X", "-o", "jobid", *words)
        self.assertEqual(rows("--name", "fine"), [self.done])
        self.assertEqual(rows("--name=fine,bad", "-s", "F"), [self.failed])
        self.assertEqual(rows("-s", "cd"), [self.done])
        self.assertEqual(rows("--state=COMPLETED,FAILED"), [self.done, self.failed])
        self.assertEqual(rows("-A", "acct"), [self.done])
        self.assertEqual(rows("-r", "nosuch"), [])
        self.assertEqual(rows("-r", "main", "-s", "F"), [self.failed])
        self.assertEqual(rows("-q", "nosuch"), [])
        self.assertEqual(rows("-W", "key"), [self.done])
        self.assertEqual(rows("-u", getpass.getuser(), "-s", "F"), [self.failed])
        self.assertEqual(rows("-a", "-s", "F", "-M", "all", "-L"), [self.failed])
        self.assertEqual(rows("-g", grp.getgrgid(os.getgid()).gr_name, "-s", "F"), [self.failed])
        self.assertEqual(rows("-g", "4294967294"), [])
        self.assertEqual(rows("-i", "2-3"), [self.done])
        self.assertEqual(rows("-I", "2"), [])
        self.assertEqual(rows("-k", "5"), [self.done])
        self.assertEqual(rows("-k", "3", "-K", "10"), [self.done])
        self.assertEqual(rows("-C", "nosuch"), [])
        self.assertEqual(rows("-Q", "nosuch"), [])
        self.assertEqual(rows("-N", "nosuch"), [])
        node = self.rows("-X", "-j", self.done, "-o", "nodelist")[0]
        self.assertIn(self.done, rows("-N", node))
        done = self.cluster.run("sacct", "-s", "BOGUS", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "sacct: fatal: unrecognized job state value 'BOGUS'\n"))

    def test_units(self):
        self.assertEqual(self.rows("-X", "-j", self.done, "-o", "reqmem", "--units", "G"), ["0.15G"])
        self.assertEqual(self.rows("-X", "-j", self.done, "-o", "reqmem,alloctres", "--units=K"), ["153600K|billing=2,cpu=2,mem=153600K,node=1"])
        self.assertEqual(self.rows("-X", "-j", self.done, "-o", "reqmem", "--noconvert"), ["150M"])

    def test_script_and_environment_come_back(self):
        out = self.cluster.run("sacct", "-B", "-X", "-j", self.failed).stdout
        self.assertTrue(out.startswith(f"Batch Script for {self.failed}\n{'-' * 80}\n#!/bin/sh\n"), out)
        self.assertIn("exit 3", out)
        out = self.cluster.run("sacct", "--env-vars", "-X", "-j", self.failed).stdout
        self.assertTrue(out.startswith(f"Environment used for {self.failed} (must be batch to display)\n{'-' * 80}\n"), out)
        self.assertIn("\nLC_ALL=C.UTF-8\n", out)

    def test_runs_of_a_requeued_job(self):
        job = self.cluster.submit("-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        first = self.rows("-X", "-j", job, "-o", "start")[0]
        self.cluster.run("scontrol", "requeue", job)
        harness.wait_for(lambda: self.cluster.show(job)["Restarts"] == "1" and self.cluster.state(job) == "RUNNING", "the second run")
        earlier, now = self.rows("-X", "-D", "-j", job, "-o", "jobid,state,start,end")
        self.assertRegex(earlier, rf"^{job}\|REQUEUED\|{first}\|\d{{4}}-")
        self.assertRegex(now, rf"^{job}\|RUNNING\|\d{{4}}-.*\|Unknown$")
        self.assertEqual(len(self.rows("-X", "-j", job)), 1)
        self.cluster.run("scancel", job)

    def test_the_environment_names_columns_where_the_line_does_not(self):
        env = {"SACCT_FORMAT": "jobid,state%20"}
        self.assertEqual(self.rows("-X", "-j", self.failed, env=env), [f"{self.failed}|FAILED"])
        self.assertEqual(self.rows("-X", "-j", self.failed, "-o", "exitcode", env=env), ["3:0"])

    def test_mistakes(self):
        for words, text in ((["-o", "nosuch"], 'sacct: error: Invalid field requested: "nosuch"\n'),
                            (["--array"], "sacct: unrecognized option '--array'\n"),
                            (["-1"], "sacct: invalid option -- '1'\n"),
                            (["-c"], "Slurm job completion is disabled\n")):
            done = self.cluster.run("sacct", *words, check=False)
            self.assertEqual((done.returncode, done.stderr), (1, text))
        self.assertEqual(self.cluster.run("sacct", "-X").returncode, 0)
        self.assertRegex(self.cluster.out("sacct", "-V"), r"^slurm(-wlm)? 22\.05\.\d+$")


if __name__ == "__main__":
    harness.main()
