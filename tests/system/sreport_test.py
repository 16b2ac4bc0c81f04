"""sreport_test.py: sums of past use, as an administrator asks for them."""

import socket

import harness


def configuration():
    port = harness.free_ports(1)[0]
    host = socket.gethostname().split(".")[0]
    return (f"NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=512 "
            "State=UNKNOWN\nPartitionName=main Nodes=n1 Default=YES MaxTime=INFINITE\n")


class Sreport(harness.SystemTest):
    config = configuration()

    def sums(self, *arguments):
        return self.cluster.out("sreport", *arguments, "start=now-1hour", "end=now+1hour").splitlines()

    def test_what_a_run_held_is_summed_up_by_user_and_account(self):
        job = self.cluster.submit("-n2", "-A", "physics", "-o", "/dev/null", "--wrap", "sleep 2")
        self.cluster.wait_end(job)
        row = self.sums("-nP", "-t", "Seconds", "user", "top")[0].split("|")
        self.assertEqual(row[3], "physics")
        self.assertGreaterEqual(int(row[4]), 4)
        accounts = self.sums("-nP", "-t", "sec", "cluster", "account", "format=Account,Login,Used")
        self.assertEqual([line.split("|")[:2] for line in accounts], [["physics", ""], ["physics", row[1]]])
        self.assertEqual(self.sums("-nP", "-T", "gres/gpu", "user", "top"), [])
        table = self.sums("cluster", "UserUtilizationByAccount")
        self.assertEqual(table[0], "-" * 80)
        self.assertTrue(table[1].startswith("Cluster/User/Account Utilization "))
        self.assertEqual(table[4], "  Cluster     Login     Proper Name         Account     Used   Energy ")

    def test_what_is_not_built_or_not_known_is_refused_by_name(self):
        for words, text in ((("bogus",), "invalid keyword: bogus"),
                            (("cluster", "Utilization"), "cluster Utilization is not supported"),
                            (("-t", "Percent", "user", "top"), "not supported"),
                            (("user", "top", "colour=red"), "Unknown condition: colour=red")):
            done = self.cluster.run("sreport", *words, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    harness.main()
