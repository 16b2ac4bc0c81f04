"""contract_scontrol_test.py: what the clients of scontrol show (and hold, release, requeue) rely on."""

import re

import harness

# In the order in which Slurm shows them.
JOB_KEYS = ("JobId JobName UserId GroupId MCS_label Priority Nice Account QOS JobState Reason Dependency Requeue Restarts BatchFlag "
            "Reboot ExitCode RunTime TimeLimit TimeMin SubmitTime EligibleTime AccrueTime StartTime EndTime Deadline SuspendTime "
            "SecsPreSuspend LastSchedEval Scheduler Partition AllocNode:Sid ReqNodeList ExcNodeList NodeList BatchHost NumNodes NumCPUs "
            "NumTasks CPUs/Task ReqB:S:C:T TRES Socks/Node NtasksPerN:B:S:C CoreSpec MinCPUsNode MinMemoryNode MinTmpDiskNode Features "
            "DelayBoot OverSubscribe Contiguous Licenses Network Command WorkDir Comment StdErr StdIn StdOut Power").split()
NODE_KEYS = ("NodeName Arch CoresPerSocket CPUAlloc CPUEfctv CPUTot CPULoad AvailableFeatures ActiveFeatures Gres NodeAddr NodeHostName "
             "Port Version OS RealMemory AllocMem FreeMem Sockets Boards State ThreadsPerCore TmpDisk Weight Owner MCS_label Partitions "
             "BootTime SlurmdStartTime LastBusyTime CfgTRES AllocTRES CapWatts CurrentWatts AveWatts ExtSensorsJoules ExtSensorsWatts "
             "ExtSensorsTemp").split()
PARTITION_KEYS = ("PartitionName AllowGroups AllowAccounts AllowQos AllocNodes Default QoS DefaultTime DisableRootJobs ExclusiveUser "
                  "GraceTime Hidden MaxNodes MaxTime MinNodes LLN MaxCPUsPerNode Nodes PriorityJobFactor PriorityTier RootOnly ReqResv "
                  "OverSubscribe OverTimeLimit PreemptMode State TotalCPUs TotalNodes SelectTypeParameters JobDefaults DefMemPerNode "
                  "MaxMemPerNode TRES").split()


def keys_of(line):
    return re.findall(r"(?:^| )([A-Za-z][A-Za-z_:/]*)=", line)


