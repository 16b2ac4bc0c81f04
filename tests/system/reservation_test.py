"""reservation_test.py: reservations as an administrator makes them and users meet them."""

import json
import os
import pwd

import harness

USER = pwd.getpwuid(os.geteuid()).pw_name


class Reservations(harness.SystemTest):
    nodes = 2
    config = "KillWait=1\n"

    def tearDown(self):
        self.end_all_jobs()
        for line in self.cluster.out("scontrol", "-o", "show", "reservation").splitlines():
            if line.startswith("ReservationName="):
                self.cluster.run("scontrol", "delete", line.split()[0])

    def create(self, *keys):
        line = self.cluster.out("scontrol", "create", "reservation", *keys)
        self.assertRegex(line, "^Reservation created: ")
        return line.split()[-1]

    def refused(self, *words, **options):
        done = self.cluster.run("scontrol", *words, check=False, **options)
        self.assertEqual(done.returncode, 1, done.stdout)
        return (done.stdout + done.stderr).strip()

    def record(self, name):
        words = self.cluster.out("scontrol", "show", f"ReservationName={name}").split()
        return dict(word.split("=", 1) for word in words)

    def test_jobs_keep_clear_of_a_maintenance(self):
        self.create("name=maint", "start=now+3minutes", "duration=2", "nodes=ALL", "flags=maint",
                    f"users={USER}")
        record = self.record("maint")
        long_one = self.cluster.submit("-t", "10", "-o", "/dev/null", "--wrap", "sleep 300")
        without = self.cluster.submit("-o", "/dev/null", "--wrap", "sleep 300")
        short_one = self.cluster.submit("-t", "1", "-o", "/dev/null", "--wrap", "sleep 30")
        self.cluster.wait_state(short_one, "RUNNING")
        for job in (long_one, without):
            shown = harness.wait_for(
                lambda job=job: (lambda show: show if show["StartTime"] != "Unknown" else None)(
                    self.cluster.show(job)), f"a planned start of job {job}")
            self.assertEqual(shown["StartTime"], record["EndTime"])
            self.assertEqual(shown["Reason"], "ReqNodeNotAvail")
            detail = self.cluster.out("scontrol", "show", "job", job).split("ReasonDetail=")[1]
            self.assertIn("reserved: maint from ", detail)
        self.assertIn("MaxTime of partition", detail)
        self.cluster.run("scontrol", "delete", "reservation", "maint")
        self.cluster.wait_state(long_one, "RUNNING")
        self.cluster.wait_state(without, "RUNNING")
        done = self.cluster.run("sbatch", "--reservation=maint", "--wrap", "true", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Requested reservation is invalid", done.stderr)

    def test_a_job_runs_in_its_reservation_and_is_ended_with_it(self):
        name = self.create("starttime=now", "duration=5", "nodes=n2", f"users={USER}")
        self.assertEqual(name, f"{USER}_1")
        self.assertEqual(self.cluster.out("sinfo", "-h", "-N", "-n", "n2", "-o", "%t|%T"),
                         "resv|reserved")
        self.assertIn("State=IDLE+RESERVED", self.cluster.out("scontrol", "show", "node", "n2"))
        job = self.cluster.submit("--reservation", name, "-o", "job.out", "--wrap",
                                  "echo in $SLURM_JOB_RESERVATION; exec sleep 300")
        self.cluster.wait_state(job, "RUNNING")
        self.cluster.wait_text("job.out", f"in {name}")
        shown = self.cluster.show(job)
        self.assertEqual((shown["NodeList"], shown["Reservation"]), ("n2", name))
        self.assertEqual(self.cluster.out("squeue", "-h", "-R", name, "-o", "%A %v"), f"{job} {name}")
        self.assertEqual(self.cluster.out("squeue", "-h", "-R", "other"), "")
        self.assertEqual(self.cluster.field(job, "Reservation"), name)
        other = self.cluster.submit("-w", "n2", "-t", "5", "-o", "/dev/null", "--wrap", "true")
        harness.wait_for(lambda: self.cluster.show(other)["Reason"] == "ReqNodeNotAvail",
                         "the other job to wait for the reservation's end")
        self.assertEqual(self.refused("delete", "reservation", name).split(": ")[1],
                         "Requested reservation is in use")
        self.cluster.kill9("controller")
        self.cluster.restart("controller")
        self.assertEqual(self.record(name)["Nodes"], "n2")
        self.cluster.run("scontrol", "update", f"reservationname={name}", "endtime=now+2")
        self.cluster.wait_state(job, "TIMEOUT")
        self.cluster.wait_state(other, "COMPLETED")
        self.assertEqual(self.cluster.out("scontrol", "show", "reservations"),
                         "No reservations in the system")

    def test_texts_are_those_of_slurm(self):
        self.create("ReservationName=rr", "starttime=2030-01-01T10:00", "duration=5", "nodecnt=2",
                    f"users={USER}", "flags=maint,ignore_jobs")
        self.assertEqual(self.cluster.run("scontrol", "show", "res").stdout,
                         "ReservationName=rr StartTime=2030-01-01T10:00:00 EndTime=2030-01-01T10:05:00 "
                         "Duration=00:05:00\n"
                         "   Nodes=n[1-2] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=main "
                         "Flags=MAINT,IGNORE_JOBS\n"
                         "   TRES=cpu=8\n"
                         f"   Users={USER} Groups=(null) Accounts=(null) Licenses=(null) "
                         "State=INACTIVE BurstBuffer=(null) Watts=n/a\n"
                         "   MaxStartDelay=(null)\n\n")
        self.assertEqual(self.cluster.out("scontrol", "update", "reservationname=rr", "duration=10"),
                         "Reservation updated.")
        self.assertEqual(self.cluster.run("sinfo", "-T").stdout,
                         "RESV_NAME     STATE           START_TIME             END_TIME     DURATION  NODELIST\n"
                         "rr         INACTIVE  2030-01-01T10:00:00  2030-01-01T10:10:00     00:10:00  n[1-2]\n")
        document = json.loads(self.cluster.out("scontrol", "show", "reservations", "--json"))
        (record,) = document["reservations"]
        self.assertEqual((record["name"], record["node_list"], record["flags"]),
                         ("rr", "n[1-2]", ["MAINT", "IGNORE_JOBS"]))
        keys = ("starttime=now", "duration=5", "nodes=n1")
        self.assertEqual(self.refused("create", "reservation", "ReservationName=rr", *keys, f"users={USER}"),
                         "Error creating the reservation: Duplicate reservation name")
        self.assertRegex(self.refused("create", "reservation", *keys[:2], "nodes=n9", f"users={USER}"),
                         "^Error creating the reservation: Invalid node name specified")
        self.assertEqual(self.refused("create", "reservation", *keys),
                         "scontrol: error: Either Users/Groups and/or Accounts must be specified.  "
                         "No reservation created.")
        self.assertIn("flag REPLACE is not supported",
                      self.refused("create", "reservation", *keys, f"users={USER}", "flags=replace"))
        self.cluster.run("scontrol", "delete", "reservation", "rr")
        self.assertEqual(self.refused("delete", "reservation", "rr"),
                         "delete_reservation rr: Requested reservation is invalid")
        self.assertEqual(self.refused("show", "reservation", "rr"), "Reservation rr not found")

    @harness.needs_root
    def test_only_administrators_make_reservations_and_only_who_is_let_in_uses_them(self):
        keys = ("starttime=now", "duration=5", "nodes=n1", "users=root")
        self.assertEqual(self.refused("create", "reservation", *keys, uid=harness.OTHER_UID),
                         "Error creating the reservation: Invalid user id")
        self.create("name=rr", *keys)
        done = self.cluster.run("sbatch", "--reservation=rr", "--wrap", "true", check=False,
                                uid=harness.OTHER_UID)
        self.assertIn("Access denied to requested reservation", done.stderr)
        self.cluster.run("scontrol", "update", "reservationname=rr", "users+=nobody")
        job = self.cluster.submit("--reservation=rr", "-o", "/dev/null", "--wrap", "true",
                                  uid=harness.OTHER_UID)
        self.cluster.wait_state(job, "COMPLETED")

    def test_a_job_whose_reservation_is_deleted_is_held(self):
        self.create("name=rr", "starttime=now+1hour", "duration=5", "nodes=n1", f"users={USER}")
        job = self.cluster.submit("--reservation=rr", "-o", "/dev/null", "--wrap", "true")
        harness.wait_for(lambda: self.cluster.show(job)["Reason"] == "Reservation",
                         "the job to wait for its reservation")
        self.cluster.run("scontrol", "delete", "ReservationName=rr")
        self.assertEqual(self.cluster.show(job)["Reason"], "ReservationDeleted")
        self.cluster.run("scontrol", "release", job)
        self.cluster.wait_state(job, "COMPLETED")


if __name__ == "__main__":
    harness.main()
