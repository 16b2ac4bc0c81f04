"""contract_sinfo_test.py: what the clients of sinfo rely on."""

import json

import harness

LETTERS = "aAbBcCdDeEfFgGhHIlLmMnNoOpPrRsStTuUvVwXYzZ"


class Sinfo(harness.SystemTest):
    nodes = 3
    mem = "2000M"
    config = "PartitionName=debug Nodes=n[1-3] Default=YES\nPartitionName=small Nodes=n[1-2] MaxTime=60\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        job = cls.cluster.submit("-n", "3", "-w", "n1", "--mem=100", "-o", "/dev/null", "--wrap", "sleep 300")
        cls.cluster.wait_state(job, "RUNNING")

    def lines(self, *arguments, **options):
        return self.cluster.run("sinfo", *arguments, **options).stdout.splitlines()

    def test_the_partition_by_its_two_letters(self):
        self.assertEqual(self.lines("-o", "%P"), ["PARTITION", "debug*", "small"])
        self.assertEqual(self.lines("-h", "-o", "%R"), ["debug", "small"])

    def test_counts_of_cpus_and_nodes(self):
        self.assertEqual(self.lines("-h", "-o", "%C"), ["3/9/0/12"])
        self.assertEqual(self.lines("-h", "-o%R,%C"), ["debug,3/9/0/12", "small,3/5/0/8"])
        self.assertEqual(self.lines("-aho", "%F/%C"), ["1/2/0/3/3/9/0/12"])
        self.assertEqual(self.lines("-h", "-o", "%D,%T"), ["1,mixed", "2,idle"])
        self.assertEqual(self.lines("-h", "-o %D,%T"), [" 1,mixed", " 2,idle"])
        self.assertEqual(self.lines("-h", "-o", "%A"), ["1/2"])

    def test_a_line_for_each_node_of_each_partition(self):
        self.assertEqual(self.lines("-h", "-N", "-o", "%N|%R|%T"),
                         ["n1|debug|mixed", "n1|small|mixed", "n2|debug|idle", "n2|small|idle", "n3|debug|idle"])
        self.assertEqual(self.lines("-N")[:2], ["NODELIST   NODES PARTITION STATE ", "n1             1    debug* mix   "])

    def test_fields_by_name(self):
        line = self.lines("-h", "-N", "-O", "NodeList,AllocMem,Memory,CPUsState,StateLong")[0]
        self.assertEqual(line, f"{'n1':20}{'100':20}{'2000':20}{'3/1/0/4':20}{'mixed':20}")
        line = self.lines("-ahNO", "nodehost:30,gres:12,gresused:12,statelong")[0]
        self.assertEqual(line[30:], f"{'(null)':12}{'(null)':12}{'mixed':20}")
        done = self.cluster.run("sinfo", "-O", "nosuch", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "Invalid node format specification: nosuch\n"))
        self.assertEqual(len(self.lines("-h", "-N", "-n", "n3", "-O", "all")[0].split("|")), len(LETTERS))

    def test_every_letter_has_a_value(self):
        heading, *rows = self.lines("-N", "-n", "n1", "-p", "debug", "-o", "|".join("%" + letter for letter in LETTERS))
        self.assertEqual(len(rows), 1)
        names, values = heading.split("|"), rows[0].split("|")
        self.assertEqual(len(values), len(LETTERS))
        row = dict(zip(LETTERS, values))
        self.assertEqual((row["a"], row["c"], row["D"], row["l"], row["m"], row["N"], row["P"], row["s"], row["t"], row["w"]),
                         ("up", "4", "1", "infinite", "2000", "n1", "debug*", "1-infinite", "mix", "1"))
        self.assertEqual([name for name, value in zip(names, values) if not value], [])

    def test_json_made_of_letters(self):
        for line in self.lines("-h", "-N", "-o", '{"s": "%T", "mem": %m, "n": "%n", "l": "%O", "p": "%R", "fmem": "%e", "cstate": "%C", "w": %w}'):
            self.assertEqual(json.loads(line)["mem"], 2000)
        line = self.cluster.run("sinfo", "-N", "-ho", "\x1e%c\x1f%n\x1f%f").stdout.split("\n")[0]
        self.assertRegex(line, "^\x1e4\x1f[^\x1f]+\x1f")

    def test_filters(self):
        self.assertEqual(self.lines("-h", "-p", "small", "-o", "%R %N"), ["small n[1-2]"])
        self.assertEqual(self.lines("-h", "-p", "nosuch", "-o", "%N"), [])
        self.assertEqual(self.lines("-h", "-n", "nosuch", "-o", "%N"), [])
        self.assertEqual(self.lines("-h", "-t", "idle", "-o", "%N"), ["n[2-3]"])
        self.assertEqual(self.lines("-h", "-t", "mix,alloc", "-o", "%N"), ["n1"])
        self.assertEqual(self.lines("-h", "-N", "-o", "%N", "-p", "debug", "-t", "powering_down"), [])
        self.assertEqual(self.lines("-h", "-r", "-o", "%D"), ["3"])
        self.assertEqual(self.lines("-h", "-d", "-o", "%N"), [])
        done = self.cluster.run("sinfo", "-t", "bogus", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn('Bad state string: "bogus"', done.stderr)

    def test_the_other_listings(self):
        self.assertEqual(self.lines()[0], "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST")
        self.assertEqual(self.lines("-l")[1], "PARTITION AVAIL  TIMELIMIT   JOB_SIZE ROOT OVERSUBS     GROUPS  NODES       STATE NODELIST")
        self.assertEqual(self.lines("-s"), ["PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST",
                                            "debug*       up   infinite          1/2/0/3 n[1-3]",
                                            "small        up    1:00:00          1/1/0/2 n[1-2]"])
        self.assertEqual(self.lines("-Nl")[1], "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON              ")
        self.assertEqual(self.lines("-R"), ["REASON               USER      TIMESTAMP           NODELIST"])
        self.assertEqual(self.lines("-T"), ["No reservations in the system"])

    def test_a_drained_node_says_who_and_when(self):
        self.cluster.run("scontrol", "update", "NodeName=n3", "State=DRAIN", "Reason=bad fan")
        try:
            self.assertRegex(self.lines("-h", "-R")[0], r"^bad fan +\w+ +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d n3$")
            self.assertEqual(self.lines("-h", "-N", "-n", "n3", "-o", "%t|%T|%E|%C|%A|%F"), ["drain|drained|bad fan|0/0/4/4|0/0|0/0/1/1"])
            self.assertEqual(self.lines("-h", "-t", "drain", "-o", "%N"), ["n3"])
        finally:
            self.cluster.run("scontrol", "update", "NodeName=n3", "State=RESUME")

    def test_order_and_environment(self):
        self.assertEqual(self.lines("-h", "-N", "-p", "debug", "-S", "-N", "-o", "%N"), ["n3", "n2", "n1"])
        self.assertEqual(self.lines("-h", "-S", "-P", "-o", "%R"), ["small", "debug"])
        self.assertEqual(self.lines("-h", "-S", "-#P", "-o", "%R"), ["small", "debug"])
        self.assertEqual(self.lines("-h", env={"SINFO_FORMAT": "%R", "SINFO_SORT": "-P", "SINFO_PARTITION": "small,debug"}), ["small", "debug"])
        self.assertEqual(self.lines("-h", "-o", "%C", env={"SINFO_FORMAT": "%R"}), ["3/9/0/12"])
        done = self.cluster.run("sinfo", "-S", "?", check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "sinfo: error: Invalid sort specification: ?\n"))

    def test_a_measurement_says_how_old_it_is(self):
        def measured():
            line, = self.lines("-h", "-N", "-n", "n1", "-p", "debug", "-O", "freemem:\x1f,measuredago:\x1f,measuredtime:\x1f")
            free, ago, time, _ = line.split("\x1f")
            return free != "N/A" and (ago, time)
        ago, time = harness.wait_for(measured, "a heartbeat of n1")
        self.assertRegex(ago, r"^\d+:\d\d$")
        self.assertRegex(time, r"^\d{4}-")
        self.assertRegex(self.cluster.out("scontrol", "show", "node", "n1"), r"MeasuredTime=\S+ MeasuredAgo=\d\d:\d\d:\d\d")


if __name__ == "__main__":
    harness.main()
