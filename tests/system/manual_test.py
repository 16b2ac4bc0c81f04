#!/usr/bin/env python3
"""manual_test.py: the man pages that the build leaves, as man(1) shows them, and completion in a real
bash. Starts no daemon."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

import harness

PAGES = ["man1/sacct.1", "man1/sacctmgr.1", "man1/sbatch.1", "man1/scancel.1", "man1/scontrol.1", "man1/sdiag.1", "man1/sinfo.1",
         "man1/sluice-dev.1", "man1/sluice.1", "man1/sprio.1", "man1/squeue.1", "man1/sreport.1", "man1/sshare.1", "man8/sluice-agent.8", "man8/sluiced.8"]
OPTION = re.compile(r"--([A-Za-z0-9][A-Za-z0-9-]*)")


def output_of(*command, **more):
    return subprocess.run(command, check=True, text=True, capture_output=True, **more)


class Manual(unittest.TestCase):
    def setUp(self):
        self.bin = pathlib.Path(harness.BIN)
        self.pages = self.bin.parent / "share" / "man"

    def shown(self, page, width=80):
        env = dict(os.environ, MANWIDTH=str(width), LC_ALL="C", MAN_KEEP_FORMATTING="")
        text = output_of("man", "-P", "cat", "-l", str(self.pages / page), env=env).stdout
        return re.sub(".\b", "", text)

    def test_the_build_leaves_all_pages(self):
        found = sorted(str(path.relative_to(self.pages)) for path in self.pages.glob("man*/*"))
        self.assertEqual(found, PAGES)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_warns_of_nothing(self):
        for page in PAGES:
            with self.subTest(page):
                done = output_of("groff", "-man", "-ww", "-z", str(self.pages / page))
                self.assertEqual(done.stderr + done.stdout, "")

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_pages_fit_a_terminal(self):
        for page in PAGES:
            with self.subTest(page):
                lines = self.shown(page).splitlines()
                self.assertEqual([line for line in lines if len(line) > 80], [])
                for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS",
                              "EXAMPLES", "SEE ALSO"):
                    self.assertIn(title, lines)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_pages_of_daemons_have_the_options_that_the_daemons_take(self):
        for program, page, verbs in (("sluiced", "man8/sluiced.8", ()),
                                     ("sluice-agent", "man8/sluice-agent.8", ()),
                                     ("sluice-dev", "man1/sluice-dev.1", ("up", "kill9", "down"))):
            with self.subTest(program):
                words = OPTION.findall(output_of(str(self.bin / program), "--help").stdout)
                for verb in verbs:
                    words += OPTION.findall(output_of(str(self.bin / program), verb, "--help").stdout)
                named = set(OPTION.findall(self.shown(page))) - {"wrap"}  # of sbatch, in an example
                self.assertEqual(named, set(words))

    def test_names_of_see_also_exist(self):
        names = {pathlib.Path(page).stem for page in PAGES}
        for page in PAGES:
            text = (self.pages / page).read_text().split(".SH SEE ALSO")[1].replace("\\-", "-")
            with self.subTest(page):
                self.assertLessEqual(set(re.findall(r"\\fB([\w-]+)\\fR\(\d\)", text)), names)


class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash offers behind these words, the last of which is not finished."""
        script = output_of(str(pathlib.Path(harness.BIN) / "sluice"), "--completion", "bash").stdout
        function = "_sluice_verb" if words[0] == "sluice" else "_sluice_command"
        test = (f'{script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
                f'{function} "$1" "${{COMP_WORDS[COMP_CWORD]}}"\nprintf "%s\\n" "${{COMPREPLY[@]}}"')
        return output_of("bash", "-uc", test, "bash", *words).stdout.split()

    def test_options_are_completed(self):
        self.assertEqual(self.complete("sbatch", "--job-n"), ["--job-name="])
        self.assertEqual(self.complete("/usr/bin/squeue", "-h", "--noh"), ["--noheader"])
        self.assertEqual(self.complete("sbatch", "--netw"), [])

    def test_verbs_and_their_options_are_completed(self):
        self.assertEqual(self.complete("sluice", "wh"), ["why"])
        self.assertEqual(self.complete("sluice", "submit", "--job-n"), ["--job-name="])
        self.assertIn("submit", self.complete("sluice", ""))
        self.assertEqual(self.complete("sluice", "admin", ""), ["backup", "purge", "restore"])
        self.assertEqual(self.complete("sluice", "admin", "purge", "--ol"), ["--older="])

    def test_files_are_left_to_bash(self):
        self.assertEqual(self.complete("sbatch", "jo"), [])


if __name__ == "__main__":
    harness.main()
