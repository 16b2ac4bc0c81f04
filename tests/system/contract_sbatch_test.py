"""contract_sbatch_test.py: what the clients of sbatch rely on: every way to hand over a script, every option
that they write and every line that they read, through the real programs."""

import re
import socket

import harness

# How thirteen clients find the id in what sbatch prints.
READERS = (r"job (\d+)", r"(\d+)", r"(?m)^Submitted batch job (\S*)", r"Submitted batch job (\d+)", r"Submitted batch job (\d+).*",
           r"(?:.*:\s*)?[Ss]ubmitted batch job\s+(\d+)")

# Option as a client writes it, key and value of `scontrol show job`.
SHOWN = (("-J a", "JobName", "a"), ("--job-name=b", "JobName", "b"), ("-p small", "Partition", "small"), ("-p small -p main", "Partition", "main"),
         ("-t 5", "TimeLimit", "00:05:00"), ("-t 00:05:00", "TimeLimit", "00:05:00"), ("--time 0:5:0", "TimeLimit", "00:05:00"),
         ("--time=1-02:03:04", "TimeLimit", "1-02:04:00"), ("-t 0-25:00", "TimeLimit", "1-01:00:00"), ("-c 2", "CPUs/Task", "2"),
         ("--cpus-per-task=3", "NumCPUs", "3"), ("--mem 100", "MinMemoryNode", "100M"), ("--mem=477M", "MinMemoryNode", "477M"),
         ("--mem=1GB", "MinMemoryNode", "1G"), ("--mem=512MB", "MinMemoryNode", "512M"), ("--mem 1g", "MinMemoryNode", "1G"),
         ("--mem=1024K", "MinMemoryNode", "1M"), ("--mem-per-cpu=50", "MinMemoryCPU", "50M"), ("-A acct", "Account", "acct"), ("--account=acct", "Account", "acct"),
         ("-N 2", "NumNodes", "2-2"), ("--nodes=1-2", "NumNodes", "1-2"), ("-n 3", "NumTasks", "3"), ("--ntasks=2", "NumTasks", "2"),
         ("-N 2 --ntasks-per-node=2", "NumTasks", "4"), ("--ntasks-per-core=1", "NtasksPerN:B:S:C", "0:0:*:1"),
         ("--ntasks-per-socket=1", "NtasksPerN:B:S:C", "0:0:1:*"), ("-D /tmp", "WorkDir", "/tmp"), ("--chdir=/", "WorkDir", "/"),
         ("--qos=high", "QOS", "high"), ("-C big", "Features", "big"), ("--constraint=(big)&(fast)", "Features", "(big)&(fast)"),
         ("--exclusive", "OverSubscribe", "NO"), ("--exclusive=user", "OverSubscribe", "USER"), ("--requeue", "Requeue", "1"), ("--no-requeue", "Requeue", "0"),
         ("-x n1", "ExcNodeList", "n1"), ("--exclude=n2", "ExcNodeList", "n2"), ("-w n2", "ReqNodeList", "n2"), ("--nodelist=n[1-2]", "ReqNodeList", "n[1-2]"),
         ("--mail-type=END,FAIL", "MailType", "END,FAIL"), ("--mail-type=END --mail-user=me", "MailUser", "me"), ("--hold", "Reason", "JobHeldUser"),
         ("--begin=now+1hour", "EligibleTime", "Unknown"), ("--comment=x", "Comment", "x"), ("--wckey=submitit", "WCKey", "submitit"),
         ("--nice", "Nice", "100"), ("--nice=5", "Nice", "5"), ("-L lic", "Licenses", "lic"), ("--licenses=lic:2", "Licenses", "lic:2"),
         ("-i /dev/zero", "StdIn", "/dev/zero"), ("--signal=USR2@90", "Signal", "USR2@90"), ("--signal B:USR2@30", "Signal", "B:USR2@30"),
         ("-o /tmp/%j.o", "StdOut", "/tmp/{id}.o"), ("-o /tmp/o -e /tmp/%x.e", "StdErr", "/tmp/wrap.e"), ("--gres=gpu:1", "TresPerNode", "gres:gpu:1"),
         ("--gpus-per-node=a100:2", "TresPerNode", "gres:gpu:a100:2"), ("--gpus-per-task=1 -n 2", "TresPerTask", "gres:gpu:1"),
         ("--gpus-per-socket=1 --sockets-per-node=1", "TresPerSocket", "gres:gpu:1"), ("--sockets-per-node=1", "Socks/Node", "1"),
         ("--gpus=2", "TresPerJob", "gres:gpu:2"), ("--gpus=1 --cpus-per-gpu=2", "CpusPerTres", "gres:gpu:2"), ("--gpus=2 --ntasks-per-gpu=2", "NumTasks", "4"),
         # What must be accepted and shows elsewhere or nowhere.
         ("--open-mode=append", "JobState", "PENDING"), ("--open-mode=truncate", "JobState", "PENDING"), ("--get-user-env", "JobState", "PENDING"),
         ("--get-user-env=5L", "JobState", "PENDING"), ("-M dev", "JobState", "PENDING"), ("--clusters=dev", "JobState", "PENDING"), ("--hint=multithread", "JobState", "PENDING"),
         ("--propagate=NONE", "JobState", "PENDING"), ("--export=ALL", "JobState", "PENDING"), ("--export=NONE", "JobState", "PENDING"))

