"""dev_test.py: `sluice dev` by itself: its folder, its processes, its refusals. The daemons are fakes,
so that nothing but `sluice dev` can be the cause of a failure."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness


def state_of(pid):
    """The state letter of the kernel; empty: the process has ended, reaped or not."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0]
    except FileNotFoundError:
        return ""
    return "" if state == "Z" else state


class Dev(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-dev-test.", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copy(harness.BIN / "sluice-dev", self.folder)
        for name in ("sluiced", "sluice-agent", "sinfo"):
            shutil.copy(harness.REPOSITORY / "tests/system/fake_daemon.py", self.folder / name)
        self.dir = self.folder / "cluster"
        self.environment = {"PATH": os.environ["PATH"]}

    def dev(self, *arguments):
        return subprocess.run([self.folder / "sluice-dev", *arguments], env=self.environment,
                              capture_output=True, text=True, timeout=60)

    def up(self, *arguments):
        self.addCleanup(self.dev, "down", "--dir", self.dir)
        return self.dev("up", "--dir", self.dir, "--wait", "20", *arguments)

    def pid(self, daemon):
        return int((self.dir / "run" / f"{daemon}.pid").read_text().split()[0])

    def state(self, daemon):
        return state_of(self.pid(daemon))

    def test_up_prints_only_lines_a_shell_can_take(self):
        done = self.up("--nodes", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([line.split("=")[0] for line in lines],
                         ["export PATH", "export SLUICE_CONF", "export SLUICE_DEV_DIR"])
        shown = subprocess.run(["sh", "-c", done.stdout + "command -v sluiced; echo $SLUICE_CONF"],
                               env=self.environment, capture_output=True, text=True)
        self.assertEqual(shown.stdout.split(),
                         [str(self.folder / "sluiced"), str(self.dir / "slurm.conf")])

    def test_down_ends_every_daemon_and_leaves_a_folder_it_did_not_make(self):
        self.up("--nodes", "2")
        pids = [self.pid(daemon) for daemon in ("controller", "n1", "n2")]
        self.assertEqual(self.dev("down", "--dir", self.dir).returncode, 0)
        self.assertEqual([state_of(pid) for pid in pids], ["", "", ""])
        self.assertTrue(self.dir.is_dir())

    def test_down_removes_a_folder_that_up_made(self):
        done = self.dev("up", "--nodes", "1")
        self.environment["SLUICE_DEV_DIR"] = done.stdout.split("SLUICE_DEV_DIR=")[1].strip().strip("'")
        self.addCleanup(self.dev, "down")
        self.assertEqual(self.dev("down").returncode, 0)
        self.assertFalse(os.path.exists(self.environment["SLUICE_DEV_DIR"]))

    def test_down_never_ends_a_process_that_got_the_pid_of_another(self):
        self.up("--nodes", "1")
        stranger = subprocess.Popen(["sleep", "60"])
        self.addCleanup(stranger.wait)
        self.addCleanup(stranger.kill)
        pid_file = self.dir / "run/n1.pid"
        real = pid_file.read_text()
        pid_file.write_text(f"{stranger.pid} {real.split()[1]}\n")
        self.dev("down", "--dir", self.dir)
        self.assertIsNone(stranger.poll())
        pid_file.write_text(real)

    def test_faults_hit_one_daemon(self):
        self.up("--nodes", "2")
        self.assertEqual(self.dev("freeze", "n1", "--dir", self.dir).returncode, 0)
        harness.wait_for(lambda: self.state("n1") == "T", "n1 to be stopped")
        self.assertIn("n1           frozen", self.dev("status", "--dir", self.dir).stdout)
        self.dev("thaw", "n1", "--dir", self.dir)
        harness.wait_for(lambda: self.state("n1") == "S", "n1 to go on")
        before = self.pid("n2")
        self.dev("kill9", "n2", "--dir", self.dir)
        self.assertEqual(self.state("n2"), "")
        self.assertIn("n2           not running", self.dev("status", "--dir", self.dir).stdout)
        self.dev("restart", "n2", "--dir", self.dir)
        self.assertNotEqual(self.pid("n2"), before)
        self.assertEqual(self.state("n1"), "S")

    def test_a_process_runs_until_its_last_thread_has_ended(self):
        self.environment["FAKE_DAEMON_LEAVES_FIRST_THREAD"] = "1"
        self.assertEqual(self.up("--nodes", "1").returncode, 0)
        harness.wait_for(lambda: self.state("n1") == "", "the first thread of n1 to end")
        self.assertIn("n1           runs", self.dev("status", "--dir", self.dir).stdout)
        self.assertEqual(self.dev("kill9", "n1", "--dir", self.dir).returncode, 0)
        self.assertIn("n1           not running", self.dev("status", "--dir", self.dir).stdout)

    def test_a_restart_that_fails_says_so_with_the_end_of_the_log(self):
        self.up("--nodes", "1")
        self.environment["FAKE_DAEMON_FAILS"] = "1"
        done = self.dev("restart", "n1", "--dir", self.dir)
        self.assertEqual(done.returncode, 1)
        self.assertIn("n1 has ended", done.stderr)
        self.assertIn("no such luck", done.stderr)

    def test_an_unknown_daemon_is_refused_with_those_there_are(self):
        self.up("--nodes", "2")
        done = self.dev("kill9", "n3", "--dir", self.dir)
        self.assertEqual(done.returncode, 1)
        self.assertIn("n3: this cluster has controller, n1, n2", done.stderr)

    def test_a_daemon_that_ends_at_once_fails_up_with_the_end_of_its_log(self):
        self.environment["FAKE_DAEMON_FAILS"] = "1"
        done = self.up("--nodes", "1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("has ended", done.stderr)
        self.assertIn("no such luck", done.stderr)

    def test_a_folder_of_other_files_is_left_alone(self):
        self.dir.mkdir()
        (self.dir / "thesis").touch()
        done = self.up()
        self.assertEqual(done.returncode, 1)
        self.assertIn("holds other files", done.stderr)
        self.assertEqual(os.listdir(self.dir), ["thesis"])

    def test_a_running_cluster_is_not_started_twice_and_a_stopped_one_keeps_its_key(self):
        self.up("--nodes", "1")
        key = (self.dir / "cluster.key").read_text()
        again = self.up("--nodes", "1")
        self.assertEqual(again.returncode, 1)
        self.assertIn("its controller runs", again.stderr)
        self.dev("down", "--dir", self.dir)
        self.assertEqual(self.up("--nodes", "2").returncode, 0)
        self.assertEqual((self.dir / "cluster.key").read_text(), key)
        self.assertEqual((self.dir / "cluster.key").stat().st_mode & 0o777, 0o600)

    def test_a_config_file_may_bring_its_own_nodes(self):
        extra = self.folder / "extra.conf"
        extra.write_text("KillWait=3\nNodeName=big,small[1-2] CPUs=1 RealMemory=100\n")
        self.up("--config", extra)
        self.assertTrue((self.dir / "slurm.conf").read_text().endswith(f"Include {extra}\n"))
        lines = self.dev("status", "--dir", self.dir).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:5]],
                         ["controller", "big", "small1", "small2"])

    def test_a_wrong_line_of_the_config_file_is_told_with_its_place(self):
        extra = self.folder / "extra.conf"
        extra.write_text("\nKillWait=soon\n")
        done = self.up("--config", extra)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{extra}:2", done.stderr)

    def test_a_path_too_long_for_a_socket_is_refused(self):
        done = self.dev("up", "--dir", self.folder / ("x" * 100))
        self.assertEqual(done.returncode, 1)
        self.assertIn("too long", done.stderr)


if __name__ == "__main__":
    harness.main()
