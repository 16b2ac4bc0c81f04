"""newcomer_test.py: what a new user gets wrong: one clear line, an exit code that is not 0, and nothing
lost or left behind. Also a wrong or missing key, and a second controller on one state."""

import re
import subprocess
import unittest

import harness


class Mistakes(harness.SystemTest):
    nodes = 1
    cpus = 2
    mem = "1G"
    config = harness.SHORT_TIMES

    def queue(self):
        return self.cluster.out("squeue", "-h", "-o", "%i")

    def refused(self, *command, says, **options):
        """The command fails with one line that contains all of `says`; nothing new is in the queue.
        Slurm's own texts may put the facts on one more line."""
        before = self.queue()
        done = self.cluster.run(*command, check=False, **options)
        self.assertNotEqual(done.returncode, 0, done)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.strip().splitlines()
        self.assertTrue(1 <= len(lines) <= 2, done.stderr)
        for word in says:
            self.assertIn(word, done.stderr)
        self.assertEqual(self.queue(), before)

    def test_a_wrong_option_is_named(self):
        self.refused("sbatch", "--tiem=5", "--wrap", "true", says=["--tiem"])
        self.refused("squeue", "--nonsense", says=["--nonsense"])
        self.refused("scancel", "--nonsense", says=["--nonsense"])
        self.refused("sinfo", "--nonsense", says=["--nonsense"])
        self.refused("sacct", "--nonsense", says=["--nonsense"])

    def test_a_wrong_value_is_named(self):
        self.refused("sbatch", "--time=soon", "--wrap", "true", says=["soon"])
        self.refused("sbatch", "--mem=4X", "--wrap", "true", says=["4X"])
        self.refused("sbatch", "--array=5-1", "--wrap", "true", says=["5-1"])

    def test_a_wrong_option_in_the_script_is_told_with_file_and_line(self):
        script = self.cluster.script("#!/bin/sh\n#SBATCH -J fine\n#SBATCH --tiem=5\ntrue\n", "wrong.sh")
        self.refused("sbatch", script, says=["wrong.sh", "3", "--tiem"])

    def test_a_script_that_is_not_there_is_named(self):
        self.refused("sbatch", "missing.sh", says=["missing.sh"])

    def test_a_wrong_partition_is_named(self):
        self.refused("sbatch", "-p", "nowhere", "--wrap", "true", says=["nowhere", "main"])

    def test_an_impossible_request_is_refused_with_the_nearest_fit(self):
        self.refused("sbatch", "--mem=64G", "--wrap", "true", says=["65536", "1024"])
        self.refused("sbatch", "-c", "64", "--wrap", "true", says=["64", "2"])
        self.refused("sbatch", "-N", "7", "--wrap", "true", says=["7", "1"])
        self.refused("sbatch", "-w", "n9", "--wrap", "true", says=["n9"])

    def test_an_unknown_id_is_refused(self):
        # scancel itself is silent about ids it does not know, as scripts expect of Slurm's, but for -v.
        self.assertIn("999999", self.cluster.run("scancel", "-v", "999999").stderr)
        self.refused("scancel", "word", says=["word"])
        self.refused("scontrol", "show", "job", "999999", says=["Invalid job id"])
        self.refused("scontrol", "hold", "999999", says=["999999"])
        self.refused("squeue", "-j", "999999", says=["Invalid job id"])

    @harness.needs_root
    def test_another_users_job_cannot_be_touched(self):
        job = self.cluster.submit("-H", "--wrap", "true", uid=54321)
        for command in (["scancel", job], ["scontrol", "release", job], ["scontrol", "requeue", job],
                        ["scontrol", "write", "batch_script", job, "-"]):
            self.refused(*command, uid=harness.OTHER_UID, says=["denied"])
        self.assertEqual(self.cluster.state(job), "PENDING")
        self.refused("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=x",
                     uid=harness.OTHER_UID, says=["Invalid user id"])
        self.refused("scontrol", "reconfigure", uid=harness.OTHER_UID, says=["Invalid user id"])
        self.refused("scontrol", "shutdown", uid=harness.OTHER_UID, says=["Invalid user id"])
        self.cluster.run("scancel", job, uid=54321)
        self.assertEqual(self.cluster.wait_end(job), ["CANCELLED"])

    @harness.needs_root
    def test_key_and_state_cannot_be_read_by_others(self):
        for path in (self.cluster.dir / "cluster.key", self.cluster.dir / "state",
                     self.cluster.dir / "spool.n1/runs"):
            self.assertTrue(path.exists(), path)
            done = self.cluster.run("ls" if path.is_dir() else "cat", path, check=False,
                                    uid=harness.OTHER_UID)
            self.assertNotEqual(done.returncode, 0, path)
            self.assertIn("Permission denied", done.stderr)


