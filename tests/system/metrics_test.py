"""metrics_test.py: /metrics as a Prometheus server reads it."""

import http.client
import os
import re
import shutil
import socket
import subprocess
import unittest
import urllib.request

import harness
from harness import wait_for

# Where tests/run lays the package when it is not installed: it would start a service of its own.
FETCHED = harness.REPOSITORY / "build/fetched/prometheus/usr/bin/prometheus"
PROMETHEUS = shutil.which("prometheus") or (str(FETCHED) if FETCHED.exists() else None)


class Metrics(harness.SystemTest):
    nodes = 1
    cpus = 2

    def place(self):
        config = self.cluster.out("scontrol", "show", "config")
        return re.search(r"^MetricsAddr +=\s(\S+)$", config, re.MULTILINE).group(1)

    def scrape(self):
        with urllib.request.urlopen(f"http://{self.place()}/metrics", timeout=10) as answer:
            self.assertTrue(answer.headers["Content-Type"].startswith("application/openmetrics-text"))
            return answer.read().decode()

    def value(self, sample):
        found = re.search(rf"^{re.escape(sample)} (\S+)$", self.scrape(), re.MULTILINE)
        return float(found.group(1)) if found else None

    def documented(self):
        page = self.cluster.out(harness.BIN / "sluiced", "--man")
        names = set(re.findall(r"^\\fB((?:slurm|sluice)_[a-z_]+) \(", page, re.MULTILINE))
        self.assertGreater(len(names), 40)
        return names

    def test_the_page_lists_what_is_served(self):
        served = set(re.findall(r"^# TYPE (\S+) ", self.scrape(), re.MULTILINE))
        self.assertEqual(served, self.documented())

    def test_figures_follow_what_happens(self):
        ended = 'sluice_jobs_ended_total{outcome="completed"}'
        before = self.value(ended) or 0
        self.cluster.submit("-H", "-o", "/dev/null", "--wrap", "true")
        self.cluster.run("sbatch", "-W", "-o", "/dev/null", "--wrap", "true")
        self.assertEqual(self.value(ended), before + 1)
        self.assertGreaterEqual(self.value("slurm_queue_pending"), 1)
        self.assertGreater(self.value("sluice_commit_seconds_count"), 0)
        self.assertGreater(self.value('sluice_requests_total{message="submit_job"}'), 0)
        refused = self.value("sluice_requests_refused_total")
        self.cluster.run("sbatch", "-p", "nowhere", "--wrap", "true", check=False)
        self.assertEqual(self.value("sluice_requests_refused_total"), refused + 1)

    def test_anything_else_is_refused_and_the_connection_serves_on(self):
        line = http.client.HTTPConnection(self.place(), timeout=10)
        self.addCleanup(line.close)
        for method, path, status in (("GET", "/", 404), ("POST", "/metrics", 405),
                                     ("HEAD", "/metrics", 200), ("GET", "/metrics", 200)):
            line.request(method, path)
            answer = line.getresponse()
            body = answer.read()
            self.assertEqual((method, answer.status), (method, status))
        self.assertTrue(body.endswith(b"# EOF\n"))

    def test_peers_that_say_nothing_or_garbage_do_no_harm(self):
        address, port = self.place().rsplit(":", 1)
        idle = [socket.create_connection((address, int(port))) for _ in range(100)]
        try:
            idle[0].sendall(b"\x16\x03\x01" + b"x" * 100_000)
            done = self.cluster.run("sbatch", "-W", "-o", "/dev/null", "--wrap", "true")
            self.assertEqual(done.returncode, 0)
        finally:
            for line in idle:
                line.close()
        wait_for(lambda: self.scrape(), "the port to serve again")

    @unittest.skipUnless(PROMETHEUS, "needs Debian's prometheus")
    def test_a_prometheus_server_finds_every_documented_name(self):
        folder = self.cluster.folder / "prometheus"
        folder.mkdir()
        (folder / "config.yml").write_text(
            "global: {scrape_interval: 1s}\n"
            f"scrape_configs: [{{job_name: sluice, static_configs: [{{targets: ['{self.place()}']}}]}}]\n")
        self.cluster.run("sbatch", "-W", "-o", "/dev/null", "--wrap", "true")
        port = free_port()
        with open(folder / "log", "w", encoding="utf-8") as log:
            server = subprocess.Popen(
                [PROMETHEUS, f"--config.file={folder}/config.yml", f"--storage.tsdb.path={folder}/data",
                 f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log, cwd=folder)
        try:
            # Without a gpu or a requeue there is no sample, so no name, of these.
            without = {"sluice_gres_total", "sluice_gres_allocated", "sluice_runs_requeued"}
            expected = {re.sub(r"_total$", "", name) for name in self.documented() - without}

            def all_found():
                # While a scrape is taken in, some of its names are there already.
                names = {re.sub(r"_(bucket|sum|count|total)$", "", name) for name in self.found_by(port) or ()}
                return not expected - names and names
            wait_for(all_found, f"a scrape with every name; its log: {folder}/log", 30)
        finally:
            server.kill()
            server.wait()

    def found_by(self, port):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/label/__name__/values",
                                        timeout=5) as answer:
                names = re.findall(r'"((?:slurm|sluice)_[a-z_]+)"', answer.read().decode())
        except OSError:
            return None
        return names


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Moves(harness.SystemTest):
    """A changed SluiceMetricsAddr holds from the next reconfigure on."""

    def setUp(self):
        self.reconfigure("")

    def reconfigure(self, text, check=True):
        self.cluster.config.write_text(text)
        return self.cluster.run("scontrol", "reconfigure", check=check)

    def shown(self, key):
        config = self.cluster.out("scontrol", "show", "config")
        return re.search(rf"^{key} +=\s(.*?)\s*$", config, re.MULTILINE).group(1)

    def serves(self, place):
        try:
            with urllib.request.urlopen(f"http://{place}/metrics", timeout=10) as answer:
                return answer.read().endswith(b"# EOF\n")
        except OSError:
            return False

    def test_the_port_moves_is_closed_and_comes_back(self):
        first, second = self.shown("MetricsAddr"), f"127.0.0.1:{free_port()}"
        stays = http.client.HTTPConnection(first, timeout=10)
        self.addCleanup(stays.close)
        stays.request("GET", "/metrics")
        stays.getresponse().read()
        self.reconfigure(f"SluiceMetricsAddr={second}\n")
        self.assertEqual((self.shown("MetricsAddr"), self.serves(second), self.serves(first)), (second, True, False))
        with self.assertRaises(OSError):  # who was connected to the old place is not answered there
            stays.request("GET", "/metrics")
            stays.getresponse()
        self.reconfigure("SluiceMetricsAddr=NONE\n")
        self.assertEqual((self.shown("MetricsAddr"), self.serves(second)), ("(null)", False))
        self.reconfigure("")
        self.assertEqual((self.shown("MetricsAddr"), self.serves(first)), (first, True))

    @unittest.skipUnless(socket.has_ipv6 and os.path.exists("/proc/net/if_inet6"), "needs IPv6")
    def test_a_place_that_overlaps_the_old_one(self):
        first = self.shown("MetricsAddr")
        mapped = f"[::ffff:127.0.0.1]:{first.rsplit(':', 1)[1]}"
        self.reconfigure(f"SluiceMetricsAddr={mapped}\n")
        self.assertEqual((self.shown("MetricsAddr"), self.serves(first)), (mapped, True))

    def test_a_bad_place_refuses_all_of_the_configuration(self):
        first, kill_wait = self.shown("MetricsAddr"), self.shown("KillWait")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            for place in (f"127.0.0.1:{taken.getsockname()[1]}", "192.0.2.1:6829", "localhost:6829"):
                with self.subTest(place=place):
                    done = self.reconfigure(f"KillWait=7\nSluiceMetricsAddr={place}\n", check=False)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(f"SluiceMetricsAddr={place}", done.stderr)
                    self.assertEqual((self.shown("MetricsAddr"), self.shown("KillWait"), self.serves(first)),
                                     (first, kill_wait, True))


class PortTaken(harness.SystemTest):
    """The controller serves jobs also where it cannot serve metrics."""

    def test_a_port_that_is_taken_is_told_and_jobs_run(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.cluster.config.write_text(f"SluiceMetricsAddr=127.0.0.1:{taken.getsockname()[1]}\n")
            self.cluster.restart("controller")
            self.cluster.run("sbatch", "-W", "-o", "/dev/null", "--wrap", "true")
            self.assertIn("/metrics is not served: SluiceMetricsAddr=", self.cluster.log("controller"))
            self.cluster.run("scontrol", "reconfigure")  # the place is no news: not for its sake refused
        self.cluster.run("scontrol", "reconfigure")
        place = self.cluster.config.read_text().strip().split("=")[1]
        with urllib.request.urlopen(f"http://{place}/metrics", timeout=10) as answer:
            self.assertIn(b"# EOF", answer.read())


if __name__ == "__main__":
    harness.main()
