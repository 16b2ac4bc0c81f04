"""placement_test.py: the options that say where a job may run, and what else must be free, as a user
meets them."""

import json
import socket

import harness


def configuration():
    ports = harness.free_ports(2)
    host = socket.gethostname().split(".")[0]
    lines = ["Licenses=lica:2,licb:1"]
    for name, port, rest in (("n1", ports[0], "Feature=fast,rack1 TmpDisk=1000"),
                             ("n2", ports[1], "Feature=slow,rack1 TmpDisk=2000")):
        lines.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 "
                     f"RealMemory=512 {rest} State=UNKNOWN")
    lines.append("PartitionName=main Nodes=n1 Default=YES MaxTime=INFINITE")
    lines.append("PartitionName=other Nodes=n2 MaxTime=60")
    return "\n".join(lines) + "\n"


class Placement(harness.SystemTest):
    config = configuration()

    def tearDown(self):
        self.end_all_jobs()

    def refused(self, *arguments):
        done = self.cluster.run("sbatch", *arguments, "--wrap", "true", check=False)
        self.assertEqual(done.returncode, 1)
        return done.stderr

    def running(self, *arguments):
        job = self.cluster.submit("-o", "/dev/null", *arguments, "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        return job

    def reason(self, job, wanted):
        return harness.wait_for(
            lambda: self.cluster.out("squeue", "-h", "-j", job, "-o", "%r") == wanted,
            f"job {job} to wait for {wanted}")

    def test_a_list_of_partitions_is_shown_while_it_waits_and_left_at_the_start(self):
        first = self.running("-n2")
        second = self.running("-n2", "-p", "other")
        job = self.cluster.submit("-n2", "-p", "main,other", "-t", "5", "-o", "job.out", "--wrap",
                                  "echo in $SLURM_JOB_PARTITION")
        self.reason(job, "Resources")
        self.assertEqual(self.cluster.out("squeue", "-h", "-j", job, "-o", "%P"), "main,other")
        self.assertEqual(self.cluster.out("squeue", "-h", "-p", "other", "-t", "PD", "-o", "%A"), job)
        why = self.cluster.out("sluice", "why", job)
        self.assertIn("partition other: 1 of 1 nodes: free cpus", why)
        self.assertIn("place in line of partition other: 1 ", why)
        self.cluster.run("scancel", second)
        self.cluster.wait_state(job, "COMPLETED")
        self.cluster.wait_text("job.out", "in other\n")
        self.assertEqual(self.cluster.field(job, "Partition"), "other")
        self.assertEqual(self.cluster.state(first), "RUNNING")

    def test_every_partition_of_a_list_must_be_able_to_take_the_job(self):
        self.assertIn("Requested time limit is invalid",
                      self.refused("-p", "main,other", "-t", "120"))
        self.assertIn("invalid partition specified: nosuch", self.refused("-p", "main,nosuch"))

    def test_who_lacks_a_licence_waits_with_the_numbers(self):
        holder = self.running("-L", "lica:2")
        job = self.cluster.submit("-L", "lica,licb", "-o", "/dev/null", "--wrap", "true")
        self.reason(job, "Licenses")
        self.assertIn("licence lica: 1 asked, 0 of 2 free", self.cluster.out("sluice", "why", job))
        self.assertEqual(self.cluster.out("squeue", "-h", "-j", job, "-o", "%W"), "lica,licb")
        self.assertEqual(self.cluster.out("scontrol", "-o", "show", "lic", "lica"),
                         "LicenseName=lica Total=2 Used=2 Free=0 Reserved=0 Remote=no")
        shown = json.loads(self.cluster.out("scontrol", "show", "lic", "--json"))
        self.assertEqual((shown["errors"], shown["licenses"]),
                         ([], [{"LicenseName": name, "Total": total, "Used": used, "Free": total - used, "Remote": False,
                                "Reserved": 0} for name, total, used in (("lica", 2, 2), ("licb", 1, 0))]))
        done = self.cluster.run("scontrol", "show", "lic", "nosuch", "--json", check=False)
        self.assertEqual((done.returncode, json.loads(done.stdout)["licenses"]), (1, []))
        self.cluster.kill9("controller")
        self.cluster.restart("controller")
        self.assertIn("Used=2", self.cluster.out("scontrol", "-o", "show", "lic", "lica"))
        self.cluster.run("scancel", holder)
        self.cluster.wait_state(job, "COMPLETED")
        self.assertIn("Used=0", self.cluster.out("scontrol", "-o", "show", "lic", "lica"))
        self.assertIn("Invalid license specification: lica: 3 asked, the site has 2",
                      self.refused("-L", "lica:3"))
        self.assertIn("Invalid license specification", self.refused("-L", "none:1"))
        self.assertIn("Invalid license specification", self.refused("-L", "lica:1|licb:1"))

    def test_a_constraint_picks_its_node_or_is_refused_with_what_there_is(self):
        job = self.cluster.submit("-p", "main,other", "-C", "(slow|quick),rack1", "-o", "c.out",
                                  "--wrap", "echo on $SLURM_JOB_NODELIST", check=False)
        self.assertEqual(job, "")  # main has no such node
        job = self.cluster.submit("-p", "other", "-t5", "-C", "(slow|quick),rack1", "-o", "c.out",
                                  "--wrap", "echo on $SLURM_JOB_NODELIST")
        self.cluster.wait_text("c.out", "on n2\n")
        self.assertEqual(self.cluster.show(job)["Features"], "(slow|quick)&rack1")
        told = self.refused("-C", "quick")
        self.assertIn("Invalid feature specification", told)
        self.assertIn("features there: fast, rack1", told)

    def test_what_a_node_must_have_is_shown_and_refused_with_the_largest(self):
        job = self.cluster.submit("-H", "--tmp=1000", "--mincpus=2", "-t10", "--time-min=5", "-s",
                                  "--wrap", "true")
        shown = self.cluster.show(job)
        self.assertEqual((shown["MinTmpDiskNode"], shown["MinCPUsNode"], shown["TimeMin"],
                          shown["OverSubscribe"]), ("1000M", "2", "00:05:00", "YES"))
        told = self.refused("--tmp=5000")
        self.assertIn("error: Temporary disk specification can not be satisfied\n", told)
        self.assertIn("tmp_mb=5000 on one node exceeds every node (largest: 1000)", told)
        self.assertIn("error: CPU count per node can not be satisfied\n", self.refused("--mincpus=9"))
        self.assertIn("Invalid time-min specification (exceeds job's time or other limits)",
                      self.refused("-t5", "--time-min=10"))


class Gpus(harness.SystemTest):
    arguments = ("--gpus", "a100:4")
    nodes = 2

    def test_gpus_of_a_job_are_counted_and_told_to_it(self):
        script = "env | grep -E '^SLURM_(GPUS|CPUS_PER_GPU|MEM_PER_GPU)' | sort"
        self.cluster.run("sbatch", "-W", "-N2", "-G", "a100:6", "--mem-per-gpu=100", "-o", "g.out",
                         "--wrap", script)
        self.assertEqual((self.cluster.work / "g.out").read_text(),
                         "SLURM_GPUS=a100:6\nSLURM_GPUS_ON_NODE=3\nSLURM_MEM_PER_GPU=100\n")
        job = self.cluster.submit("-H", "-n2", "--gpus-per-task=2", "--wrap", "true")
        shown = self.cluster.show(job)
        self.assertEqual(shown["TresPerTask"], "gres:gpu:2")
        self.assertIn("gres/gpu=4", shown["TRES"])

    def test_gpus_that_no_node_has_are_refused_with_what_there_is(self):
        done = self.cluster.run("sbatch", "--gres=gpu:5", "--wrap", "true", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("gres gpu:5 on one node exceeds every node (largest: 4)", done.stderr)
        done = self.cluster.run("sbatch", "--gres=gpu:nosuch:1", "--wrap", "true", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: Invalid generic resource (gres) specification", done.stderr)
        self.assertIn("there are: gpu:a100", done.stderr)


if __name__ == "__main__":
    harness.main()
