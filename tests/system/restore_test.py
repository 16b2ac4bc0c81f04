"""restore_test.py: the controller's state goes back to a backup while jobs run: what was queued is there, no
id is given twice, no run is lost or killed; and a backup that is not good changes nothing."""

import os
import re
import sqlite3
import unittest

import harness


class RestoreTest(harness.SystemTest):
    config = harness.SHORT_TIMES

    def setUp(self):
        self.state = self.cluster.dir / "state"
        self.backup = self.cluster.work / "backup.db"

    def take_backup(self):
        self.cluster.run("sluice", "admin", "backup", self.backup)

    def restore(self, *arguments, **options):
        return self.cluster.run("sluice", "admin", "restore", *arguments, check=False, cwd="/", **options)

    def queued(self):
        return set(self.cluster.out("squeue", "-h", "-o", "%i").split())


class Restore(RestoreTest):
    nodes = 2

    def running(self, node, name):
        """A job that waits for its file NAME.end, once it runs."""
        job = self.cluster.submit("-w", node, "-o", name, "--wrap",
                                  f"echo begun; while [ ! -e {name}.end ]; do sleep 0.1; done; echo ended")
        self.cluster.wait_text(name, "begun")
        return job

    def end(self, job, name):
        (self.cluster.work / f"{name}.end").touch()
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual((self.cluster.work / name).read_text(), "begun\nended\n")

    def test_queued_jobs_come_back_runs_go_on_and_no_id_is_given_twice(self):
        earlier = self.queued()
        held = [self.cluster.submit("-H", "--wrap", "true") for _ in range(5)]
        known = self.running("n1", "known")
        waiting = self.cluster.submit("-w", "n2", "-H", "-o", "waiting", "--wrap",
                                      "echo begun; sleep 600")
        self.take_backup()
        later = [self.cluster.submit("-H", "--wrap", "true") for _ in range(5)]
        unknown = self.running("n2", "unknown")
        self.cluster.run("scontrol", "release", waiting)
        self.cluster.wait_text("waiting", "begun")
        given = {*held, *later, known, unknown, waiting}

        self.cluster.kill9("controller")
        done = self.restore(self.backup)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = re.search(rf"^the former state is kept as ({self.state}/state.db.before-restore\S*)$",
                         done.stdout, re.M)[1]
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o600)
        self.cluster.restart("controller")
        for node in ("n1", "n2"):
            self.cluster.wait_node(node, "mixed", "allocated")

        self.assertEqual(self.queued() - earlier, {*held, known, unknown, waiting})
        self.assertEqual([self.cluster.state(job) for job in (known, unknown, waiting)], ["RUNNING"] * 3)
        self.assertEqual(self.cluster.field(unknown, "JobName,NodeList"), "wrap|n2")
        new = [self.cluster.submit("-H", "--wrap", "true") for _ in range(5)]
        self.assertGreater(min(map(int, new)), max(map(int, given)))
        self.end(known, "known")
        self.end(unknown, "unknown")
        self.cluster.run("scancel", waiting)
        self.cluster.wait_state(waiting, "CANCELLED")
        self.assertEqual((self.cluster.work / "waiting").read_text().count("begun"), 1)

    def test_a_job_that_waits_in_the_backup_waits_for_the_word_of_the_node_that_runs_it(self):
        def set_nodes(nodes, state):
            self.cluster.run("scontrol", "update", f"nodename={nodes}", f"state={state}", "reason=test")

        set_nodes("n1,n2", "drain")
        job = self.cluster.submit("--no-requeue", "-o", "once", "--wrap",
                                  "echo begun; while [ ! -e once.end ]; do sleep 0.1; done; echo ended")
        self.take_backup()
        set_nodes("n2", "resume")
        self.cluster.wait_text("once", "begun")
        self.cluster.kill9("controller")
        self.cluster.freeze("n2")
        self.assertEqual(self.restore(self.backup).returncode, 0)
        self.cluster.restart("controller")
        set_nodes("n1,n2", "resume")
        self.cluster.wait_node("n1", "idle")
        harness.wait_for(lambda: "restored from a backup" in self.cluster.out("sluice", "why", job),
                         "the reason why the job waits")
        self.assertEqual(self.cluster.state(job), "PENDING")
        self.cluster.thaw("n2")
        self.cluster.wait_state(job, "RUNNING")
        self.assertEqual(self.cluster.field(job, "NodeList"), "n2")
        self.end(job, "once")
        later = self.cluster.submit("--wrap", "true")
        self.cluster.wait_state(later, "COMPLETED")

    def test_ids_stay_above_all_also_after_a_second_restore(self):
        self.take_backup()
        given = self.cluster.submit("-H", "--wrap", "true")
        for _ in range(2):
            self.cluster.kill9("controller")
            done = self.restore(self.backup)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.cluster.restart("controller")
            new = self.cluster.submit("-H", "--wrap", "true")
            self.assertGreater(int(new), int(given))
            given = new
        kept = [name for name in os.listdir(self.state) if ".before-restore" in name]
        self.assertGreaterEqual(len(kept), 2)


