"""contract_documents_test.py: --json and --yaml of the listings: one valid document, whatever happens."""

import json
import subprocess

import harness

BROKEN = b"caf\xe9\xff \"x\" \\ \t|"


def no_constant(word):
    raise ValueError(f"{word} is no JSON")


class Documents(harness.SystemTest):
    nodes = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.held = cls.cluster.submit("-H", "-J", "held", "--comment", "c", "-t", "5", "--mem=100", "-o", "/dev/null", "--wrap", "true")
        cls.running = cls.cluster.submit("-n", "2", "-w", "n1", "-J", "runs", "-o", "/dev/null", "--wrap", "sleep 300")
        cls.array = cls.cluster.submit("-H", "-a", "1-9%2", "-o", "/dev/null", "--wrap", "true")
        cls.failed = cls.cluster.submit("-o", "/dev/null", "--wrap", "exit 3")
        cls.cluster.wait_state(cls.running, "RUNNING")
        cls.cluster.wait_state(cls.failed, "FAILED")

    def document(self, *words, code=0, **options):
        done = self.cluster.run(*words, check=False, **options)
        document = json.loads(done.stdout, parse_constant=no_constant)
        self.assertEqual((done.returncode, bool(document["errors"])), (code, code != 0), done.stderr)
        self.assertEqual(document["meta"]["Slurm"]["version"]["major"], 22)
        return document

    def test_the_queue(self):
        document = self.document("squeue", "--json")
        self.assertEqual(document["meta"]["plugin"]["type"], "openapi/v0.0.38")
        jobs = {str(job["job_id"]): job for job in document["jobs"]}
        self.assertEqual(set(jobs), {self.held, self.running, self.array})
        self.assertEqual({len(job) for job in jobs.values()}, {len(jobs[self.held])})
        job = jobs[self.held]
        self.assertEqual((job["job_state"], job["state_reason"], job["name"], job["comment"], job["time_limit"], job["start_time"],
                          job["memory_per_node"], job["cpus"], job["array_job_id"], job["job_resources"], job["account"]),
                         ("PENDING", "JobHeldUser", "held", "c", 5, None, 100, 1, None, None, None))
        job = jobs[self.running]
        self.assertEqual((job["job_state"], job["nodes"], job["job_resources"]["allocated_nodes"]["0"]["nodename"], job["cpus"]),
                         ("RUNNING", "n1", "n1", 2))
        self.assertIsInstance(job["start_time"], int)
        self.assertEqual((jobs[self.array]["array_task_string"], jobs[self.array]["array_max_tasks"]), ("1-9", 2))

    def test_filters_are_honoured(self):
        ids = lambda *words: [str(job["job_id"]) for job in self.document("squeue", "--json", *words)["jobs"]]
        self.assertEqual(ids("-t", "R"), [self.running])
        self.assertEqual(ids("-t", "PENDING"), [self.held, self.array])
        self.assertEqual(ids("-n", "held"), [self.held])
        self.assertEqual(ids("-j", f"{self.held},999999"), [self.held])
        self.assertEqual(ids("-t", "all", "-j", self.failed), [self.failed])
        self.assertEqual(ids("-p", "nosuch"), [])
        self.assertEqual(self.document("squeue", "--json", "-j", f"{self.array}_4")["jobs"][0]["array_task_string"], "4")

    def test_variables_of_the_text_listing_do_not_touch_it(self):
        plain = self.document("squeue", "--json", "-j", self.held)["jobs"]
        env = {"SQUEUE_FORMAT": "%i", "SQUEUE_SORT": "?", "SLURM_TIME_FORMAT": "%s", "SINFO_FORMAT": "%n", "SACCT_FORMAT": "nosuch"}
        self.assertEqual(self.document("squeue", "--json", "-j", self.held, env=env)["jobs"], plain)
        self.document("sinfo", "--json", env=env)
        self.document("sacct", "--json", env=env)

    def test_errors_are_part_of_the_document(self):
        for words in (("squeue", "--json", "-j", "999999"), ("squeue", "--json", "-u", "nosuchuser"), ("squeue", "--json", "-t", "XX"),
                      ("squeue", "--json", "--nosuch"), ("squeue", "--json", "-w", "n99"), ("squeue", "--json=v9"), ("squeue", "--json", "word"),
                      ("scontrol", "show", "job", "999999", "--json"), ("scontrol", "show", "node", "nosuch", "--json"),
                      ("scontrol", "show", "partition", "nosuch", "--json"), ("scontrol", "show", "config", "--json"),
                      ("scontrol", "ping", "--json"), ("sinfo", "--json", "-t", "bogus"), ("sacct", "--json", "-s", "BOGUS"),
                      ("sacct", "--json", "-S", "bogus"), ("squeue", "--json", "-M", "nosuch")):
            with self.subTest(words=words):
                document = self.document(*words, code=1)
                self.assertTrue(document["errors"][0]["error"])
        self.assertEqual(self.document("squeue", "--json", "-j", "999999", code=1)["errors"][0]["error"], "Invalid job id specified")
        self.assertEqual(self.document("sacct", "--json", "-j", "999999")["jobs"], [])

    def test_no_controller_is_an_error_of_its_own(self):
        env = {"SLUICE_CONF": str(self.cluster.folder / "nowhere.conf")}
        (self.cluster.folder / "nowhere.conf").write_text(f"ClusterName=x\nStateSaveLocation={self.cluster.folder}/none\n"
                                                          f"SlurmdSpoolDir={self.cluster.folder}/none\n")
        for words in (("squeue", "--json"), ("sinfo", "--json"), ("sacct", "--json"), ("scontrol", "show", "nodes", "--json")):
            with self.subTest(words=words):
                self.document(*words, code=69, env=env)

    def test_nodes_and_partitions(self):
        document = self.document("sinfo", "--json")
        nodes = {node["name"]: node for node in document["nodes"]}
        self.assertEqual((nodes["n1"]["state"], nodes["n1"]["alloc_cpus"], nodes["n1"]["idle_cpus"], nodes["n1"]["cpus"], nodes["n2"]["state"]),
                         ("MIXED", 2, 2, 4, "IDLE"))
        self.assertEqual(nodes["n1"]["partitions"], ["main"])
        self.assertEqual([partition["name"] for partition in document["partitions"]], ["main"])
        self.assertEqual(document["partitions"][0]["max_time_limit"], None)
        self.assertEqual([node["name"] for node in self.document("sinfo", "--json", "-n", "n2")["nodes"]], ["n2"])
        self.assertEqual([node["name"] for node in self.document("scontrol", "show", "nodes", "--json")["nodes"]], ["n1", "n2"])
        self.assertEqual([node["name"] for node in self.document("scontrol", "show", "node", "n[1-2]", "--json")["nodes"]], ["n1", "n2"])
        self.assertEqual(self.document("scontrol", "--json", "show", "part")["partitions"][0]["total_cpus"], 8)

    def test_squeue_and_scontrol_tell_the_same(self):
        shown, = self.document("scontrol", "show", "job", self.held, "--json")["jobs"]
        listed, = self.document("squeue", "--json", "-j", self.held)["jobs"]
        self.assertEqual(shown, listed)

    def test_accounting(self):
        job, = self.document("sacct", "--json", "-j", self.failed)["jobs"]
        self.assertEqual((str(job["job_id"]), job["state"]["current"], job["exit_code"]["return_code"], job["steps"][0]["step"]["id"]),
                         (self.failed, "FAILED", 3, "batch"))
        self.assertIn("sbatch", job["submit_line"])
        ids = [str(job["job_id"]) for job in self.document("sacct", "--json", "-s", "F")["jobs"]]
        self.assertEqual(ids, [self.failed])

    def test_the_newer_schema_has_objects(self):
        job, = self.document("squeue", "--json=v0.0.40", "-j", self.held)["jobs"]
        self.assertEqual((job["job_state"], job["time_limit"], job["start_time"]),
                         (["PENDING"], {"set": True, "infinite": False, "number": 5}, {"set": False, "infinite": False, "number": 0}))

    def test_yaml(self):
        text = self.cluster.run("squeue", "--yaml", "-j", self.held).stdout
        self.assertTrue(text.startswith('---\nmeta:\n  plugin:\n    type: "openapi/v0.0.38"\n'), text)
        self.assertIn(f"\n    job_id: {self.held}\n", text)
        self.assertTrue(text.endswith("\nerrors: []\n"), text)
        for words in (("sinfo", "--yaml"), ("sacct", "--yaml"), ("scontrol", "show", "nodes", "--yaml")):
            self.assertTrue(self.cluster.run(*words).stdout.startswith("---\nmeta:\n"))

    def test_a_broken_name_breaks_nothing(self):
        done = subprocess.run([b"sbatch", b"--parsable", b"-H", b"-J", BROKEN, b"--comment", BROKEN, b"-o", b"/dev/null", b"--wrap", b"true"],
                              capture_output=True, env=self.cluster.environment, cwd=self.cluster.work, stdin=subprocess.DEVNULL, check=True)
        job = done.stdout.decode().strip()
        expected = "caf\ufffd\ufffd \"x\" \\ \t|"
        for locale in ("C", "C.UTF-8"):
            one, = self.document("squeue", "--json", "-j", job, env={"LC_ALL": locale}, encoding="utf-8")["jobs"]
            self.assertEqual((one["name"], one["comment"]), (expected, expected))
            one, = self.document("sacct", "--json", "-j", job, env={"LC_ALL": locale}, encoding="utf-8")["jobs"]
            self.assertEqual(one["name"], expected)
            self.assertIn(job, [str(one["job_id"]) for one in self.document("squeue", "--json", encoding="utf-8")["jobs"]])
        self.cluster.run("scancel", job)


class LongListing(harness.SystemTest):
    """More jobs than a page holds."""

    config = "MaxJobCount=20000\n"

    def test_pages_make_one_document(self):
        count = 9000
        self.cluster.run(harness.BIN.parent / "bench" / "submit_jobs", "-n", count, "-w", "100", "-H")
        ids = [job["job_id"] for job in json.loads(self.cluster.run("squeue", "--json").stdout)["jobs"]]
        self.assertEqual((len(ids), ids), (count, sorted(set(ids))))
        self.assertEqual(len(json.loads(self.cluster.run("sacct", "--json").stdout)["jobs"]), count)


if __name__ == "__main__":
    harness.main()
