"""watch_test.py: `sluice watch` tells what happens, leaves nothing out, and goes on where it was."""

import json
import subprocess

import harness


class Watch(harness.SystemTest):
    nodes = 1
    cpus = 2

    def setUp(self):
        self.watchers = []

    def tearDown(self):
        for watcher in self.watchers:
            watcher.kill()
            watcher.stdout.close()
            watcher.wait()

    def watch(self, *arguments):
        watcher = subprocess.Popen([harness.BIN / "sluice", "watch", *arguments], text=True,
                                   stdout=subprocess.PIPE, env=self.cluster.environment)
        self.watchers.append(watcher)
        return watcher

    def since(self, token, *arguments):
        lines = self.cluster.out("sluice", "watch", "--no-wait", "--since", token, *arguments)
        return [json.loads(line) for line in lines.splitlines()]

    def newest(self):
        return self.since("start")[-1]["token"]

    def run_job(self, *arguments):
        return self.cluster.submit("-W", "-o", "/dev/null", *arguments, "--wrap", "true")

    def test_a_job_is_told_from_its_submit_to_its_end(self):
        token = self.newest()
        job = self.run_job("-J", 'odd "name"')
        told = [event for event in self.since(token) if event.get("job_id") == int(job)]
        self.assertEqual([event["event"] for event in told],
                         ["job_submitted", "run_placed", "run_started", "job_ended"])
        self.assertEqual(told[-1]["state"], "COMPLETED")
        self.assertEqual(told[0]["name"], 'odd "name"')
        self.assertEqual(told[1]["node"], "n1")
        after = [event["token"] for event in self.since(told[1]["token"], "-j", job)]
        self.assertEqual(after, [event["token"] for event in told[2:]])

    def test_a_watch_outlives_the_controller_and_misses_nothing(self):
        watcher = self.watch("-e", "job_ended", "--since", self.newest())
        jobs = [self.run_job() for _ in range(2)]
        self.cluster.kill9("controller")
        self.cluster.restart("controller")
        jobs += [self.run_job() for _ in range(2)]
        told = [json.loads(watcher.stdout.readline())["job_id"] for _ in jobs]
        self.assertEqual(told, [int(job) for job in jobs])

    def test_users_and_a_count_bound_what_is_told(self):
        token = self.newest()
        jobs = [self.run_job() for _ in range(3)]
        lines = self.cluster.out("sluice", "watch", "--since", token, "--count", "2", "-e", "job_submitted")
        self.assertEqual([json.loads(line)["job_id"] for line in lines.splitlines()],
                         [int(job) for job in jobs[:2]])
        self.assertEqual(self.since(token, "-u", "nobody"), [])

    def test_a_token_that_is_none_is_refused(self):
        for token in ("word", "1.5", "99999999.1"):
            done = self.cluster.run("sluice", "watch", "--since", token, "--no-wait", check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""), token)
            self.assertIn("token", done.stderr)

    def test_a_reader_that_has_gone_ends_the_watch(self):
        watcher = self.watch()
        watcher.stdout.close()
        harness.wait_for(lambda: self.run_job() and watcher.poll() is not None, "the end of the watch")


class Doctor(harness.SystemTest):
    nodes = 1

    def findings(self, code):
        done = self.cluster.run("sluice", "doctor", check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return {line.split()[0]: line for line in done.stdout.splitlines()}

    def test_a_cluster_that_is_well_has_nothing_bad(self):
        found = self.findings(0)
        self.assertEqual(found["controller"].split()[1], "ok")
        self.assertEqual(found["nodes"].split()[1], "ok")
        self.assertRegex(found["clock"], r"ok +[+-]0\.\d s")
        self.assertEqual(len(found), 9)

    def test_what_is_wrong_is_named_with_its_remedy(self):
        key = self.cluster.dir / "cluster.key"
        mode = key.stat().st_mode
        key.chmod(0o644)
        try:
            found = self.findings(1)
            self.assertRegex(found["key"], r"BAD .*mode 0644.*Remedy: chmod 600")
        finally:
            key.chmod(mode)
        self.cluster.run("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=test")
        try:
            self.assertRegex(self.findings(0)["nodes"], r"warning .*0 of 1 serve; drained: n1\. Remedy: ")
        finally:
            self.cluster.run("scontrol", "update", "NodeName=n1", "State=RESUME")

    def test_without_a_controller_the_rest_is_looked_at(self):
        self.cluster.kill9("controller")
        try:
            found = self.findings(1)
            self.assertRegex(found["controller"], "BAD .*Remedy: ")
            self.assertRegex(found["port"], "BAD .*Connection refused")
            self.assertEqual(found["users"].split()[1], "ok")
        finally:
            self.cluster.restart("controller")


if __name__ == "__main__":
    harness.main()