class Scontrol(harness.SystemTest):
    nodes = 2
    mem = "2000M"
    config = "PartitionName=debug Nodes=n[1-2] Default=YES\nPartitionName=small Nodes=n2 MaxTime=60\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.job = cls.cluster.submit("-J", "name", "--comment", "a b", "-n", "3", "-N", "2", "--mem=50", "-t", "5", "-o", "/dev/null",
                                     "--wrap", "sleep 300")
        cls.array = cls.cluster.submit("-H", "-a", "1-3%2", "-o", "/dev/null", "--wrap", "true")
        cls.cluster.wait_state(cls.job, "RUNNING")

    def show(self, *words, **options):
        return self.cluster.run("scontrol", *words, **options).stdout

    def test_a_job_on_one_line_has_slurms_keys_in_their_order(self):
        line = self.show("-o", "show", "job", self.job)
        self.assertEqual(line.count("\n"), 1)
        keys = [key for key in keys_of(line) if key in JOB_KEYS]
        self.assertEqual(keys, [key for key in JOB_KEYS if key in keys])
        self.assertEqual(set(JOB_KEYS) - set(keys), set())
        self.assertNotIn("  ", line)
        for text in (f"JobId={self.job} JobName=name ", "JobState=RUNNING Reason=None Dependency=(null)", "NumNodes=2 NumCPUs=3 NumTasks=3",
                     "TRES=cpu=3,mem=100M,node=2,billing=3", "NodeList=n[1-2] BatchHost=n1", "Comment=a b ", "TimeLimit=00:05:00"):
            self.assertIn(text, line)

    def test_forms_of_asking_for_a_job(self):
        first = self.show("show", "job", self.job)
        self.assertTrue(first.startswith(f"JobId={self.job} JobName=name\n   UserId="), first)
        self.assertTrue(first.endswith("\n\n"))
        for words in (("show", f"job={self.job}"), ("show", f"jobid={self.job}"), ("show", "jobid", self.job), ("SHOW", "JOB", self.job),
                      ("sho", "jo", self.job), ("show", "jobid", "-dd", self.job)):
            self.assertIn(f"JobId={self.job} ", self.show(*words).splitlines()[0])
        self.assertEqual(self.show("show", "job", "-o", self.job).splitlines()[0].split()[0], f"JobId={self.job}")
        for word in ("job", "jobs"):
            self.assertEqual(len(self.show("show", word).strip().split("\n\n")), 2)
        self.assertRegex(self.show("-d", "show", "job", self.job), r"\n     Nodes=n1 .*Mem=50 GRES=")

    def test_arrays(self):
        self.assertIn(f"JobId={self.array} ArrayJobId={self.array} ArrayTaskId=1-3%2 ArrayTaskThrottle=2 JobName=wrap", self.show("show", "job", self.array))
        self.assertIn(f"ArrayJobId={self.array} ArrayTaskId=2 ", self.show("show", "job", f"{self.array}_2"))
        done = self.cluster.run("scontrol", "show", "job", f"{self.array}_9", check=False)
        self.assertEqual((done.returncode, done.stdout), (1, f"Job {self.array}_9 not found\n"))

    def test_what_is_not_there(self):
        done = self.cluster.run("scontrol", "show", "job", "99999999", check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "slurm_load_jobs error: Invalid job id specified\n"))
        for kind, name in (("node", "nosuch"), ("partition", "nosuch"), ("reservation", "nosuch")):
            done = self.cluster.run("scontrol", "show", kind, name, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, f"{kind.capitalize()} nosuch not found\n"))
        done = self.cluster.run("scontrol", "show", "bogus", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "invalid entity:bogus for keyword:show \n"))
        self.assertEqual(self.show("show", "reservations"), "No reservations in the system\n")
        self.assertEqual(self.cluster.run("scontrol", "show", "topology").stderr, "scontrol: error: No topology information available\n")
        self.assertEqual(self.show("show", "aliases", "nosuch"), "")
        self.assertEqual(self.show("completing"), "")
        self.assertEqual(self.show("show", "daemons"), "slurmctld slurmd\n")

    def test_steps(self):
        for words in (("show", "steps"), ("show", "step", self.job), ("show", "step", f"{self.job}.batch")):
            text = self.show(*words)
            self.assertRegex(text, rf"^StepId={self.job}\.batch UserId=\d+ StartTime=\d{{4}}\S+ TimeLimit=UNLIMITED\n"
                                   r"   State=RUNNING Partition=debug NodeList=n1\n   Nodes=1 CPUs=2 Tasks=1 Name=batch ")
        done = self.cluster.run("scontrol", "show", "step", f"{self.job}.7", check=False)
        self.assertEqual((done.returncode, done.stdout), (1, f"Job step {self.job}.7 not found\n"))

    def test_nodes(self):
        line = self.show("-o", "show", "node", "n1")
        keys = [key for key in keys_of(line) if key in NODE_KEYS]
        self.assertEqual(keys, NODE_KEYS)
        self.assertEqual(re.findall(r" +Weight=", line), [" Weight="])
        for text in ("NodeName=n1 ", "CPUAlloc=2 ", "RealMemory=2000 AllocMem=50 ", "State=MIXED ", "Partitions=debug ", "AllocTRES=cpu=2,mem=50M"):
            self.assertIn(text, line)
        self.assertEqual(self.show("-a", "show", "-o", "nodes").count("NodeName="), 2)
        self.assertEqual(self.show("show", "nodes", "n[1-2]").count("NodeName="), 2)
        self.assertEqual(self.show("show", "node=n2").splitlines()[0].split()[0], "NodeName=n2")
        self.assertIn("GresUsed=", self.show("-d", "show", "node", "n1"))

    def test_partitions(self):
        self.assertEqual(self.show("show", "partition").splitlines()[0], "PartitionName=debug")
        lines = self.show("-a", "show", "-o", "partitions").splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertEqual([token for token in line.split() if not re.fullmatch(r"[^=]+=.+", token)], [])
            self.assertEqual(keys_of(line)[:len(PARTITION_KEYS)], PARTITION_KEYS)
        self.assertIn("TRES=cpu=8,mem=4000M,node=2,billing=8", lines[0])
        self.assertIn("MaxTime=01:00:00 MinNodes=0 ", self.show("show", "part", "small", "-o"))
        self.assertEqual(self.show("sho", "par", "small").splitlines()[0], "PartitionName=small")

    def test_the_configuration(self):
        text = self.show("show", "config")
        self.assertRegex(text, r"^Configuration data as of \d{4}-")
        for line in (r"SchedulerTimeSlice      = \d+ sec", r"AcctGatherNodeFreq      = \d+ sec", r"MinJobAge               = \d+ sec",
                     r"MaxArraySize            = \d+", r"ClusterName             = \S+", r"AccountingStorageType   = \S+",
                     r"SelectType              = select/cons_tres", r"SLURM_VERSION           = 22\.05\.\d+", r"KillWait                = \d+ sec",
                     r"AuthType                = \S+", r"SwitchType              = switch/none", r"TCPTimeout              = \d+ sec"):
            self.assertRegex(text, rf"(?m)^{line}$")
        self.assertRegex(text, r"\n\nSlurmctld\(primary\) at \S+ is UP\n$")
        keys = [line.split(" =")[0].strip() for line in text.splitlines()[1:-2]]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertGreater(len(keys), 150)

    def test_lists_of_hosts(self):
        for words, lines in ((("hostnames", "n[1-3,5],m1"), ["n1", "n2", "n3", "n5", "m1"]), (("hostname", "n[01-02]x[1-2]"), ["n01x1", "n01x2", "n02x1", "n02x2"]),
                             (("hostlist", "n1,n2,n3,n5,m1,m3"), ["n[1-3,5],m[1,3]"]), (("hostlistsorted", "n5,n1,n2"), ["n[1-2,5]"]),
                             (("hostname", "None assigned"), ["None", "assigned"])):
            self.assertEqual(self.show("show", *words).splitlines(), lines)
        self.assertEqual(self.show("show", "hostnames", env={"SLURM_JOB_NODELIST": "c[1-2]"}).split(), ["c1", "c2"])
        done = self.cluster.run("scontrol", "show", "hostnames")
        self.assertEqual((done.stdout, done.stderr), ("", "scontrol: error: host list is empty\n"))
        done = self.cluster.run("scontrol", "show", "hostnames", "a[3-1]")
        self.assertEqual(done.stdout, "")
        self.assertIn("Invalid hostlist: a[3-1]\n", done.stderr)

    def test_hold_release_and_requeue(self):
        job = self.cluster.submit("-H", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.show("release", job), "")
        self.cluster.wait_state(job, "COMPLETED")
        waits = self.cluster.submit("--begin=now+1hour", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.show("hold", waits), "")
        self.assertRegex(self.show("show", "job", waits), "Reason=JobHeld(User|Admin) ")
        self.cluster.run("scancel", waits)
        done = self.cluster.run("scontrol", "hold", "99999999", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "Invalid job id specified for job 99999999\nslurm_suspend error: Invalid job id specified\n"))
        done = self.cluster.run("scontrol", "update", "jobid=99999999", "timelimit=5", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "Invalid job id specified for job 99999999\n"))

    def test_requeue_of_a_running_job(self):
        job = self.cluster.submit("-w", "n2", "-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        self.assertEqual(self.show("requeue", job), "")
        harness.wait_for(lambda: self.cluster.show(job)["Restarts"] == "1" and self.cluster.state(job) == "RUNNING", "its second run")
        self.cluster.run("scancel", job)

    def test_ping_version_and_times(self):
        self.assertRegex(self.show("ping"), r"^Slurmctld\(primary\) at \S+ is UP\n$")
        self.assertRegex(self.show("version"), r"^slurm(-wlm)? 22\.05\.\d+\n$")
        self.assertRegex(self.show("show", "job", self.job, env={"SLURM_TIME_FORMAT": "%s"}), r"SubmitTime=\d{10} ")
        self.assertRegex(self.show("show", "job", self.job, env={"SLURM_TIME_FORMAT": "standard"}), r"SubmitTime=\d{4}-")


class NodeStates(harness.SystemTest):
    def test_states_of_nodes(self):
        def state():
            shown = self.cluster.out("scontrol", "-o", "show", "node", "n1")
            return re.search(r"State=(\S+)", shown)[1], re.findall(r"Reason=(.*?)(?: \[|$)", shown)
        for words, wanted in ((("state=drain", "reason=bad fan"), ("IDLE+DRAIN", ["bad fan"])), (("state=resume",), ("IDLE", [])),
                              (("State=DOWN", "Reason=x"), ("DOWN", ["x"])), (("STATE=IDLE",), ("IDLE", [])), (("state=DRAIN", "reason=y"), ("IDLE+DRAIN", ["y"])),
                              (("state=UNDRAIN",), ("IDLE", []))):
            self.assertEqual(self.cluster.out("scontrol", "update", "nodename=n1", *words), "")
            self.assertEqual(state(), wanted)
        done = self.cluster.run("scontrol", "update", "nodename=n1", "state=drain", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "You must specify a reason when DOWNING or DRAINING a node. Request denied\n"))
        done = self.cluster.run("scontrol", "update", "nodename=n1", "state=bogus", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^Invalid input: state=bogus\nRequest aborted\nValid states are: .*DRAIN.*RESUME")
        # Of nodes that come and go, and of partitions: administration, which is not built yet and says so.
        for words in (("nodename=n1", "nodeaddr=127.0.0.9"), ("nodename=n1", "nodehostname=x"), ("partitionname=main", "state=INACTIVE")):
            done = self.cluster.run("scontrol", "update", *words, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("Update of this parameter is not supported: ", done.stderr)


if __name__ == "__main__":
    harness.main()
