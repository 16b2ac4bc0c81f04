"""down_test.py: what a cluster leaves behind in the kernel when it or an agent ends: nothing of its own,
and all of its neighbour's."""

import os
import pathlib
import signal

import harness

HIERARCHIES = pathlib.Path("/sys/fs/cgroup")


def node_groups(cluster, node):
    """The control groups of a node, as a job on it sees them; none where jobs have none."""
    job = cluster.submit("-w", node, "-o", f"groups.{node}", "--wrap", "cat /proc/self/cgroup")
    cluster.wait_state(job, "COMPLETED")
    found = set()
    for line in (cluster.work / f"groups.{node}").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if path.startswith("/sluice/"):
            found.add(HIERARCHIES / controllers / pathlib.Path(path).parent.relative_to("/"))
    return found


def processes_naming(folder):
    """Command lines with a word below the folder."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any(word.startswith(f"{folder}/") for word in words):
            found.append(words)
    return found


def is_alive(pid):
    """False also for what has ended and is not reaped."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@harness.needs_root
class Down(harness.SystemTest):
    """Tests of one cluster that goes down, beside `cluster`, which stays."""

    def setUp(self):
        self.groups = node_groups(self.cluster, "n1")
        if not self.groups:
            self.skipTest("no control groups here")

    def assert_neighbour_is_well(self, running):
        self.assertTrue(all(group.is_dir() for group in self.groups), self.groups)
        self.assertEqual(self.cluster.state(running), "RUNNING")
        self.assertEqual(node_groups(self.cluster, "n1"), self.groups)
        self.cluster.run("scancel", running)

    def sleeper(self, cluster, node, name):
        """A running job whose second process has left its process group; the job and both pids."""
        job = cluster.submit("-w", node, "-o", name, "--wrap",
                             "setsid sleep 600 & echo $$ $! begun; wait")
        pids = cluster.wait_text(name, "begun").split()[:2]
        return job, [int(pid) for pid in pids]

    def test_down_removes_its_groups_and_no_others(self):
        running, _ = self.sleeper(self.cluster, "n1", "neighbour")
        with harness.Cluster(nodes=2) as other:
            groups = node_groups(other, "n1") | node_groups(other, "n2")
            self.assertEqual(len(groups), 2 * len(self.groups))
            pids = self.sleeper(other, "n1", "one")[1] + self.sleeper(other, "n2", "two")[1]
            other.kill9("n1")                    # its shepherd goes on
            other.kill9("n2", part="shepherds")  # its agent is left with what the shepherd held
            other.dev("down")
            self.assertEqual([str(group) for group in groups if group.exists()], [])
            self.assertEqual([pid for pid in pids if is_alive(pid)], [])
            self.assertEqual(processes_naming(other.dir), [])
        self.assert_neighbour_is_well(running)

    def test_down_finds_what_is_left_of_a_node_that_died_whole(self):
        running, _ = self.sleeper(self.cluster, "n1", "neighbour")
        with harness.Cluster(nodes=1) as other:
            groups = node_groups(other, "n1")
            self.sleeper(other, "n1", "one")
            other.kill9("n1", part="all")
            self.assertTrue(any((group / f"job_{job}_0").exists() for group in groups for job in (1, 2)))
            other.dev("down")
            self.assertEqual([str(group) for group in groups if group.exists()], [])
        self.assert_neighbour_is_well(running)

    def test_a_folder_written_in_short_is_not_that_of_another_cluster(self):
        running, _ = self.sleeper(self.cluster, "n1", "neighbour")
        with harness.Cluster(nodes=1) as other:
            self.assertEqual(other.dir.name, self.cluster.dir.name)
            other.run(harness.BIN / "sluice-dev", "down", "--dir", f"{other.dir.name}/",
                      cwd=other.folder)
            self.assertEqual(processes_naming(other.dir), [])
        self.assert_neighbour_is_well(running)

    def test_an_agent_without_runs_leaves_no_groups_and_one_with_runs_leaves_them(self):
        job, pids = self.sleeper(self.cluster, "n1", "stays")
        self.end_agent()
        self.assertTrue(all(group.is_dir() for group in self.groups))
        self.assertTrue(all(is_alive(pid) for pid in pids))
        self.cluster.restart("n1")
        self.cluster.wait_node("n1", "mixed")
        self.cluster.run("scancel", job)
        self.cluster.wait_state(job, "CANCELLED")
        self.cluster.wait_node("n1", "idle")
        self.end_agent()
        self.assertEqual([str(group) for group in self.groups if group.exists()], [])
        self.cluster.restart("n1")
        self.cluster.wait_node("n1", "idle")
        self.assertEqual(node_groups(self.cluster, "n1"), self.groups)

    def end_agent(self):
        pid = self.cluster.pid("n1")
        os.kill(pid, signal.SIGTERM)
        harness.wait_for(lambda: not is_alive(pid), "the agent to end")


if __name__ == "__main__":
    harness.main()
