"""accounts_test.py: sacctmgr as an administrator meets it, its texts and exit codes, and what accounts
and limits do to jobs."""

import pathlib
import pwd

import harness

ME = pwd.getpwuid(harness.os.geteuid()).pw_name


class Accounts(harness.SystemTest):
    config = "AccountingStorageEnforce=associations,limits,qos\n"

    def manage(self, *words, code=0, **options):
        done = self.cluster.run("sacctmgr", *words, check=False, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_1_accounts_users_and_qos_have_slurms_texts(self):
        cluster = self.cluster.setting("ClusterName")
        self.assertEqual(
            self.manage("-i", "add", "account", "tacc", "description=d", "organization=o"),
            " Adding Account(s)\n  tacc\n Settings\n  Description     = d\n  Organization    = o\n"
            f" Associations\n  A = tacc       C = {cluster:<10}\n")
        self.assertEqual(self.manage("-i", "add", "account", "tacc", code=1), " Nothing new added.\n")
        self.assertEqual(
            self.manage("-i", "add", "user", ME, "account=tacc"),
            (f" Adding User(s)\n  {ME}\n" if ME != "root" else "") +
            f" Associations =\n  U = {ME:<9} A = tacc       C = {cluster:<10}\n Non Default Settings\n")
        self.assertEqual(
            self.manage("-i", "add", "user", "x", "account=nosuch", code=1),
            " This account 'nosuch' doesn't exist.\n        Contact your admin to add this account.\n"
            " Nothing new added.\n")
        self.assertEqual(
            self.manage("-i", "add", "qos", "tq", "priority=10", "maxjobspu=1", "flags=DenyOnLimit"),
            " Adding QOS(s)\n  tq\n Settings\n  Description    = tq\n"
            "  Flags                    = DenyOnLimit\n  MaxJobsPerUser = 1\n"
            "  Priority                 = 10\n")
        self.assertEqual(self.manage("-P", "show", "qos", "format=name,priority,flags,maxjobspu"),
                         "Name|Priority|Flags|MaxJobsPU\nnormal|0||\ntq|10|DenyOnLimit|1\n")
        self.assertEqual(
            self.manage("show", "account", "tacc"),
            "   Account                Descr                  Org \n"
            "---------- -------------------- -------------------- \n"
            "      tacc                    d                    o \n")
        self.assertEqual(self.manage("-nP", "show", "assoc", "format=account,user,share,qos"),
                         f"root||1|normal\nroot|root|1|normal\ntacc||1|normal\ntacc|{ME}|1|normal\n")

    def test_2_changes_say_what_was_changed(self):
        cluster = self.cluster.setting("ClusterName")
        self.assertEqual(self.manage("-i", "mod", "account", "tacc", "set", "grpjobs=2"),
                         f" Modified account associations...\n  C = {cluster:<10} A = tacc of root\n")
        self.assertEqual(
            self.manage("-i", "mod", "user", ME, "where", "account=tacc", "set", "maxjobs=1", "qos+=tq"),
            f" Modified user associations...\n  C = {cluster:<10} A = {'tacc':<20} U = {ME:<9}\n")
        self.assertEqual(self.manage("-nP", "show", "assoc", "user=" + ME, "account=tacc",
                                     "format=maxjobs,qos"), "1|normal,tq\n")
        self.assertEqual(self.manage("-i", "mod", "user", "nosuch", "set", "maxjobs=1", code=1),
                         " Nothing modified\n")
        self.assertEqual(self.manage("-i", "mod", "user", ME, "set", "bogus=1", code=1),
                         " Unknown option: bogus=1\n Use keyword 'where' to modify condition\n")
        self.assertEqual(self.manage("-i", "mod", "user", ME, "set", "qos+=q2", code=1),
                         "sacctmgr: error: You gave a bad qos 'q2'. Valid QOS's are normal,tq\n"
                         " Unknown option: qos+=q2\n Use keyword 'where' to modify condition\n")
        self.assertIn("not enforced yet",
                      self.manage("-i", "mod", "user", ME, "set", "grpwall=5", code=1))
        self.assertEqual(self.manage("bogus", code=1), "invalid keyword: bogus\n")
        self.assertIn("No valid entity in list command", self.manage("show", "bogus", code=1))
        self.assertEqual(self.manage("show", "user", "format=bogus", code=1), "Unknown field 'bogus'\n")

    def test_3_without_i_it_asks(self):
        answer = self.manage("add", "account", "zz", input="n\n")
        self.assertTrue(answer.endswith(
            "Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): \n"
            " Changes Discarded\n"), answer)
        self.assertNotIn("zz", self.manage("-nP", "show", "account", "format=account"))

    def test_4_jobs_get_their_account_and_limits_hold(self):
        self.manage("-i", "mod", "user", ME, "set", "defaultaccount=tacc")
        first = self.cluster.submit("-o", "/dev/null", "--wrap", "sleep 300")
        self.cluster.wait_state(first, "RUNNING")
        self.assertEqual(self.cluster.out("squeue", "-h", "-j", first, "-o", "%a %q"), "tacc normal")
        second = self.cluster.submit("-o", "/dev/null", "--wrap", "sleep 300")
        harness.wait_for(lambda: self.cluster.out("squeue", "-h", "-j", second, "-o", "%r") ==
                         "AssocMaxJobsLimit", "the limit as reason")
        self.assertIn("MaxJobs of user", self.cluster.out("sluice", "why", second))
        done = self.cluster.run("sbatch", "-A", "nosuch", "--wrap", "true", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Batch job submission failed: Invalid account or account/partition combination "
                      "specified", done.stderr)
        done = self.cluster.run("sbatch", "--qos", "nosuch", "--wrap", "true", check=False)
        self.assertIn("Batch job submission failed: Invalid qos specification", done.stderr)
        self.assertEqual(
            self.manage("-i", "delete", "user", ME, "account=tacc", code=1).splitlines()[0],
            " Error with request: Job(s) active, cancel job(s) before remove")
        self.cluster.run("scancel", first, second)
        self.cluster.wait_end(first)
        self.manage("-i", "mod", "user", ME, "set", "maxsubmitjobs=0")
        done = self.cluster.run("sbatch", "--wrap", "true", check=False)
        self.assertIn("sbatch: error: AssocMaxSubmitJobLimit\n", done.stderr)
        self.assertIn("Job violates accounting/QOS policy (job submit limit, user's size and/or time "
                      "limits)", done.stderr)
        self.manage("-i", "mod", "user", ME, "set", "maxsubmitjobs=-1", "maxjobs=-1")

    def test_5_names_are_never_sql_and_survive_a_restart(self):
        odd = "o'neil;DROP-TABLE/*x*/"
        self.manage("-i", "add", "user", odd, "account=tacc")
        self.cluster.restart("controller")
        self.assertIn(odd, self.manage("-nP", "show", "user", "format=user").splitlines())
        self.assertIn("User does not have a uid", self.manage("-nP", "show", "problem"))
        self.manage("-i", "delete", "user", odd)

    def test_6_a_dump_loads_again(self):
        file = str(pathlib.Path(self.cluster.folder) / "accounts.cfg")
        self.manage("dump", file)
        before = self.manage("-P", "show", "assoc")
        self.assertEqual(self.manage("-i", "load", file), " Nothing new added.\n")
        self.manage("-i", "mod", "account", "tacc", "set", "grpjobs=-1", "fairshare=9")
        self.manage("-i", "load", file)
        self.assertEqual(self.manage("-P", "show", "assoc"), before)

    @harness.needs_root
    def test_7_a_plain_user_lists_and_changes_nothing(self):
        self.assertIn("tacc", self.manage("-nP", "show", "account", uid=harness.OTHER_UID))
        self.assertIn("Access/permission denied",
                      self.manage("-i", "add", "account", "mine", uid=harness.OTHER_UID, code=1))

    def test_8_what_is_not_used_goes(self):
        self.manage("-i", "mod", "user", ME, "set", "qos=")
        self.assertEqual(self.manage("-i", "delete", "qos", "tq"), " Deleting QOS(s)...\n  tq\n")
        self.assertEqual(self.manage("-i", "delete", "qos", "tq", code=1), " Nothing deleted\n")


if __name__ == "__main__":
    harness.main()
