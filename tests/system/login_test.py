"""login_test.py: a submit host: its agent has no resources, relays commands and vouches for all users.
The host is this one under another name; its commands find the agent's socket alone."""

import subprocess

import harness


class LoginHost(harness.SystemTest):
    config = "SluiceLoginHosts=login1\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.agents = []
        cls.login = cls.start_agent("login1", "--login")

    @classmethod
    def tearDownClass(cls):
        for agent in cls.agents:
            agent.terminate()
            agent.wait()
        super().tearDownClass()

    @classmethod
    def start_agent(cls, name, *options):
        """An agent as on another host, with the key of this name alone; where its files are."""
        folder = cls.cluster.folder / f"{name}.{len(cls.agents)}"
        folder.mkdir()
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_text(cls.cluster.run(harness.BIN / "sluiced", "--node-key", name).stdout)
        (folder / "conf").write_text(
            f"Include {cls.cluster.dir}/slurm.conf\nSluiceControllerSocket={folder}/none\n"
            f"SluiceAgentSocket={folder}/sock\nSluiceKeyFile={key}\nSlurmdLogFile={folder}/log\n")
        cls.agents.append(subprocess.Popen(
            [harness.BIN / "sluice-agent", "--name", name, "-f", folder / "conf", "--spool",
             folder / "spool", *options], cwd="/", env=cls.cluster.environment,
            stdin=subprocess.DEVNULL, start_new_session=True))
        return folder

    def there(self, *command, **options):
        """Runs a command as on the login host."""
        return self.cluster.run(*command, env={"SLUICE_CONF": str(self.login / "conf")}, **options)

    def setUp(self):
        self.cluster.config.write_text(self.config)
        self.cluster.run("scontrol", "reconfigure")
        harness.wait_for(lambda: self.there("squeue", "-h", check=False).returncode == 0,
                         "the login host to relay")

    def wait_for_log(self, folder, text):
        path = folder / "log"
        harness.wait_for(lambda: path.exists() and text in path.read_text(), f"{text!r} in {path}")

    @harness.needs_root
    def test_any_user_works_there_as_himself(self):
        other = {"uid": harness.OTHER_UID}
        job = self.there("sbatch", "--parsable", "-o", "who", "--wrap", "id -u; exec sleep 300", **other).stdout.strip()
        self.cluster.wait_text("who", f"{harness.OTHER_UID}\n")
        self.assertEqual(self.there("squeue", "-h", "-o", "%i %U", **other).stdout, f"{job} {harness.OTHER_UID}\n")
        self.there("scancel", job, **other)
        self.assertEqual(self.cluster.wait_end(job), ["CANCELLED"])
        foreign = self.cluster.submit("-H", "--wrap", "true")
        done = self.there("scancel", foreign, check=False, **other)
        self.assertIn("Access/permission denied", done.stderr)
        self.there("sbatch", "-W", "-o", "/dev/null", "--wrap", "true", **other)

    @harness.needs_root
    def test_root_there_is_an_administrator_only_on_an_admin_host(self):
        drain = ("scontrol", "update", "nodename=n1", "state=drain", "reason=x")
        done = self.there(*drain, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "slurm_update error: Invalid user id\n"))
        done = self.there("sbatch", f"--uid={harness.OTHER_UID}", "--wrap", "true", check=False)
        self.assertIn("--uid and --gid are for root on the controller's host", done.stderr)
        self.cluster.config.write_text(self.config + "SluiceAdminHosts=login1\n")
        self.cluster.run("scontrol", "reconfigure")
        self.there(*drain)
        self.there("scontrol", "update", "nodename=n1", "state=resume")
        self.cluster.wait_node("n1", "idle")

    def test_a_host_that_is_taken_off_the_list_relays_no_more(self):
        self.cluster.config.write_text("")
        self.cluster.run("scontrol", "reconfigure")
        self.wait_for_log(self.login, "login1 is no login host; add it to SluiceLoginHosts")
        done = self.there("squeue", "-h", check=False)
        self.assertNotEqual(done.returncode, 0)

    def test_a_name_is_one_kind_of_host(self):
        self.wait_for_log(self.start_agent("login1"), "start its agent with --login")
        self.wait_for_log(self.start_agent("n1", "--login"), "n1 is no login host")
        self.assertEqual(self.cluster.out("sinfo", "-h", "-N", "-o", "%N %T"), "n1 idle")


if __name__ == "__main__":
    harness.main()