class Absent(unittest.TestCase):
    """A cluster each, because its controller goes away."""

    def setUp(self):
        self.cluster = harness.Cluster(nodes=1, cpus=2, mem="1G", config=harness.SHORT_TIMES)
        self.cluster.start()
        self.addCleanup(self.cluster.stop)

    def start_controller(self):
        """Starts one more controller on this cluster's configuration, which is expected to give up."""
        return subprocess.run([harness.BIN / "sluiced", "-f", self.cluster.dir / "slurm.conf"],
                              env=self.cluster.environment, capture_output=True, text=True,
                              timeout=15)

    def one_line(self, text, *words):
        self.assertEqual(len(text.strip().splitlines()), 1, text)
        for word in words:
            self.assertIn(word, text)

    def test_without_a_controller_every_command_says_so_at_once(self):
        job = self.cluster.submit("-H", "--wrap", "true")
        self.cluster.kill9("controller")
        for command in (["sbatch", "--wrap", "true"], ["squeue"], ["sinfo"], ["scancel", job],
                        ["scontrol", "show", "job", job], ["sacct"]):
            done = self.cluster.run(*command, check=False, limit_s=5)
            self.assertNotEqual(done.returncode, 0, done)
            self.one_line(done.stderr, "controller.sock")
            self.assertEqual(done.stdout, "")
        self.cluster.restart("controller")
        self.assertEqual(self.cluster.state(job), "PENDING")

    def test_a_second_controller_is_refused_with_the_first_ones_pid(self):
        done = self.start_controller()
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, str(self.cluster.pid("controller")))
        job = self.cluster.submit("--wrap", "true")
        self.assertEqual(self.cluster.wait_end(job), ["COMPLETED"])

    def test_a_second_controller_is_refused_also_while_the_first_is_frozen(self):
        self.cluster.freeze("controller")
        try:
            done = self.start_controller()
        finally:
            self.cluster.thaw("controller")
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, str(self.cluster.pid("controller")))
        job = self.cluster.submit("--wrap", "true")
        self.assertEqual(self.cluster.wait_end(job), ["COMPLETED"])

    def test_a_second_agent_is_refused_where_it_was_started(self):
        """Its log goes to a file; whoever started it looks at the terminal."""
        log = self.cluster.work / "agent.log"
        config = self.cluster.work / "with_log.conf"
        config.write_text(f"Include {self.cluster.dir}/slurm.conf\nSlurmdLogFile={log}\n")
        done = self.cluster.run("sluice-agent", "--name", "n1", "-f", config, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("another sluice-agent uses this spool", done.stderr.splitlines()[-1])
        self.assertIn("another sluice-agent uses this spool", log.read_text())

    def test_no_key_is_told_with_the_path(self):
        key = self.cluster.dir / "cluster.key"
        self.cluster.kill9("controller")
        key.rename(key.with_suffix(".away"))
        done = self.start_controller()
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, str(key))
        key.with_suffix(".away").rename(key)
        self.cluster.restart("controller")

    def test_a_key_that_others_can_read_is_refused_with_the_path(self):
        key = self.cluster.dir / "cluster.key"
        self.cluster.kill9("controller")
        key.chmod(0o644)
        done = self.start_controller()
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, str(key))
        key.chmod(0o600)
        self.cluster.restart("controller")

    def test_a_wrong_key_is_told_with_fingerprints_on_both_sides(self):
        key = self.cluster.dir / "cluster.key"
        right = key.read_text()
        self.cluster.kill9("n1")
        key.write_text("0123456789abcdef" * 4 + "\n")
        self.cluster.dev("restart", "n1")
        def told(daemon):
            """The key texts behind "cluster keys differ" in its log."""
            return [line for line in self.cluster.log(daemon).splitlines()
                    if "cluster keys differ" in line]
        try:
            lines = [harness.wait_for(lambda: told(daemon), f"{daemon} to tell of both keys")[0]
                     for daemon in ("n1", "controller")]
        finally:
            key.write_text(right)
        fingerprints = [set(re.findall(r"key ([0-9a-f]{8})", line)) for line in lines]
        self.assertEqual(len(fingerprints[0]), 2, lines)
        self.assertEqual(fingerprints[0], fingerprints[1], lines)
        for line in lines:
            self.assertIn(f"of {key}, loaded 20", line)
        # Put right on disk it is used at the next try, without a restart.
        self.cluster.wait_node("n1", "idle")


if __name__ == "__main__":
    harness.main()
