"""purge_test.py: old jobs leave the controller's state for an archive, while it runs and across its death;
no job is in neither file, ids go on, and what is no archive is refused."""

import re
import shutil
import sqlite3
import subprocess
import unittest

import harness

DAY_S = 86400


class PurgeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = harness.Cluster(config=harness.SHORT_TIMES + "MinJobAge=1\nMaxJobCount=100000\n",
                                      has_clock=True)
        cls.cluster.start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()

    def purge(self, to, older="1d", **options):
        return self.cluster.run("sluice", "admin", "purge", "--older", older, "--to", to, check=False, **options)

    def wait_forgotten(self):
        """Until nothing that ended is in the controller's memory."""
        harness.wait_for(lambda: self.cluster.out("squeue", "-h", "-t", "all") == "", "an empty queue", 60)

    def rows(self, path, sql="SELECT job_id FROM job"):
        """Of a copy, with its log: what a crash left is not touched."""
        copy = self.cluster.folder / "copy.db"
        for suffix in ("", "-wal", "-journal"):
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                shutil.copy(beside, copy.with_name(copy.name + suffix))
        database = sqlite3.connect(copy)
        try:
            return [row[0] for row in database.execute(sql)]
        finally:
            database.close()


class Purge(PurgeTest):
    def test_a_job_leaves_with_its_script_and_new_ones_like_it_run(self):
        script = self.cluster.script("echo was here\n")
        ids = [self.cluster.submit("-o", f"{name}.out", script) for name in ("first", "second")]
        for job in ids:
            self.cluster.wait_state(job, "COMPLETED")
        self.wait_forgotten()
        self.cluster.shift_clock(2 * DAY_S)
        archive = self.cluster.work / "archive.db"
        done = self.purge(archive)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"^1 jobs that ended from \S+ to \S+ moved to {archive}, with [1-9]\d* events")
        # The newest stays: ids go on from it.
        self.assertEqual((self.cluster.state(ids[0]), self.cluster.state(ids[1])), ("", "COMPLETED"))
        sql = re.search(r'sqlite3 -readonly \S+ "(.*)"$', done.stdout, re.M)[1]
        self.assertEqual(self.rows(archive, sql), [int(ids[0])])
        self.assertEqual(self.rows(archive, "SELECT bytes FROM blob WHERE CAST(bytes AS TEXT) LIKE '%was here%'"),
                         [script.read_bytes()])

        again = self.cluster.submit("-o", "third.out", script)
        self.assertGreater(int(again), int(ids[1]))
        self.cluster.wait_state(again, "COMPLETED")
        self.assertIn("was here", (self.cluster.work / "third.out").read_text())
        self.cluster.restart("controller")
        self.assertGreater(int(self.cluster.submit("-H", "--wrap", "true")), int(again))
        self.cluster.run("scancel", "-u", "root" if harness.IS_ROOT else self.cluster.out("id", "-un"))

    def test_what_is_no_age_and_no_archive_is_refused(self):
        diary = self.cluster.work / "diary"
        diary.write_text("dear diary")
        copy = self.cluster.work / "backup.db"
        self.cluster.run("sluice", "admin", "backup", copy)
        good = self.cluster.work / "refused.db"
        for older, to, wanted in (
                ("90", good, "'90' is not a number and a unit (h, d, w, months, y): did you mean 90d?"),
                ("6m", good, "did you mean 6months?"),
                ("23h", good, "jobs stay for a day at least: 82800 s is less than 1d"),
                ("1y", "refused.db", "'refused.db' is not absolute: the archive is a file on the controller's host"),
                ("1y", diary, f"{diary} is there and is no archive of finished jobs; name a new file"),
                ("1y", copy, f"{copy} is there and is no archive of finished jobs; name a new file"),
                ("1y", self.cluster.work, f"{self.cluster.work} is there and is no archive"),
                ("1y", "/nowhere/archive.db", "No such file or directory")):
            with self.subTest(older=older, to=to):
                done = self.purge(to, older)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("sluice admin purge: error: ", done.stderr)
                self.assertIn(wanted, done.stderr)
        self.assertFalse(good.exists())
        self.assertEqual(diary.read_text(), "dear diary")

    @harness.needs_root
    def test_only_an_administrator_may(self):
        done = self.purge(self.cluster.work / "theirs.db", uid=harness.OTHER_UID)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"uid {harness.OTHER_UID} is not an administrator", done.stderr)
        self.assertFalse((self.cluster.work / "theirs.db").exists())


class Killed(PurgeTest):
    def test_no_job_is_in_neither_file_when_the_controller_is_killed_in_a_purge(self):
        jobs = 10_000
        self.cluster.run(harness.BIN.parent / "bench/submit_jobs", "-n", jobs, "-w", 256, "-H")
        self.cluster.run("scancel", "-t", "pending")
        self.wait_forgotten()
        self.cluster.shift_clock(2 * DAY_S)
        state, archive = self.cluster.dir / "state/state.db", self.cluster.work / "archive.db"
        given = set(self.rows(state))
        self.assertEqual(len(given), jobs)

        purge = subprocess.Popen(["sluice", "admin", "purge", "--older", "1d", "--to", archive],
                                 env=self.cluster.environment, stdout=subprocess.PIPE, text=True)
        harness.wait_for(lambda: archive.exists() and archive.stat().st_size > 1_000_000, "the first jobs there",
                         every_s=0.001)
        self.cluster.kill9("controller")
        left, moved = set(self.rows(state)), set(self.rows(archive))
        self.assertEqual(left | moved, given)
        self.assertTrue(left and moved and left < given, "it was not killed in the middle")

        # The command waits for the controller and asks it again.
        self.cluster.restart("controller")
        said = purge.communicate(timeout=60)[0]
        self.assertEqual(purge.returncode, 0)
        self.assertRegex(said, rf"^{len(left) - 1} jobs that ended from ")
        self.assertEqual(set(self.rows(archive)), given - {max(given)})
        new = int(self.cluster.submit("-H", "--wrap", "true"))
        self.assertGreater(new, max(given))
        self.assertEqual(set(self.rows(state)), {max(given), new})
        self.assertEqual(self.rows(archive, "PRAGMA integrity_check"), ["ok"])
        self.assertEqual(self.rows(archive, "SELECT count(*) FROM blob"), [jobs])


if __name__ == "__main__":
    harness.main()
