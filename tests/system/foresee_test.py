"""foresee_test.py: starts that did not happen yet, as a user asks for them: sbatch --test-only, sluice
plan, sluice why with what would help, and how good the forecasts were."""

import json
import re
import socket
import time

import harness


def configuration():
    ports = harness.free_ports(2)
    host = socket.gethostname().split(".")[0]
    lines = [f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 "
             "RealMemory=512 State=UNKNOWN" for name, port in zip(("n1", "n2"), ports)]
    lines.append("PartitionName=main Nodes=n1 Default=YES MaxTime=INFINITE")
    lines.append("PartitionName=other Nodes=n2 MaxTime=INFINITE State=UP")
    return "\n".join(lines) + "\n"


class Foresee(harness.SystemTest):
    config = configuration()

    def tearDown(self):
        self.end_all_jobs()

    def running(self, *arguments):
        job = self.cluster.submit("-o", "/dev/null", *arguments, "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        return job

    def plan(self, *arguments):
        return json.loads(self.cluster.out("sluice", "plan", "--json", *arguments, "--wrap", "true"))

    def test_a_dry_run_tells_the_start_and_what_would_help_and_submits_nothing(self):
        first = self.running("-n2", "-t", "30")
        ends = time.time() + 1800
        reply = self.plan("-n2", "-t", "10")
        planned = reply["planned"][0]
        self.assertEqual((planned["partition"], planned["nodes"], planned["cpus"]), ("main", "n1", 2))
        self.assertAlmostEqual(planned["start"], ends, delta=60)
        self.assertEqual(planned["reason"], "Resources")
        self.assertIn("--partition=other", [row["option"] for row in reply["changes"]])
        self.assertTrue(all(row["starts_now"] for row in reply["changes"]))
        tested = self.cluster.run("sbatch", "--test-only", "-n2", "-t", "10", "--wrap", "true")
        self.assertRegex(tested.stderr, r"Job \d+ to start at \S+ using 2 processors on nodes n1 in "
                                        "partition main")
        text = self.cluster.out("sluice", "plan", "-p", "main,other", "-n2", "-t", "10", "--wrap",
                                "true").splitlines()
        self.assertEqual(text[0].split(), ["PARTITION", "START", "WAIT", "NODES", "NODELIST", "CPUS",
                                           "TIMELIMIT", "REASON"])
        self.assertEqual([line.split()[0] for line in text[1:]], ["other", "main"])
        self.assertEqual(self.cluster.out("squeue", "-h", "-o", "%A"), first)

    def test_an_impossible_job_is_refused_as_at_its_submit(self):
        done = self.cluster.run("sluice", "plan", "-c3", "--wrap", "true", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cpus=", done.stderr)
        refused = self.cluster.run("sluice", "plan", "--json", "-p", "none", "--wrap", "true",
                                   check=False)
        self.assertTrue(json.loads(refused.stdout)["errors"])

    def test_a_change_that_is_offered_starts_the_job(self):
        self.running("-n2", "-t", "30")
        job = self.cluster.submit("-n2", "-t", "10", "-o", "/dev/null", "--wrap", "sleep 60")
        why = harness.wait_for(
            lambda: [row for row in json.loads(self.cluster.out("sluice", "why", "--json", job))["jobs"]
                     if row["reason"] == "Resources" and row["forecast_start"]], "the first forecast")[0]
        self.assertEqual(why["planned_start"], why["forecast_start"])
        self.assertEqual(why["partitions"][0]["place"], 1)
        change = [row for row in why["changes"] if row["option"] == "--partition=other"][0]
        self.assertTrue(change["starts_now"])
        self.assertIn(f"scontrol update job {job} Partition=other", self.cluster.out("sluice", "why", job))
        self.cluster.run("scontrol", "update", "job", job, change["update"])
        self.cluster.wait_state(job, "RUNNING")

    def test_the_error_of_a_forecast_is_kept(self):
        first = self.running("-n2", "-t", "30")
        job = self.cluster.submit("-n2", "-t", "10", "-o", "/dev/null", "--wrap", "true")
        harness.wait_for(lambda: "first foreseen" in self.cluster.out("sluice", "why", job), "a forecast")
        self.cluster.run("scancel", first)
        self.cluster.wait_end(job)
        self.assertTrue(re.search(r"; it started (29|30) min earlier", self.cluster.out("sluice", "why", job)))
        report = json.loads(self.cluster.out("sluice", "report", "forecast", "--json"))
        self.assertGreaterEqual(report["groups"][0]["jobs"], 1)
        self.assertGreater(report["groups"][0]["error_max_s"], 1500)


if __name__ == "__main__":
    harness.main()
