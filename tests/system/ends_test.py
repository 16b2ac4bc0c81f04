"""ends_test.py: what surrounds the end of a job: the signal before it, mail, exit codes that run it again; and
where its environment comes from. The decisions have stories; here are the real programs."""

import os
import pathlib
import shutil
import tempfile

import harness

SPEED = "slow"
MAIL_PROGRAM = """#!/bin/sh
# $0 is in the folder; nobody may write there.
{ echo "uid=$(id -u)"; for word; do echo "word=$word"; done; } >"$(dirname "$0")/$$.new"
mv "$(dirname "$0")/$$.new" "$(dirname "$0")/$$.mail"
"""


class Ends(harness.SystemTest):
    cpus = 8

    @classmethod
    def setUpClass(cls):
        cls.mail = pathlib.Path(tempfile.mkdtemp(prefix="sluice-mail.", dir="/tmp"))
        cls.mail.chmod(0o777)
        (cls.mail / "send").write_text(MAIL_PROGRAM)
        (cls.mail / "send").chmod(0o755)
        cls.config = (f"MailProg={cls.mail}/send\nMailDomain=example.org\nRequeueExit=99\n"
                      "RequeueExitHold=98\nSluiceHeartbeat=200ms\nMessageTimeout=3\n")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.mail, ignore_errors=True)

    def test_the_node_sends_the_signal_while_the_controller_is_away(self):
        shell = self.cluster.script(
            "trap 'echo shell told; exit 5' USR2; sh -c 'trap \"echo child told; exit\" USR2; echo ready; "
            "while :; do sleep 0.1; done' & while :; do sleep 0.1; done\n", "told.sh")
        to_shell = self.cluster.submit("-t", "1", "--signal=B:USR2@56", "-o", "shell.out", shell)
        to_others = self.cluster.submit("-t", "1", "--signal=USR2@55", "-o", "others.out", shell)
        for job in (to_shell, to_others):
            self.cluster.wait_state(job, "RUNNING")
        self.cluster.kill9("controller")
        self.assertNotIn("child told", self.cluster.wait_text("shell.out", "shell told"))
        self.assertNotIn("shell told", self.cluster.wait_text("others.out", "child told"))
        self.cluster.restart("controller")
        self.assertEqual(self.cluster.wait_end(to_shell), ["FAILED"])
        self.assertEqual(self.cluster.field(to_shell, "ExitCode"), "5:0")
        self.assertEqual(self.cluster.state(to_others), "RUNNING")
        self.assertEqual(self.cluster.show(to_others)["Signal"], "USR2@55")
        self.cluster.run("scancel", to_others)

    def test_mail_goes_through_the_program_as_an_ordinary_user_and_through_no_shell(self):
        job = self.cluster.submit("-J", "a b;$(true)", "--mail-type=END", "-o", "/dev/null",
                                  "--mail-user=somebody", "--wrap", "exit 3")
        mail = harness.wait_for(lambda: list(self.mail.glob("*.mail")), "a mail")[0].read_text()
        words = [line[5:] for line in mail.splitlines() if line.startswith("word=")]
        self.assertEqual([words[0], words[2]], ["-s", "somebody@example.org"])
        self.assertRegex(words[1], rf"^Slurm Job_id={job} Name=a b;\$\(true\) Ended, Run time 00:00:0\d, "
                                   r"FAILED, ExitCode 3$")
        self.assertNotIn("uid=0\n", mail)
        shown = self.cluster.show(job)
        self.assertEqual([shown["MailUser"], shown["MailType"]], ["somebody", "END"])

    def test_exit_codes_run_a_job_again_or_hold_it(self):
        job = self.cluster.submit("-o", "again.out", "--wrap",
                                  'echo count ${SLURM_RESTART_COUNT-none}; '
                                  '[ "$SLURM_RESTART_COUNT" = 1 ] || exit 99')
        self.assertEqual(self.cluster.wait_end(job), ["COMPLETED"])
        self.assertEqual((self.cluster.work / "again.out").read_text(), "count none\ncount 1\n")
        self.assertEqual(self.cluster.show(job)["RestartsByExit"], "1")
        held = self.cluster.submit("-o", "/dev/null", "--wrap", '[ "$SLURM_RESTART_COUNT" ] || exit 98')
        harness.wait_for(lambda: self.cluster.out("squeue", "-h", "-j", held, "-o", "%t %T") ==
                         "SE SPECIAL_EXIT", "the job to be held")
        self.assertEqual(self.cluster.out("squeue", "-h", "-t", "SE", "-o", "%i"), held)
        self.assertEqual(self.cluster.show(held)["Priority"], "0")
        self.cluster.run("scontrol", "release", held)
        self.assertEqual(self.cluster.wait_end(held), ["COMPLETED"])
        self.cluster.run("scontrol", "requeuehold", "State=SpecialExit", held)
        self.assertEqual(self.cluster.show(held)["JobState"], "SPECIAL_EXIT")
        self.cluster.run("scancel", held)

    def test_variables_come_from_a_file_and_from_the_login_shell(self):
        (self.cluster.work / "vars").write_bytes(b"FILE=from\nfile\0BOTH=file\0")
        self.cluster.run("sbatch", "-W", "-o", "vars.out", "--export-file=vars", "--wrap",
                         'echo "$FILE|$BOTH|$CALLER"', env={"BOTH": "caller", "CALLER": "c"})
        self.assertEqual((self.cluster.work / "vars.out").read_text(), "from\nfile|file|c\n")
        (self.cluster.work / "bad").write_bytes(b"A=1\0B\0")
        done = self.cluster.run("sbatch", "--export-file=bad", "--wrap", "true", check=False)
        self.assertIn("entry 2 is not NAME=value", done.stderr)
        self.cluster.run("sbatch", "-W", "-o", "login.out", "--get-user-env=20L", "--export=BOTH",
                         "--wrap", 'echo "$BOTH|${HOME:+home}|${PATH:+path}"', env={"BOTH": "caller"})
        self.assertEqual((self.cluster.work / "login.out").read_text(), "caller|home|path\n")

    def test_names_of_accounting_are_kept_shown_filtered_and_changed(self):
        job = self.cluster.submit("-H", "-A", "physics", "-q", "high", "--wckey=keyed", "-J", "before",
                                  "--comment=so it goes", "-o", "/dev/null", "--wrap", "true")
        other = self.cluster.submit("-H", "-A", "chemistry", "-o", "/dev/null", "--wrap", "true")
        for option, value in (("-A", "physics"), ("-q", "high")):
            self.assertEqual(self.cluster.out("squeue", "-h", option, value, "-o", "%i %a %q %w"),
                             f"{job} physics high keyed")
        self.assertEqual(self.cluster.out("sacct", "-X", "-n", "-P", "-a", "-W", "keyed", "-o",
                                          "JobID,Account,QOS,WCKey"), f"{job}|physics|high|keyed")
        self.cluster.run("scontrol", "update", f"jobid={job}", "name=after", "comment=else", "account=math",
                         "wckey=other", f"dependency=afterany:{other}", "starttime=now+1hour",
                         "mailtype=end", "stdout=/tmp/%j.txt", "workdir=/tmp", "signal=USR1@5")
        shown = self.cluster.show(job)
        wanted = {"JobName": "after", "Comment": "else", "Account": "math", "WCKey": "other",
                  "Dependency": f"afterany:{other}(unfulfilled)", "StdOut": f"/tmp/{job}.txt",
                  "WorkDir": "/tmp", "MailType": "END", "Signal": "USR1@5"}
        self.assertEqual({key: shown.get(key) for key in wanted}, wanted)
        self.assertEqual(self.cluster.field(job, "JobName"), "after")
        self.cluster.run("scontrol", "update", f"jobid={job}", "numnodes=1", "minmemorynode=200M",
                         "reqnodelist=n1", "cpuspertask=2")
        shown = self.cluster.show(job)
        self.assertEqual([shown["MinMemoryNode"], shown["ReqNodeList"], shown["CPUs/Task"]],
                         ["200M", "n1", "2"])
        done = self.cluster.run("scontrol", "update", f"jobid={job}", "dependency=afterok:x", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn('"x" is not a job id', done.stdout + done.stderr)
        self.cluster.run("scancel", job, other)

    def test_pbs_lines_count_unless_they_are_left_out(self):
        script = self.cluster.script("#!/bin/sh\n#PBS -N frompbs\n#PBS -l mem=100mb,walltime=60\n"
                                     "#PBS -o pbs.out\necho $SLURM_JOB_NAME $SLURM_MEM_PER_NODE\n", "pbs.sh")
        self.cluster.run("sbatch", "-W", script)
        self.assertEqual((self.cluster.work / "pbs.out").read_text(), "frompbs 100\n")
        job = self.cluster.submit("-H", "--ignore-pbs", "-o", "/dev/null", script)
        self.assertEqual(self.cluster.show(job)["JobName"], "pbs.sh")
        self.cluster.run("scancel", job)


if __name__ == "__main__":
    harness.main()
