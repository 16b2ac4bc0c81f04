"""slurm_peer.py: Debian's Slurm on loopback at the best tuning found for short jobs, as the peer of a
measurement: no job completion log, priority by age only, a scheduler that runs at every chance, process
tracking by process group. Needs root and the packages slurm-wlm and munge. Ends what it started."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

PACKAGES = ("slurm-wlm", "munge")

CONFIG = """\
ClusterName=peer
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817-16824
AuthType=auth/munge
AuthInfo=socket={dir}/munge/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/controller.pid
SlurmdPidFile={dir}/agent.pid
SlurmctldLogFile={dir}/controller.log
SlurmdLogFile={dir}/agent.log
SlurmctldDebug=error
SlurmdDebug=error
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=5,default_queue_depth=1000,partition_job_depth=1000,bf_continue,bf_interval=30,bf_max_job_test=100
PriorityType=priority/basic
MaxJobCount=200000
MaxArraySize=100001
MinJobAge=2
MessageTimeout=60
ReturnToService=2
KillWait=5
InactiveLimit=0
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port=16900 CPUs={cpus} RealMemory=20000 State=UNKNOWN
PartitionName=main Nodes=n1 Default=YES MaxTime=INFINITE State=UP
"""


def is_installed():
    return os.geteuid() == 0 and shutil.which("munged") and os.path.exists("/usr/sbin/slurmctld")


class SlurmPeer:
    name = "slurm"
    cgroups = "off"

    def __init__(self, cpus):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-peer.", dir="/tmp"))
        self.folder.chmod(0o755)
        self.work = self.folder / "work"
        for name in ("work", "munge", "state", "spool"):
            (self.folder / name).mkdir()
        self.config = self.folder / "slurm.conf"
        host = socket.gethostname().split(".")[0]
        self.config.write_text(CONFIG.format(dir=self.folder, host=host, cpus=cpus))
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("SLURM", "SLUICE", "SBATCH"))}
        self.environment["SLURM_CONF"] = str(self.config)

    def start(self):
        munge = self.folder / "munge"
        (munge / "key").touch(mode=0o600)
        (munge / "key").write_bytes(os.urandom(1024))
        self.run("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/munge.socket",
                 f"--pid-file={self.folder}/munged.pid", f"--log-file={munge}/log",
                 f"--seed-file={munge}/seed", "--num-threads=10")
        self.run("/usr/sbin/slurmctld", "-f", self.config)
        self.run("/usr/sbin/slurmd", "-N", "n1", "-f", self.config)
        give_up_at = time.monotonic() + 60
        while self.run("sinfo", "-h", "-o", "%t", check=False).stdout.strip() != "idle":
            if time.monotonic() > give_up_at:
                raise RuntimeError(f"the peer did not start; its logs are in {self.folder}")
            time.sleep(0.1)

    def stop(self):
        for name in ("agent", "controller", "munged"):
            end_process(self.folder / f"{name}.pid", self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command, check=True, limit_s=120):
        return subprocess.run([str(word) for word in command], env=self.environment, check=check,
                              capture_output=True, text=True, timeout=limit_s, cwd=self.work)

    def pid(self, daemon):
        return int((self.folder / f"{'controller' if daemon == 'controller' else 'agent'}.pid").read_text())

    def restart_controller(self):
        end_process(self.folder / "controller.pid", self.folder)
        self.run("/usr/sbin/slurmctld", "-f", self.config)


def end_process(pid_file, folder):
    """Ends the process of the pid file if it is one of this folder, known by its command line."""
    try:
        pid = int(pid_file.read_text())
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return
    if str(folder).encode() not in command:
        return
    os.kill(pid, 15)
    give_up_at = time.monotonic() + 20
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < give_up_at:
        if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0] == "Z":
            return
        time.sleep(0.05)
    if os.path.exists(f"/proc/{pid}"):
        os.kill(pid, 9)