class Refusals(RestoreTest):
    def setUp(self):
        super().setUp()
        self.take_backup()

    def refusal(self, *arguments, **options):
        """The error; nothing of the state has changed."""
        before = {name: (self.state / name).stat().st_ino for name in os.listdir(self.state)}
        done = self.restore(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual({name: (self.state / name).stat().st_ino for name in os.listdir(self.state)},
                         before)
        return done.stderr

    def variant(self, name, change):
        """A copy of the backup with other bytes."""
        path = self.cluster.work / name
        path.write_bytes(change(self.backup.read_bytes()))
        return path

    def test_a_running_controller_keeps_its_state_and_check_does_not_mind_it(self):
        error = self.refusal(self.backup)
        self.assertRegex(error, rf"in use by pid {self.cluster.pid('controller')} .*: stop it first")
        done = self.restore("--check", self.backup)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rf"^{self.backup} is good: schema \d+, \d+ jobs, ")

    def test_what_is_no_backup_is_told_in_its_own_words(self):
        newer = self.variant("newer", lambda bytes: bytes)
        with sqlite3.connect(newer) as database:
            database.execute("PRAGMA user_version = 99")
        other = self.cluster.work / "other"
        with sqlite3.connect(other) as database:
            database.execute("CREATE TABLE thesis (page INTEGER)")
        for file, wanted in (
                (self.cluster.work / "none", "none: there is no such file"),
                (self.cluster.work, "is not a regular file"),
                (self.variant("text", lambda bytes: b"dear diary"), "text: not a state of Sluice"),
                (other, "other is a database of another program"),
                (newer, "newer has schema 99, this binary knows up to "),
                (self.variant("torn", lambda bytes: bytes[:len(bytes) // 2]), "torn: torn: it has "),
                (self.variant("bad", lambda bytes: bytes[:5000] + b"U" * 8000 + bytes[13000:]),
                 "bad: ")):
            with self.subTest(file=file.name):
                self.assertIn(wanted, self.refusal("--check", file))

    def test_a_bad_backup_leaves_the_state_as_it_was(self):
        job = self.cluster.submit("-H", "--wrap", "true")
        self.cluster.kill9("controller")
        torn = self.variant("torn", lambda bytes: bytes[:len(bytes) // 2])
        self.assertEqual(self.restore(torn).returncode, 1)
        self.assertEqual(self.restore(self.state / "state.db").returncode, 1)
        self.cluster.restart("controller")
        self.assertIn(job, self.queued())

    @harness.needs_root
    def test_another_users_state_is_refused_with_the_command_that_would_do(self):
        self.backup.chmod(0o644)
        error = self.refusal(self.backup, uid=harness.OTHER_UID)
        self.assertIn(f"is that of root, and you are nobody: sudo -u root sluice admin restore {self.backup}",
                      error)



if __name__ == "__main__":
    harness.main()
