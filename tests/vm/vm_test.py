#!/usr/bin/env python3
"""vm_test.py: one life of the packages on one booted machine, in order: installed, started, used, restarted
under a running job, cut off from the power, purged; and the proof that the power cut has teeth. Run by
tests/vm/run."""

import os
import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))

from harness import wait_for  # noqa: E402
from machine import Machine  # noqa: E402

DEBS = os.environ.get("SLUICE_VM_DEBS", "").split()
IMAGE = os.environ.get("SLUICE_VM_IMAGE")
NO_SYNC = os.environ.get("SLUICE_VM_NO_SYNC")  # run --teeth makes it
BOTH = "sluiced sluice-agent"
# Accepted before the power is cut.
STORM_MIN = 40


class MachineTest(unittest.TestCase):
    """A booted machine, and what the tests say often."""

    files = DEBS

    @classmethod
    def setUpClass(cls):
        cls.vm = Machine(IMAGE, cls.files)
        cls.addClassCleanup(cls.vm.remove)
        cls.vm.start()

    def setUp(self):
        began = time.monotonic()
        self.addCleanup(lambda: print(f"{time.monotonic() - began:.0f} s", end=" ", file=sys.stderr))

    def submit(self, *arguments):
        return self.vm.out("sbatch --parsable -o /home/alice/job-%j.out " + " ".join(arguments), user="alice")

    def field(self, job, column):
        return self.vm.out(f"sacct -X -n -P -j {job} -o {column}")

    def wait_state(self, job, wanted, limit_s=60):
        self.vm.wait_out(f"sacct -X -n -P -j {job} -o State | cut -d' ' -f1", wanted, limit_s)

    def wait_idle_node(self):
        self.vm.wait_out("sinfo -h -o %T", "idle")

    def main_pid(self, unit):
        return self.vm.out(f"systemctl show -P MainPID {unit}")

    def start_waiting_job(self, name):
        """A job that ends when /home/alice/NAME.go is there; gives its id and its process."""
        job = self.submit(f"--wrap 'echo $$ >{name}.pid; until [ -e {name}.go ]; do sleep 0.2; done'")
        self.wait_state(job, "RUNNING")
        wait_for(lambda: self.vm.run(f"test -s /home/alice/{name}.pid", check=False)[0] == 0, "its process")
        return job, self.vm.out(f"cat /home/alice/{name}.pid")

    def let_end(self, name):
        self.vm.run(f"touch /home/alice/{name}.go", user="alice")

    def install(self):
        self.vm.run("mkdir debs && tar -xf /dev/vdb -C debs && dpkg -i debs/*.deb", limit_s=120)

    def cut_power_in_a_storm(self):
        """Gives the ids of the jobs that were accepted by then; the machine is on again."""
        self.vm.run(f"systemctl enable {BOTH}")
        one = "while id=$(sbatch --parsable -o /dev/null --wrap true); do echo $id; done"
        self.vm.run("stty -F /dev/ttyS2 raw; for i in 1 2 3; do "
                    f"setsid runuser -u alice -- sh -c '{one}' >/dev/ttyS2 2>/dev/null & done")
        wait_for(lambda: len(self.vm.heard_lines()) >= STORM_MIN, "enough jobs", 120)
        self.vm.cut_power()
        accepted = self.vm.heard_lines()
        self.assertEqual(len(accepted), len(set(accepted)))
        self.vm.start()
        return accepted


