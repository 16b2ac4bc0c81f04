"""machine.py: a virtual machine of the image that tests/vm/image makes: started, asked to run commands as
root through a serial line, cut off from its power. Ends what it started."""

import base64
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile

from harness import wait_for

BOOT_LIMIT_S = 90


class CommandFailed(AssertionError):
    pass


class Machine:
    def __init__(self, image, files):
        """files: copied to the machine's /dev/vdb, as a tar archive."""
        self.image = pathlib.Path(image)
        # Beside the image: the drive is opened with O_DIRECT, which a /tmp in memory may not have.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="run.", dir=self.image))
        self.disk = self.folder / "disk"
        subprocess.run(["cp", "--sparse=always", self.image / "disk", self.disk], check=True)
        self.archive = self.folder / "files.tar"
        places = [word for file in map(pathlib.Path, files) for word in ("-C", file.parent, file.name)]
        subprocess.run(["tar", "-cf", self.archive, *places], check=True)
        self._process = self._line = None
        self._asked = 0

    # --- power -----------------------------------------------------------------------------------

    def start(self):
        """Returns when the machine takes commands. An emulated kernel was seen to hang before its first word;
        then the power is cut once more, which what is tested has to bear anyway."""
        try:
            self._boot()
        except AssertionError as hung:
            print(f"no boot within {BOOT_LIMIT_S} s, once more: {hung}", file=sys.stderr)
            self.cut_power()
            self._boot()

    def _boot(self):
        control = self.folder / "control"
        control.unlink(missing_ok=True)
        drive = f"if=virtio,format=raw,cache=none,file={self.disk}"
        files = f"if=virtio,format=raw,readonly=on,file={self.archive}"
        self._process = subprocess.Popen([
            "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024",
            "-nodefaults", "-display", "none", "-no-reboot", "-nic", "none",
            "-kernel", self.image / "kernel", "-initrd", self.image / "ramdisk",
            "-append", "root=/dev/vda rw console=ttyS0 mitigations=off",
            "-drive", drive, "-drive", files, "-device", "virtio-rng-pci",
            "-serial", f"file:{self.folder / 'console'}",
            "-serial", f"unix:{control},server=on,wait=off",
            "-serial", f"file:{self.heard}"], stdin=subprocess.DEVNULL)
        wait_for(control.exists, "qemu to start")
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._line.connect(str(control))
        self._answers = self._line.makefile("rb")
        self._line.settimeout(BOOT_LIMIT_S)
        self._next_answer("hello", "the machine to boot")

    def cut_power(self):
        """At once: what the machine has not written to its disk is lost."""
        self._process.kill()
        self._process.wait()
        self._line.close()

    def remove(self):
        if self._process and self._process.poll() is None:
            self.cut_power()
        shutil.rmtree(self.folder)

    # --- commands --------------------------------------------------------------------------------

    def run(self, command, user=None, check=True, limit_s=60):
        """Runs a line of bash; gives (exit status, output without its last line end)."""
        if user:
            command = f"runuser -l {user} -c {shlex.quote(command)}"
        self._asked += 1
        text = base64.b64encode(command.encode()).decode()
        self._line.settimeout(limit_s)
        self._line.sendall(f"{self._asked} {text}\n".encode())
        words = self._next_answer(str(self._asked), command)
        status, output = int(words[1]), base64.b64decode(words[2] if words[2:] else b"").decode().rstrip("\n")
        if check and status != 0:
            raise CommandFailed(f"{command}\nended with {status}: {output}\n{self.journal_end()}")
        return status, output

    def out(self, command, **options):
        return self.run(command, **options)[1]

    def wait_out(self, command, wanted, limit_s=60, **options):
        """Waits until the command prints this."""
        return wait_for(lambda: self.run(command, check=False, **options)[1] == wanted,
                        f"{command} to print {wanted!r}", limit_s, every_s=0.2)

    def journal_end(self):
        return self.run("journalctl -n 30 --no-pager -o cat", check=False)[1]

    # --- what it says by itself ------------------------------------------------------------------

    @property
    def heard(self):
        """The file of what the machine wrote to its third serial line, /dev/ttyS2."""
        return self.folder / "heard"

    def heard_lines(self):
        """The whole lines of it: the power may be cut within one."""
        text = self.heard.read_text(errors="replace") if self.heard.exists() else ""
        return [line.strip() for line in text.split("\n")[:-1]]

    def _next_answer(self, key, what):
        while True:
            try:
                line = self._answers.readline()
            except TimeoutError:
                line = b""
            if not line:
                console = (self.folder / "console").read_text(errors="replace")[-2000:]
                raise AssertionError(f"waited in vain for: {what}\nconsole: {console}")
            words = line.split()
            if words and words[0].decode(errors="replace") == key:
                return words
