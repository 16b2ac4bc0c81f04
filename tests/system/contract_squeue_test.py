"""contract_squeue_test.py: what the clients of squeue rely on: every option, letter and field that they
use, through the real programs."""

import subprocess

import harness

STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"

# What open OnDemand, turm and psij ask for.
FIELDS = ("Account ArrayJobID ArrayTaskID BatchHost Command Comment Contiguous CoreSpec Cores Dependency EndTime "
          "ExcNodes Feature GroupID GroupName JobArrayID JobID Licenses MinCpus MinMemory MinTmpDisk Name Nice "
          "NodeList NumCPUs NumNodes NumTasks OverSubscribe Partition PriorityLong QOS Reason ReqNodes Reservation "
          "SCT SchedNodes Sockets StartTime State StateCompact SubmitTime StdOut StdErr Threads TimeLeft TimeLimit "
          "TimeUsed UserID UserName WCKey WorkDir cpus-per-task cpus-per-tres mincpus tres-alloc tres-per-job "
          "tres-per-node tres-per-task").split()

# Letter, as the held job of setUpClass() shows it. None: not compared.
HELD = {"a": "acct", "A": "{id}", "B": "n/a", "b": "N/A", "C": "3", "D": "1", "E": "(null)", "e": "N/A", "F": "{id}",
        "f": "(null)", "h": "OK", "i": "{id}", "j": 'a b|"c"', "K": "N/A", "k": "said so", "L": "5:00", "l": "5:00",
        "M": "0:00", "m": "100M", "N": "", "n": "n2", "O": "0", "o": "(null)", "P": "main", "Q": "0", "R": "(JobHeldUser)",
        "r": "JobHeldUser", "S": "N/A", "T": "PENDING", "t": "PD", "v": "(null)", "W": "(null)", "w": "key", "x": "",
        "X": "N/A", "Y": "(null)", "y": "5", "z": "*:*:*", "d": "0", "H": "*", "I": "*", "J": "*"}


