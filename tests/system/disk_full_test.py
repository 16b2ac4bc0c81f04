"""disk_full_test.py: the controller's state on a small file system that fills up. New work is refused with
a text that says so, the ends of running jobs are recorded all the same, and with space it goes on."""

import os
import subprocess
import unittest

import harness

SIZE = "48m"


class DiskFull(unittest.TestCase):
    @harness.needs_root
    def test_new_work_is_refused_and_ends_are_recorded(self):
        cluster = harness.Cluster(nodes=1, config=harness.SHORT_TIMES)
        disk = cluster.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", disk],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"cannot mount a tmpfs: {mounted.stderr.strip()}")
        self.addCleanup(cluster.stop)
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        self.addCleanup(cluster.dev, "down")
        cluster.config.write_text(harness.SHORT_TIMES + f"StateSaveLocation={disk}/state\n")
        (disk / "state").mkdir(mode=0o700)
        cluster.start()
        self.fill_and_free(cluster, disk)

    def fill_and_free(self, cluster, disk):
        running = [cluster.submit("-o", "/dev/null", "--wrap",
                                  f"while [ ! -e go ]; do sleep 0.1; done; exit {code}") for code in (0, 5)]
        for job in running:
            cluster.wait_state(job, "RUNNING")
        filler = disk / "filler"
        free = os.statvfs(disk)
        with open(filler, "wb") as file:
            # All but a little, so that what is left is less than the reserve and more than nothing.
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_bsize - 256 * 1024)
        def refused():
            done = cluster.run("sbatch", "-H", "-o", "/dev/null", "--wrap", "true", check=False)
            return done if done.returncode else None
        done = harness.wait_for(refused, "a submit to be refused")
        self.assertIn("state file system is full", done.stderr)
        self.assertEqual(done.returncode, 1)
        before = cluster.out("squeue", "-h", "-o", "%i")

        (cluster.work / "go").touch()
        self.assertEqual([cluster.wait_end(job) for job in running], [["COMPLETED"], ["FAILED"]])
        self.assertEqual(cluster.field(running[1], "ExitCode"), "5:0")

        filler.unlink()
        harness.wait_for(lambda: cluster.run("sbatch", "-o", "/dev/null", "-J", "after", "--wrap", "true",
                                             check=False).returncode == 0, "submits to go on")
        cluster.kill9("controller")
        cluster.restart("controller")
        for job in running:
            self.assertIn(cluster.state(job), ("COMPLETED", "FAILED"))
        self.assertLessEqual(set(before.split()) - set(running),
                             set(cluster.out("sacct", "-X", "-n", "-P", "-o", "JobID").split()))


if __name__ == "__main__":
    harness.main()