ARRAYS = (("0-9%4", "0-9%4"), ("1-3", "1-3"), ("0,2,5", "0,2,5"), ("2-4", "2-4"), ("0-8:4", "0,4,8"))


def configuration():
    host = socket.gethostname().split(".")[0]
    nodes = "".join(f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=4 RealMemory=4096 Gres=gpu:a100:4 "
                    "Feature=big,fast State=UNKNOWN\n" for i, port in enumerate(harness.free_ports(2), 1))
    return f"GresTypes=gpu\nLicenses=lic:4\n{nodes}PartitionName=main Nodes=n[1-2] Default=YES MaxTime=INFINITE\nPartitionName=small Nodes=n2 MaxTime=1-00:00:00\n"


class Sbatch(harness.SystemTest):
    config = configuration()

    def held(self, *words, **options):
        return self.cluster.submit("-H", "-o", "/dev/null", *words, "--wrap", "true", **options)

    def output_of(self, *words, **options):
        """Runs a job to its end; what it wrote to `out`."""
        self.cluster.run("sbatch", "-W", "-o", "out", *words, **options)
        return (self.cluster.work / "out").read_text()

    def refused(self, *words, code=1, **options):
        done = self.cluster.run("sbatch", *words, check=False, **options)
        self.assertEqual((done.returncode, done.stdout), (code, ""), words)
        return done.stderr

    def test_a_script_by_file_by_standard_input_and_by_wrap(self):
        self.cluster.script("echo $0 | grep -q slurm_script && echo file $SLURM_JOB_NAME $1; pwd", "by_file.sh")
        here = f"{self.cluster.work}\n"
        self.assertEqual(self.output_of("by_file.sh", "x"), f"file by_file.sh x\n{here}")
        text = "#!/bin/sh\necho stdin $SLURM_JOB_NAME; pwd\n"
        self.assertEqual(self.output_of(input=text), f"stdin sbatch\n{here}")
        self.assertEqual(self.output_of("-J", "named", "/dev/stdin", input=text), f"stdin named\n{here}")
        for words in (("--wrap", 'echo "$SLURM_JOB_NAME" \'$x\'; pwd'), ('--wrap=echo "$SLURM_JOB_NAME" \'$x\'; pwd',)):
            self.assertEqual(self.output_of(*words), f"wrap $x\n{here}")
        long = "x" * 60_000
        self.assertEqual(self.output_of("--wrap", f"printf %s '{long}'"), long)
        self.assertRegex(self.cluster.out("scontrol", "write", "batch_script", self.held(), "-"), r"\A#!/bin/sh\n(?:#.*\n|\n)*true\Z")

    def test_the_script_may_vanish_as_soon_as_sbatch_is_back(self):
        script = self.cluster.script("echo still there\n", "vanishes.sh")
        job = self.cluster.submit("--begin=now+1", "-o", "vanished.out", script)
        script.unlink()
        self.cluster.wait_end(job)
        self.assertEqual((self.cluster.work / "vanished.out").read_text(), "still there\n")

    def test_what_is_printed(self):
        done = self.cluster.run("sbatch", "-H", "--wrap", "true")
        self.assertRegex(done.stdout, r"\ASubmitted batch job \d+\n\Z")
        self.assertEqual(done.stderr, "")
        ids = {re.search(reader, done.stdout)[1] for reader in READERS} | {done.stdout.split()[-1], done.stdout.strip().split(" ")[3]}
        self.assertEqual(len(ids), 1, ids)
        self.assertRegex(self.cluster.run("sbatch", "-H", "--parsable", "--wrap", "true").stdout, r"\A\d+\n\Z")
        self.assertRegex(self.cluster.run("sbatch", "-H", "--parsable", "-M", "dev", "--wrap", "true").stdout, r"\A\d+;dev\n\Z")
        self.assertRegex(self.cluster.run("sbatch", "-H", "-M", "dev", "--wrap", "true").stdout, r"\ASubmitted batch job \d+ on cluster dev\n\Z")

    def test_every_option_is_accepted_and_shown(self):
        for words, key, value in SHOWN:
            with self.subTest(words):
                job = self.cluster.submit("-H", *words.split(), "--wrap", "true")
                self.assertEqual(self.cluster.show(job).get(key), value.format(id=job))
                self.cluster.run("scancel", job)

    def test_arrays_and_dependencies(self):
        for text, shown in ARRAYS:
            job = self.held("-a", text)
            self.assertEqual(self.cluster.show(job)["ArrayTaskId"], shown)
        one, two, three = self.held(), self.held(), self.held(f"--array=1-2")
        for text, shown in ((f"afterok:{one}:{two},afterany:{three}", f"afterok:{one}(unfulfilled),afterok:{two}(unfulfilled),afterany:{three}_*(unfulfilled)"),
                            (f"afterany:{three}_1", f"afterany:{three}_1(unfulfilled)"), (f"after:{one}+5", f"after:{one}+5(unfulfilled)"),
                            (f"afternotok:{one}?afterok:{two}", f"afternotok:{one}(unfulfilled)?afterok:{two}(unfulfilled)")):
            for words in (("-d", text), (f"--dependency={text}",)):
                self.assertEqual(self.cluster.show(self.held(*words))["Dependency"], shown)

    def test_priority_is_the_administrators(self):
        self.assertEqual(self.cluster.show(self.cluster.submit("--begin=now+1hour", "--priority=77", "--wrap", "true"))["Priority"], "77")

    def test_output_files(self):
        script = "echo out; echo err >&2"
        job = self.cluster.submit("-W", "-J", "x", "-o", "%x-%j-%J-%A-%N.o", "-e", "%x-%j.e", "--wrap", script)
        node = self.cluster.field(job, "NodeList")
        self.assertEqual((self.cluster.work / f"x-{job}-{job}-{job}-{node}.o").read_text(), "out\n")
        self.assertEqual((self.cluster.work / f"x-{job}.e").read_text(), "err\n")
        job = self.cluster.submit("-W", "--wrap", script)
        self.assertEqual((self.cluster.work / f"slurm-{job}.out").read_text(), "out\nerr\n")
        array = self.cluster.submit("-W", "-a", "2,4", "-o", "%A_%a.o", "--wrap", script)
        for task in (2, 4):
            self.assertEqual((self.cluster.work / f"{array}_{task}.o").read_text(), "out\nerr\n")
        (self.cluster.work / "appended").write_text("old\n")
        self.cluster.run("sbatch", "-W", "-o", "appended", "--open-mode=append", "--wrap", "echo new")
        self.assertEqual((self.cluster.work / "appended").read_text(), "old\nnew\n")

    def test_the_variables_of_a_job(self):
        told = lambda *words: self.output_of(*words, "--wrap", "echo ${SLURM_CPUS_PER_TASK-none} ${SLURM_NTASKS-none} ${SLURM_NTASKS_PER_NODE-none} "
                                             "${SLURM_MEM_PER_NODE-none} $SLURM_JOB_ACCOUNT $SLURM_JOB_PARTITION $SLURM_NNODES").strip()
        self.assertEqual(told("-A", "acct"), "none none none none acct main 1")
        self.assertEqual(told("-A", "acct", "-c", "2", "-n", "2", "--mem=64", "-p", "small"), "2 2 none 64 acct small 1")
        self.assertEqual(told("-A", "acct", "-N", "2", "--ntasks-per-node=2"), "none 4 2 none acct main 2")

    def test_what_is_exported(self):
        show = ("--wrap", 'echo "${ONE-none} ${TWO-none} ${MORE-none} ${PATH:+path}"')
        for rule, wanted in (("ALL", "1 2 none path"), ("NONE", "none none none path"), ("ALL,MORE=3", "1 2 3 path"), ("ONE,TWO", "1 2 none path"),
                             ("TWO", "none 2 none path"), ("MORE=4", "none none 4 path")):
            self.assertEqual(self.output_of(f"--export={rule}", *show, env={"ONE": "1", "TWO": "2"}).strip(), wanted, rule)

    def test_directives(self):
        text = ("#!/usr/bin/env bash\n\n# a comment\n#SBATCH\t--exclude=n1\n#SBATCH --job-name=\"two words|\"\n#SBATCH --comment          far\n"
                "#SBATCH   -A    acct\n\n#SBATCH --time=7 -c 2\n#SBATCH --wckey='a b'\n##SBATCH --nice=7\n #SBATCH --nice=8\ntrue\n#SBATCH --nice=9\n")
        shown = self.cluster.out("scontrol", "-o", "show", "job", self.cluster.submit("-H", "-o", "/dev/null", input=text))
        for part in ("ExcNodeList=n1 ", "JobName=two words| ", "Comment=far ", "Account=acct ", "TimeLimit=00:07:00 ", "CPUs/Task=2 ", "Nice=0 "):
            self.assertIn(part, shown)
        self.assertEqual(self.output_of("-t", "9", input="#!/bin/bash -l\n#SBATCH -t 5\nshopt -q login_shell && echo login\n"), "login\n")
        self.assertIn("sbatch: error: Invalid directive found in batch script: words",
                      self.refused(input="#!/bin/sh\n#SBATCH --comment  two words\ntrue\n", code=255))
        self.assertRegex(self.refused(input="true\n"), r"\Asbatch: error: This does not look like a batch script\.  The first\n"
                                                       r"sbatch: error: line must start with #! followed by the path to an interpreter\.\n"
                                                       r"sbatch: error: For instance: #!/bin/sh\n")

    def test_exit_codes(self):
        self.assertIn("Unable to open file nosuch.sh", self.refused("nosuch.sh"))
        self.assertIn("Invalid partition name specified", self.refused("-p", "nosuch", "--wrap", "true"))
        self.assertIn("sbatch: unrecognized option '--nosuch'\nTry \"sbatch --help\" for more information\n", self.refused("--nosuch", code=255))
        self.assertIn("Invalid --time specification", self.refused("-t", "1.5", "--wrap", "true", code=255))
        self.assertIn("--hint=nomultithread is not supported by Sluice yet", self.refused("--hint=nomultithread", "--wrap", "true", code=255))
        self.assertIn("'nosuch'", self.refused("-M", "nosuch", "--wrap", "true"))
        for command, code in (("exit 0", 0), ("exit 7", 7)):
            self.assertEqual(self.cluster.run("sbatch", "-W", "-o", "/dev/null", "--wrap", command, check=False).returncode, code)
        self.assertRegex(self.cluster.out("sbatch", "-V"), r"^slurm(-wlm)? 22\.05\.\d+$")


if __name__ == "__main__":
    harness.main()
