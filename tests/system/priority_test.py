"""priority_test.py: priorities of several factors, and the commands that show them."""

import harness

HEADING = "          JOBID PARTITION   PRIORITY       SITE        AGE    JOBSIZE  PARTITION"


class Priority(harness.SystemTest):
    nodes = 2
    cpus = 4
    mem = "2000M"
    config = """PartitionName=low Nodes=n[1-2] Default=YES PriorityJobFactor=1
PartitionName=high Nodes=n[1-2] PriorityJobFactor=4
PartitionName=first Nodes=n1 PriorityTier=9 TRESBillingWeights="CPU=1.0,Mem=0.25G"
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightJobSize=100
PriorityWeightPartition=400
PriorityCalcPeriod=1
"""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.filler = cls.cluster.submit("-N2", "-n8", "-o", "/dev/null", "--wrap", "sleep 600")
        cls.cluster.wait_state(cls.filler, "RUNNING")

    def setUp(self):
        self.jobs = []

    def tearDown(self):
        if self.jobs:
            self.cluster.run("scancel", *self.jobs)

    def wait(self, *arguments):
        job = self.cluster.submit("-o", "/dev/null", *arguments, "--wrap", "true")
        self.jobs.append(job)
        return job

    def factors(self, job, letters):
        return self.cluster.out("sprio", "-h", "-j", job, "-o", letters).split()

    def test_a_priority_is_the_sum_of_its_parts(self):
        low = self.wait("-N1", "-n4")
        high = self.wait("-N2", "-n8", "-p", "high", "--nice=7")
        # Half of the nodes and half of the CPUs; a quarter of the highest partition.
        self.assertEqual(self.factors(low, "%Y %J %P %N %j %p"), ["150", "50", "100", "0", "0.5000000", "0.2500000"])
        self.assertEqual(self.factors(high, "%Y %J %P %N"), ["493", "100", "400", "7"])
        self.assertEqual(self.cluster.out("squeue", "-h", "-S", "-p", "-t", "PD", "-o", "%i %Q").splitlines(),
                         [f"{high} 493", f"{low} 150"])
        self.assertEqual(self.cluster.show(low)["Priority"], "150")
        self.assertIn("priority 150 = age 0.0 (0.0000 of 1000) + job size 50.0 (0.5000 of 100) + "
                      "partition low 100.0 (0.2500 of 400)", self.cluster.out("sluice", "why", low))

    def test_sprio_is_a_table_as_slurms(self):
        job = self.wait("-N1", "-n4")
        self.assertEqual(self.cluster.run("sprio", "-j", job).stdout.splitlines(),
                         [HEADING, f"{job:>15} low              150          0          0         50        100"])
        self.assertEqual(self.cluster.run("sprio", "-w").stdout.splitlines(),
                         [HEADING, "        Weights                               1       1000        100        400"])
        held = self.wait("-H")
        self.assertEqual(self.cluster.out("sprio", "-h", "-j", held), "")
        both = self.wait("-p", "low,high")
        self.assertEqual(self.cluster.out("sprio", "-h", "-j", both, "-S", "r", "-o", "%r %P").splitlines(), ["high 400", "low 100"])
        self.assertEqual(self.cluster.out("sprio", "-h", "-j", both, "-p", "low", "-o", "%r"), "low")
        done = self.cluster.run("sprio", "-o", "%z", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "sprio: error: Invalid job format specification: z\n"))

    def test_an_administrators_priority_stays_and_zero_holds(self):
        job = self.wait("-N1", "-n4")
        self.cluster.run("scontrol", "update", f"jobid={job}", "priority=77")
        self.assertEqual(self.factors(job, "%Y %J"), ["77", "0"])
        self.cluster.run("scontrol", "update", f"jobid={job}", "priority=0")
        self.assertEqual(self.cluster.show(job)["Priority"], "0")
        self.assertEqual(self.cluster.show(job)["Reason"], "JobHeldAdmin")

    def test_the_configuration_is_shown(self):
        shown = self.cluster.out("scontrol", "show", "config")
        for line in ("PriorityType            = priority/multifactor", "PriorityWeightAge       = 1000",
                     "PriorityCalcPeriod      = 00:01:00", "PriorityDecayHalfLife   = 7-00:00:00"):
            self.assertIn(line, shown)
        self.assertIn("TRESBillingWeights=cpu=1,mem=0.25G", self.cluster.out("scontrol", "show", "partition", "first"))

    def test_sshare_and_sdiag_answer(self):
        self.assertEqual(self.cluster.out("sshare", "-P").splitlines()[0],
                         "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare")
        shares = self.cluster.out("sshare", "-a", "-n", "-P", "-o", "account,user,fairshare")
        self.assertEqual(shares.splitlines(), ["root||", " root|root|1.000000"])
        done = self.cluster.run("sshare", "-o", "shoe", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, 'sshare: error: Invalid field requested: "shoe"\n'))
        text = self.cluster.run("sdiag").stdout
        for start in ("Server thread count:", "Agent queue size:", "DBD Agent queue size:", "\tLast cycle:", "\tMean cycle:",
                      "\tCycles per minute:", "\tDepth Mean:", "\tTotal backfilled jobs (since last slurm start):",
                      "\tTotal backfilled jobs (since last stats cycle start):",
                      "\tTotal backfilled heterogeneous job components:"):
            self.assertTrue(any(line.startswith(start) for line in text.splitlines()), start)
        self.assertNotIn("Jobs submitted: 0\n", text)
        self.assertEqual(self.cluster.out("sdiag", "-r"), "Reset scheduling statistics")
        self.assertIn("Jobs submitted: 0\n", self.cluster.run("sdiag").stdout)
        self.wait()
        self.assertIn("Jobs submitted: 1\n", self.cluster.run("sdiag").stdout)


class Basic(harness.SystemTest):
    def test_without_factors_sprio_says_so(self):
        done = self.cluster.run("sprio", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("(priority/basic)", done.stderr)


if __name__ == "__main__":
    harness.main()
