"""submit_test.py: what sbatch takes along, what it refuses and how scancel answers, through the real
programs. Grammars and texts have unit tests; here is what needs a controller and a node."""

import os
import pwd
import re
import resource
import subprocess
import time

import harness

SPEED = "slow"
# A script that tells its soft limits, and a shell that has some of its own.
LIMITS = "#!/bin/bash\necho $(ulimit -Sn) $(ulimit -Sf)\n"


def limit_this_shell():
    for name, soft in ((resource.RLIMIT_NOFILE, 77), (resource.RLIMIT_FSIZE, 64 << 20)):
        resource.setrlimit(name, (soft, resource.getrlimit(name)[1]))


class Submit(harness.SystemTest):
    nodes = 1
    cpus = 2
    mem = "2G"

    def output_of(self, *arguments, **options):
        """Runs a job to its end; what it wrote."""
        path = self.cluster.work / f"{self.id()}.{time.monotonic_ns()}"
        self.cluster.run("sbatch", "-W", "-o", path, *arguments, **options)
        return path.read_bytes()

    # --- what goes to stdout ---------------------------------------------------------------------

    def test_the_line_and_the_parsable_id_are_exact(self):
        done = self.cluster.run("sbatch", "-o", "/dev/null", "--wrap", "true")
        self.assertRegex(done.stdout, r"\ASubmitted batch job [0-9]+\n\Z")
        self.assertEqual(done.stderr, "")
        done = self.cluster.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", "true")
        self.assertRegex(done.stdout, r"\A[0-9]+\n\Z")

    def test_a_script_comes_from_standard_input_and_may_vanish_at_once(self):
        text = self.output_of(input="#!/bin/sh\n#SBATCH -J fromstdin\necho $SLURM_JOB_NAME\n")
        self.assertEqual(text, b"fromstdin\n")
        script = self.cluster.script("sleep 0.2; echo \"$1|$2\"", "gone.sh")
        job = self.cluster.submit("-o", "gone.out", script, "a b", "-n")
        script.unlink()
        self.assertEqual(self.cluster.wait_end(job), ["COMPLETED"])
        self.assertEqual((self.cluster.work / "gone.out").read_text(), "a b|-n\n")

    def test_waiting_ends_with_the_code_of_the_job(self):
        for command, code in (("exit 4", 4), ("kill -KILL $$", 1), ("true", 0)):
            done = self.cluster.run("sbatch", "-W", "-o", "/dev/null", "--wrap", command, check=False)
            self.assertEqual(done.returncode, code, command)

    def test_a_test_tells_the_start_and_submits_nothing(self):
        before = self.cluster.out("squeue", "-h")
        done = self.cluster.run("sbatch", "--test-only", "--wrap", "true")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Asbatch: Job \d+ to start at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d "
                                      r"using 1 processors on nodes n1 in partition main\n\Z")
        self.assertEqual(self.cluster.out("squeue", "-h"), before)
        done = self.cluster.run("sbatch", "--test-only", "-c", "99", "--wrap", "true", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("allocation failure: Requested node configuration", done.stderr)

    # --- directives and precedence ---------------------------------------------------------------

    def test_the_line_beats_the_environment_beats_the_script(self):
        script = self.cluster.script("#SBATCH -J fromscript --time=10 --mem=100M\n"
                                     "#SBATCH --comment=fromscript\ntrue\n", "precedence.sh")
        variables = {"SBATCH_TIMELIMIT": "20", "SBATCH_JOB_NAME": "fromenv"}
        shown = self.cluster.show(self.cluster.submit("-H", script, env=variables))
        self.assertEqual((shown["JobName"], shown["TimeLimit"]), ("fromenv", "00:20:00"))
        shown = self.cluster.show(self.cluster.submit("-H", "--time=30", "-J", "cli", script,
                                                      env=variables))
        self.assertEqual((shown["JobName"], shown["TimeLimit"]), ("cli", "00:30:00"))
        shown = self.cluster.show(self.cluster.submit("-H", "--time=5", "--time=7", script))
        self.assertEqual((shown["JobName"], shown["TimeLimit"]), ("fromscript", "00:07:00"))

    def test_quotes_in_directives_reach_the_job(self):
        (self.cluster.work / "out dir").mkdir()
        script = self.cluster.script('#SBATCH --job-name="two words"   # remark\n'
                                     "#SBATCH -o out\\ dir/%j.txt\n"
                                     "#SBATCH --export=ALL,MSG='a,b c'\n"
                                     'printf "%s\\n" "$MSG" "$SLURM_JOB_NAME"\n', "quotes.sh")
        job = self.cluster.submit("-W", script)
        self.assertEqual((self.cluster.work / "out dir" / f"{job}.txt").read_text(),
                         "a,b c\ntwo words\n")

    # --- environment -----------------------------------------------------------------------------

    def test_odd_values_of_variables_arrive_unchanged(self):
        odd = {"T_NL": "a\nb\n", "T_EQ": "x=y=z", "T_EMPTY": "", "T_Q": "'\"\\`$(id)",
               "T_UTF": "ß✓", "T_SP": "  lead and trail  ", "BASH_FUNC_t_fun%%": "() {  echo hi\n}"}
        text = self.output_of(env=odd, input="#!/bin/bash\ntr '\\0' '\\1' < /proc/$$/environ\n")
        arrived = dict(entry.split("=", 1) for entry in text.decode().split("\1") if "=" in entry)
        for name, value in odd.items():
            self.assertEqual(arrived.get(name), value, name)

    def test_a_large_environment_arrives_whole(self):
        large = {f"BIG_{i}": os.urandom(37500).hex() for i in range(15)}
        text = self.output_of(env=large, input="#!/bin/bash\nprintf '%s,' $BIG_0 $BIG_14 ${#BIG_7}\n")
        self.assertEqual(text.decode(), f"{large['BIG_0']},{large['BIG_14']},75000,")

    def test_what_is_exported(self):
        script = "#!/bin/bash\necho \"FOO=[$FOO] b=[${b-unset}] X=[${X-unset}] $(command -v ls >/dev/null && echo y)\"\n"
        for rule, wanted in (("ALL,FOO=a,b", "FOO=[a] b=[bee] X=[ex] y"),
                             ("ALL,FOO='a,b'", "FOO=[a,b] b=[bee] X=[ex] y"),
                             ("FOO=1", "FOO=[1] b=[unset] X=[unset] y"),
                             ("X", "FOO=[] b=[unset] X=[ex] y"),
                             ("NIL", "FOO=[] b=[unset] X=[unset] y"),
                             ("NONE", "FOO=[] b=[unset] X=[unset] y")):
            with self.subTest(rule):
                text = self.output_of(f"--export={rule}", input=script, env={"b": "bee", "X": "ex"})
                self.assertEqual(text.decode().strip(), wanted)

    def test_soft_limits_of_the_submitter_reach_the_job(self):
        nofile, fsize = self.output_of("--propagate=NONE", input=LIMITS, preexec_fn=limit_this_shell).split()
        self.assertNotEqual((nofile, fsize), (b"77", b"65536"))
        for options, wanted in (((), b"77 65536"), (("--propagate",), b"77 65536"),
                                (("--propagate=nofile",), b"77 " + fsize),
                                (("--propagate=FSIZE,AS",), nofile + b" 65536")):
            with self.subTest(options):
                text = self.output_of(*options, input=LIMITS, preexec_fn=limit_this_shell)
                self.assertEqual(text.strip(), wanted)
        done = self.cluster.run("sbatch", "--propagate=FILES", "--wrap", "true", check=False)
        self.assertEqual(done.returncode, 255)
        self.assertIn('Invalid --propagate specification: "FILES" is none of ALL, NONE, CPU', done.stderr)

    def test_a_job_submitted_by_a_job_is_told_about_itself_only(self):
        inner = 'echo "$SLURM_JOB_ID|$SLURM_ARRAY_TASK_ID|$SLURM_JOB_NAME"'
        text = self.output_of("-J", "outer", "-a", "7", "--wrap",
                              f"sbatch --parsable -W -o inner.out --wrap '{inner}'")
        job = text.decode().strip()
        self.assertEqual((self.cluster.work / "inner.out").read_text(), f"{job}||wrap\n")

    @harness.needs_root
    def test_root_submits_for_another_user_and_only_root(self):
        (self.cluster.work / "uid.out").touch()
        os.chown(self.cluster.work / "uid.out", harness.OTHER_UID, harness.OTHER_UID)
        other = pwd.getpwuid(harness.OTHER_UID)
        text = self.output_of(f"--uid={harness.OTHER_UID}", "--wrap",
                              "id -u; echo $HOME $USER $LOGNAME $SHELL $MINE", env={"MINE": "kept"})
        self.assertEqual(text.decode(), f"{harness.OTHER_UID}\n{other.pw_dir} {other.pw_name} "
                                        f"{other.pw_name} {other.pw_shell} kept\n")
        done = self.cluster.run("sbatch", "--uid=0", "--wrap", "true", uid=harness.OTHER_UID,
                                check=False)
        self.assertEqual((done.returncode, done.stdout), (255, ""))
        self.assertIn("--uid only permitted by root user", done.stderr)

    # --- arrays ----------------------------------------------------------------------------------

    def test_broken_lists_are_refused_within_a_second_and_good_ones_merged(self):
        for text in ("0-10:0", "5-1", "1,,2", "a-b", "-1", "1-", "", "1-3%x", "1-3%-1",
                     "1-9223372036854775808", "1-3:99999999999", "1;rm", "0x10"):
            done = self.cluster.run("sbatch", f"--array={text}", "--wrap", "true", check=False, limit_s=5)
            self.assertEqual(done.returncode, 1, text)
            self.assertIn(f'"{text}"', done.stderr)
        job = self.cluster.submit("-H", "--array=3,1,1-2,2", "--wrap", "true")
        indices = self.cluster.out("squeue", "-h", "-r", "-j", job, "-o", "%K").split()
        self.assertEqual(sorted(map(int, indices)), [1, 2, 3])

    # --- scancel ---------------------------------------------------------------------------------

    def test_what_is_over_or_unknown_is_silent_but_for_a_signal(self):
        job = self.cluster.submit("-W", "-o", "/dev/null", "--wrap", "true")
        for target in (job, "999999"):
            done = self.cluster.run("scancel", target)
            self.assertEqual((done.stdout, done.stderr), ("", ""))
        done = self.cluster.run("scancel", "-v", "999999")
        self.assertEqual(done.stderr, "scancel: Terminating job 999999\nscancel: error: Kill job error "
                                      "on job id 999999: Invalid job id specified\n")
        done = self.cluster.run("scancel", "-s", "USR1", "999999", check=False)
        self.assertEqual(done.returncode, 1)

    def test_asking_first_leaves_what_is_denied(self):
        job = self.cluster.submit("-H", "-J", "asked", "--wrap", "true")
        done = self.cluster.run("scancel", "-i", job, input="n\n")
        self.assertIn(f"Cancel job_id={job} name=asked partition=main [y/n]? ", done.stdout)
        self.cluster.run("scancel", "-i", job)  # the end of input is no
        self.assertEqual(self.cluster.state(job), "PENDING")
        self.cluster.run("scancel", "-i", job, input="y\n")
        self.assertEqual(self.cluster.wait_end(job), ["CANCELLED"])

    def test_filters_end_what_matches_all_of_them(self):
        one = self.cluster.submit("-H", "-J", "filtered", "--wrap", "true")
        other = self.cluster.submit("-H", "-J", "kept", "--wrap", "true")
        self.cluster.run("scancel", "-n", "filtered", "-t", "RUNNING")
        self.assertEqual(self.cluster.state(one), "PENDING")
        self.cluster.run("scancel", "-n", "filtered", "-t", "PENDING", "-p", "main")
        self.assertEqual(self.cluster.wait_end(one), ["CANCELLED"])
        self.assertEqual(self.cluster.state(other), "PENDING")
        done = self.cluster.run("scancel", "-v", "-n", "nosuch")
        self.assertIn("No active jobs match ALL job filters, including: job_name=nosuch", done.stderr)

    def test_a_waiting_job_is_killed_and_takes_no_other_signal(self):
        job = self.cluster.submit("-H", "-a", "0-3", "--wrap", "true")
        done = self.cluster.run("scancel", "-s", "USR1", job, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"Kill job error on job id {job}_[0-3]: Job can not be altered now", done.stderr)
        self.cluster.run("scancel", "--signal=KILL", f"{job}_1")
        self.cluster.run("scancel", "-s", "9", job)
        self.assertEqual(self.cluster.wait_end(job), ["CANCELLED"] * 2)

    def test_a_signal_behind_the_id_reaches_the_script(self):
        script = self.cluster.script("trap 'echo got; exit 5' USR2; echo ready\n"
                                     "while :; do sleep 0.05; done\n", "signal.sh")
        job = self.cluster.submit("-o", "signal.out", script)
        self.cluster.wait_text("signal.out", "ready")
        self.cluster.run("scancel", job, "--signal", "USR2", "--batch")
        self.assertEqual(self.cluster.wait_end(job), ["FAILED"])
        self.assertIn("got", (self.cluster.work / "signal.out").read_text())


class FullQueue(harness.SystemTest):
    config = "MaxJobCount=2\n"

    def test_sbatch_waits_for_room_and_a_test_or_a_hopeless_array_does_not(self):
        first = self.cluster.submit("-H", "--wrap", "true")
        self.cluster.submit("-H", "--wrap", "true")
        told = self.cluster.work / "told"
        with open(told, "w") as stderr:
            waiting = subprocess.Popen([str(harness.BIN / "sbatch"), "-H", "--parsable", "--wrap", "true"],
                                       env=self.cluster.environment, cwd=self.cluster.work, text=True,
                                       stdout=subprocess.PIPE, stderr=stderr)
        text = self.cluster.wait_text("told", "retrying")
        self.assertTrue(text.startswith("sbatch: error: Slurm temporarily unable to accept job, sleeping "
                                        "and retrying: 2 jobs and tasks are queued"), text)
        done = self.cluster.run("sbatch", "--test-only", "--wrap", "true", check=False, limit_s=5)
        self.assertIn("Resource temporarily unavailable", done.stderr)
        done = self.cluster.run("sbatch", "-a", "0-2", "--wrap", "true", check=False, limit_s=5)
        self.assertIn("Invalid job array specification: 3 tasks exceed MaxJobCount=2", done.stderr)
        self.cluster.run("scancel", first)
        job = waiting.communicate(timeout=30)[0].strip()
        self.assertEqual((waiting.returncode, self.cluster.state(job)), (0, "PENDING"))
        self.assertEqual(len(told.read_text().splitlines()), 1)


class SiteLimits(harness.SystemTest):
    config = "PropagateResourceLimitsExcept=NOFILE\n"

    def test_the_site_says_which_limits_jobs_take_along(self):
        for options, wanted in (((), r"\A(?!77 )\d+ 65536\n"), (("--propagate=NOFILE",), r"\A77 (?!65536)")):
            path = self.cluster.work / f"limits{len(options)}"
            self.cluster.run("sbatch", "-W", "-o", path, *options, input=LIMITS, preexec_fn=limit_this_shell)
            self.assertRegex(path.read_text(), wanted)


class Unanswered(harness.SystemTest):
    """MessageTimeout is 3 s here."""
    config = harness.SHORT_TIMES

    def test_a_frozen_controller_is_told_as_unknown_and_makes_at_most_one_job(self):
        self.cluster.freeze("controller")
        try:
            done = self.cluster.run("sbatch", "-H", "--wrap", "true", check=False, limit_s=20)
        finally:
            self.cluster.thaw("controller")
        self.assertEqual((done.returncode, done.stdout), (75, ""))
        self.assertIn("Outcome unknown", done.stderr)
        self.cluster.wait_answers()
        self.assertLessEqual(len(self.cluster.out("squeue", "-h").splitlines()), 1)

    def test_a_restart_while_submitting_is_not_noticed(self):
        self.cluster.freeze("controller")
        waiting = subprocess.Popen([str(harness.BIN / "sbatch"), "-H", "--parsable", "--wrap", "true"],
                                   env=self.cluster.environment, cwd=self.cluster.work,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.cluster.kill9("controller")
        self.cluster.restart("controller")
        out, err = waiting.communicate(timeout=30)
        # Killed before the command had connected, nothing was sent, and it says so.
        self.assertIn(waiting.returncode, (0, 69), err)
        if waiting.returncode == 0:
            self.assertTrue(re.fullmatch(r"\d+\n", out))
            self.assertEqual(self.cluster.state(out.strip()), "PENDING")


if __name__ == "__main__":
    harness.main()
