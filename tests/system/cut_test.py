"""cut_test.py: one node of three loses its line to the controller (a proxy that stops). Its job ends by its
lease and runs again elsewhere, once; after healing the node is used again and nothing stale is left."""

SPEED = "slow"

import harness


class Cut(harness.SystemTest):
    nodes = 3
    config = harness.SHORT_TIMES

    def test_a_cut_node_s_job_runs_again_once_and_never_twice_at_a_time(self):
        line = self.cluster.put_proxy_before("n1")
        self.cluster.script('while [ ! -e stop ]; do '
                            'echo "$(date +%s) $SLURMD_NODENAME ${SLURM_RESTART_COUNT:-0}" >> log; sleep 0.1; done')
        # The other two are made unfit for the first run, so that it starts on n1.
        blockers = [self.cluster.submit("-o", "/dev/null", "--exclusive", "-w", node, "--wrap", "sleep 600")
                    for node in ("n2", "n3")]
        for job in blockers:
            self.cluster.wait_state(job, "RUNNING")
        job = self.cluster.submit("-o", "/dev/null", "--requeue", "job.sh")
        stays = self.cluster.submit("-o", "/dev/null", "--no-requeue", "-w", "n1", "--wrap",
                                    "while [ ! -e stop ]; do sleep 0.1; done; exit 4")
        for running in (job, stays):
            self.cluster.wait_state(running, "RUNNING")
        self.cluster.run("scancel", *blockers)

        line.cut()
        self.cluster.wait_node("n1", "down")
        harness.wait_for(lambda: self.runs() == ["0", "1"], "the second run, elsewhere", 40)
        self.assertEqual(self.cluster.state(stays), "NODE_FAIL")
        line.heal()
        self.cluster.wait_node("n1", "idle", "mixed")
        self.assertEqual(self.cluster.state(job), "RUNNING")

        (self.cluster.work / "stop").touch()
        self.assertEqual(self.cluster.wait_end(job), ["COMPLETED"])
        self.assertEqual(self.runs(), ["0", "1"])
        self.assertEqual([second for second, who in self.seconds().items() if len(who) > 1], [])
        nodes = {run: node for who in self.seconds().values() for node, run in who}
        self.assertEqual(nodes["0"], "n1")
        self.assertNotEqual(nodes["1"], "n1")
        self.assertEqual(self.cluster.state(stays), "NODE_FAIL", "a late word overwrote the end")
        self.cluster.wait_node("n1", "idle")

    def seconds(self):
        found = {}
        for line in (self.cluster.work / "log").read_text().splitlines():
            second, node, run = line.split()
            found.setdefault(second, set()).add((node, run))
        return found

    def runs(self):
        return list(dict.fromkeys(run for who in self.seconds().values() for _, run in sorted(who)))


class ShortCut(harness.SystemTest):
    nodes = 1
    config = harness.SHORT_TIMES

    def test_an_end_during_a_cut_is_told_after_healing(self):
        line = self.cluster.put_proxy_before("n1")
        job = self.cluster.submit("-o", "/dev/null", "--wrap",
                                  "while [ ! -e go ]; do sleep 0.1; done; touch ended; exit 6")
        self.cluster.wait_state(job, "RUNNING")
        line.cut(("to server",))
        (self.cluster.work / "go").touch()
        harness.wait_for((self.cluster.work / "ended").exists, "the job to end")
        self.assertEqual(self.cluster.state(job), "RUNNING")
        line.heal()
        self.assertEqual(self.cluster.wait_end(job), ["FAILED"])
        self.assertEqual(self.cluster.field(job, "ExitCode"), "6:0")


if __name__ == "__main__":
    harness.main()