class VirtualMachine(MachineTest):
    """One life of the packages. The tests are numbered: each finds what the one before it left."""

    def test_1_installing_starts_nothing_and_makes_user_and_key(self):
        self.install()
        self.assertEqual(self.vm.out("stat -c '%U:%G %a' /etc/sluice/cluster.key"), "root:sluice 640")
        self.assertNotEqual(self.vm.run("cat /etc/sluice/cluster.key", user="alice", check=False)[0], 0)
        self.assertEqual(self.vm.run(f"systemctl is-enabled {BOTH}", check=False)[1], "disabled\ndisabled")
        self.assertEqual(self.vm.run(f"systemctl is-active {BOTH}", check=False)[1], "inactive\ninactive")
        units = "/usr/lib/systemd/system/sluice*.service"
        self.assertEqual(self.vm.out(f"systemd-analyze verify --man=no {units}"), "")
        self.assertEqual(self.vm.out("stat -fc %T /sys/fs/cgroup"), "cgroup2fs")

    def test_2_started_services_serve(self):
        self.vm.run(f"systemctl start {BOTH} && sluice ping")
        self.assertEqual(self.vm.out("ps -o user= -C sluiced"), "sluice")
        self.wait_idle_node()
        self.assertNotIn("not enforced", self.vm.out("journalctl -u sluice-agent -o cat"))

    def test_3_a_users_job_runs_and_is_accounted(self):
        job = self.submit("--wrap 'id -un; cat /proc/self/cgroup'")
        self.wait_state(job, "COMPLETED")
        user, group = self.vm.out(f"cat /home/alice/job-{job}.out").splitlines()
        self.assertEqual(user, "alice")
        self.assertRegex(group, rf"^0::/system.slice/sluice-jobs.service/vm\.\w+/job_{job}_0$")
        self.assertEqual(self.field(job, "User,ExitCode,NodeList"), "alice|0:0|vm")
        self.assertEqual(self.vm.run("ls -d /sys/fs/cgroup/system.slice/sluice-jobs.service/*/job_*",
                                     check=False)[0], 2)  # its group went with it

    def test_4_memory_beyond_the_limit_ends_that_job_alone(self):
        other, process = self.start_waiting_job("other")
        job = self.submit("--mem=50 --wrap 'tail /dev/zero'")
        self.wait_state(job, "OUT_OF_MEMORY")
        self.assertEqual(self.vm.out(f"systemctl is-active {BOTH} sluice-jobs"), "active\nactive\nactive")
        self.vm.run(f"kill -0 {process}")
        self.let_end("other")
        self.wait_state(other, "COMPLETED")

    def test_5_nothing_of_a_job_outlives_it(self):
        job = self.submit("--wrap 'setsid sleep 1000 & echo $! >escaped; wait; sleep 1000'")
        wait_for(lambda: self.vm.run("test -s /home/alice/escaped", check=False)[0] == 0, "the escape")
        self.vm.run(f"scancel {job}", user="alice")
        self.wait_state(job, "CANCELLED")
        self.assertEqual(self.vm.out("pgrep -u alice || true"), "")

    def test_6_services_restart_under_a_running_job(self):
        job, process = self.start_waiting_job("steady")
        before = [self.main_pid(unit) for unit in BOTH.split()]
        self.vm.run(f"systemctl reload {BOTH}")
        self.assertEqual(before, [self.main_pid(unit) for unit in BOTH.split()])
        self.vm.run(f"systemctl restart {BOTH} && sluice ping")
        after = [self.main_pid(unit) for unit in BOTH.split()]
        self.assertFalse(set(before) & set(after))
        self.vm.run("systemctl kill -s KILL --kill-whom=main sluice-agent")
        wait_for(lambda: self.main_pid("sluice-agent") not in (after[1], "0"), "systemd to start the agent again")
        self.vm.run("dpkg -i debs/*.deb", limit_s=120)  # as an upgrade does it
        self.assertNotEqual(self.main_pid("sluiced"), after[0])
        self.vm.run(f"kill -0 {process}")
        self.wait_state(job, "RUNNING")
        self.let_end("steady")
        self.wait_state(job, "COMPLETED")
        self.assertEqual(self.vm.out(f"cat /home/alice/steady.pid"), process)
        self.assertEqual(self.vm.out("systemctl --failed --plain --no-legend"), "")

    def test_7_the_end_of_all_jobs_of_the_node_is_not_their_fault(self):
        job, process = self.start_waiting_job("evicted")
        self.vm.run("systemctl stop sluice-jobs")
        self.assertNotEqual(self.vm.run(f"kill -0 {process}", check=False)[0], 0)
        self.assertEqual(self.vm.run("systemctl is-active sluice-agent", check=False)[1], "inactive")
        self.vm.run("systemctl start sluice-agent")
        self.let_end("evicted")
        self.wait_state(job, "COMPLETED")
        self.assertEqual(self.vm.out(f"scontrol show job {job} | grep -o 'Restarts=[0-9]*'"), "Restarts=1")

    def test_8_a_power_cut_loses_nothing_that_was_accepted(self):
        accepted = self.cut_power_in_a_storm()
        self.vm.run("systemctl is-system-running --wait; sluice ping", limit_s=150)
        wait_for(lambda: self.vm.run("squeue -h", check=False) == (0, ""),
                 f"the end of {len(accepted)} jobs", 120, every_s=1)
        states = f"sacct -X -n -P -j {','.join(accepted)} -o JobID,State"
        self.assertEqual(sorted(self.vm.out(states).splitlines()),
                         sorted(f"{job}|COMPLETED" for job in accepted))
        self.assertGreater(int(self.submit("--wrap true")), max(map(int, accepted)))

    def test_9_purging_leaves_nothing(self):
        self.vm.run("dpkg --purge sluice-slurm-commands sluice-agent sluice-controller sluice-client")
        left = "ls -d /etc/sluice /var/lib/sluice /var/spool/sluice /run/sluice /usr/lib/sluice"
        self.assertEqual(self.vm.out(f"{left} 2>/dev/null || true"), "")
        self.assertEqual(self.vm.out("pgrep sluice || true"), "")
        self.assertEqual(self.vm.out("systemctl list-unit-files --no-legend 'sluice*' || true"), "")


@unittest.skipUnless(NO_SYNC, "only for tests/vm/run --teeth")
class Teeth(MachineTest):
    """The power cut is a test that can be failed."""

    files = [*DEBS, NO_SYNC]

    def test_a_controller_that_does_not_sync_loses_what_it_accepted(self):
        self.install()
        self.vm.run("install -m 755 debs/no_sync.so /usr/local/lib/ && sync")
        self.vm.run("echo LD_PRELOAD=/usr/local/lib/no_sync.so >/etc/default/sluiced")
        self.vm.run(f"systemctl start {BOTH} && sluice ping")
        self.wait_idle_node()
        self.assertIn("no_sync.so", self.vm.out("cat /proc/$(pgrep -x sluiced)/maps"))
        accepted = self.cut_power_in_a_storm()
        self.vm.run("systemctl is-system-running --wait", check=False, limit_s=150)
        # A state that cannot even be opened has lost everything; none of it is known then.
        known = self.vm.run(f"sacct -X -n -P -j {','.join(accepted)} -o JobID", check=False)[1].split()
        lost = set(accepted) - set(known)
        print(f"{len(lost)} of {len(accepted)} accepted jobs lost", end=" ", file=sys.stderr)
        self.assertTrue(lost)


if __name__ == "__main__":
    unittest.main(verbosity=2, failfast=True)
