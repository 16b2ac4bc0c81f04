"""refusals_test.py: what a new user gets wrong: a clear line each, an exit code that is not 0, and
nothing lost."""

import harness


class Refusals(harness.SystemTest):
    def refused(self, *command, **options):
        """What a command that must fail says: few lines, none on standard output."""
        done = self.cluster.run(*command, check=False, **options)
        self.assertNotEqual(done.returncode, 0, command)
        self.assertEqual(done.stdout, "")
        self.assertIn(len(done.stderr.strip().splitlines()), (1, 2, 3), done.stderr)
        return done.stderr

    def test_a_wrong_option(self):
        self.assertIn("--nonsense", self.refused("sbatch", "--nonsense", "--wrap", "true"))

    def test_a_wrong_partition(self):
        self.assertIn("nowhere", self.refused("sbatch", "-p", "nowhere", "--wrap", "true"))

    def test_a_request_no_node_could_ever_fit(self):
        shown = self.refused("sbatch", "--mem", "100G", "--wrap", "true")
        self.assertIn("4096", shown)

    def test_an_unknown_id(self):
        for command in (["scontrol", "show", "job", "999999"], ["squeue", "-j", "999999"]):
            self.assertIn("Invalid job id specified", self.refused(*command))

    def test_a_script_with_dos_line_ends(self):
        path = self.cluster.work / "dos.sh"
        path.write_bytes(b"#!/bin/sh\r\ntrue\r\n")
        self.assertIn("dos.sh", self.refused("sbatch", path))

    def test_a_missing_script(self):
        self.assertIn("missing.sh", self.refused("sbatch", "missing.sh"))


class NoController(harness.SystemTest):
    def test_every_command_says_so_within_seconds(self):
        self.cluster.kill9("controller")
        for command in (["sbatch", "--wrap", "true"], ["squeue"], ["sinfo"], ["scancel", "1"],
                        ["scontrol", "show", "job", "1"]):
            with self.subTest(command[0]):
                done = self.cluster.run(*command, check=False, limit_s=5)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.cluster.restart("controller")


if __name__ == "__main__":
    harness.main()
