"""reconfigure_test.py: configuration, keys and logs are taken anew while everything runs."""

import os
import signal

import harness


class Reconfigure(harness.SystemTest):
    nodes = 2

    def setUp(self):
        self.cluster.config.write_text("")

    def read_again(self, node):
        return self.cluster.log(node).count("configuration read again")

    def test_scontrol_reaches_the_agents_and_no_run_ends(self):
        job = self.cluster.submit("-N", "2", "-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        before = {node: (self.cluster.pid(node), self.read_again(node)) for node in ("n1", "n2")}
        self.cluster.config.write_text("SlurmdTimeout=29\n")
        self.cluster.run("scontrol", "reconfigure")
        for node, (pid, times) in before.items():
            harness.wait_for(lambda: self.read_again(node) > times, f"{node} to read its configuration")
            self.assertEqual(self.cluster.pid(node), pid)
            self.assertIn(f"of {self.cluster.dir}/cluster.key", self.cluster.log(node))
        self.cluster.run("sbatch", "-W", "-N", "2", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.cluster.state(job), "RUNNING")
        self.cluster.run("scancel", job)
        self.cluster.wait_state(job, "CANCELLED")

    def test_an_agent_told_alone_opens_its_log_anew(self):
        path = self.cluster.dir / "log" / "n1.log"
        path.rename(path.with_suffix(".log.1"))
        os.kill(self.cluster.pid("n1"), signal.SIGHUP)
        harness.wait_for(lambda: self.read_again("n1") == 1, "a line in the new log")
        self.cluster.run("sbatch", "-W", "-w", "n1", "-o", "/dev/null", "--wrap", "true")

    def test_a_broken_file_changes_nothing(self):
        self.cluster.config.write_text("KillWait=soon\n")
        done = self.cluster.run("scontrol", "reconfigure", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("KillWait=soon", done.stderr)
        os.kill(self.cluster.pid("n2"), signal.SIGHUP)
        harness.wait_for(lambda: "the old configuration stays" in self.cluster.log("n2"), "the refusal")
        self.cluster.config.write_text("")
        self.cluster.run("sbatch", "-W", "-w", "n2", "-o", "/dev/null", "--wrap", "true")


if __name__ == "__main__":
    harness.main()