class Squeue(harness.SystemTest):
    nodes = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.held = cls.cluster.submit("-H", "-J", 'a b|"c"', "-A", "acct", "--comment", "said so", "--wckey", "key",
                                      "--nice=5", "-t", "5", "-n", "3", "--mem=100", "-w", "n2", "-o", "/dev/null",
                                      "--wrap", "true")
        cls.running = cls.cluster.submit("-J", "runs", "-n", "2", "-w", "n1", "-t", "1:00:00", "-o", "/dev/null",
                                         "--wrap", "sleep 300")
        cls.array = cls.cluster.submit("-H", "-J", "array", "-a", "1-3%2", "-o", "/dev/null", "--wrap", "true")
        cls.ended = cls.cluster.submit("-J", "ends", "-o", "/dev/null", "--wrap", "true")
        cls.cluster.wait_state(cls.running, "RUNNING")
        cls.cluster.wait_state(cls.ended, "COMPLETED")

    def lines(self, *arguments, **options):
        return self.cluster.run("squeue", *arguments, **options).stdout.splitlines()

    def ids(self, *arguments, **options):
        return set(self.lines("-h", "-o", "%A", *arguments, **options))

    def test_every_letter_of_a_waiting_job(self):
        for letter, expected in HELD.items():
            with self.subTest(letter=letter):
                self.assertEqual(self.lines("-h", "-j", self.held, "-o", f"%{letter}"), [expected.format(id=self.held)])

    def test_the_letters_of_a_running_job(self):
        text, = self.lines("-h", "-j", self.running, "-o", "%i^^^%t^^^%r^^^%B^^^%u^^^%D^^^%C^^^%R^^^%P^^^%l^^^%M^^^%S^^^%j^^^%V")
        self.assertRegex(text, rf"^{self.running}\^\^\^R\^\^\^None\^\^\^n1\^\^\^\w+\^\^\^1\^\^\^2\^\^\^n1\^\^\^main\^\^\^1:00:00\^\^\^"
                               rf"\d+:\d\d\^\^\^{STAMP}\^\^\^runs\^\^\^{STAMP}$")
        self.assertRegex(self.lines("-h", "-j", self.running, "-o", "%L %e")[0], rf"^59:\d\d {STAMP}$|^1:00:00 {STAMP}$")

    def test_every_field_that_clients_ask_for_exists(self):
        text = self.cluster.run("squeue", "-h", "-j", self.held, "-O", "".join(f"{field}:\x1f," for field in FIELDS)).stdout
        values = text.rstrip("\n").split("\x1f")
        self.assertEqual(len(values), len(FIELDS) + 1)
        row = dict(zip(FIELDS, values))
        self.assertEqual((row["JobID"], row["StateCompact"], row["Reason"], row["Name"], row["ArrayTaskID"], row["ReqNodes"]),
                         (self.held, "PD", "JobHeldUser", 'a b|"c"', "N/A", "n2"))
        self.assertEqual(row["tres-alloc"], "cpu=3,mem=100M,node=1,billing=3")
        self.assertEqual(row["WorkDir"], str(self.cluster.work))

    def test_fields_are_padded_to_20_or_to_a_width_or_carry_their_suffix(self):
        heading, line = self.lines("-O", "JobArrayID,StateCompact,Reason", "-t", "PD", "-j", self.held)
        self.assertEqual(heading, f"{'JOBID':20}{'ST':20}{'REASON':20}")
        self.assertEqual(line, f"{self.held:20}{'PD':20}{'JobHeldUser':20}")
        self.assertEqual(self.lines("-h", "-j", self.held, "-O", "jobid:8,state:.10,name:###turm###,reason:200"),
                         [f"{self.held:8}   PENDINGa b|\"c\"###turm###{'JobHeldUser':200}"])

    def test_a_format_may_be_glued_long_or_carry_its_blank(self):
        for words in (["-o", "%i,%t"], ["-o%i,%t"], ["--format=%i,%t"], ["--format", "%i,%t"], ["-ho", "%i,%t"], ["-o", "%%i,%%t"]):
            with self.subTest(words=words):
                self.assertEqual(self.lines(*words, "-j", self.held)[-1], f"{self.held},PD")
        self.assertEqual(self.lines("-h", "-o %i,%t", "-j", self.held), [f" {self.held},PD"])
        self.assertEqual(self.cluster.run("squeue", "-h", "-o", '{"id": %A, "n": "%a", "x": "\x1e%K"}', "-j", self.held).stdout,
                         f'{{"id": {self.held}, "n": "acct", "x": "\x1eN/A"}}\n')

    def test_the_default_and_the_long_listing(self):
        heading, line = self.lines("-j", self.running)
        self.assertEqual(heading, "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)")
        self.assertRegex(line, rf"^ *{self.running} +main +runs +\w+  R +\d+:\d\d      1 n1$")
        date, heading, line = self.lines("-l", "-j", self.held)
        self.assertRegex(date, r"^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$")
        self.assertEqual(heading, "             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)")
        self.assertIn("  PENDING       0:00      5:00      1 (JobHeldUser)", line)

    def test_start_shows_what_waits(self):
        heading, *lines = self.lines("--start")
        self.assertEqual(heading, "             JOBID PARTITION     NAME     USER ST          START_TIME  NODES SCHEDNODES           NODELIST(REASON)")
        self.assertEqual(len(lines), 2)
        self.assertTrue(any(f"{self.held} " in line and "N/A" in line and "(null)" in line for line in lines), lines)

    def test_steps_are_the_batch_scripts_that_run(self):
        heading, line = self.lines("-s")
        self.assertEqual(heading, "         STEPID     NAME PARTITION     USER      TIME NODELIST")
        self.assertRegex(line, rf"^ *{self.running}\.batch    batch      main +\w+ +\d+:\d\d n1$")
        self.assertEqual(self.lines("-h", "-s", "-o", "%i|%A|%b|%j|%l|%P"), [f"{self.running}.batch|1|N/A|batch|UNLIMITED|main"])
        self.assertEqual(self.lines("-h", f"--steps={self.held}"), [])
        self.assertEqual(self.lines("-h", f"--steps={self.running}.batch,{self.held}", "-O", "stepid:\x1f,stepstate:\x1f"),
                         [f"{self.running}.batch\x1fRUNNING\x1f"])
        self.assertEqual(self.lines("-h", f"--steps={self.running}.0"), [])

    def test_ids(self):
        both = f"{self.held},{self.running}"
        for words in (["-j", both], ["--jobs", both], ["--jobs=" + both], ["--job=" + both]):
            self.assertEqual(self.ids(*words), {self.held, self.running})
        self.assertEqual(self.ids("-j", f"{self.held},999999"), {self.held})
        done = self.cluster.run("squeue", "-h", "-j", "999999", check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "slurm_load_jobs error: Invalid job id specified\n"))
        self.assertEqual(self.lines("-h", "-j", "999999,999999"), [])
        self.assertEqual(self.ids("-j", ""), self.ids())
        self.assertEqual(self.ids(f"--jobs={self.held}", f"--jobs={self.running}"), {self.running})

    def test_states(self):
        self.assertEqual(self.ids("-t", "R"), {self.running})
        self.assertEqual(self.ids("--states=R,PD"), {self.held, self.running, self.array})
        self.assertEqual(self.ids("-t", "pending"), {self.held, self.array})
        self.assertIn(self.ended, self.ids("-t", "all"))
        self.assertNotIn(self.ended, self.ids())
        done = self.cluster.run("squeue", "-h", "-t", "XX", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^squeue: error: Invalid job state specified: XX\n"
                                      "squeue: error: Valid job states include: PENDING,RUNNING,SUSPENDED,COMPLETED,")

    def test_filters(self):
        user = self.lines("-h", "-j", self.held, "-o", "%u")[0]
        everything = {self.held, self.running, self.array}
        for words, expected in ((["-u", user], everything), (["--me"], everything), (["-a"], everything), (["--all"], everything),
                                (["--name", "runs"], {self.running}), (["-n", "runs,array"], {self.running, self.array}),
                                (["-p", "main"], everything), (["-p", "nosuch"], set()), (["-w", "n1"], {self.running}),
                                (["-A", "acct"], {self.held}), (["-A", "nope"], set()), (["-q", "nope"], set()),
                                (["-R", "nope"], set()), (["-L", "nope"], set()), (["-M", "all"], everything)):
            with self.subTest(words=words):
                self.assertEqual(self.ids(*words), expected)
        done = self.cluster.run("squeue", "-h", "-u", "nosuchuser")
        self.assertEqual((done.stdout, done.stderr), ("", "squeue: error: Invalid user: nosuchuser\n"))
        done = self.cluster.run("squeue", "-h", "-w", "n99", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "squeue: error: Invalid node name n99\n"))

    def test_arrays(self):
        self.assertEqual(self.lines("-h", "-j", self.array, "-o", "%A|%i|%F|%K|%t"), [f"{self.array}|{self.array}_[1-3%2]|{self.array}|1-3%2|PD"])
        for word in ("-r", "--array", "--array-unique"):
            self.assertEqual(self.lines("-h", word, "-j", self.array, "-o", "%i %K"), [f"{self.array}_{k} {k}" for k in (1, 2, 3)])
        self.assertEqual(self.lines("-h", "-j", f"{self.array}_2", "-o", "%i %T"), [f"{self.array}_2 PENDING"])

    def test_order(self):
        self.assertEqual(self.lines("-h", "-o", "%A", "-S", "-V"), sorted([self.held, self.running, self.array], key=int, reverse=True))
        self.assertEqual(self.lines("-h", "-o", "%A", "--sort=i"), sorted([self.held, self.running, self.array], key=int))
        self.assertEqual(self.lines("-h", "-o", "%A")[-1], self.running)
        done = self.cluster.run("squeue", "-S", "bogus", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "squeue: error: Invalid sort specification: s\n"))

    def test_the_environment_says_what_the_line_does_not(self):
        env = {"SQUEUE_FORMAT": "%i|%t", "SQUEUE_SORT": "-i", "SQUEUE_STATES": "PD"}
        self.assertEqual(self.lines("-h", env=env), [f"{self.array}_[1-3%2]|PD", f"{self.held}|PD"])
        self.assertEqual(self.lines("-h", "-o", "%A", "-j", self.held, env=env), [self.held])
        self.assertEqual(self.lines("-h", "-O", "jobid:4", "-j", self.held, env=env), [f"{self.held:4}"])
        self.assertIn("TIME_LIMI", self.lines("-l", "-j", self.held, env=env)[1])
        self.assertEqual(self.lines("-h", env={"SQUEUE_FORMAT2": "jobid:\x1f", "SQUEUE_NAMES": "runs"}), [f"{self.running}\x1f"])
        self.assertEqual(self.ids(env={"SQUEUE_PARTITION": "nosuch"}), set())
        self.assertEqual(self.ids(env={"SQUEUE_USERS": "nobody"}), set())
        self.assertEqual(self.ids(env={"SQUEUE_ACCOUNT": "acct"}), {self.held})
        self.assertEqual(len(self.lines("-h", "-j", self.array, env={"SQUEUE_ARRAY": "yes"})), 3)

    def test_times_follow_the_callers_format(self):
        for format_, expected in (("standard", rf"^{STAMP}$"), ("%s", r"^\d{10}$"), ("relative", rf"^{STAMP}$")):
            text, = self.lines("-h", "-j", self.held, "-o", "%V", env={"SLURM_TIME_FORMAT": format_})
            self.assertRegex(text, expected)

    def test_amounts_in_larger_units_unless_not_wanted(self):
        job = self.cluster.submit("-H", "--mem=2G", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.lines("-h", "-j", job, "-o", "%m"), ["2G"])
        self.assertEqual(self.lines("-h", "-j", job, "-o", "%m", "--noconvert"), ["2048M"])
        self.cluster.run("scancel", job)

    def test_an_unknown_letter_stays_and_an_unknown_field_or_option_does_not(self):
        done = self.cluster.run("squeue", "-h", "-j", self.held, "-o", "%i %!")
        self.assertEqual((done.stdout, done.stderr), (f"{self.held} %!\n", "squeue: error: Invalid job format specification: !\n"))
        done = self.cluster.run("squeue", "-O", "nosuch", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "squeue: error: Invalid job format specification: nosuch\n"))
        done = self.cluster.run("squeue", "--nosuch", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "squeue: unrecognized option '--nosuch'\nTry \"squeue --help\" for more information\n"))

    def test_iterate_repeats_under_a_date(self):
        with subprocess.Popen(["squeue", "-i", "1", "-j", self.held, "-o", "%i"], stdout=subprocess.PIPE, text=True,
                              env=self.cluster.environment, stdin=subprocess.DEVNULL) as repeated:
            lines = [repeated.stdout.readline().strip() for _ in range(8)]
            repeated.kill()
        self.assertEqual(lines[1:4], ["JOBID", self.held, ""])
        self.assertEqual(lines[5:8], ["JOBID", self.held, ""])

    def test_the_version_is_slurms(self):
        self.assertRegex(self.cluster.out("squeue", "-V"), r"^slurm(-wlm)? 22\.05\.\d+$")


if __name__ == "__main__":
    harness.main()
